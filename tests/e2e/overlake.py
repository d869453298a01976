"""The `overlake` command as a user runs it, in a folder of its own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import httpx
from command import Ran, clean_environment, overlake

IMPATIENCE = Path(__file__).parent / "impatience"


def free_port() -> int:
    """A port no other test of this run gets, below those the system gives to clients: a server that was killed finds it free again."""
    worker = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0").removeprefix("gw"))
    for port in _PORTS:
        with socket.socket() as probe:
            try:
                probe.bind(("127.0.0.1", port + 1_000 * worker))
            except OSError:
                continue
            return port + 1_000 * worker
    raise AssertionError("no port is free")


_PORTS = iter(range(20_000, 21_000))


@dataclass(frozen=True)
class Overlake:
    """An index in `folder`, configured by `overlake.toml` there."""

    FIRST: ClassVar[str] = ""
    """Python statements before a command."""

    folder: Path
    server: int = field(default_factory=free_port)
    dagster: int = field(default_factory=free_port)

    def configure(self, text: str) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        ports = f"\n[server]\nport = {self.server}\n\n[dagster]\nport = {self.dagster}\nranges_per_run = 3\nconcurrent_runs = 2\n"
        (self.folder / "overlake.toml").write_text(text + ports)

    def run(self, *arguments: str, stdin: str = "", check: bool = True) -> Ran:
        done = overlake(
            self.folder, *arguments, stdin=stdin.encode(), environment=self._environment(), first=self.FIRST
        )
        if check and done.returncode:
            raise AssertionError(
                f"overlake {' '.join(arguments)} ended with {done.returncode}:\n{done.stdout}\n{done.stderr}"
            )
        return done

    def json(self, *arguments: str) -> Any:
        return json.loads(self.run(*arguments, "--json").stdout)

    @contextmanager
    def up(self) -> Iterator[subprocess.Popen[bytes]]:
        log = self.folder / "up.log"
        with log.open("wb") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "cli", "up"],
                cwd=self.folder,
                stdout=output,
                stderr=output,
                env=self._environment(),
            )
        try:
            self._wait(process, log)
            yield process
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(60)

    def api(self, **parameters: str) -> httpx.Response:
        return httpx.get(f"http://127.0.0.1:{self.server}/api", params=parameters, timeout=30)

    def graphql(self, query: str, **variables: object) -> Any:
        answer = httpx.post(
            f"http://127.0.0.1:{self.dagster}/graphql", json={"query": query, "variables": variables}, timeout=60
        ).json()
        assert "errors" not in answer, answer
        return answer["data"]

    def _wait(self, process: subprocess.Popen[bytes], log: Path, ready: str = "Newznab") -> None:
        end = time.monotonic() + 200
        while ready not in log.read_text():
            if process.poll() is not None or time.monotonic() > end:
                logs = "\n".join(
                    f"--- {path.name}\n{path.read_text()[-3000:]}"
                    for path in sorted(self.folder.glob("data/logs/*.log"))
                )
                raise AssertionError(f"overlake up did not come up:\n{log.read_text()}\n{logs}")
            time.sleep(0.2)

    def _environment(self) -> dict[str, str]:
        mine = clean_environment()
        return mine | {"PYTHONPATH": os.pathsep.join(filter(None, [str(IMPATIENCE), mine.get("PYTHONPATH")]))}
