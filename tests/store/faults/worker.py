"""Runs materializations that fail, each in a child process of its own: forked, since to start Python anew takes a second.

A line of JSON on standard input is one run; a line on standard output is what became of it.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from faults import kinds, scenarios, states
from faults.memory import Memory
from faults.points import Journal, Points, Step, watch_catalog, watch_disk


def main() -> None:
    scenarios.load(Path(sys.argv[1]))
    memory = Memory(Path(sys.argv[1]).with_name("memory"))
    for line in sys.stdin:
        memory.refresh()
        print(json.dumps(_in_child(json.loads(line))), flush=True)


def _in_child(job: dict[str, Any]) -> dict[str, Any]:
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        with os.fdopen(writing, "w") as report:
            _run(job, report)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as report:
        text = report.read()
    _, status = os.waitpid(child, 0)
    told = json.loads(text) if text else {"raised": "", "steps": []}
    return told | {"signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0}


def _run(job: dict[str, Any], report: Any) -> None:
    journal = Journal(Path(job["folder"]).with_suffix(".journal"))
    place = kinds.Place(Path(job["server"]), job["database"], Path(job["folder"]), job["scenario"], journal)
    views: list[str] = []

    def look(step: Step) -> None:
        views.append(repr(states.seen(place.dsn, place.folder)))

        def again() -> None:
            views.append(repr(states.seen(place.dsn, place.folder)))

        step.after = again

    def fault(step: Step) -> None:
        kinds.KINDS[job["kind"]].make(step, place)

    watching = job["kind"] == "watch"
    points = Points(look if watching else fault, None if watching else job["at"])
    watch_disk(points, place.folder, journal)
    watch_catalog(points)
    raised = ""
    with place.catalog() as catalog:
        try:
            scenarios.operate(catalog, place.disk, job["scenario"], lambda phase: setattr(points, "phase", phase))
        except Exception as error:
            raised = f"{type(error).__name__}: {error}"
    place.finish()
    if job["cut"]:
        journal.cut()
        with place.catalog() as catalog:  # what was deleted a moment before is back
            scenarios.collector(catalog, place.disk, job["scenario"])
    distinct = [view for nth, view in enumerate(views) if view not in views[:nth]]
    told = {"raised": raised, "steps": points.steps, "views": distinct, "beside": place.failures, "looks": place.looks}
    json.dump(told, report)


if __name__ == "__main__":
    main()
