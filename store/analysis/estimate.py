"""What the whole target would be, from the ranges of a sample: drawn, measured, and put into totals with intervals."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from catalog_sql import duckdb_views, query
from pipeline.estimation import allocation, estimates
from pipeline.ranges import Range
from pipeline.strata import with_strata
from store.catalog.planning import source_number
from store.catalog.snapshot import frame_of
from store.stores import Stores

MEASURES = (
    "lines",
    "main",
    "kept",
    "garbage",
    "set_aside",
    "files",
    "releases",
    "wire_bytes",
    "parquet_bytes",
    "chunk_bytes",
    "catalog_bytes",
    "days",
)
ESTIMATE = "analysis/estimate.parquet"
SAMPLE = "analysis/estimate_sample.json"


class NothingPlanned(LookupError):
    """There is no range to draw from."""


class NotSampled(LookupError):
    """Ranges of the sample that are not done."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """Totals (frame `estimation.ESTIMATES`) and the sample that would give each of them within the wanted error (`ALLOCATION`)."""

    totals: pl.DataFrame
    further: pl.DataFrame


def planned(stores: Stores) -> pl.DataFrame:
    """Every range that holds articles: the columns of `estimate_ranges.sql`, `stratum` and `era`.

    Raises:
        NothingPlanned: nothing is planned yet.
    """
    source = source_number(stores.catalog, stores.settings.provider.source)
    with stores.catalog.transaction() as connection:
        found = frame_of(connection.execute(query("estimate_ranges"), {"source": source}))
    if found.is_empty():
        raise NothingPlanned("nothing is planned yet; run: overlake plan")
    return with_strata(found)


def drawn(population: pl.DataFrame, sizes: dict[str, int]) -> pl.DataFrame:
    """The first `sizes` ranges of each stratum in an order at random that never changes, so that a larger sample holds the smaller one.

    The order is that of a hash of the range's key (permanent random numbers: Ohlsson 1995). Whether a range is done already has no say.
    """
    order = pl.Series([hashlib.blake2b(key.encode(), digest_size=8).digest() for key in population["range"]])
    ranked = population.with_columns(place=order.rank("ordinal").cast(pl.Int64)).sort("place")
    nth = pl.int_range(pl.len()).over("stratum")
    wanted = pl.col("stratum").replace_strict(sizes, default=0, return_dtype=pl.Int64)
    return ranked.filter(nth < wanted).drop("place").sort("range")


def ranges_of(stores: Stores, rows: pl.DataFrame) -> list[Range]:
    """The ranges of rows of `planned`."""
    source = source_number(stores.catalog, stores.settings.provider.source)
    return [
        Range(source, group, index, size) for group, index, size in rows.select("group", "index", "size").iter_rows()
    ]


def remembered(data: Path) -> dict[str, int]:
    """How many ranges of each stratum were drawn last; empty before the first sample."""
    path = data / SAMPLE
    return json.loads(path.read_text()) if path.exists() else {}


def remember(data: Path, sizes: dict[str, int]) -> None:
    """Keep the sizes of the sample. They are decided before anything of it is seen: what is done by chance is no sample."""
    path = data / SAMPLE
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(sizes))


def estimate(stores: Stores, sizes: dict[str, int], error: float) -> Estimate:
    """Totals from the drawn ranges, which must be done, and what `error` would take; written to `analysis/estimate.parquet` too.

    Raises:
        NothingPlanned: nothing is planned yet.
        NotSampled: ranges of the sample are not done.
    """
    population = planned(stores)
    sampled = drawn(population, sizes)
    if undone := sampled.filter(~pl.col("done"))["range"].to_list():
        raise NotSampled(
            f"{len(undone)} ranges of the sample are not done ({', '.join(undone[:3])}); run: overlake estimate"
        )
    sizes_on_disk = [
        stores.lake.disk.size(stores.lake.overview_path(stores.settings.provider.source, range_))
        for range_ in ranges_of(stores, sampled)
    ]
    sample = _measured(stores, sampled.with_columns(parquet_bytes=pl.Series(sizes_on_disk, dtype=pl.Int64)))
    totals = estimates(population, sample, MEASURES)
    path = stores.settings.data / ESTIMATE
    path.parent.mkdir(parents=True, exist_ok=True)
    totals.write_parquet(path)
    return Estimate(totals, allocation(population, sample, MEASURES, error))


def _measured(stores: Stores, sampled: pl.DataFrame) -> pl.DataFrame:
    with stores.catalog.transaction() as connection:
        ((size, releases),) = connection.execute(query("estimate_catalog")).fetchall()
    with duckdb.connect() as connection:
        connection.register("sampled", sampled.to_arrow())
        connection.sql(f"SET VARIABLE bytes_a_release = {size / max(1, releases)!r}::double")
        connection.sql(duckdb_views("estimate_sample"))
        return connection.table("estimate_sample").pl()
