"""What the rules make of single subjects or overview lines, for `overlake explain`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from pipeline.overview import parse as parse_overview
from pipeline.releases import with_identities, with_rules
from pipeline.schema import OVERVIEW, Column, Schema
from pipeline.setasides import FILE, OBFUSCATED, kinds
from pipeline.subjects import parse
from pipeline.tools import templates, tool_of
from pipeline.utf8 import as_utf8

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


READ = Schema(
    "read",
    tuple(column for column in OVERVIEW.columns if column.name in {"subject", "poster", "posted_at", "message_id"}),
)


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line with TABs that is no overview line.

    Attributes:
        place: its number in the text, from 1.
        raw: the line as given, without its line end.
        reason: what is wrong with it, as `schema.REJECTED` says it.
    """

    place: int
    raw: bytes
    reason: str


def read_lines(text: bytes) -> tuple[pl.DataFrame, list[Unreadable]]:
    """Subjects and overview lines, one a line in any mixture, with LF or CRLF; blank lines are skipped.

    Returns:
        Frame `READ` in the order of the lines, of a subject with nothing beside it; and the lines that cannot be read.
    """
    lines = [line.removesuffix(b"\r") for line in text.removeprefix(b"\xef\xbb\xbf").split(b"\n")]
    places = [place for place, line in enumerate(lines) if line.strip()]
    tabbed = [place for place in places if b"\t" in lines[place]]
    bare = [place for place in places if b"\t" not in lines[place]]
    # The line's place stands in for its number, which says nothing here: so none is out of order or there twice.
    numbered = [place for place in tabbed if lines[place].split(b"\t", 1)[0].strip().isdigit()]
    placed = b"".join(b"%d\t%b\n" % (place, lines[place].split(b"\t", 1)[1]) for place in numbered)
    parsed = parse_overview(placed, 0, len(lines), datetime.now(UTC))
    rejected = [
        (int(raw.split(b"\t", 1)[0]), reason) for raw, reason in parsed.rejected.select("raw", "reason").iter_rows()
    ]
    rejected += [(place, "number") for place in tabbed if place not in set(numbered)]
    texts = [as_utf8(lines[place]).tobytes().decode() for place in bare]
    subjects = pl.DataFrame({"number": bare, "subject": texts})
    subjects = _alone(subjects.cast({"number": pl.Int64, "subject": pl.String}))
    both = pl.concat([subjects, parsed.overview.select(subjects.columns)]).sort("number")
    unreadable = [Unreadable(place + 1, lines[place], reason) for place, reason in sorted(rejected)]
    return READ.check(both.select(READ.names)), unreadable


def explain_subjects(subjects: Sequence[str] | pl.Series) -> pl.DataFrame:
    """One row a subject, frame `EXPLAINED`; null where absent."""
    texts = pl.Series("subject", subjects, dtype=pl.String)
    return explain_lines(_alone(pl.DataFrame({"subject": texts})))


def explain_lines(overview: pl.DataFrame) -> pl.DataFrame:
    """One row a line, frame `EXPLAINED`; null where absent.

    Args:
        overview: the columns of `READ`.
    """
    split = kinds(overview["subject"])
    ruled = with_identities(with_rules(parse(split["head"]).with_columns(overview["poster"], overview["posted_at"])))
    frame = pl.concat([split, ruled], how="horizontal").with_columns(templates(overview["message_id"]))
    shape = pl.when(pl.col("kind") == FILE).then("shape").otherwise(pl.lit(""))
    frame = frame.with_columns(overview["message_id"])
    tool = tool_of(frame.with_columns(pl.col("segment", "segments").fill_null(1), shape=shape))
    frame = frame.with_columns(tool=pl.when(overview["message_id"] != "").then(tool).otherwise(pl.lit("")))
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


def _alone(subjects: pl.DataFrame) -> pl.DataFrame:
    """Subjects without what an overview line says beside them."""
    return subjects.with_columns(
        poster=pl.lit(""), posted_at=pl.lit(None, OVERVIEW.polars["posted_at"]), message_id=pl.lit("")
    )


def _or_null(name: str) -> pl.Expr:
    return pl.when(pl.col(name) != "").then(name)
