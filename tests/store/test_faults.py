"""Whatever fails at whichever step, readers see the old state or the new one, and a re-run ends where an undisturbed run does.

`OVERLAKE_FAULTS=all` puts every kind of failure at every step; else a part is run, the same every time. `OVERLAKE_WRITE_DOCS=1` writes
its table into docs/reliability.md.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import SimpleQueue

import pytest
from databases import server_folder
from faults import matrix
from faults.kinds import KINDS
from faults.lanes import Lane, Outcome, Undisturbed
from faults.matrix import Fault
from faults.scenarios import SCENARIOS

LANES = 2
PART = 504
DOCUMENT = Path(__file__).parents[2] / "docs" / "reliability.md"
MARKED = re.compile("(?<=<!-- fault matrix -->\n).*(?=<!-- end of the fault matrix -->\n)", re.DOTALL)


@contextmanager
def lane() -> Iterator[Lane]:
    with server_folder() as folder:
        made = Lane(folder)
        made.start()
        try:
            yield made
        finally:
            made.stop()


@pytest.fixture(scope="module")
def lanes() -> Iterator[list[Lane]]:
    with ExitStack() as stack:
        yield [stack.enter_context(lane()) for _ in range(LANES)]


@pytest.fixture(scope="module")
def straight(lanes: list[Lane]) -> dict[str, Undisturbed]:
    return {scenario: lanes[0].undisturbed(scenario) for scenario in SCENARIOS}


def outcomes(lanes: list[Lane], straight: dict[str, Undisturbed], faults: list[Fault]) -> list[Outcome]:
    """What came of each fault; the lanes take the next as they get free."""
    free: SimpleQueue[Lane] = SimpleQueue()
    for one in lanes:
        free.put(one)

    def outcome(fault: Fault) -> Outcome:
        scenario, at, kind = fault
        mine = free.get()
        try:
            return mine.fault(scenario, straight[scenario], at, kind)
        finally:
            free.put(mine)

    with ThreadPoolExecutor(len(lanes)) as pool:
        return list(pool.map(outcome, faults))


@pytest.mark.timeout(300)
def test_a_reader_at_any_step_of_an_undisturbed_run_sees_the_state_before_a_call_or_after_it(straight):
    for scenario, undisturbed in straight.items():
        assert undisturbed.watched == list(dict.fromkeys(undisturbed.views)), scenario


@pytest.mark.timeout(1800)
def test_no_failure_at_any_step_loses_or_mixes_anything(lanes: list[Lane], straight: dict[str, Undisturbed]):
    everything = os.environ.get("OVERLAKE_FAULTS") == "all"
    faults = matrix.whole(straight) if everything else matrix.part(straight, PART)
    told = outcomes(lanes, straight, faults)
    assert "\n".join(str(outcome) for outcome in told if outcome.wrong) == ""
    assert len(told) >= 500
    assert {outcome.kind for outcome in told} == set(KINDS)
    if not everything:
        assert_documented(matrix.table(told))


def assert_documented(table: str) -> None:
    text = DOCUMENT.read_text()
    if os.environ.get("OVERLAKE_WRITE_DOCS") == "1":
        DOCUMENT.write_text(MARKED.sub(lambda _: table, text))
    else:
        assert MARKED.findall(text) == [table], "run this test with OVERLAKE_WRITE_DOCS=1"
