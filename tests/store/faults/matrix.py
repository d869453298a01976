"""Which faults are put where, and what came of them as a table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from faults.kinds import KINDS
from faults.lanes import PHASES, PUBLISHING, Outcome, Undisturbed
from faults.scenarios import SCENARIOS

Fault = tuple[str, int, str]
"""Scenario, number of the step, kind of failure."""

_POINTS = {"statement": "SQL statement", "copying": "end of a COPY"}


def whole(straight: Mapping[str, Undisturbed]) -> list[Fault]:
    """Every kind of failure at every step where it can happen."""
    return [
        (scenario, at, name)
        for name, kind in KINDS.items()
        for scenario, undisturbed in straight.items()
        for at, (_, _, step) in enumerate(undisturbed.steps)
        if step in kind.at and (SCENARIOS[scenario].neighbours or not kind.neighbours)
    ]


def part(straight: Mapping[str, Undisturbed], size: int) -> list[Fault]:
    """`size` of them: a kill at every step of the first scenario, every kind at every COMMIT that publishes, and as many others of each kind, evenly spread."""
    faults = whole(straight)
    first = next(iter(straight))
    always = [
        (scenario, at, name)
        for scenario, at, name in faults
        if (scenario, name) == (first, "process killed") or straight[scenario].steps[at][1] == PUBLISHING
    ]
    chosen, known = list(always), set(always)
    others = [[fault for fault in faults if fault[2] == name and fault not in known] for name in KINDS]
    for nth, mine in enumerate(sorted(others, key=len)):
        share = min(len(mine), (size - len(chosen)) // (len(others) - nth))
        chosen += [mine[place * len(mine) // share] for place in range(share)]
    return chosen


def table(outcomes: Iterable[Outcome]) -> str:
    """How many there were, and the outcomes by point of failure and kind of failure, as Markdown."""
    outcomes = list(outcomes)
    cells: dict[tuple[str, str], dict[str, Counter[str]]] = {}
    for told in sorted(outcomes, key=lambda told: (PHASES.index(told.phase), _ORDER.index(_point(told)))):
        row = cells.setdefault((told.phase, _point(told)), {name: Counter() for name in KINDS})
        row[told.kind][told.seen] += 1
    sums = {name: sum((row[name] for row in cells.values()), Counter[str]()) for name in KINDS}
    lines = [["in", "at", *KINDS], ["---", "---", *("---" for _ in KINDS)]]
    lines += [[f"`{phase}`", point, *map(_cell, row.values())] for (phase, point), row in cells.items()]
    lines.append(["all", "", *map(_cell, sums.values())])
    harm = sum(1 for told in outcomes if told.wrong)
    return f"{len(outcomes)} faults: {harm} lost or mixed.\n\n" + "".join(f"| {' | '.join(line)} |\n" for line in lines)


_ORDER = (
    "make the folder",
    "create the file",
    "write the file",
    "fdatasync the file",
    "fsync the folder",
    "unlink the file",
    *_POINTS.values(),
    "COMMIT",
    PUBLISHING,
)


def _point(told: Outcome) -> str:
    return _POINTS.get(told.step_kind, told.step)


def _cell(seen: Counter[str]) -> str:
    return ", ".join(f"{number} {name}" for name, number in sorted(seen.items()))
