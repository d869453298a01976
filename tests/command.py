"""The `overlake` command: each call is a process of its own, forked from one that has imported what commands import.

To start Python anew for each takes longer than what the command does. `started` does that too.
"""

from __future__ import annotations

import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PATIENCE_S = 280


@dataclass(frozen=True)
class Ran:
    """How a command ended, and what it wrote."""

    returncode: int
    stdout: str
    stderr: str


def clean_environment() -> dict[str, str]:
    """This process's environment without what configures Overlake and Dagster."""
    return {key: value for key, value in os.environ.items() if not key.startswith(("OVERLAKE_", "DAGSTER_"))}


def overlake(
    folder: Path,
    *arguments: str,
    stdin: bytes = b"",
    environment: Mapping[str, str] | None = None,
    first: str = "",
) -> Ran:
    """`overlake ...` in `folder`, after the Python statements `first`.

    Raises:
        TimeoutError: it does not end.
    """
    with tempfile.TemporaryDirectory() as name:
        files = [Path(name) / file for file in ("stdin", "stdout", "stderr")]
        files[0].write_bytes(stdin)
        job = {"folder": str(folder), "arguments": arguments, "files": [str(file) for file in files], "first": first}
        status = _status(job | {"environment": dict(clean_environment() if environment is None else environment)})
        return Ran(status, *(file.read_text() if file.exists() else "" for file in files[1:]))


def _status(job: Mapping[str, object]) -> int:
    starter = _starter()
    assert starter.stdin is not None
    assert starter.stdout is not None
    answer = ""
    try:
        starter.stdin.write(json.dumps(job) + "\n")
        starter.stdin.flush()
        if select.select([starter.stdout], [], [], PATIENCE_S)[0]:
            answer = starter.stdout.readline()
    finally:
        if not answer:
            # It waits for a command that does not end.
            os.killpg(starter.pid, signal.SIGKILL)
            starter.wait()
            _starter.cache_clear()
    if not answer:
        raise TimeoutError(f"overlake {job['arguments']} does not end")
    return int(answer)


@cache
def _starter() -> subprocess.Popen[str]:
    """Ends with this process, when its input does."""
    return subprocess.Popen(
        [sys.executable, "-P", str(Path(__file__).with_name("starter.py"))],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
    )


def started(folder: Path, *arguments: str, stdin: bytes = b"", environment: Mapping[str, str] | None = None) -> Ran:
    """The same in a new Python."""
    done = subprocess.run(
        [sys.executable, "-m", "cli", *arguments],
        cwd=folder,
        input=stdin,
        capture_output=True,
        env=clean_environment() if environment is None else environment,
        timeout=PATIENCE_S,
        check=False,
    )
    return Ran(done.returncode, done.stdout.decode(), done.stderr.decode())
