from __future__ import annotations

from pathlib import Path

from benchmarks.soak import RANGES, run


def test_nothing_is_lost_and_nobody_has_to_act(tmp_path: Path) -> None:
    found = run(tmp_path, minutes=0)
    assert (found.manual_steps, found.out_of_balance, found.lines_changed) == (0, 0, 0)
    assert found.ranges == 2 * RANGES
    # What is to be borne did happen.
    assert found.disk_full == 2
    assert found.postgres_restarts >= 1
    assert found.tried_again >= 2
    assert any(failure.startswith("DiskFull") for failure in found.failures)
    assert found.files_last <= found.files_first + 8
