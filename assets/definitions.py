"""Dagster's code location: what `workspace.yaml` loads, for the configuration in `$OVERLAKE_CONFIG`."""

from __future__ import annotations

from assets.build import build_definitions
from store.configuration import load

defs = build_definitions(load())
