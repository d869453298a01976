"""Whether the recovery data of a release covers what is missing, as far as headers tell.

A par2 volume is named for its blocks (`.vol003+04.par2` holds four). What a block holds is not in the headers: it follows from the sizes of
the volumes, of which a bigger one is longer by its further blocks alone. A missing article spoils every block it touches.
"""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from server.nzb import Contents

_VOLUME = r"(?i)\.vol\d+\+(\d{1,6})\.par2$"
_IS_PAR2 = pl.col("name").str.to_lowercase().str.ends_with(".par2")
_BLOCK_PACKET_BYTES = 68
"""Header and exponent of a recovery packet, before its block (Parity Volume Set Specification 2.0, recovery slice packet)."""


@dataclass(frozen=True, slots=True)
class Repair:
    """How far the par2 data of a release reaches.

    Attributes:
        missing_segments: articles of data files that were expected and not found.
        missing_files: data files that the counters promise and nothing was found of.
        blocks: recovery blocks in the volumes, those with missing articles counted by their share.
        block_bytes: estimated size of a block, null where the volumes do not tell.
        damaged_blocks: blocks the missing articles and files touch at most, null where the size of a block is not known.
    """

    missing_segments: int
    missing_files: int
    blocks: int
    block_bytes: int | None
    damaged_blocks: int | None

    @property
    def whole(self) -> bool:
        """Nothing of the data is missing."""
        return not self.missing_segments and not self.missing_files

    @property
    def covered(self) -> bool | None:
        """Whether the blocks suffice; null where it cannot be told."""
        if self.whole:
            return True
        if self.damaged_blocks is None:
            return None if self.blocks else False
        return self.blocks >= self.damaged_blocks


def repair(contents: Contents, missing_files: int) -> Repair:
    """The reach of the par2 data of a release.

    Args:
        contents: its files and segments.
        missing_files: files the counters promise and nothing was found of; they are taken for data.
    """
    files = contents.files.with_columns(
        _IS_PAR2.alias("par2"), pl.col("name").str.extract(_VOLUME).cast(pl.Int64).alias("blocks")
    )
    data, volumes = files.filter(~pl.col("par2")), files.filter(pl.col("blocks") > 0)
    lost = data.select(pl.col("file", "segments_expected", "segments_found", "bytes")).with_columns(
        (pl.col("segments_expected") - pl.col("segments_found")).clip(0).alias("missing")
    )
    usable = volumes.select(
        (pl.col("blocks") * pl.col("segments_found") // pl.col("segments_expected").clip(1)).sum()
    ).item()
    size = _block_bytes(volumes)
    damaged = (
        None if size is None else _damaged(contents.segments, lost, size) + missing_files * _file_blocks(data, size)
    )
    return Repair(int(lost["missing"].sum()), missing_files, int(usable or 0), size, damaged)


def _block_bytes(volumes: pl.DataFrame) -> int | None:
    """Bytes of a block as articles carry it: what the volumes with the most and the fewest blocks differ by, over those blocks."""
    whole = volumes.filter(pl.col("segments_found") >= pl.col("segments_expected")).sort("blocks", "file")
    if whole.is_empty():
        return None
    few, many = whole.row(0, named=True), whole.row(-1, named=True)
    if many["blocks"] > few["blocks"] and many["bytes"] > few["bytes"]:
        size = (many["bytes"] - few["bytes"]) // (many["blocks"] - few["blocks"])
    else:
        size = many["bytes"] // many["blocks"]
    return max(1, size - _BLOCK_PACKET_BYTES)


def _damaged(segments: pl.DataFrame, lost: pl.DataFrame, block: int) -> int:
    """Blocks that runs of missing articles touch at most, over all data files."""
    damaged = lost.filter(pl.col("missing") > 0)
    found = {
        key[0]: rows["number"].to_list()
        for key, rows in segments.join(damaged.select("file"), on="file", how="semi").group_by("file")
    }
    total = 0
    for row in damaged.iter_rows(named=True):
        article = max(1, row["bytes"] // max(1, row["segments_found"]))
        in_file = -(-article * row["segments_expected"] // block)
        runs = gaps(found.get(row["file"], []), row["segments_expected"])
        # A run that begins and ends inside blocks touches one more than it fills.
        touched = sum(-(-(last - first + 1) * article // block) + 1 for first, last in runs)
        total += min(in_file, touched)
    return total


def _file_blocks(data: pl.DataFrame, block: int) -> int:
    """Blocks of a file that nothing is known of: as many as the largest one has."""
    largest = data["bytes"].max()
    return -(-int(largest) // block) if isinstance(largest, int) else 1


def gaps(found: list[int], expected: int) -> list[tuple[int, int]]:
    """Runs of numbers from 1 to `expected` that are not in `found`, which is ascending: first and last of each."""
    runs, next_number = list[tuple[int, int]](), 1
    for number in (*found, expected + 1):
        if next_number < number <= expected + 1:
            runs.append((next_number, number - 1))
        next_number = max(next_number, number + 1)
    return runs
