"""Several machines as processes with folders of their own: they share a broker, a Postgres, a bucket and a provider, nothing else."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
from overlake import Overlake

from assets.workers import celery_app

SHARED = """\
range_size = {range_size}
plan_open_ranges = true
[catalog]
dsn = "{dsn}"
silence_seconds = 10
[storage]
lake = "s3://{bucket}/lake"
chunks = "s3://{bucket}/chunks"
endpoint = "{endpoint}"
[dagster]
port = {dagster}
broker = "{broker}"
worker_silence_seconds = 2
ranges_per_run = 3
concurrent_runs = 3
"""

PROCESSES = 1
"""Of each worker: one that is at a run takes no other before it is killed or cut off."""

ACCOUNT = """\
[provider]
host = "127.0.0.1"
port = {provider}
tls = false
username = "reader"
password_file = "password"
connections = {connections}
connections_per_range = 2
"""


class Machine(Overlake):
    """One that has `overlake.toml` and the credentials of the bucket; with the account or without."""

    def worker(self, *queues: str) -> Worker:
        log = self.folder / "worker.log"
        command = [sys.executable, "-m", "cli", "worker", "--processes", str(PROCESSES), "--name", self.folder.name]
        with log.open("wb") as output:
            process = subprocess.Popen(
                [*command, "--queue", *queues],
                cwd=self.folder,
                stdout=output,
                stderr=output,
                env=self._environment(),
                start_new_session=True,
            )
        return Worker(self.folder.name, process, log)

    @contextmanager
    def dagster_alone(self) -> Iterator[None]:
        """`overlake dagster`, the part that hands out the runs."""
        log = self.folder / "up.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "cli", "dagster"],
                cwd=self.folder,
                stdout=output,
                stderr=output,
                env=self._environment(),
            )
        try:
            self._wait(process, log, "Dagster    http")
            yield
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)


@dataclass(frozen=True)
class Worker:
    """An `overlake worker` and the processes it forked."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path

    def send(self, number: signal.Signals) -> None:
        """To all of them, as when the machine goes."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, number)

    def is_ready(self) -> bool:
        assert self.process.poll() is None, self.log.read_text()
        return " ready." in self.log.read_text()


def at_work(broker: str, worker: Worker) -> list[str]:
    """Ids of the tasks a worker is at; none when it does not answer."""
    found = celery_app(broker).control.inspect(timeout=1.0).active() or {}
    return [task["id"] for name, tasks in found.items() if name.startswith(f"{worker.name}@") for task in tasks]


def is_in_the_middle(head: Overlake, broker: str, worker: Worker) -> bool:
    """Whether a worker is at a run, and Dagster knows that it has begun."""
    asked = """{ runsOrError(filter: {statuses: [STARTED]}) { ... on Runs { results { tags { key value } } } } }"""
    tasks = set(at_work(broker, worker))
    begun = {
        tag["value"]
        for run in head.graphql(asked)["runsOrError"]["results"]
        for tag in run["tags"]
        if tag["key"] == "dagster-celery/task_id"
    }
    return len(tasks) == PROCESSES and tasks <= begun


@dataclass
class Connections:
    """How many connections a provider has open, looked at again and again."""

    provider: psutil.Process
    port: int
    most: int = 0
    _stop: threading.Event = field(default_factory=threading.Event)

    @contextmanager
    def watched(self) -> Iterator[None]:
        watcher = threading.Thread(target=self._watch)
        watcher.start()
        try:
            yield
        finally:
            self._stop.set()
            watcher.join()

    def _watch(self) -> None:
        while not self._stop.wait(0.05):
            here = self.provider.net_connections("tcp")
            inside = [one for one in here if one.laddr.port == self.port and one.status == psutil.CONN_ESTABLISHED]
            self.most = max(self.most, len(inside))
