from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import psycopg
import pytest

from store.postgres import EmbeddedPostgres, PostgresFailed


def test_it_starts_stops_and_keeps_its_data(server_folder: Path):
    server = EmbeddedPostgres(server_folder / "postgres")
    server.start()
    server.create_database("numbers")
    server.create_database("numbers")
    with psycopg.connect(server.dsn("numbers")) as connection:
        connection.execute("CREATE TABLE primes AS SELECT 7 AS n")
    server.stop()
    server.stop()
    assert not server.answers()
    server.start()
    with psycopg.connect(server.dsn("numbers")) as connection:
        assert connection.execute("SELECT n FROM primes").fetchall() == [(7,)]


def test_a_killed_server_recovers(server_folder: Path):
    server = EmbeddedPostgres(server_folder / "postgres")
    server.start()
    server.create_database("numbers")
    with psycopg.connect(server.dsn("numbers")) as connection:
        connection.execute("CREATE TABLE primes AS SELECT 7 AS n")
    killed = server.pid
    assert killed is not None
    os.kill(killed, signal.SIGKILL)
    EmbeddedPostgres(server_folder / "postgres").start()
    assert server.pid != killed
    with psycopg.connect(server.dsn("numbers")) as connection:
        assert connection.execute("SELECT n FROM primes").fetchall() == [(7,)]


def test_two_processes_that_start_it_share_one_server_which_outlives_them(server_folder: Path):
    program = f"import time; from pathlib import Path; from store.postgres import EmbeddedPostgres as E; E(Path({str(server_folder / 'postgres')!r})).start(); print('up', flush=True); time.sleep(60)"
    starters = [subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) for _ in range(2)]
    for starter in starters:
        assert starter.stdout is not None
        assert starter.stdout.readline() == b"up\n"
        starter.kill()
        starter.wait()
    server = EmbeddedPostgres(server_folder / "postgres")
    pid = server.pid
    server.start()
    assert server.pid == pid
    assert server.answers()


def test_a_long_folder_name_is_no_hindrance(server_folder: Path):
    server = EmbeddedPostgres(server_folder / ("long" * 30) / "postgres")
    server.start()
    try:
        assert server.answers()
    finally:
        server.stop()


def test_a_start_that_fails_says_why(server_folder: Path):
    server = EmbeddedPostgres(server_folder / "postgres")
    server.start()
    server.stop()
    with (server.folder / "postgresql.conf").open("a") as file:
        file.write("shared_buffers = 'plenty'\n")
    began = time.monotonic()
    with pytest.raises(PostgresFailed, match="shared_buffers"):
        server.start()
    assert time.monotonic() - began < 60
