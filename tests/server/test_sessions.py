"""Session cookies: sealed, known to every process of a server, and to nobody else; failed logins are counted by network."""

from __future__ import annotations

import stat
import threading

import pytest

from server.attempts import MOST, SECONDS, Attempts, network
from server.sessions import SESSION_FILE, Sessions


def test_what_is_sealed_opens_again_in_every_process_and_after_a_restart(tmp_path):
    sealed = Sessions.kept_in(tmp_path / "new").seal("secret")
    assert Sessions.kept_in(tmp_path / "new").open(sealed) == "secret"
    assert Sessions.kept_in(tmp_path / "new").token(sealed) == Sessions.kept_in(tmp_path / "new").token(sealed)
    assert stat.S_IMODE((tmp_path / "new" / SESSION_FILE).stat().st_mode) == 0o600
    assert [path.name for path in (tmp_path / "new").iterdir()] == [SESSION_FILE]


def test_processes_that_start_together_agree_on_one_secret(tmp_path):
    together, made = threading.Barrier(8), list[Sessions]()

    def start():
        together.wait()
        made.append(Sessions.kept_in(tmp_path))

    threads = [threading.Thread(target=start) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    sealed = made[0].seal("secret")
    assert [sessions.open(sealed) for sessions in made] == ["secret"] * 8


@pytest.mark.parametrize(
    "change",
    [lambda text: "", lambda text: "é" + text[1:], lambda text: text[:-5], lambda text: text[:30] + "AAAA" + text[34:]],
)
def test_what_was_changed_or_made_elsewhere_does_not_open(change):
    sessions = Sessions.fresh()
    assert sessions.open(change(sessions.seal("secret"))) == ""
    assert sessions.open(Sessions.fresh().seal("secret")) == ""


def test_a_session_ends(time_machine):
    time_machine.move_to(1_700_000_000, tick=False)
    sessions = Sessions.fresh()
    sealed = sessions.seal("secret")
    time_machine.shift(59)
    assert sessions.open(sealed, 60) == "secret"
    time_machine.shift(2)
    assert sessions.open(sealed, 60) == ""


def test_the_token_of_a_form_is_of_one_session():
    sessions = Sessions.fresh()
    assert sessions.token(sessions.seal("secret")) != sessions.token(sessions.seal("secret"))


def test_failures_are_counted_by_network_and_forgotten():
    now = [1000.0]
    attempts = Attempts(lambda: now[0])
    for _ in range(MOST):
        assert attempts.wait("2001:db8::1") == 0
        attempts.failed("2001:db8::1")
        now[0] += 1
    assert attempts.wait("2001:db8::ffff:1") == SECONDS - MOST
    assert attempts.wait("2001:db8:0:1::1") == 0
    now[0] += SECONDS - MOST
    assert attempts.wait("2001:db8::1") == 0
    attempts.failed("2001:db8::1")
    assert attempts.wait("2001:db8::1") == 1
    attempts.succeeded("2001:db8::1")
    assert attempts.wait("2001:db8::1") == 0


@pytest.mark.parametrize(
    ("address", "counted"),
    [("192.0.2.7", "192.0.2.7"), ("::ffff:192.0.2.7", "192.0.2.7"), ("2001:db8::9", "2001:db8::/64"), ("unix", "unix")],
)
def test_whom_failures_count_for(address, counted):
    assert network(address) == counted


def test_memory_of_failures_is_bounded():
    attempts = Attempts()
    for number in range(10_050):
        attempts.failed(f"10.0.{number >> 8}.{number & 255}")
    assert len(attempts._failures) == 10_000
