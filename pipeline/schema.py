"""Every frame that crosses a module border, declared once: name, dtype and meaning of each column.

Parquet metadata, tests and the data dictionary in `docs/` are made from these declarations.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from polars.datatypes import DataType, DataTypeClass

UTC_TIME = pl.Datetime("ms", "UTC")
"""Times are whole seconds; Parquet and Polars have no second unit, so milliseconds carry them."""


class SchemaMismatch(ValueError):
    """A frame does not have the declared columns."""


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, its Polars dtype, and what it means (units included)."""

    name: str
    dtype: DataType | DataTypeClass
    meaning: str


@dataclass(frozen=True, slots=True)
class Schema:
    """The declared columns of one kind of frame, in order."""

    name: str
    columns: tuple[Column, ...]

    @property
    def names(self) -> list[str]:
        """Column names in order."""
        return [column.name for column in self.columns]

    @property
    def polars(self) -> pl.Schema:
        """The same as a Polars schema."""
        return pl.Schema({column.name: column.dtype for column in self.columns})

    def empty(self) -> pl.DataFrame:
        """A frame of no rows with these columns."""
        return pl.DataFrame(schema=self.polars)

    def check(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return `frame` unchanged when its columns are exactly these.

        Raises:
            SchemaMismatch: names, order or dtypes differ.
        """
        if frame.schema != self.polars:
            raise SchemaMismatch(f"{self.name}: expected {dict(self.polars)}, got {dict(frame.schema)}")
        return frame


OVERVIEW = Schema(
    "overview",
    (
        Column("number", pl.Int64, "article number in the group, as the source numbers it; unique and ascending"),
        Column("subject", pl.String, "Subject as sent, as UTF-8"),
        Column("poster", pl.String, "From as sent, as UTF-8"),
        Column("posted_at", UTC_TIME, "Date in UTC, whole seconds; null when missing or not believable"),
        Column("message_id", pl.String, "Message-ID without the angle brackets"),
        Column("references", pl.String, "References as sent, empty when there are none"),
        Column("bytes", pl.Int64, "article size as the server counts it (+-0.5 %); 0 when missing"),
        Column(
            "xref", pl.String, "Xref without header name and server name: `group:number group:number`; may be empty"
        ),
    ),
)

REJECTED = Schema(
    "rejected",
    (
        Column("raw", pl.Binary, "the line as received, without its line end"),
        Column("reason", pl.String, "`fields`, `number`, `message_id`, `outside_range` or `duplicate`"),
    ),
)

FILES = Schema(
    "files",
    (
        Column("file", pl.UInt32, "ordinal of the file in this frame: 0, 1, 2, ..."),
        Column(
            "file_key",
            pl.Binary,
            "16 bytes: identity of the file over ranges and groups (xxh3-128 of its stable facts)",
        ),
        Column("subject", pl.String, "subject with the segment counter written `(1/N)`"),
        Column("name", pl.String, "file name, empty when the subject has none"),
        Column("poster", pl.String, "From of its first segment"),
        Column("groups", pl.List(pl.String), "groups of its articles from Xref, sorted, unique"),
        Column(
            "posted_at", UTC_TIME, "earliest believable date of its segments, else filled from neighbouring articles"
        ),
        Column("file_number", pl.Int32, "n of the file counter `[n/N]`, null when there is none"),
        Column("file_total", pl.Int32, "N of the file counter, null when there is none"),
        Column("segments_expected", pl.Int32, "N of the segment counter `(i/N)`; 1 when there is no counter"),
        Column("segments_found", pl.Int32, "segments present"),
        Column("bytes", pl.Int64, "sum of the article sizes present"),
        Column("first_number", pl.Int64, "lowest article number of its segments in this range"),
        Column("last_number", pl.Int64, "highest article number of its segments in this range"),
    ),
)

SEGMENTS = Schema(
    "segments",
    (
        Column("file", pl.UInt32, "ordinal of its file in the files frame beside it"),
        Column("number", pl.Int32, "i of the segment counter, 1-based; unique within a file, ascending"),
        Column("bytes", pl.Int64, "article size"),
        Column("message_id", pl.String, "Message-ID without the angle brackets"),
    ),
)

RECORDS = Schema(
    "records",
    (
        Column("record", pl.UInt32, "ordinal of the record in its batch: 0, 1, 2, ..."),
        Column(
            "base_key",
            pl.Binary,
            "16 bytes: identity of the release before splitting reposts (xxh3-128 of poster where stable, stem, file total)",
        ),
        Column(
            "stem_key",
            pl.Binary,
            "16 bytes: the base key it has once another file of its random stem is known; null where there is no choice",
        ),
        Column(
            "pool_key",
            pl.Binary,
            "16 bytes: the base key it has where its names are drawn for each file and poster and counter hold it together; else null",
        ),
        Column("lone_number", pl.Int32, "n of the file counter of its only file where it has both keys, else null"),
        Column("name", pl.String, "release name to show and search"),
        Column("poster", pl.String, "From of the file that names it"),
        Column("groups", pl.List(pl.String), "groups of its files, sorted, unique"),
        Column("first_posted", UTC_TIME, "earliest file date"),
        Column("last_posted", UTC_TIME, "latest file date"),
        Column("files", pl.Int32, "files present"),
        Column("files_expected", pl.Int32, "N of the file counter, null when not knowable"),
        Column("segments", pl.Int64, "segments present"),
        Column("segments_expected", pl.Int64, "sum of the expected segments of the files present"),
        Column("bytes", pl.Int64, "sum of the article sizes"),
        Column("has_par2", pl.Boolean, "holds a par2 file"),
        Column("readable_name", pl.Boolean, "the name is not random"),
        Column("category", pl.Int32, "Newznab category id; 8010 when unknown"),
        Column("tool", pl.String, "posting tool, empty when not recognised"),
        Column("grouped_by", pl.String, "the rule that put its files together"),
        Column("named_by", pl.String, "the rule that named it"),
        Column("signature", pl.String, "garbage signature: message-id template, poster shape, subject shape"),
        Column("repost", pl.Boolean, "marked as a repost by its poster"),
        Column("request_id", pl.String, "request id, empty when there is none"),
        Column(
            "file_marks",
            pl.Binary,
            "8 bytes a file, ordered: see pipeline/completeness.py; empty when it holds the whole release",
        ),
    ),
)

VERDICTS = Schema(
    "verdicts",
    (
        Column("dropped_by", pl.String, "line of the signature table that drops the files; null where they are kept"),
        Column("signature", pl.String, "garbage signature of the files, which have random names"),
        Column("tool", pl.String, "posting tool, empty when not recognised"),
        Column("files", pl.Int64, "files"),
        Column("segments", pl.Int64, "their segments"),
        Column("bytes", pl.Int64, "sum of their article sizes"),
    ),
)

RECORD_FILES = Schema(
    "record_files",
    (
        Column("record", pl.UInt32, "ordinal of its record; rows are ordered by record, then in NZB order"),
        *FILES.columns,
    ),
)

FRAGMENTS = Schema(
    "fragments",
    (
        *FILES.columns,
        Column("at_low", pl.Boolean, "may continue below the range"),
        Column("at_high", pl.Boolean, "may continue above the range"),
    ),
)

PROBES = Schema(
    "probes",
    (
        Column("record", pl.UInt32, "ordinal of its record"),
        Column("file_key", pl.Binary, "file_key of the file it probes"),
        Column("kind", pl.String, "`archive`, `par2`, `lone` or `seven_zip_end`"),
        Column("message_id", pl.String, "article to read, without the angle brackets"),
        Column("priority", pl.Int16, "higher first; random names first"),
    ),
)

SAMPLES = Schema(
    "samples",
    (
        Column("kind", pl.String, "counter the line was counted under, e.g. `set_aside_random`"),
        Column("number", pl.Int64, "article number"),
        Column("subject", pl.String, "Subject"),
        Column("poster", pl.String, "From"),
        Column("message_id", pl.String, "Message-ID without the angle brackets"),
        Column("bytes", pl.Int64, "article size"),
    ),
)
