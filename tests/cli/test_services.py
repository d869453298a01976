from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import psutil
import pytest

from cli.services import Running, Service, ServiceFailed, only_one, running

SLEEPER = (
    sys.executable,
    "-c",
    "import subprocess, sys, time; child = subprocess.Popen(['sleep', '600']); print(child.pid, flush=True); time.sleep(600)",
)
STUBBORN = (
    sys.executable,
    "-c",
    "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('up', flush=True); time.sleep(600)",
)


def written(log: Path) -> str:
    for _ in range(200):
        if log.exists() and log.read_text():
            return log.read_text()
        time.sleep(0.05)
    raise AssertionError("the service wrote nothing")


def lives(pid: int) -> bool:
    return psutil.pid_exists(pid) and psutil.Process(pid).status() != psutil.STATUS_ZOMBIE


def test_what_a_service_started_ends_with_it(tmp_path: Path) -> None:
    service = Service("sleeper", SLEEPER, tmp_path / "logs" / "sleeper.log")
    with running([service], {}) as (item,):
        grandchild = int(written(service.log))
        assert lives(item.process.pid)
        assert lives(grandchild)
    assert not lives(item.process.pid)
    assert not lives(grandchild)


def test_one_that_does_not_stop_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cli.services.STOP_SECONDS", 0.5)
    service = Service("stubborn", STUBBORN, tmp_path / "stubborn.log")
    with running([service], {}) as (item,):
        written(service.log)
    assert item.process.returncode == -signal.SIGKILL


def test_one_that_ends_by_itself_is_reported_with_the_end_of_its_log(tmp_path: Path) -> None:
    service = Service(
        "brief", (sys.executable, "-c", "import sys; print('the port is taken'); sys.exit(3)"), tmp_path / "brief.log"
    )
    with running([service], {}) as (item,):
        item.process.wait()
        with pytest.raises(ServiceFailed, match=r"status 3(.|\n)*the port is taken"):
            Running(service, item.process).check()


def test_what_a_killed_predecessor_left_is_stopped_by_the_next(tmp_path: Path) -> None:
    log = tmp_path / "sleeper.log"
    program = textwrap.dedent(f"""
        import time
        from pathlib import Path
        from cli.services import Service, running
        with running([Service("sleeper", {SLEEPER!r}, Path({str(log)!r}))], {{}}):
            time.sleep(600)
    """)
    predecessor = subprocess.Popen([sys.executable, "-c", program])
    left = int(written(log))
    os.kill(predecessor.pid, signal.SIGKILL)
    predecessor.wait()
    assert lives(left)
    with running([Service("sleeper", SLEEPER, log)], {}):
        assert not lives(left)


def test_only_one_holds_the_lock_and_a_killed_holder_frees_it(tmp_path: Path) -> None:
    lock = tmp_path / "up.lock"
    up_already = f"up already \\(process {os.getpid()}\\)"
    with only_one(lock), pytest.raises(ServiceFailed, match=up_already), only_one(lock):
        pass
    with only_one(lock):
        pass


def test_sigterm_stops_it_in_the_background_and_after_dagster_ran_in_process(tmp_path: Path) -> None:
    program = textwrap.dedent("""
        import signal
        from dagster._utils.interrupts import capture_interrupts
        from cli.services import stop_on_sigterm, wait_until_interrupted
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as a shell's `&` does
        stop_on_sigterm()
        with capture_interrupts():
            pass
        print("up", flush=True)
        wait_until_interrupted([])
    """)
    log = tmp_path / "log"
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-c", program], stdout=output)
    assert "up" in written(log)
    process.send_signal(signal.SIGTERM)
    assert process.wait(20) == 0
