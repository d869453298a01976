"""The assets of a range: its overview, its chunks, its edges. Several ranges share a run, each with its own fate.

They are one operation, not three: as three, the first failing range would keep its run-mates from their next step.
The check belongs to it as well: each range reports its own materialization, and Dagster skips a check of its own after an
operation without outputs.
"""

from collections.abc import Callable, Iterator

import dagster as dg

from assets import metadata
from assets.checks import CHECKS
from assets.failures import retried, sentence
from assets.partitions import ranges
from assets.pools import RANGE_POOL
from assets.range_work import derive_chunks, fetch_overview, join_edges
from assets.run_tags import run_tags
from pipeline.ranges import Range
from store.catalog.commit import Superseded
from store.catalog.planning import fail, range_by_key, start
from store.cures import kind_of
from store.stores import Stores

SPECS = (
    dg.AssetSpec(
        "overview",
        deps=["range_plan"],
        description="Overview lines of a range as one Parquet file, fetched by XOVER over several connections.",
        kinds={"nntp", "parquet"},
        group_name="ranges",
        skippable=True,
        partitions_def=ranges,
    ),
    dg.AssetSpec(
        "release_chunks",
        deps=["overview"],
        description="Releases found in a range: a chunk file with their segment lists, and their records in the catalog. Derived from the overview file alone.",
        kinds={"polars", "postgres"},
        group_name="ranges",
        skippable=True,
        partitions_def=ranges,
    ),
    dg.AssetSpec(
        "edge_chunks",
        deps=["release_chunks"],
        description="Files that cross the edges of a range, merged as soon as both sides are done.",
        kinds={"polars", "postgres"},
        group_name="ranges",
        skippable=True,
        partitions_def=ranges,
    ),
)

STEPS: dict[str, Callable[[Stores, Range], metadata.Metadata]] = {
    "overview": lambda stores, range_: metadata.of_overview(fetch_overview(stores, range_)),
    "release_chunks": lambda stores, range_: metadata.of_chunks(derive_chunks(stores, range_)),
    "edge_chunks": lambda stores, range_: metadata.of_edges(join_edges(stores, range_)),
}


def range_assets(ranges_per_run: int) -> dg.AssetsDefinition:
    """The range assets, `ranges_per_run` partitions in a run of a backfill."""

    @dg.multi_asset(
        name="range_assets",
        specs=SPECS,
        check_specs=[check.spec for check in CHECKS],
        can_subset=True,
        pool=RANGE_POOL,
        backfill_policy=dg.BackfillPolicy.multi_run(max_partitions_per_run=ranges_per_run),
    )
    def _range_assets(
        context: dg.AssetExecutionContext, stores: dg.ResourceParam[Stores]
    ) -> Iterator[dg.AssetMaterialization | dg.AssetCheckResult]:
        selected = [name for name in STEPS if dg.AssetKey(name) in context.selected_asset_keys]
        failures: dict[str, str] = {}
        if selected:
            context.instance.add_run_tags(context.run.run_id, run_tags(context.partition_keys))
        for key in context.partition_keys if selected else ():
            try:
                yield from materialized(stores, key, selected)
            except Exception as error:
                failures[key] = sentence(error)
                context.log.error(f"{key}: {failures[key]}", exc_info=error)  # noqa: TRY400 - Dagster's own logger
        if failures:
            raise dg.Failure(
                description=f"{len(failures)} of {len(context.partition_keys)} ranges failed: "
                + "; ".join(f"{key}: {message}" for key, message in failures.items()),
                metadata={key: dg.MetadataValue.text(message) for key, message in failures.items()},
                allow_retries=False,
            )
        # After the failures: a catalog that is down must not hide why the ranges failed.
        partitioned = context.has_partition_key or context.has_partition_key_range
        for check in CHECKS:
            if check.spec.key in context.selected_asset_check_keys:
                yield check.result(stores, context.partition_keys if partitioned else ())

    return _range_assets


def materialized(stores: Stores, key: str, selected: list[str]) -> Iterator[dg.AssetMaterialization]:
    """Do the `selected` steps of a range, each reported; a failure is recorded with the range and raised."""
    range_ = range_by_key(stores.catalog, key).range
    if "release_chunks" in selected:
        # Its commit ends this state; the other steps leave what the range has as it is.
        start(stores.catalog, range_)
    try:
        for name in selected:
            shown = retried(lambda name=name: STEPS[name](stores, range_))
            yield dg.AssetMaterialization(name, partition=key, metadata=shown)
    except Superseded:
        # A later run of this range is under way; what becomes of the range is its to say.
        raise
    except Exception as error:
        fail(stores.catalog, range_, sentence(error), kind_of(error))
        raise
