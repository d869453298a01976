"""The twenty questions of docs/analysts.md over very many lines of Parquet, and over a sample of them as tables in Postgres."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, LiteralString

import duckdb
import psutil
import psycopg
import pyarrow.compute as pc
import pyarrow.parquet as pq
from psycopg import sql

from benchmarks.ingest import Simulated, ingest_range, planned
from benchmarks.provider import simulated
from catalog_sql import analyses
from pipeline.ranges import Range
from store.catalog.snapshot import write_snapshot
from store.configuration import Provider, Settings
from store.lakehouse import analysis_folder, connect, write_views
from store.stores import Stores, open_stores

BASE_RANGES = 10
MOST_OF_A_RANGE = 100_000
SAMPLE = 100
"""One line in so many is in Postgres."""

_SOURCE = "main"
_TABLES = ("overview", "ranges", "counters", "releases", "records", "samples", "signatures", "garbage")
_TYPES: dict[str, LiteralString] = {
    "BOOLEAN": "boolean",
    "SMALLINT": "smallint",
    "INTEGER": "integer",
    "BIGINT": "bigint",
    "FLOAT": "real",
    "VARCHAR": "text",
    "VARCHAR[]": "text",
    "TIMESTAMP WITH TIME ZONE": "timestamptz",
}


@dataclass(frozen=True, slots=True)
class Question:
    """One question.

    Attributes:
        name: file in catalog_sql/analysis.
        seconds: by the clock, over all lines, with DuckDB.
        bytes_read: bytes of Parquet it read.
        postgres_sample_seconds: by the clock over the sample, with Postgres.
        postgres_seconds: the same times lines by lines of the sample.
        ratio: postgres_seconds by seconds.
    """

    name: str
    seconds: float
    bytes_read: int
    postgres_sample_seconds: float
    postgres_seconds: float
    ratio: float


@dataclass(frozen=True, slots=True)
class Questions:
    """One run.

    Attributes:
        lines: lines of Parquet.
        files: files they are in.
        parquet_bytes: bytes of these.
        sample_lines: lines in Postgres.
        seconds, postgres_seconds: sums over the questions.
        questions: each of them.
    """

    lines: int
    files: int
    parquet_bytes: int
    sample_lines: int
    seconds: float
    postgres_seconds: float
    questions: list[Question]


def run(folder: Path, lines: int, say: Callable[[str], None]) -> Questions:
    """Ask everything over about `lines` lines, kept in `folder`: ten ranges are indexed, and copied with other article numbers until there are enough.

    Texts repeat in every copy, dates too; each copy is encoded anew and is as large as a range of its own.
    """
    size = min(MOST_OF_A_RANGE, max(100, lines // SAMPLE))
    copies = max(1, lines // (size * BASE_RANGES))
    sampled = max(1, copies * BASE_RANGES // SAMPLE)
    arguments = Simulated("default", "B", (2009, 2013, 2017, 2021, 2025)).arguments((BASE_RANGES + 1) * size)
    with simulated(folder / "provider", *arguments) as port:
        settings = Settings(
            data=folder / "data",
            range_size=size,
            provider=Provider(source=_SOURCE, host="127.0.0.1", port=port, tls=False, connections=8),
        )
        with open_stores(settings) as stores:
            say("Indexing")
            ranges = planned(stores)[:BASE_RANGES]
            for range_ in ranges:
                ingest_range(stores, range_)
            snapshot = write_snapshot(stores.catalog, analysis_folder(settings) / "snapshot")
            say("Copying")
            for range_ in ranges:
                for copy in range(1, copies):
                    _copy(stores, range_, copy * BASE_RANGES * size)
            _multiply(snapshot, copies)
            opening = write_views(settings)
            with connect(opening, settings) as asked:
                # Every question reads its own bytes: what an earlier one left in memory does not count.
                asked.execute("SET enable_external_file_cache = false")
                say("Loading the sample into Postgres")
                chosen = [range_.index for range_ in ranges[:sampled]]
                dsn = _database(stores)
                sample_lines = _load(asked, dsn, chosen, folder / "table.csv")
                total = _only(asked, "SELECT count(*) FROM overview")
                questions = [
                    _asked(asked, dsn, name, text, total / sample_lines, say) for name, text in analyses().items()
                ]
    files = list((folder / "data" / "overview").rglob("range=*[0-9].parquet"))
    return Questions(
        lines=total,
        files=len(files),
        parquet_bytes=sum(file.stat().st_size for file in files),
        sample_lines=sample_lines,
        seconds=round(sum(one.seconds for one in questions), 3),
        postgres_seconds=round(sum(one.postgres_seconds for one in questions), 1),
        questions=questions,
    )


def _copy(stores: Stores, range_: Range, numbers: int) -> None:
    """The same overview file with article numbers so much higher."""
    _, meta = stores.lake.read(_SOURCE, range_)
    path = stores.lake.disk.location(stores.lake.overview_path(_SOURCE, range_))
    rows = pq.ParquetFile(path).read()
    shifted = rows.set_column(0, rows.schema.field("number"), pc.add(rows["number"], numbers))  # pyright: ignore[reportAttributeAccessIssue]
    moved = replace(range_, index=range_.index + numbers // range_.size)
    with stores.lake.writer(_SOURCE, moved) as writer:
        writer.append_table(shifted)
        writer.commit(replace(meta, first=moved.first, last=moved.last))


def _multiply(snapshot: Path, copies: int) -> None:
    """The catalog's tables as if the copies had been indexed too."""
    with duckdb.connect() as connection:
        for path in snapshot.glob("*.parquet"):
            columns = [name for name, *_ in connection.execute(f"DESCRIBE FROM '{path}'").fetchall()]
            if path.stem == "signatures":
                continue
            moved = f'REPLACE ("range" + {BASE_RANGES} * copy AS "range")' if "range" in columns else ""
            wanted = f"SELECT rows.* {moved} FROM '{path}' AS rows, range({copies}) AS copies(copy)"
            connection.execute(f"COPY ({wanted}) TO '{path}.part' (FORMAT parquet, COMPRESSION zstd)")
            Path(f"{path}.part").replace(path)


def _database(stores: Stores) -> str:
    """The address of a new database beside the catalog."""
    if stores.catalog.postgres is None:
        raise RuntimeError("the benchmark starts a Postgres of its own; leave catalog.dsn away")
    stores.catalog.postgres.create_database("questions")
    return stores.catalog.postgres.dsn("questions")


def _load(asked: duckdb.DuckDBPyConnection, dsn: str, ranges: list[int], scratch: Path) -> int:
    """The views' rows of some ranges as tables of the same names; returns the lines."""
    places = ", ".join(map(str, ranges))
    owned = f'SELECT release_id FROM records WHERE "range" IN ({places})'
    with psycopg.connect(dsn, autocommit=True) as postgres:
        for table in _TABLES:
            columns = asked.execute(f"DESCRIBE {table}").fetchall()
            names = [name for name, *_ in columns]
            where = (
                f'WHERE "range" IN ({places})'
                if "range" in names
                else f"WHERE release_id IN ({owned}) QUALIFY row_number() OVER (PARTITION BY release_id) = 1"
                if "release_id" in names
                else ""
            )
            asked.execute(
                f"COPY (SELECT * FROM {table} {where}) TO '{scratch}' (FORMAT csv, HEADER false, NULLSTR '\\N')"
            )
            declared = [
                sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(_TYPES[kind])) for name, kind, *_ in columns
            ]
            postgres.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(table)))
            postgres.execute(
                sql.SQL("CREATE TABLE {} ({})").format(sql.Identifier(table), sql.SQL(", ").join(declared))
            )
            statement = sql.SQL("COPY {} FROM STDIN (FORMAT csv, NULL '\\N')").format(sql.Identifier(table))
            with postgres.cursor() as cursor, cursor.copy(statement) as copy, scratch.open("rb") as file:
                while block := file.read(1 << 20):
                    copy.write(block)
        postgres.execute("VACUUM ANALYZE")
        counted = postgres.execute("SELECT count(*) FROM overview").fetchone()
    scratch.unlink()
    return counted[0] if counted else 0


def _asked(
    asked: duckdb.DuckDBPyConnection, dsn: str, name: str, text: str, scale: float, say: Callable[[str], None]
) -> Question:
    say(f"Asking {name}")
    me = psutil.Process()
    before, started = me.io_counters().read_chars, time.monotonic()
    asked.execute(text).fetchall()
    seconds, read = time.monotonic() - started, me.io_counters().read_chars - before
    with psycopg.connect(dsn, options="-c timezone=UTC") as postgres:
        started = time.monotonic()
        postgres.execute(text.encode()).fetchall()
        sample_seconds = time.monotonic() - started
    scaled = sample_seconds * scale
    return Question(
        name, round(seconds, 3), read, round(sample_seconds, 4), round(scaled, 2), round(scaled / seconds, 1)
    )


def _only(asked: duckdb.DuckDBPyConnection, text: str) -> Any:
    return (asked.execute(text).fetchone() or (0,))[0]
