"""Overview files in other encodings, orders and levels than the one they have, beside the bytes they came in."""

from __future__ import annotations

import io
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from assets.range_work import fetch_overview
from benchmarks.ingest import Simulated, planned
from benchmarks.provider import simulated
from store.configuration import Provider, Settings
from store.lake import DICTIONARIES, ENCODINGS, LEVEL, ROW_GROUP
from store.stores import open_stores

ERAS = (2009, 2013, 2017, 2021, 2025)

_SHIPPED: dict[str, Any] = {
    "compression": "zstd",
    "compression_level": LEVEL,
    "use_dictionary": DICTIONARIES,
    "column_encoding": ENCODINGS,
}
_BY_FRONT = ENCODINGS | dict.fromkeys(("subject", "message_id", "xref"), "DELTA_BYTE_ARRAY")
_NUMBER, _POSTER = [("number", "ascending")], [("poster", "ascending"), ("subject", "ascending")]

LAYOUTS: dict[str, tuple[dict[str, Any], list[tuple[str, str]]]] = {
    "shipped": (_SHIPPED, _NUMBER),
    "zstd 3": (_SHIPPED | {"compression_level": 3}, _NUMBER),
    "zstd 9": (_SHIPPED | {"compression_level": 9}, _NUMBER),
    "a dictionary of sizes": (
        _SHIPPED
        | {
            "use_dictionary": [*DICTIONARIES, "bytes"],
            "column_encoding": {name: encoding for name, encoding in ENCODINGS.items() if name != "bytes"},
        },
        _NUMBER,
    ),
    "dictionaries everywhere": ({"compression": "zstd", "compression_level": LEVEL}, _NUMBER),
    "plain": ({"compression": "zstd", "compression_level": LEVEL, "use_dictionary": False}, _NUMBER),
    "front coding": (_SHIPPED | {"column_encoding": _BY_FRONT}, _NUMBER),
    "by poster and subject": (_SHIPPED, _POSTER),
    "by poster and subject, front coding": (_SHIPPED | {"column_encoding": _BY_FRONT}, _POSTER),
}
"""What is handed to the Parquet writer, and the order of the rows."""


@dataclass(frozen=True, slots=True)
class Layout:
    """One way to write the same rows.

    Attributes:
        name: key of LAYOUTS.
        bytes_per_line: of the file by rows.
        us_per_line: CPU of ordering and writing, microseconds a row.
        columns: bytes per line of each column.
    """

    name: str
    bytes_per_line: float
    us_per_line: float
    columns: dict[str, float]


@dataclass(frozen=True, slots=True)
class Layouts:
    """One run: `wire_bytes_per_line` as they came, compressed; `parquet_bytes_per_line` as they lie in the lake; then each layout."""

    lines: int
    wire_bytes_per_line: float
    parquet_bytes_per_line: float
    layouts: list[Layout]


def run(folder: Path, lines: int) -> Layouts:
    """Fetch about `lines` lines, a range of each era, into a lake in `folder`, and write them in every layout."""
    size = max(10_000, lines // len(ERAS))
    provider = Simulated("default", "B", ERAS)
    with simulated(folder / "provider", *provider.arguments(len(ERAS) * size)) as port:
        settings = Settings(
            data=folder / "data",
            range_size=size,
            plan_open_ranges=True,
            provider=Provider(host="127.0.0.1", port=port, tls=False, connections=8, connections_per_range=4),
        )
        with open_stores(settings) as stores:
            ranges = planned(stores)[: len(ERAS)]
            fetched = [fetch_overview(stores, range_) for range_ in ranges]
            tables = [
                stores.lake.read(settings.provider.source, range_)[0].to_arrow(compat_level=pl.CompatLevel.oldest())
                for range_ in ranges
            ]
    rows = sum(table.num_rows for table in tables)
    return Layouts(
        lines=rows,
        wire_bytes_per_line=round(sum(one.facts.wire_bytes for one in fetched) / rows, 2),
        parquet_bytes_per_line=round(sum(one.parquet_bytes for one in fetched) / rows, 2),
        layouts=[_written(name, tables) for name in LAYOUTS],
    )


def _written(name: str, tables: list[Any]) -> Layout:
    options, order = LAYOUTS[name]
    total, columns, rows = 0, Counter[str](), sum(table.num_rows for table in tables)
    began = time.process_time()
    for table in tables:
        file = io.BytesIO()
        ordered = table if order == _NUMBER else table.sort_by(order)
        pq.write_table(ordered, file, row_group_size=ROW_GROUP, **options)
        total += file.tell()
        columns += _bytes_of_columns(file)
    spent = time.process_time() - began
    return Layout(
        name,
        round(total / rows, 2),
        round(1e6 * spent / rows, 3),
        {column: round(size / rows, 2) for column, size in columns.items()},
    )


def _bytes_of_columns(file: io.BytesIO) -> Counter[str]:
    described = pq.ParquetFile(pa.BufferReader(file.getbuffer())).metadata
    found = Counter[str]()
    for group in range(described.num_row_groups):
        for index in range(described.num_columns):
            column = described.row_group(group).column(index)
            found[column.path_in_schema] += column.total_compressed_size
    return found
