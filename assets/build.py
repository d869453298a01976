"""The definitions for a configuration: no globals, so that tests and commands build their own."""

from __future__ import annotations

import dagster as dg

from assets.analysis.garbage_signatures import garbage_signatures
from assets.analysis.report import report
from assets.analysis.size_estimate import size_estimate
from assets.planning_assets import group_list, range_plan
from assets.range_assets import range_assets
from assets.release_assets import collected_chunks, expired_overviews, settled_releases
from assets.resources import StoresResource
from store.configuration import Settings


def assets_of(settings: Settings) -> list[dg.AssetsDefinition]:
    """Every asset, for a configuration."""
    return [
        group_list,
        range_plan,
        range_assets(settings.dagster.ranges_per_run),
        settled_releases,
        collected_chunks,
        garbage_signatures,
        size_estimate,
        report,
        expired_overviews,
    ]


def build_definitions(settings: Settings, stores: StoresResource | None = None) -> dg.Definitions:
    """The definitions for a configuration."""
    upkeep = dg.define_asset_job("upkeep", selection=[settled_releases, collected_chunks, expired_overviews])
    hourly = dg.ScheduleDefinition(
        name="hourly_upkeep", job=upkeep, cron_schedule="17 * * * *", default_status=dg.DefaultScheduleStatus.RUNNING
    )
    return dg.Definitions(
        assets=assets_of(settings),
        jobs=[upkeep],
        schedules=[hourly],
        resources={"stores": stores or StoresResource()},
        # A process a step would cost more than the step: everything of a run happens in the run's own process.
        executor=dg.in_process_executor,
    )
