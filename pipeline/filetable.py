"""From articles to files: one group-by on a hash, and the first article of each (file, part)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import polars as pl
import xxhash
from numpy.typing import NDArray

from pipeline.compiled import compiled
from pipeline.distinct import kinds, ordinals
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
    total = pl.col("segments").fill_null(1)
    if lines.is_empty():
        return FileTable(*_nothing(lines), 0)
    stables, poster = kinds(lines["poster"])
    posters = stable(stables).hash(1).gather(poster)
    keys = lines.select(pl.col("head").hash() ^ posters ^ total.hash(2)).to_series()
    part = lines["segment"].fill_null(1).to_numpy()
    row, starts = _by_file(*ordinals(keys.to_numpy()), part)
    if len(wide := _wide(lines["filled_at"], row, starts)):
        keys = _split_reposts(keys, lines["filled_at"], wide)
        row, starts = _by_file(*ordinals(keys.to_numpy()), part)
    files = np.repeat(np.arange(len(starts), dtype=np.uint32), np.diff(starts, append=len(row)))
    part_number = part[row]
    first = np.append(True, part_number[1:] != part_number[:-1])
    first[starts] = True
    repeated = int(len(first) - first.sum())
    row, part_number, files = row[first], part_number[first], files[first]
    starts = np.flatnonzero(np.append(True, files[1:] != files[:-1]))
    segments = pl.DataFrame(
        {
            "file": files,
            "number": part_number,
            "bytes": lines["bytes"].gather(row),
            "row": row,
        }
    )
    numbers = lines["number"].to_numpy()[row]
    size = segments["bytes"].to_numpy()
    sums = pl.DataFrame(
        {
            "file": np.arange(len(starts), dtype=np.uint32),
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
    return FileTable(*_with_doubled_counters(pl.concat([sums, heads], how="horizontal"), segments), repeated)


def _by_file(
    file: NDArray[np.uint32], first: NDArray[np.int64], part: NDArray[np.int32]
) -> tuple[NDArray[np.uint32], NDArray[np.int64]]:
    """Rows ordered by file, part and row, and where each file begins among them.

    Files are numbered by their first rows, which have their lowest article numbers: no hash shows.
    """
    ends = np.cumsum(np.bincount(file, minlength=len(first)))
    starts = np.append(0, ends[:-1])
    rows = np.empty(len(file), np.uint32)
    _sort(file, part, starts.copy(), ends, rows)
    return rows, starts


@compiled
def _sort(
    file: NDArray[np.uint32],
    part: NDArray[np.int32],
    free: NDArray[np.int64],
    ends: NDArray[np.int64],
    rows: NDArray[np.uint32],
) -> None:
    """Put each row to its file, `free` being the next place of each, and sort those of files whose parts do not ascend."""
    ascends = np.ones(ends.size, np.bool_)
    for row in range(file.size):
        own = file[row]
        place = free[own]
        if place > 0 and ascends[own] and (own == 0 or place > ends[own - 1]):
            ascends[own] = part[rows[place - 1]] <= part[row]
        rows[place] = row
        free[own] += 1
    for own in np.flatnonzero(~ascends):
        start = ends[own - 1] if own else 0
        keys = np.empty(ends[own] - start, np.int64)
        for place in range(keys.size):
            keys[place] = np.int64(part[rows[start + place]]) << 32 | np.int64(rows[start + place])
        keys.sort()
        for place in range(keys.size):
            rows[start + place] = keys[place] & 0xFFFFFFFF


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


def _wide(times: pl.Series, row: NDArray[np.uint32], starts: NDArray[np.int64]) -> NDArray[np.uint32]:
    """The rows of files that span more than a silence that parts two posts.

    A small group's range covers years: the same subject posted weeks later is another file.
    """
    # Filled times are null all or none.
    ms = times.to_physical().fill_null(0).to_numpy()[row]
    long = np.maximum.reduceat(ms, starts) - np.minimum.reduceat(ms, starts) > ISLAND_GAP.total_seconds() * 1000
    return row[np.repeat(long, np.diff(starts, append=len(row)))]


def _split_reposts(keys: pl.Series, times: pl.Series, wide: NDArray[np.uint32]) -> pl.Series:
    """Keys of files, those of the rows `wide` with the island they lie in."""
    frame = pl.DataFrame({"key": keys.gather(wide), "posted_at": times.gather(wide)})
    frame = frame.with_columns(island=islands("key", "posted_at"))
    apart = frame.select(
        pl.col("key") ^ pl.when(pl.col("island") == 0).then(0).otherwise(pl.col("island").hash(3))
    ).to_series()
    return keys.scatter(wide, apart)


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


def segments_of(files: pl.Series, segments: pl.DataFrame) -> pl.DataFrame:
    """The segments of some files, in the order of these, which are numbered anew: 0, 1, 2, ...

    Args:
        files: their ordinals in `segments`.
        segments: ordered by file and number.
    """
    held, wanted = segments["file"].to_numpy(), files.to_numpy()
    starts = np.searchsorted(held, wanted)
    counts = np.searchsorted(held, wanted, side="right") - starts
    rows = np.arange(counts.sum()) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    ordinals = np.repeat(np.arange(len(wanted), dtype=np.uint32), counts)
    return segments[rows].with_columns(file=pl.Series(ordinals))


def file_keys(files: pl.DataFrame) -> pl.Series:
    """16-byte identities (xxh3-128) from `head`, `segments_expected` and `poster` where it is stable."""
    text = files.select(
        pl.concat_str("head", pl.col("segments_expected"), stable(files["poster"]), separator="\x1f")
    ).to_series()
    return pl.Series("file_key", [xxhash.xxh3_128_digest(one.encode()) for one in text], dtype=pl.Binary)
