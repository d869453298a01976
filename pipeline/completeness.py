"""How much of a release is there: each file once, whatever records its segments lie in, and never more than all of it.

A record that holds its whole release needs no more than its sums. Any other one carries a mark for each of its files, so that a file
that lies in two records (posted over groups whose Xref got lost, or again within days) is counted once when records come together.
A mark is 8 bytes, big-endian: 24 bits of the file key, 20 bits of segments expected, 20 bits of segments found.
"""

from __future__ import annotations

import numpy as np
import polars as pl

MARK_BYTES = 8
_COUNT = (1 << 20) - 1


def is_whole() -> pl.Expr:
    """Whether a record of `schema.RECORDS` holds every file its counter tells of, each complete."""
    files, segments = pl.col("files") >= pl.col("files_expected"), pl.col("segments") == pl.col("segments_expected")
    return (files & segments).fill_null(value=False)


def marks(files: pl.DataFrame) -> pl.Series:
    """The mark of each file, Binary.

    Args:
        files: `file_key`, `segments_expected` and `segments_found` of `schema.FILES`.
    """
    keys = np.frombuffer(b"".join(key[:3] + b"\0" for key in files["file_key"]), ">u4").astype(np.uint64) >> np.uint64(
        8
    )
    expected, found = (
        np.minimum(files[name].to_numpy(), _COUNT).astype(np.uint64) for name in ("segments_expected", "segments_found")
    )
    packed = (keys << np.uint64(40) | expected << np.uint64(20) | found).astype(">u8").tobytes()
    return pl.Series([packed[at : at + MARK_BYTES] for at in range(0, len(packed), MARK_BYTES)], dtype=pl.Binary)


def totals(records: pl.DataFrame) -> pl.DataFrame:
    """What is there of each release, as the catalog sums it up: a function of its records and nothing else.

    Args:
        records: `release` (any dtype), and `files`, `files_expected`, `segments`, `segments_expected`, `bytes` and `file_marks` of
            `schema.RECORDS`.

    Returns:
        A row a release, in order of first appearance: `release`, `files`, `files_expected`, `segments`, `segments_expected`, `bytes`.
    """
    whole = (
        records.filter(is_whole())
        .group_by("release")
        .agg(pl.col("files", "segments", "segments_expected", "bytes").max())
    )
    sums = records.group_by("release", maintain_order=True).agg(
        pl.col("files").sum(),
        pl.col("files_expected").max(),
        pl.col("segments", "segments_expected", "bytes").sum(),
        records=pl.len(),
    )
    several = sums.filter(pl.col("records") > 1).join(whole, on="release", how="anti")["release"]
    parts = records.filter(pl.col("release").is_in(several.implode())).select("release", "file_marks")
    return (
        sums.drop("records")
        .update(_once(parts), on="release", maintain_order="left")
        .update(whole, on="release", maintain_order="left")
    )


def _once(records: pl.DataFrame) -> pl.DataFrame:
    """Files and segments of releases that lie in several records, each file counted once."""
    lengths = records["file_marks"].bin.size().to_numpy() // MARK_BYTES
    values = np.frombuffer(b"".join(records["file_marks"]), ">u8").astype(np.uint64)
    files = pl.DataFrame(
        {
            "release": records["release"].gather(np.repeat(np.arange(records.height), lengths)),
            "key": values >> np.uint64(40),
            "expected": (values >> np.uint64(20)) & np.uint64(_COUNT),
            "found": values & np.uint64(_COUNT),
        }
    )
    once = files.group_by("release", "key").agg(pl.col("expected").max(), pl.col("found").sum())
    return once.group_by("release").agg(
        files=pl.len().cast(pl.Int32),
        segments=pl.min_horizontal("expected", "found").sum().cast(pl.Int64),
        segments_expected=pl.col("expected").sum().cast(pl.Int64),
    )
