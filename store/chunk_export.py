"""Published chunk files as Parquet: DuckDB cannot decode them itself, so what an analysis needs of them is decoded once."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import polars as pl

from store.chunks import read_index, read_records
from store.configuration import Settings
from store.disk import LocalDisk
from store.lakehouse import EXPORTED, analysis_folder
from store.stores import Stores
from store.verify import PublishedFile


def export_file(stores: Stores, path: str) -> int | None:
    """Decode a chunk file to `analysis/` (`EXPORTED`); returns the rows, null where it was there already.

    Raises:
        FileNotFoundError: the chunk file was collected meanwhile.
        ChunkDamaged: it is not as it was written.
    """
    disk, target = LocalDisk(analysis_folder(stores.settings)), _exported(path)
    if (disk.root / target).exists():
        return None
    rows = _decoded(stores, path)
    replacement = disk.replace(target)
    try:
        rows.write_parquet(replacement.file, compression="zstd")
        replacement.commit()
    finally:
        replacement.discard()
    return rows.height


def delete_stale(settings: Settings, published: Iterable[PublishedFile]) -> int:
    """Delete the exports of chunk files that are not published any more; returns how many."""
    disk, current = LocalDisk(analysis_folder(settings)), {_exported(file.path) for file in published}
    stale = [file.path for file in disk.list("chunks") if file.path not in current]
    for path in stale:
        disk.delete(path)
    return len(stale)


def _decoded(stores: Stores, path: str) -> pl.DataFrame:
    places, data = read_index(stores.disk, path).places, stores.disk.read(path)
    content = read_records([data[place.offset : place.offset + place.length] for place in places])
    held = content.segments.group_by("file", maintain_order=True).agg(
        pl.struct("number", "bytes", "message_id").alias("segments")
    )
    rows = content.files.join(held, on="file", how="left", maintain_order="left")
    return rows.select(pl.lit(path).alias("path"), pl.all()).select(EXPORTED.names())


def _exported(path: str) -> str:
    return str(Path(path).with_suffix(".parquet"))
