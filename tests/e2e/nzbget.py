"""The real downloader of Debian, driven by its JSON-RPC."""

from __future__ import annotations

import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
from missing import MissingProgram

FOLDERS = {
    "MainDir": "main",
    "DestDir": "dst",
    "InterDir": "inter",
    "NzbDir": "nzb",
    "QueueDir": "queue",
    "TempDir": "tmp",
    "ScriptDir": "scripts",
}


@dataclass(frozen=True)
class Nzbget:
    url: str
    downloads: Path

    def call(self, method: str, *parameters: object) -> Any:
        response = httpx.post(f"{self.url}/jsonrpc", json={"method": method, "params": list(parameters)}, timeout=20)
        response.raise_for_status()
        return response.json()["result"]

    def download(self, url: str, seconds: float = 90) -> dict[str, Any]:
        """Let it fetch an NZB by URL and wait for the job's line in its history."""
        self.call("append", "", url, "", 0, False, False, "", 0, "SCORE", [])
        return self._finished("", seconds)

    def read_feed(self, name: str, seconds: float = 90) -> dict[str, Any]:
        """Let it read its feed and wait for the line of the job `name` in its history. What it has already it does not fetch again."""
        self.call("fetchfeed", 1)
        return self._finished(name, seconds)

    def _finished(self, name: str, seconds: float) -> dict[str, Any]:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            history = [job for job in self.call("history", False) if job["Kind"] == "NZB" or "FAILURE" in job["Status"]]
            named = [job for job in history if name in job["Name"]]
            if named:
                return named[0]
            time.sleep(0.3)
        raise AssertionError(f"nzbget did not finish: {self.call('listgroups', 0)} {self.call('history', False)}")


@contextmanager
def running_nzbget(folder: Path, news_port: int, port: int, feed: str = "") -> Iterator[Nzbget]:
    """Running with categories by the names of Newznab, and with a feed whose items it all downloads when it is told to read it."""
    program = shutil.which("nzbget")
    if program is None:
        raise MissingProgram("nzbget is missing; install it: apt-get install nzbget par2")
    settings = [f"{key}={folder / name}" for key, name in FOLDERS.items()]
    for name in FOLDERS.values():
        (folder / name).mkdir(parents=True)
    settings += f"""LockFile={folder}/nzbget.lock
LogFile={folder}/nzbget.log
WriteLog=append
OutputMode=log
DetailTarget=log
ControlIP=127.0.0.1
ControlPort={port}
ControlUsername=u
ControlPassword=p
Server1.Active=yes
Server1.Name=lo
Server1.Level=0
Server1.Host=127.0.0.1
Server1.Port={news_port}
Server1.Encryption=no
Server1.Connections=2
UrlInterval=1
UrlRetries=2
UrlTimeout=20
ArticleRetries=1
ArticleTimeout=10
ParCheck=force
Unpack=no
HealthCheck=none
CrcCheck=yes
DupeCheck=no
Category1.Name=computers
Category1.Aliases=PC*
Category1.Unpack=no
Category2.Name=films
Category2.Aliases=Movies*
Category2.Unpack=no""".splitlines()
    if feed:
        settings += ["Feed1.Name=overlake", f"Feed1.URL={feed}", "Feed1.Interval=0", "Feed1.Backlog=no"]
    configuration = folder / "nzbget.conf"
    configuration.write_text("\n".join(settings) + "\n")
    with (folder / "output.log").open("wb") as log:
        process = subprocess.Popen(
            [program, "-c", str(configuration), "-s", "-o", "OutputMode=log"], stdout=log, stderr=log
        )
    server = Nzbget(f"http://u:p@127.0.0.1:{port}", folder / "dst")
    try:
        for _ in range(100):
            try:
                server.call("version")
                break
            except httpx.HTTPError:
                time.sleep(0.1)
        yield server
    finally:
        process.terminate()
        process.wait(20)
