"""The catalog's tables as Parquet files, for DuckDB where it cannot reach Postgres itself."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

import polars as pl
import pyarrow.parquet as pq
from psycopg import Column, Cursor, ServerCursor, postgres

from catalog_sql import snapshot_queries
from store.catalog.connection import Catalog, Row
from store.disk import LocalDisk, Replacement

ROWS_AT_A_TIME = 100_000

_DTYPES: dict[str, pl.DataType] = {
    "bool": pl.Boolean(),
    "int2": pl.Int16(),
    "int4": pl.Int32(),
    "int8": pl.Int64(),
    "float4": pl.Float32(),
    "float8": pl.Float64(),
    "text": pl.String(),
    "text[]": pl.List(pl.String()),
    "timestamptz": pl.Datetime("us", "UTC"),
}


def write_snapshot(catalog: Catalog, folder: Path, tables: Collection[str] | None = None) -> Path:
    """Write one Parquet file per query of `catalog_sql/snapshot/` into `folder`, or for these `tables`, all of one moment; returns `folder`."""
    disk = LocalDisk(folder)
    with catalog.transaction() as connection:
        connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        for name, text in snapshot_queries().items():
            if tables is not None and name not in tables:
                continue
            with connection.cursor(name=f"snapshot_{name}") as cursor:
                cursor.execute(text)
                _write(cursor, disk.replace(f"{name}.parquet"))
    return folder


def frame_of(cursor: Cursor[Row]) -> pl.DataFrame:
    """All rows of a query that was executed, with its columns' types."""
    return pl.DataFrame(cursor.fetchall(), schema=_schema(cursor.description or []), orient="row")


def _write(cursor: ServerCursor[Row], replacement: Replacement) -> None:
    schema = _schema(cursor.description or [])
    try:
        with pq.ParquetWriter(replacement.file, schema.to_frame().to_arrow().schema, compression="zstd") as writer:
            while rows := cursor.fetchmany(ROWS_AT_A_TIME):
                writer.write_table(pl.DataFrame(rows, schema=schema, orient="row").to_arrow())
        replacement.commit()
    finally:
        replacement.discard()


def _schema(columns: Sequence[Column]) -> pl.Schema:
    return pl.Schema({column.name: _DTYPES[_type_name(column.type_code)] for column in columns})


def _type_name(oid: int) -> str:
    found = postgres.types.get(oid)
    if found is None:
        raise KeyError(f"the snapshot has no Polars type for Postgres type {oid}")
    return found.name if found.oid == oid else f"{found.name}[]"
