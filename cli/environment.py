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
    return {
        FILE_VARIABLE: str(config.resolve()),
        "DAGSTER_HOME": str(ROOT / "dagster_home"),
        "OVERLAKE_DAGSTER_URL": catalog.dagster_dsn,
        "OVERLAKE_DAGSTER_DATA": str(folder),
        "OVERLAKE_DAGSTER_RUNS": str(settings.dagster.concurrent_runs),
    }


def enter(environment: dict[str, str]) -> None:
    """Make `environment` this process's, for Dagster used in process."""
    os.environ.update(environment)
