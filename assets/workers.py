"""Runs handed to workers on other machines by Celery: which queue a run waits in, and when a worker counts as lost.

Two queues: `fetch` for runs that talk to the provider, `transform` for those that only derive. A worker listens on one or both.
Results and states lie in the broker (Redis); what a run says goes to Dagster's database like that of any other.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from typing import Any, Self

from celery import Celery
from dagster import DagsterRun, Field, IntSource, StringSource
from dagster._core.launcher import CheckRunHealthResult, LaunchRunContext, WorkerStatus
from dagster._serdes import ConfigurableClassData
from dagster_celery.launcher import CeleryRunLauncher
from dagster_celery.tags import DAGSTER_CELERY_QUEUE_TAG, DAGSTER_CELERY_TASK_ID_TAG

FETCH, TRANSFORM = "fetch", "transform"
QUEUES = (FETCH, TRANSFORM)

ASKS_THE_PROVIDER = frozenset({"group_list", "range_plan", "overview", "range_assets"})
"""Assets that need an account, and the operation that one of them is part of."""

_PING_S = 2.0
_RUNS_A_PROCESS = 50
"""A worker's process is replaced after so many runs, so that what a library leaks does not add up."""

CONFIGURATION: dict[str, Any] = {
    # A run is taken from its queue when a process is free to begin it, not ahead: what a lost worker had reserved would be lost with it.
    "worker_prefetch_multiplier": 1,
    "worker_disable_prefetch": True,
    "task_acks_late": False,
    "worker_max_tasks_per_child": _RUNS_A_PROCESS,
    "worker_send_task_events": False,
    # Dagster keeps what became of a run; these entries only say who is at it.
    "result_expires": 7 * 86_400,
    "broker_connection_retry_on_startup": True,
    "worker_hijack_root_logger": False,
}


class WatchedCeleryRunLauncher(CeleryRunLauncher):
    """Dagster's launcher for Celery; chooses the queue by what a run does, and asks its worker whether it lives."""

    def __init__(self, broker: str, silence_seconds: int, inst_data: ConfigurableClassData | None = None) -> None:
        super().__init__(
            default_queue=TRANSFORM,
            broker=broker,
            backend=broker,
            config_source=CONFIGURATION,
            inst_data=inst_data,
        )
        self._silence_seconds = silence_seconds
        self._silent_since: dict[str, float] = {}

    def launch_run(self, context: LaunchRunContext) -> None:
        """Put the run into the queue its tag names, else into that of the workers that can do it."""
        run = context.dagster_run
        if DAGSTER_CELERY_QUEUE_TAG not in run.tags:
            tag = {DAGSTER_CELERY_QUEUE_TAG: queue_of(self._work_of(run))}
            self._instance.add_run_tags(run.run_id, tag)
            context = context._replace(dagster_run=run.with_tags({**run.tags, **tag}))
        super().launch_run(context)

    def check_run_worker_health(self, run: DagsterRun) -> CheckRunHealthResult:
        """Failed when the run's worker has not answered for `silence_seconds`: it was killed, stopped, or cut off."""
        found = super().check_run_worker_health(run)
        if found.status != WorkerStatus.RUNNING:
            return found
        state: Any = self.celery.AsyncResult(run.tags[DAGSTER_CELERY_TASK_ID_TAG]).info
        worker = str(state["hostname"])
        if self.celery.control.ping([worker], timeout=_PING_S):
            self._silent_since.pop(worker, None)
            return found
        silent = time.monotonic() - self._silent_since.setdefault(worker, time.monotonic())
        if silent < self._silence_seconds:
            return found
        return CheckRunHealthResult(
            WorkerStatus.FAILED, f"Worker {worker} does not answer; look at it. The run starts again on another."
        )

    def _work_of(self, run: DagsterRun) -> set[str]:
        """Names of the assets that were selected, or of a whole job's steps."""
        if run.asset_selection:
            return {key.to_user_string() for key in run.asset_selection}
        plan = run.execution_plan_snapshot_id and self._instance.get_execution_plan_snapshot(
            run.execution_plan_snapshot_id
        )
        return set(plan.step_keys_to_execute) if plan else set()

    @classmethod
    def config_type(cls) -> Any:
        """See `__init__`."""
        return {"broker": Field(StringSource), "silence_seconds": Field(IntSource)}

    @classmethod
    def from_config_value(cls, inst_data: ConfigurableClassData, config_value: Mapping[str, Any]) -> Self:
        """Of the section `run_launcher` in `dagster.yaml`."""
        return cls(inst_data=inst_data, **config_value)


def queue_of(work: AbstractSet[str]) -> str:
    """The queue of a run that does `work`: `fetch` when some of it asks the provider."""
    return FETCH if work & ASKS_THE_PROVIDER else TRANSFORM


def celery_app(broker: str) -> Celery:
    """The application a worker runs."""
    from dagster_celery.tasks import create_execute_job_task, create_resume_job_task

    app = WatchedCeleryRunLauncher(broker, 0).celery
    create_execute_job_task(app)
    create_resume_job_task(app)
    return app
