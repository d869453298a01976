"""A Redis server on loopback (Debian: redis-server), the broker between Dagster and its workers."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from missing import MissingProgram


@contextmanager
def running_redis(folder: Path, port: int) -> Iterator[str]:
    """The address of a server that keeps nothing."""
    program = shutil.which("redis-server")
    if program is None:
        raise MissingProgram("no redis-server here; run: apt-get install redis-server")
    options = ("--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(folder))
    with (folder / "redis.log").open("wb") as log:
        process = subprocess.Popen([program, *options], stdout=log, stderr=log)
    try:
        limit = time.monotonic() + 30
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            assert process.poll() is None, (folder / "redis.log").read_text()
            assert time.monotonic() < limit, "redis-server does not listen"
            time.sleep(0.05)
        yield f"redis://127.0.0.1:{port}/0"
    finally:
        process.terminate()
        process.wait(30)
