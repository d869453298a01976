"""What the rules make of single subjects or overview lines, for `overlake explain`."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from pipeline.releases import with_rules
from pipeline.schema import OVERVIEW, Column, Schema
from pipeline.setasides import FILE, OBFUSCATED, kinds
from pipeline.subjects import parse
from pipeline.tools import TOOLS, templates

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
    texts = pl.Series("subject", subjects, dtype=pl.String)
    lines = pl.DataFrame({"subject": texts}).with_columns(
        poster=pl.lit(""), message_id=pl.lit(""), posted_at=pl.lit(None, OVERVIEW.polars["posted_at"])
    )
    return explain_lines(lines)


def explain_lines(overview: pl.DataFrame) -> pl.DataFrame:
    """One row a line, frame `EXPLAINED`; null where absent.

    Args:
        overview: `subject`, `poster`, `posted_at` and `message_id` of `schema.OVERVIEW`.
    """
    split = kinds(overview["subject"])
    ruled = with_rules(parse(split["head"]).with_columns(overview["poster"], overview["posted_at"]))
    frame = pl.concat([split, ruled], how="horizontal").with_columns(
        tool=templates(overview["message_id"]).replace_strict(TOOLS, default="", return_dtype=pl.String)
    )
    files_only = pl.col("kind") == FILE
    counters = {
        "segment": pl.col("segment"),
        "segments": pl.col("segments"),
        "file": pl.col("file_number"),
        "files": pl.col("file_total"),
    }
    facts = {
        "filename": _or_null("name"),
        "release": _or_null("release"),
        "repost": pl.col("repost"),
        "request_id": _or_null("request_id"),
    }
    rule = pl.when(files_only).then("grouped_by").otherwise(pl.concat_str(pl.lit("set_aside_"), "kind"))
    return EXPLAINED.check(
        frame.select(
            pl.col("kind"),
            *(
                pl.when(pl.col("kind").is_in([FILE, OBFUSCATED])).then(fact).alias(name)
                for name, fact in counters.items()
            ),
            *(pl.when(files_only).then(fact).alias(name) for name, fact in facts.items()),
            tool=_or_null("tool"),
            rule=rule,
        )
    )


def _or_null(name: str) -> pl.Expr:
    return pl.when(pl.col(name) != "").then(name)
