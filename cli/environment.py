"""The environment in which Dagster's processes find the configuration, their database and their folder."""

from __future__ import annotations

import os
from pathlib import Path

from store.catalog.connection import Catalog
from store.configuration import FILE_VARIABLE, Settings

ROOT = Path(__file__).resolve().parent.parent
"""The checkout: `dagster_home/` and `workspace.yaml` live here."""


def dagster_environment(config: Path, settings: Settings, catalog: Catalog) -> dict[str, str]:
    """The variables that `dagster_home/dagster.yaml` and the code location read; creates Dagster's folder."""
    folder = settings.data / "dagster"
    folder.mkdir(parents=True, exist_ok=True)
    common = {
        FILE_VARIABLE: str(config.resolve()),
        "DAGSTER_HOME": str(ROOT / "dagster_home"),
        "OVERLAKE_DAGSTER_URL": catalog.dagster_dsn,
        "OVERLAKE_DAGSTER_DATA": str(folder),
        "OVERLAKE_DAGSTER_RUNS": str(settings.dagster.concurrent_runs),
    }
    if settings.dagster.broker is None:
        return common
    return common | {
        "DAGSTER_HOME": str(_home_with_workers(folder / "home")),
        "OVERLAKE_DAGSTER_BROKER": settings.dagster.broker.get_secret_value(),
        "OVERLAKE_DAGSTER_SILENCE": str(settings.dagster.worker_silence_seconds),
    }


def enter(environment: dict[str, str]) -> None:
    """Make `environment` this process's, for Dagster used in process."""
    os.environ.update(environment)


def _home_with_workers(home: Path) -> Path:
    """A folder whose `dagster.yaml` is the usual one with what workers need."""
    import yaml

    usual, added = (
        yaml.safe_load((ROOT / "dagster_home" / name).read_text()) for name in ("dagster.yaml", "workers.yaml")
    )
    merged = usual | {section: usual.get(section, {}) | values for section, values in added.items()}
    home.mkdir(exist_ok=True)
    fresh = home / f"dagster.yaml.{os.getpid()}"
    fresh.write_text(yaml.safe_dump(merged, sort_keys=False))
    fresh.replace(home / "dagster.yaml")
    return home
