"""What the rules make of single subjects or overview lines, for `overlake explain`."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pipeline.schema import Column, Schema

EXPLAINED = Schema(
    "explained",
    (
        Column("kind", pl.String, "`file`, `random`, `obfuscated` or `text`"),
        Column("segment", pl.Int32, "i of the segment counter"),
        Column("segments", pl.Int32, "P of the segment counter"),
        Column("file", pl.Int32, "n of the file counter"),
        Column("files", pl.Int32, "N of the file counter"),
        Column("filename", pl.String, "file name"),
        Column("release", pl.String, "release name"),
        Column("repost", pl.Boolean, "marked as a repost"),
        Column("request_id", pl.String, "request id"),
        Column("tool", pl.String, "posting tool, where the message-id is known"),
        Column("rule", pl.String, "the rule that groups it"),
    ),
)


def explain_subjects(subjects: Sequence[str] | pl.Series) -> pl.DataFrame:
    """One row a subject, frame `EXPLAINED`; null where absent."""
    raise NotImplementedError


def explain_lines(overview: pl.DataFrame) -> pl.DataFrame:
    """One row a line of `schema.OVERVIEW`, frame `EXPLAINED`; null where absent."""
    raise NotImplementedError
