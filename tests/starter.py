"""Imports what commands import, then becomes one by fork for each line of JSON on standard input; answers with its exit status."""

from __future__ import annotations

import gc
import json
import os
import pkgutil
import runpy
import sys
from importlib import import_module
from typing import Any

import cli

LATER = (
    "assets.build",
    "dagster_postgres",
    "duckdb",
    "httpx",
    "pipeline.explain",
    "pipeline.nntp.fetch",
    "pipeline.nntp.probe",
    "pipeline.reasons",
    "store.rebuild",
    "store.verify",
)
"""What commands import when they need it."""


def main() -> None:
    for name in (*(f"cli.{module.name}" for module in pkgutil.iter_modules(cli.__path__)), *LATER):
        if name != "cli.__main__":
            import_module(name)
    # It must not have begun to compute: Polars' threads for that would be missing in the child.
    gc.freeze()
    while line := sys.stdin.readline():
        child = os.fork()
        if child == 0:
            become(json.loads(line))
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)


def become(job: dict[str, Any]) -> None:
    """Be `python -m cli` from here on.

    Raises:
        SystemExit: always, unless the command raises something else.
    """
    os.chdir(job["folder"])
    os.environ.clear()
    os.environ.update(job["environment"])
    for descriptor, path in enumerate(job["files"]):
        opened = os.open(path, os.O_RDWR | os.O_CREAT)
        os.dup2(opened, descriptor)
        os.close(opened)
    sys.stdin = os.fdopen(0, closefd=False)
    sys.argv = ["overlake", *job["arguments"]]
    exec(job["first"])
    runpy.run_module("cli", run_name="__main__", alter_sys=True)
    sys.exit()


if __name__ == "__main__":
    main()
