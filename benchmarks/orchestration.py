"""Dagster's share of a backfill's CPU: the same ranges through a backfill, and by the bare steps."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from benchmarks.ingest import prepared
from benchmarks.machine import Stages, tree_cpu_s


@dataclass(frozen=True, slots=True)
class Orchestration:
    """One run.

    Attributes:
        ranges: ranges backfilled.
        lines: overview lines in them.
        backfill_cpu_s: CPU seconds of Dagster's processes and runs over the backfill.
        work_cpu_s: CPU seconds of the same steps without Dagster.
        share: Dagster's part of the backfill's CPU.
        wall_s: seconds from launch to end.
    """

    ranges: int
    lines: int
    backfill_cpu_s: float
    work_cpu_s: float
    share: float
    wall_s: float
