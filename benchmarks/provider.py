"""A simulated provider in a process of its own, so that its work is not counted."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from cli.services import own_command

READY_SECONDS = 60.0


class ProviderFailed(RuntimeError):
    """The simulator did not start."""


@contextmanager
def simulated(folder: Path, *arguments: str) -> Iterator[int]:
    """Run `overlake simulate` with `arguments`, its cache in `folder`; gives the port it listens on."""
    folder.mkdir(parents=True, exist_ok=True)
    ready = folder / "ready.json"
    ready.unlink(missing_ok=True)
    command = (*own_command("simulate"), *arguments, "--cache", str(folder / "cache"), "--ready-file", str(ready))
    with (folder / "simulator.log").open("ab") as log:
        process = subprocess.Popen(command, stdout=log, stderr=log, stdin=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + READY_SECONDS
        while not ready.exists():
            if process.poll() is not None or time.monotonic() > deadline:
                raise ProviderFailed(f"the simulator did not start; see {folder / 'simulator.log'}")
            time.sleep(0.05)
        yield json.loads(ready.read_text())["ports"][0]["port"]
    finally:
        process.terminate()
        process.wait()
