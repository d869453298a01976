"""From articles to files: one group-by on a hash, and the first article of each (file, part)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import xxhash

from pipeline.islands import ISLAND_GAP, islands
from pipeline.posters import stable


@dataclass(frozen=True, slots=True)
class FileTable:
    """Files and their segments.

    Attributes:
        files: `file` (UInt32 ordinal by lowest article number), `head`, `subject` (with `(1/N)`), `poster`, `posted_at`,
            `message_id` (of its first segment), `first_segment` (its number), `segments_expected`, `segments_found`, `bytes`, `first_number`,
            `last_number`.
        segments: `file`, `number` (Int32), `bytes`, `row` (place of the article in the lines), ordered by file and number.
        repeated: lines that repeat a (file, part); the one with the lowest article number counts.
    """

    files: pl.DataFrame
    segments: pl.DataFrame
    repeated: int


def table(lines: pl.DataFrame) -> FileTable:
    """Put articles together to files.

    Args:
        lines: ascending by `number`; `number`, `poster`, `message_id`, `bytes`, `posted_at` as in the overview, `filled_at`
            (`posted_at` with gaps filled), and `head`, `tail`, `segment`, `segments` of `subjects.SPLIT`.
    """
    total, part = pl.col("segments").fill_null(1), pl.col("segment").fill_null(1)
    keyed = lines.select(
        key=pl.col("head").hash() ^ stable(lines["poster"]).hash(1) ^ total.hash(2), part=part, posted_at="filled_at"
    ).with_row_index("row")
    keyed = _split_reposts(keyed).select("key", "part", "row").sort("key", "part", "row")
    key, part_number, row = (keyed[name].to_numpy() for name in ("key", "part", "row"))
    if not len(key):
        return FileTable(*_nothing(lines), 0)
    starts_file = np.append(True, key[1:] != key[:-1])
    first = starts_file | np.append(True, part_number[1:] != part_number[:-1])
    repeated = int(len(first) - first.sum())
    row, part_number, starts_file = row[first], part_number[first], starts_file[first]
    starts = np.flatnonzero(starts_file)
    # Ordinals by lowest article number: hashes must not show.
    order = np.argsort(np.minimum.reduceat(row, starts), kind="stable")
    ordinal = np.empty(len(starts), np.uint32)
    ordinal[order] = np.arange(len(starts), dtype=np.uint32)
    segments = pl.DataFrame(
        {
            "file": ordinal[np.cumsum(starts_file) - 1],
            "number": part_number,
            "bytes": lines["bytes"].gather(row),
            "row": row,
        }
    )
    numbers = lines["number"].to_numpy()[row]
    size = segments["bytes"].to_numpy()
    sums = pl.DataFrame(
        {
            "file": ordinal,
            "first_segment": part_number[starts].astype(np.int32),
            "segments_found": np.diff(np.append(starts, len(row))).astype(np.int32),
            "bytes": np.add.reduceat(size, starts),
            "first_number": np.minimum.reduceat(numbers, starts),
            "last_number": np.maximum.reduceat(numbers, starts),
            "posted_at": _earliest(lines, row, starts),
        }
    )
    heads = lines.select("head", "tail", "segments", "poster", "message_id")[row[starts]].select(
        "head",
        "poster",
        "message_id",
        subject=pl.when(pl.col("segments").is_null())
        .then("head")
        .otherwise(_first_form(pl.col("head"), pl.col("segments"), pl.col("tail"))),
        segments_expected=total,
    )
    files = pl.concat([sums, heads], how="horizontal")[order]
    return FileTable(*_with_doubled_counters(files, segments.sort("file", maintain_order=True)), repeated)


_DOUBLED = r" ?\((\d{1,6})[/\\](\d{1,6})\)$"


def _with_doubled_counters(files: pl.DataFrame, segments: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Join the segments of files whose subjects say the segment counter twice, `"f.rar" (3/66) (3/66)`.

    With the first of the two in its head each segment looks like a file of its own. A file counter that happens to equal the segment
    counter once stands in the heads of other segments too.
    """
    said = pl.col("head").str.extract_groups(_DOUBLED).struct
    twice = (said[0].cast(pl.Int32) == pl.col("first_segment")) & (
        said[1].cast(pl.Int32) == pl.col("segments_expected")
    )
    lone = files.filter((pl.col("segments_found") == 1) & pl.col("head").str.ends_with(")")).filter(twice)
    if lone.is_empty():
        return files, segments
    lone = lone.with_columns(head=pl.col("head").str.replace(_DOUBLED, ""), stable=stable(lone["poster"]))
    lone = lone.with_columns(whole=pl.col("file").min().over("stable", "head", "segments_expected"))
    lone = lone.unique(["whole", "first_segment"], keep="first", maintain_order=True)
    joined = (
        lone.sort("whole", "first_segment")
        .group_by("whole", maintain_order=True)
        .agg(
            pl.col("bytes").sum(),
            pl.len().cast(pl.Int32).alias("segments_found"),
            pl.col("first_segment", "head", "message_id").first(),
            pl.col("first_number", "posted_at").min(),
            pl.col("last_number").max(),
            subject=_first_form(pl.col("head").first(), pl.col("segments_expected").first(), pl.lit("")),
        )
        .rename({"whole": "file"})
    )
    gone = lone.filter(pl.col("file") != pl.col("whole"))["file"]
    places = pl.int_range(files.height, dtype=pl.UInt32, eager=True)
    places = places.scatter(lone["file"], lone["whole"])
    segments = segments.with_columns(file=places.gather(segments["file"])).sort("file", "number", maintain_order=True)
    return files.filter(~pl.col("file").is_in(gone.implode())).update(
        joined, on="file", maintain_order="left"
    ), segments


def _first_form(head: pl.Expr, total: pl.Expr, tail: pl.Expr) -> pl.Expr:
    return pl.concat_str(head, pl.lit(" (1/"), total, pl.lit(")"), tail).str.strip_chars_start()


def _split_reposts(keyed: pl.DataFrame) -> pl.DataFrame:
    """A small group's range covers years: the same subject posted weeks later is another file."""
    spans = keyed.group_by("key").agg(span=pl.col("posted_at").max() - pl.col("posted_at").min())
    long = spans.filter(pl.col("span") > ISLAND_GAP)["key"]
    if not len(long):
        return keyed
    wide = keyed.filter(pl.col("key").is_in(long.implode())).with_columns(island=islands("key", "posted_at"))
    keys = wide.select(
        pl.col("key") ^ pl.when(pl.col("island") == 0).then(0).otherwise(pl.col("island").hash(3))
    ).to_series()
    return keyed.with_columns(keyed["key"].scatter(wide["row"], keys))


def _earliest(lines: pl.DataFrame, row: np.ndarray, starts: np.ndarray) -> pl.Series:
    """Earliest believable date of each file; of the filled ones where it has none."""
    dates = []
    for name in ("posted_at", "filled_at"):
        late = np.iinfo(np.int64).max
        times = lines[name].to_physical().fill_null(late).to_numpy()[row]
        earliest = pl.Series(np.minimum.reduceat(times, starts))
        dates.append(earliest.set(earliest == late, None).cast(lines[name].dtype))
    return dates[0].zip_with(dates[0].is_not_null(), dates[1])


def _nothing(lines: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    none = lines.clear()
    files = none.select(
        file=pl.lit(None, pl.UInt32),
        first_segment=pl.col("segment"),
        segments_found=pl.lit(None, pl.Int32),
        bytes="bytes",
        first_number="number",
        last_number="number",
        posted_at="posted_at",
        head="head",
        poster="poster",
        message_id="message_id",
        subject="head",
        segments_expected=pl.col("segments"),
    )
    return files, none.select(
        file=pl.lit(None, pl.UInt32), number=pl.col("segment"), bytes="bytes", row=pl.lit(None, pl.UInt32)
    )


def file_keys(files: pl.DataFrame) -> pl.Series:
    """16-byte identities (xxh3-128) from `head`, `segments_expected` and `poster` where it is stable."""
    text = files.select(
        pl.concat_str("head", pl.col("segments_expected"), stable(files["poster"]), separator="\x1f")
    ).to_series()
    return pl.Series("file_key", [xxhash.xxh3_128_digest(one.encode()) for one in text], dtype=pl.Binary)
