"""The definitions for a configuration: no globals, so that tests and commands build their own."""

from __future__ import annotations

import warnings
from datetime import timedelta

import dagster as dg

from assets.alerts import alert_sensor
from assets.analysis.garbage_signatures import garbage_signatures
from assets.analysis.report import report
from assets.analysis.size_estimate import size_estimate
from assets.planning_assets import group_list, range_plan
from assets.range_assets import SPECS, range_assets
from assets.release_assets import collected_chunks, expired_overviews, settled_releases
from assets.resources import StoresResource
from assets.sensors import again_sensor, new_ranges_sensor
from assets.upkeep_assets import analyzed_catalog, pruned_dagster_log
from store.configuration import Settings

OWNERS = {
    "planning": "team:ingest",
    "ranges": "team:ingest",
    "releases": "team:index",
    "upkeep": "team:operations",
    "analysis": "team:analysts",
}
"""Who looks after the assets of a group."""

FRESH = {"range_plan": timedelta(days=2), "settled_releases": timedelta(hours=3)}
"""What goes on by itself, and how old it may be. Ranges are done when a person asks, so they have no such time."""


def assets_of(settings: Settings) -> list[dg.AssetsDefinition]:
    """Every asset, for a configuration."""
    plain = [
        group_list,
        range_plan,
        range_assets(settings.dagster.ranges_per_run),
        settled_releases,
        collected_chunks,
        expired_overviews,
        analyzed_catalog,
        pruned_dagster_log,
        garbage_signatures,
        size_estimate,
        report,
    ]
    return list(dg.map_asset_specs(_shown, plain))


def _shown(spec: dg.AssetSpec) -> dg.AssetSpec:
    owned = spec.replace_attributes(owners=[OWNERS[spec.group_name or ""]])
    window = FRESH.get(spec.key.to_user_string())
    if window is None:
        return owned
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", dg.BetaWarning)
        return owned.replace_attributes(freshness_policy=dg.FreshnessPolicy.time_window(fail_window=window))


def build_definitions(settings: Settings, stores: StoresResource | None = None) -> dg.Definitions:
    """The definitions for a configuration."""
    planning = dg.define_asset_job("planning", selection=[range_plan])
    ranges = dg.define_asset_job("ranges", selection=[spec.key for spec in SPECS])
    upkeep = dg.define_asset_job("upkeep", selection=[settled_releases, collected_chunks, expired_overviews])
    databases = dg.define_asset_job("database_upkeep", selection=[analyzed_catalog, pruned_dagster_log])
    return dg.Definitions(
        assets=assets_of(settings),
        jobs=[planning, ranges, upkeep, databases],
        schedules=[
            _schedule("daily_planning", planning.name, "47 4 * * *"),
            _schedule("hourly_upkeep", upkeep.name, "17 * * * *"),
            _schedule("daily_database_upkeep", databases.name, "37 3 * * *"),
        ],
        sensors=[
            new_ranges_sensor(settings, planning.name),
            again_sensor(settings, ranges.name),
            alert_sensor(settings),
        ],
        resources={"stores": stores or StoresResource()},
        # A process a step would cost more than the step: everything of a run happens in the run's own process.
        executor=dg.in_process_executor,
    )


def _schedule(name: str, job: str, cron: str) -> dg.ScheduleDefinition:
    return dg.ScheduleDefinition(
        name=name, job_name=job, cron_schedule=cron, default_status=dg.DefaultScheduleStatus.RUNNING
    )
