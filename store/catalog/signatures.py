"""What the signature table dropped, and which ranges another table would change."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from catalog_sql import query
from pipeline.batch import SignatureTable
from pipeline.schema import Column, Schema
from pipeline.signatures import dropped_by
from store.catalog.connection import Catalog

CHANGES = Schema(
    "changes",
    (
        Column(
            "partition_key",
            pl.String,
            "the range to make again; of an edge the one below it, or above where none is planned below",
        ),
        Column("group", pl.String, "group"),
        Column("range_index", pl.Int64, "index of the range; of an edge that of the range below it"),
        Column("is_edge", pl.Boolean, "an edge between two ranges: it is made again when one of them is"),
        Column("segments_back", pl.Int64, "dropped segments that the table keeps"),
        Column("segments_gone", pl.Int64, "kept segments that the table drops"),
    ),
)

_PAIRS = pl.Schema(
    {"dropped": pl.Boolean, "signature_id": pl.Int64, "tool_id": pl.Int64, "signature": pl.String, "tool": pl.String}
)


@dataclass(frozen=True, slots=True)
class Dropped:
    """What one line of a signature table dropped, and in how many ranges and edges."""

    signature: str
    ranges: int
    edges: int
    files: int
    segments: int
    bytes: int


@dataclass(frozen=True, slots=True)
class Saved:
    """What making ranges again changes: segments, and about how many bytes of chunk files fewer, by the measured mean of those there are."""

    segments_gone: int
    segments_back: int
    bytes_per_segment: float
    chunk_bytes: int


def saved_by(catalog: Catalog, changes: pl.DataFrame) -> Saved:
    """What is saved by making the ranges and edges of `changes` (frame `CHANGES`) again."""
    with catalog.transaction() as connection:
        ((per_segment,),) = connection.execute(query("chunk_bytes_per_segment")).fetchall()
    gone, back = int(changes["segments_gone"].sum()), int(changes["segments_back"].sum())
    return Saved(gone, back, float(per_segment), round((gone - back) * per_segment))


def dropped_by_line(catalog: Catalog) -> dict[str, Dropped]:
    """What was dropped, by line of the table it was made under; lines that dropped nothing are absent."""
    with catalog.transaction() as connection:
        return {row[0]: Dropped(*row) for row in connection.execute(query("dropped_by_line"))}


def changed_by(catalog: Catalog, table: SignatureTable) -> pl.DataFrame:
    """The ranges and edges that come out otherwise under `table`, frame `CHANGES`; those made under the same verdicts are not listed.

    Signatures and tools are judged once each, as they were counted file by file.

    Raises:
        ValueError: a line of the table cannot be read.
    """
    with catalog.transaction() as connection:
        pairs = pl.DataFrame(connection.execute(query("judged_pairs")).fetchall(), schema=_PAIRS, orient="row")
        drops = dropped_by(table, pairs["signature"], pairs["tool"]).is_not_null()
        turned = pairs.filter(drops != pairs["dropped"])
        values = {
            "dropped": turned["dropped"].to_list(),
            "signatures": turned["signature_id"].to_list(),
            "tools": turned["tool_id"].to_list(),
        }
        rows = connection.execute(query("changed_owners"), values).fetchall() if turned.height else []
    return CHANGES.check(pl.DataFrame(rows, schema=CHANGES.polars, orient="row"))
