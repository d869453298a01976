"""Getting work done: plan ranges, backfill them oldest era first, keep Dagster's view right."""

from __future__ import annotations

import fnmatch
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from cli.backfilling import backfill_eras, eras, launch
from cli.console import err, fail, out, print_json, progress
from cli.dagster_client import ASSETS, DagsterClient
from cli.environment import dagster_environment, enter
from cli.options import DEFAULT_CONFIG, Config, Json
from cli.selection import Selected, Selection
from store.catalog.connection import Catalog
from store.catalog.coverage import coverage
from store.catalog.planning import keys, missing, source_number
from store.configuration import load


def materialize_here(
    config: Path, names: list[str], configured: dict[str, dict[str, object]] | None = None
) -> dict[str, dict[str, object]]:
    """Materialize unpartitioned assets in this process, recorded in Dagster like any run; their metadata by asset. `configured` by asset."""
    settings = load(config)
    with Catalog.open(settings) as catalog:
        enter(dagster_environment(config, settings, catalog))
    import dagster as dg

    from assets.build import assets_of
    from assets.resources import StoresResource

    with dg.DagsterInstance.get() as instance:
        result = dg.materialize(
            assets_of(settings),
            selection=names,
            instance=instance,
            resources={"stores": StoresResource()},
            run_config={
                "ops": {name: {"config": values} for name, values in (configured or {}).items()},
                "loggers": {"console": {"config": {"log_level": "CRITICAL"}}},
            },
        )
    return {
        event.asset_key.to_user_string(): {key: value.value for key, value in event.materialization.metadata.items()}
        for event in result.get_asset_materialization_events()
        if event.asset_key is not None
    }


def plan(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Choose the groups, find their full ranges with their eras, and register them in Dagster, oldest era first."""
    with err.status("Planning: groups, ranges and their dates"):
        result = materialize_here(config, ["group_list", "range_plan"])
    groups, ranges = result["group_list"], result["range_plan"]
    if json:
        print_json(result)
    else:
        out.print(
            f"{groups['groups']} groups (list version {groups['version']}): {ranges['ranges']} full ranges, {ranges['new']} of them new, {ranges['empty']} empty",
            highlight=False,
        )
    if without := ranges.get("groups_without_ranges"):
        message = (
            f"no articles, or not yet a full range of them, in {without}; for small groups set plan_open_ranges = true"
        )
        if not ranges["ranges"]:
            fail(message)
        err.print(message, soft_wrap=True)


def upkeep(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Settle what is final and delete chunk files nobody needs any more (Dagster does this hourly)."""
    with err.status("Settling and collecting"):
        result = materialize_here(config, ["settled_releases", "collected_chunks", "expired_overviews"])
    if json:
        print_json(result)
        return
    gone = result["collected_chunks"]
    out.print(
        f"{result['settled_releases']['settled']} releases settled; {gone['retired']} replaced chunk files and {gone['orphans']} orphans deleted; {result['expired_overviews']['files']} overview files expired",
        highlight=False,
    )


def backfill(
    *,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
    group: Annotated[str, Parameter(help="Only groups of this name or shell pattern.")] = "*",
    era: Annotated[int | None, Parameter(help="Only ranges of this month, YYYYMM.")] = None,
    range_: Annotated[
        tuple[str, ...], Parameter(name="--range", help="These partition keys, done or not; may be repeated.")
    ] = (),
    stale: Annotated[
        bool,
        Parameter(
            negative="", help="Ranges made under an older group list or signature table, or by other software, instead."
        ),
    ] = False,
    dry_run: Annotated[
        bool, Parameter(negative="", help="Launch nothing; say which ranges it would be, how many and why.")
    ] = False,
    chunks_only: Annotated[
        bool, Parameter(negative="", help="Derive releases again from the overview files, without the provider.")
    ] = False,
    detach: Annotated[
        bool, Parameter(negative="", help="Launch and return; not era by era, Dagster's queue keeps the order.")
    ] = False,
) -> None:
    """Backfill what is missing, or what is chosen, oldest era first over all groups, and wait for it. `overlake up` must be running.

    All that is given must fit a range: `--stale --group 'a*.linux' --era 201205` takes stale ranges of that group and month.

    Ctrl-C stops the waiting and cancels the era that is under way; run it again to go on.
    """
    settings = load(config)
    selection = Selection(group, era, range_, stale)
    with Catalog.open(settings) as catalog:
        source = source_number(catalog, settings.provider.source)
        _refuse_unknown(catalog, source, selection)
        selected = selection.of(catalog, source)
        wanted = selected.keys
        if dry_run:
            _show(selected, json)
            return
        assets = ASSETS[1:] if chunks_only else ASSETS
        if not wanted:
            _report(json, 0, 0, [])
            return
        dagster = DagsterClient.of(settings)
        if detach:
            parts = [launch(catalog, dagster, era_keys, assets) for era_keys in eras(wanted)]
            _report(json, len(wanted), 0, [part.backfill for part in parts])
            return
        with progress() as display:
            task = display.add_task("ranges", total=len(wanted))

            def advance(finished: int, at: str) -> None:
                display.update(task, completed=finished, description=f"era {at[:4]}-{at[4:]}" if at else "ranges")

            result = backfill_eras(catalog, dagster, wanted, assets, advance)
    launched, failed = result.backfills, result.failed
    _report(json, len(wanted), len(failed), launched)
    if failed:
        for key, message in list(failed.items())[:10]:
            err.print(f"{key}: {message}", soft_wrap=True)
        fail(f"{len(failed)} of {len(wanted)} ranges failed; once the cause is gone, run the same command again")


def _refuse_unknown(catalog: Catalog, source: int, selection: Selection) -> None:
    planned = coverage(catalog, source)
    if not planned:
        fail("nothing is planned yet; run: overlake plan")
    if not any(fnmatch.fnmatchcase(row.group, selection.group) and selection.era in (None, row.era) for row in planned):
        fail("no planned range is of that group and era; see: overlake status")


def _show(selected: Selected, json: bool) -> None:
    if json:
        print_json(selected)
        return
    for key in selected.keys:
        out.print(key)
    out.print(f"{len(selected.keys)} ranges")
    if reasons := selected.reasons:
        out.print(
            f"{reasons.old_group_list} under an older group list, {reasons.old_signature_table} under an older signature table, "
            f"{reasons.old_software} by other software"
        )


def _report(json: bool, ranges: int, failed: int, backfills: list[str]) -> None:
    if json:
        print_json({"ranges": ranges, "failed": failed, "backfills": backfills})
    elif ranges:
        out.print(f"{ranges - failed} of {ranges} ranges in {len(backfills)} backfills")
    else:
        out.print("There is nothing to do.")


def reconcile(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Make Dagster's view equal to the catalog, which is the truth: missing partitions and materializations are reported."""
    settings = load(config)
    with Catalog.open(settings) as catalog:
        enter(dagster_environment(config, settings, catalog))
        source = source_number(catalog, settings.provider.source)
        planned, undone = keys(catalog, source), set(missing(catalog, source))
    import dagster as dg

    from assets.partitions import RANGES, register

    with dg.DagsterInstance.get() as instance:
        known = set(instance.get_dynamic_partitions(RANGES))
        absent = [key for key in planned if key not in known]
        register(instance, absent)
        reported = 0
        for asset in ASSETS:
            seen = instance.get_materialized_partitions(dg.AssetKey(asset))
            for key in (key for key in planned if key not in undone and key not in seen):
                instance.report_runless_asset_event(dg.AssetMaterialization(asset, partition=key))
                reported += 1
    if json:
        print_json({"partitions_added": len(absent), "materializations_reported": reported})
    else:
        out.print(f"{len(absent)} partitions added, {reported} materializations reported")
