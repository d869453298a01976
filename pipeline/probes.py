"""Probe candidates: the few articles of a release that a later reader of bodies should fetch (design 5.11)."""

from __future__ import annotations

import polars as pl

from pipeline import files as names
from pipeline.schema import PROBES

_FIRST_VOLUME = r"(?i)(?:\.part0*1\.rar|\.7z\.0*1|\.zip\.0*1|\.0*01)$"
_LONE_ARCHIVE = r"(?i)\.(?:rar|7z|zip)$"
_SEVEN_ZIP = r"(?i)\.7z(?:\.\d{2,4})?$"
RANDOM_FIRST, OTHERS = 20, 10


def candidates(records: pl.DataFrame, files: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """Rows of `schema.PROBES`, ordered by record and kind.

    Args:
        records: frame `schema.RECORDS`.
        files: frame `schema.RECORD_FILES` of those.
        segments: frame `schema.SEGMENTS` of those; only a file whose first segment is here is probed there, the end of a
            7z set in its last segment.
    """
    ends = segments.group_by("file", maintain_order=True).agg(
        first=pl.col("number").first(),
        first_id=pl.col("message_id").first(),
        last=pl.col("number").last(),
        last_id=pl.col("message_id").last(),
    )
    frame = (
        files.select("record", "file", "file_key", "name", "bytes", "segments_expected")
        .join(ends, on="file")
        .join(records.select("record", "readable_name", record_files="files"), on="record")
        .with_columns(
            volume=pl.when(pl.col("name").str.contains(_FIRST_VOLUME))
            .then(0)
            .when(pl.col("name").str.contains(_LONE_ARCHIVE) & ~names.is_volume(pl.col("name")))
            .then(1)
        )
    )
    started = frame.filter(pl.col("first") == 1)
    archive = started.filter(pl.col("volume").is_not_null()).sort("record", "volume", "name", "file")
    par2 = started.filter(names.is_par2(pl.col("name"))).sort("record", "bytes", "name", "file")
    lone = started.filter(
        (pl.col("record_files") == 1)
        & ~pl.col("readable_name")
        & pl.col("volume").is_null()
        & ~names.is_par2(pl.col("name"))
    )
    whole = frame.filter(pl.col("name").str.contains(_SEVEN_ZIP) & (pl.col("last") == pl.col("segments_expected")))
    seven = whole.sort("record", "name", "file")
    rows = pl.concat(
        [
            _kind(archive.unique("record", keep="first", maintain_order=True), "archive", "first_id"),
            _kind(par2.unique("record", keep="first", maintain_order=True), "par2", "first_id"),
            _kind(lone, "lone", "first_id"),
            _kind(seven.unique("record", keep="last", maintain_order=True), "seven_zip_end", "last_id"),
        ]
    )
    return PROBES.check(rows.sort("record", "kind"))


def _kind(frame: pl.DataFrame, kind: str, article: str) -> pl.DataFrame:
    return frame.select(
        "record",
        "file_key",
        kind=pl.lit(kind),
        message_id=article,
        priority=pl.when("readable_name").then(OTHERS).otherwise(RANDOM_FIRST).cast(pl.Int16),
    )
