"""A batch as catalog rows, and the replacement of what its owner (a range or an edge) had before."""

from __future__ import annotations

import errno
from dataclasses import asdict, dataclass
from datetime import datetime
from uuid import UUID

import polars as pl
from psycopg import Connection

from catalog_sql import query
from pipeline.batch import Batch
from store.catalog.connection import Catalog, Row
from store.catalog.interning import group_set_ids, kind_ids, label_ids, poster_ids
from store.catalog.packing import MOST_SEGMENTS, packed_marks, short_keys
from store.catalog.releases import Touched
from store.chunks import ChunkHeader, Place, encode, encode_fragments
from store.disk import Disk, DiskError

_LABELS = ("tool", "grouped_by", "named_by", "signature")
_FACTS = ("category", "has_par2", "readable_name", "repost")
_VERDICT_LABELS = ("dropped_by", "signature", "tool")
_AFTER_NUMBERS = (
    "lone_number", "name", "first_posted", "last_posted", "files", "files_expected", "segments", "segments_expected", "bytes", "request_id",
)  # fmt: skip


class ChunkCollected(DiskError):
    """The chunk file was deleted before any row named it: it had waited for longer than the collector's grace."""


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose batch it is: the range or edge by its id, and the number of its group."""

    id: int
    source: int
    group: int


@dataclass(frozen=True, slots=True)
class WrittenChunk:
    """A chunk file on disk that no row names yet; without path and places where the batch had no records."""

    path: str | None
    bytes: int
    places: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Rows:
    """A batch as rows for COPY, in the column order of the `copy_*` queries, without the leading file or owner number."""

    records: list[tuple[object, ...]]
    probes: list[tuple[object, ...]]
    fragments: list[tuple[object, ...]]
    samples: list[tuple[object, ...]]
    verdicts: list[tuple[object, ...]]
    touched: Touched


def write_chunk(disk: Disk, batch: Batch, header: ChunkHeader) -> WrittenChunk:
    """Write the batch's records as a chunk file under its own, unpublished name; a batch without records writes none.

    Raises:
        FileExistsError: the name is taken; take another generation.
        DiskError: nothing is left behind; run again under a new generation.
    """
    if batch.records.is_empty():
        return WrittenChunk(None, 0, ())
    chunk = encode(batch, header)
    disk.create(header.path, chunk.data)
    return WrittenChunk(header.path, len(chunk.data), chunk.places)


def hold_chunk(connection: Connection[Row], disk: Disk, chunk: WrittenChunk) -> None:
    """Keep the collector from the chunk file until the transaction ends.

    Raises:
        ChunkCollected: it came first.
    """
    if chunk.path is None:
        return
    connection.execute(query("lock_chunk_file"), {"path": chunk.path})
    try:
        disk.size(chunk.path)
    except FileNotFoundError as error:
        raise ChunkCollected(
            errno.ENOENT, f"{chunk.path} was collected before it was published, it had waited too long; run again"
        ) from error


def rows_of(catalog: Catalog, batch: Batch, places: tuple[Place, ...], undated: datetime) -> Rows:
    """The batch as rows; what many rows share is interned.

    Args:
        catalog: where that is interned.
        batch: the batch.
        places: where each record lies.
        undated: posting time of records without any believable date.
    """
    records = _storable(batch.records).with_columns(
        pl.col("first_posted", "last_posted").fill_null(undated),
        pl.col("segments_expected").clip(upper_bound=MOST_SEGMENTS),
    )
    keys, stems, pools = (short_keys(records[name]) for name in ("base_key", "stem_key", "pool_key"))
    groups = [tuple(names) for names in records["groups"].to_list()]
    sets, posters = group_set_ids(catalog, groups), poster_ids(catalog, records["poster"])
    verdicts = batch.verdicts.with_columns(pl.col("dropped_by").fill_null(""))
    texts = [records[column] for column in _LABELS] + [verdicts[column] for column in _VERDICT_LABELS]
    labels = label_ids(catalog, pl.concat(texts).unique())
    told = [[labels[label] for label in records[column]] for column in _LABELS] + [records[column] for column in _FACTS]
    record_rows = zip(
        records["record"],
        (place.offset for place in places),
        (place.length for place in places),
        (place.checksum for place in places),
        keys,
        stems,
        pools,
        (sets[names] for names in groups),
        (posters[poster] for poster in records["poster"]),
        kind_ids(catalog, list(zip(*told, strict=True))),
        *(records[column] for column in _AFTER_NUMBERS),
        packed_marks(records["file_marks"]),
        strict=True,
    )
    probes = batch.probes.group_by("record", maintain_order=True).agg(pl.col("priority").max())
    fragments = batch.fragments
    fragment_columns = (fragments[column] for column in ("segments_found", "segments_expected", "at_low", "at_high"))
    payloads = encode_fragments(fragments, batch.fragment_segments)
    return Rows(
        records=list(record_rows),
        probes=probes.rows(),
        fragments=list(zip(fragments["file"], _uuids(fragments["file_key"]), *fragment_columns, payloads, strict=True)),
        samples=_storable(batch.samples).rows(),
        verdicts=list(
            zip(
                *([labels[label] for label in verdicts[column]] for column in _VERDICT_LABELS),
                *(verdicts[column] for column in ("files", "segments", "bytes")),
                strict=True,
            )
        ),
        touched=Touched.of(_spans(records, keys, stems, pools)),
    )


def replace_rows(
    connection: Connection[Row], owner: Owner, header: ChunkHeader, chunk: WrittenChunk, rows: Rows, batch: Batch
) -> None:
    """Retire what the owner had, and publish the chunk file with its records, probes, samples and counters."""
    connection.execute(query("withdraw_records"), {"owners": [owner.id]})
    if chunk.path is not None:
        published = {
            "owner": owner.id,
            "source": owner.source,
            "group": owner.group,
            "index": header.range_index,
            "is_edge": header.kind == "edge",
            "generation": header.generation,
            "path": chunk.path,
            "bytes": chunk.bytes,
        }
        ((file_id,),) = connection.execute(query("add_chunk_file"), published)
        copy_rows(connection, "copy_records", file_id, rows.records)
        copy_rows(connection, "copy_probes", file_id, rows.probes)
    copy_rows(connection, "copy_samples", owner.id, rows.samples)
    copy_rows(connection, "copy_verdicts", owner.id, rows.verdicts)
    connection.execute(query("set_counters"), {"owner": owner.id, **asdict(batch.counters)})


def copy_rows(connection: Connection[Row], name: str, leading: int, rows: list[tuple[object, ...]]) -> None:
    """COPY rows with `leading` as their first column."""
    if not rows:
        return
    with connection.cursor() as cursor, cursor.copy(query(name)) as copy:
        for row in rows:
            copy.write_row((leading, *row))


def _storable(frame: pl.DataFrame) -> pl.DataFrame:
    """Postgres text holds every character but NUL, which headers of broken posts do contain."""
    return frame.with_columns(pl.col(pl.String).str.replace_all("\0", "", literal=True))


def _spans(records: pl.DataFrame, *keys: list[int | None]) -> list[tuple[int, datetime, datetime]]:
    """The posting span of each record under every key it has or may get."""
    spans = list(zip(records["first_posted"], records["last_posted"], strict=True))
    return [(key, *span) for column in keys for key, span in zip(column, spans, strict=True) if key is not None]


def _uuids(keys: pl.Series) -> list[UUID | None]:
    return [None if key is None else UUID(bytes=key) for key in keys]
