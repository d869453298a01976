"""What happens by itself: new full ranges are planned, and ranges that failed for a passing reason are tried again."""

from hashlib import sha256
from pathlib import Path

import dagster as dg

from assets.provider import account_of
from pipeline.nntp.errors import LoginRefused, NntpError
from pipeline.nntp.probe import list_groups
from store.catalog.planning import due_again, known_to, source_number
from store.catalog.versions import current_group_list
from store.configuration import Settings
from store.cures import CURES
from store.stores import Stores

ATTEMPTS = 6
"""The last one comes some ten hours after the first failure."""

RANGES_A_TICK = 20
"""Each is a run of its own: neighbours seldom fail alone, and a provider that is down fails all of them again."""

PLANNING_EVERY_SECONDS = 3600


def new_ranges_sensor(settings: Settings, planning: str) -> dg.SensorDefinition:
    """Asks the provider's list hourly, and plans when a group of the index has a full range that is not known yet."""

    @dg.sensor(
        name="new_full_ranges",
        job_name=planning,
        minimum_interval_seconds=PLANNING_EVERY_SECONDS,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Plans ranges that have become full since.",
    )
    def _new_ranges(
        context: dg.SensorEvaluationContext, stores: dg.ResourceParam[Stores]
    ) -> dg.RunRequest | dg.SkipReason:
        refused = _login(settings)
        if context.cursor == refused:
            return dg.SkipReason("the provider refused this login; it is asked again once [provider] has changed")
        known = known_to(stores.catalog, source_number(stores.catalog, settings.provider.source))
        if not known:
            return dg.SkipReason("nothing is planned yet; run: overlake plan")
        wanted = set(current_group_list(stores.catalog).names)
        try:
            active = list_groups(account_of(settings.provider))
        except LoginRefused as error:
            context.update_cursor(refused)
            return dg.SkipReason(str(error))
        except NntpError as error:
            return dg.SkipReason(f"not now: {error}")
        full = {item.name: (item.high + 1) // settings.range_size - 1 for item in active if item.name in wanted}
        new = {name: index for name, index in full.items() if index > known.get(name, -1) and index >= 0}
        if not new:
            return dg.SkipReason("no group has a full range that is not planned")
        shown = sha256(repr(sorted(new.items())).encode()).hexdigest()[:16]
        return dg.RunRequest(run_key=f"plan-{shown}", tags={"overlake/new_ranges_in": str(len(new))})

    return _new_ranges


def again_sensor(settings: Settings, ranges: str) -> dg.SensorDefinition:
    """Starts failed ranges again whose kind of failure may have passed, later each time; others wait for a person."""

    @dg.sensor(
        name="failed_ranges_again",
        job_name=ranges,
        minimum_interval_seconds=120,
        default_status=dg.DefaultSensorStatus.RUNNING,
        description="Tries ranges again that failed for a passing reason, after 10 minutes, 20, 40, ...",
    )
    def _again(stores: dg.ResourceParam[Stores]) -> dg.SensorResult | dg.SkipReason:
        source = source_number(stores.catalog, settings.provider.source)
        passing = [cure.kind for cure in CURES if cure.passing]
        due = due_again(stores.catalog, source, passing, ATTEMPTS, RANGES_A_TICK)
        if not due:
            return dg.SkipReason("no range is due")
        return dg.SensorResult(
            [dg.RunRequest(run_key=f"{key}@{failed_at.isoformat()}", partition_key=key) for key, failed_at in due]
        )

    return _again


def _login(settings: Settings) -> str:
    """Tells one login from another without showing it."""
    account = settings.provider
    password = account.password.get_secret_value()
    if account.password_file is not None and Path(account.password_file).exists():
        password = Path(account.password_file).read_text()
    return sha256(f"{account.host}:{account.port} {account.username} {password}".encode()).hexdigest()
