"""Why a release is as it is: the rules in words, and what they saw in each of its files."""

from __future__ import annotations

import polars as pl

from pipeline.releases import with_identities, with_rules
from pipeline.schema import RECORD_FILES, Column, Schema
from pipeline.subjects import parse, split

GROUPED_BY = {
    "request": "its files name the same request and title",
    "folder": "its files lie in the same folder",
    "title": "its subjects have the same title",
    "stem": "its file names have the same stem",
    "description": "its subjects have the same text between file counter and name",
    "series": "its files are numbered parts of one series",
    "counter": "its file names are drawn for each file; poster, file total and time of posting hold them together",
}
"""What `grouped_by` means."""

NAMED_BY = {
    "request": "the request id, since nothing else says what it is",
    "folder": "the folder in its file names",
    "title": "the title in its subjects",
    "stem": "what its file names have in common",
    "description": "the text between file counter and name",
    "series": "the name of the series",
    "none": "nothing names it",
}
"""What `named_by` means."""


def why_grouped(rule: str) -> str:
    """A `grouped_by` in words."""
    return GROUPED_BY.get(rule, rule)


def why_named(rule: str) -> str:
    """A `named_by` in words."""
    return NAMED_BY.get(rule, rule)


REASONS = Schema(
    "reasons",
    (
        Column("name", pl.String, "file name"),
        Column("subject", pl.String, "subject with the segment counter written `(1/N)`"),
        Column("title", pl.String, "title in the subject, empty when there is none"),
        Column("stem", pl.String, "file name without volume, archive, par2 and media suffixes"),
        Column("random_stem", pl.Boolean, "the stem is drawn at random"),
        Column("file_number", pl.Int32, "n of the file counter"),
        Column("file_total", pl.Int32, "N of the file counter"),
        Column("stable_poster", pl.String, "poster as part of the identity, empty when drawn at random"),
        Column("grouped_by", pl.String, "the rule that its own facts call for"),
        Column("named_by", pl.String, "the rule that names it"),
        Column("release", pl.String, "the release name it stands for"),
        Column("identity", pl.String, "what files of one release have in common, parts separated by ` | `"),
        Column("pool", pl.String, "the other identity of a file whose random stem may be its own, else null"),
    ),
)


def reasons(files: pl.DataFrame) -> pl.DataFrame:
    """What the rules see in each file, frame `REASONS`.

    Args:
        files: frame `schema.RECORD_FILES`.
    """
    files = RECORD_FILES.check(files)
    heads = split(files["subject"])["head"]
    ruled = with_identities(
        with_rules(parse(heads).with_columns(files["poster"], files["posted_at"], files["subject"]))
    )
    parts = (pl.col(name).str.replace_all("\x1f", " | ") for name in ("identity", "pool"))
    return REASONS.check(ruled.with_columns(parts).select(REASONS.names))
