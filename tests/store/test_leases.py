from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections import Counter

import pytest
from databases import Databases

from store.catalog.connection import Catalog
from store.catalog.leases import Lease, LeaseLost, leased

HOLDER = """
import sys
from store.catalog.connection import Catalog
from store.catalog.leases import leased
with Catalog(sys.argv[1], "") as catalog, leased(catalog, ["a"], 1.0):
    print("held", flush=True)
    sys.stdin.read()
"""


def check_until_lost(lease: Lease) -> None:
    limit = time.monotonic() + 30
    while time.monotonic() < limit:
        lease.check()
        time.sleep(0.05)


def test_no_share_is_held_twice_and_all_get_one(catalog: Catalog) -> None:
    held, most, lock = Counter[int](), Counter[int](), threading.Lock()

    def work() -> None:
        for _ in range(3):
            with leased(catalog, ["a", "b"]) as lease:
                with lock:
                    held[lease.place] += 1
                    most[lease.place] = max(most[lease.place], held[lease.place])
                time.sleep(0.02)
                lease.check()
                with lock:
                    held[lease.place] -= 1

    workers = [threading.Thread(target=work) for _ in range(5)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert most == {0: 1, 1: 1}


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGSTOP])
def test_what_a_lost_holder_held_is_free_again(databases: Databases, how: signal.Signals) -> None:
    with databases.catalog() as catalog:
        holder = subprocess.Popen(
            [sys.executable, "-c", HOLDER, catalog.dsn], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with leased(catalog, ["a", "b"]) as other:
            assert other.place == 1
        os.kill(holder.pid, how)
        with leased(catalog, ["a"]) as lease:
            lease.check()
        holder.kill()
        holder.wait()


def test_who_lost_a_lease_is_told(catalog: Catalog) -> None:
    with leased(catalog, ["a"], 0.4) as lease:
        lease.check()
        with catalog.transaction() as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid = 7 AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
        with pytest.raises(LeaseLost, match="run again"):
            check_until_lost(lease)
    with leased(catalog, ["a"]) as lease:
        lease.check()
