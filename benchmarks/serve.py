"""The server under load: searches, feeds and downloads over HTTP, as `overlake serve` answers them, from a catalog of any size.

Catalog rows are made up (benchmarks/synthetic_catalog.py); releases to download have true chunk files. Clients keep their connections and ask
anew as soon as they have an answer; they, the server and Postgres share the machine.
"""

from __future__ import annotations

import os
import selectors
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import cycle
from pathlib import Path
from urllib.parse import urlencode

import httpx
import numpy as np
import polars as pl
import psutil

from benchmarks import synthetic_catalog as synthetic
from benchmarks.catalog import queries
from cli.running import free_port
from cli.services import Service, own_command, running
from pipeline import schema
from pipeline.batch import Batch, Counters
from pipeline.ranges import Range
from store.catalog import keys
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.planning import PlannedRange, Versions, group_seen, plan, source_number
from store.catalog.search import Search, search
from store.configuration import FILE_NAME, Settings, load
from store.disk import LocalDisk

CLIENTS = (1, 16, 64)
SECONDS = 3.0
"""How long each load lasts."""

DOWNLOADS = {1_000: 40, 10_000: 20, 100_000: 3}
"""Segments of a release to how many such releases there are."""

_GROUP = "alt.binaries.bench"
_FILE_SEGMENTS = 200
_DONE = "serve-data.txt"
_CONFIGURATION = """\
data = "data"

[server]
port = {port}
workers = {workers}
"""


@dataclass(frozen=True, slots=True)
class Load:
    """So many clients at once for some seconds. Milliseconds go from the request to the last byte of its answer."""

    requests: int
    requests_per_s: float
    p50_ms: float
    p95_ms: float
    p99_ms: float
    kilobytes: float


@dataclass(frozen=True, slots=True)
class Asked:
    """One kind of request: the 95th percentile its goal is set for, and all loads by clients at once."""

    p95_ms: float
    clients: dict[int, Load]


@dataclass(frozen=True, slots=True)
class Memory:
    """Resident memory of all processes of the server: after the first of the loads, and after the last; and the requests in between."""

    first_mb: float
    last_mb: float
    requests: int


@dataclass(frozen=True, slots=True)
class ServeFigures:
    """All figures.

    Attributes:
        releases: releases in the catalog.
        workers: processes that answered.
        fill_s: seconds it took to make the data, 0 where they were there.
        search: searches of 19 kinds in equal shares, hardly any twice; the goal is set at 16 clients.
        search_extended: the same with `extended=1`: what the names say is read from each.
        rss: the newest releases, of any or of one category, at 16 clients.
        get: NZBs of 1,000 segments, at 16 clients.
        nzb: NZBs of 10,000 segments, at 1 client.
        nzb_large: NZBs of 100,000 segments, at 1 client.
        memory: whether it grows.
    """

    releases: int
    workers: int
    fill_s: float
    search: Asked
    search_extended: Asked
    rss: Asked
    get: Asked
    nzb: Asked
    nzb_large: Asked
    memory: Memory


def run(folder: Path, releases: int, seconds: float = SECONDS) -> ServeFigures:
    """Make the data in `folder` unless they are there, serve them, and ask.

    Raises:
        ValueError: the folder holds data of another size.
    """
    folder = folder.resolve()
    workers, port = os.cpu_count() or 1, free_port()
    config = folder / FILE_NAME
    config.write_text(_CONFIGURATION.format(port=port, workers=workers))
    settings = load(config)
    with Catalog.open(settings) as catalog:
        try:
            filled = _filled(folder, catalog, settings, releases)
            secret = keys.create(catalog, f"bench {time.time_ns()}")
            ids = {segments: _ids(catalog, segments) for segments in DOWNLOADS}
            with _served(folder, config, port) as process:
                return _measured(process, port, secret, releases, workers, filled, ids, seconds)
        finally:
            if catalog.postgres is not None:
                catalog.postgres.stop()


def _measured(
    process: psutil.Process,
    port: int,
    secret: str,
    releases: int,
    workers: int,
    filled: float,
    ids: dict[int, list[str]],
    seconds: float,
) -> ServeFigures:
    def asked(paths: Sequence[str], goal: int, clients: Sequence[int] = CLIENTS) -> Asked:
        turns = cycle([f"{path}{'&' if '?' in path else '?'}apikey={secret}" for path in paths])
        loads = {number: _load(port, turns, number, seconds) for number in clients}
        return Asked(loads[goal].p95_ms, loads)

    searches = _searches(releases)
    asked(searches, 16, (16,))
    first = _resident_mb(process)
    figures = {
        "search": asked(searches, 16),
        "search_extended": asked([f"{path}&extended=1" for path in searches], 16, (16,)),
        "rss": asked(_feeds(), 16),
        "get": asked([f"/getnzb/{name}.nzb" for name in ids[1_000]], 16),
        "nzb": asked([f"/getnzb/{name}.nzb" for name in ids[10_000]], 1),
        "nzb_large": asked([f"/getnzb/{name}.nzb" for name in ids[100_000]], 1, (1,)),
    }
    total = sum(load.requests for kind in figures.values() for load in kind.clients.values())
    # What was asked at first is asked again: memory is compared after like work.
    asked(searches, 16, (16,))
    memory = Memory(first, _resident_mb(process), total)
    return ServeFigures(releases=releases, workers=workers, fill_s=filled, memory=memory, **figures)


def _filled(folder: Path, catalog: Catalog, settings: Settings, releases: int) -> float:
    """Make the data where there are none; the seconds it took."""
    done = folder / _DONE
    if done.exists():
        if done.read_text() != str(releases):
            raise ValueError(f"{folder} holds {done.read_text()} releases; name another folder, or as many")
        return 0.0
    started = time.monotonic()
    synthetic.fill(catalog, releases, lambda _: None)
    disk = LocalDisk(settings.data)
    source = source_number(catalog, "main")
    names = [(segments, number) for segments, count in DOWNLOADS.items() for number in range(count)]
    first = datetime.now(UTC).replace(microsecond=0) - timedelta(days=2)
    ranges = [Range(source, _GROUP, index, 2_000_000) for index in range(len(names))]
    plan(catalog, [PlannedRange(range_, int(f"{first:%Y%m}"), first) for range_ in ranges])
    group_seen(catalog, source, _GROUP, 1, len(names) * 2_000_000)
    for range_, (segments, number) in zip(ranges, names, strict=True):
        batch = _batch(segments, number, first + timedelta(minutes=range_.index))
        commit_range(catalog, disk, range_, batch, Versions(1, 1, "bench"))
    synthetic.vacuum(catalog)
    done.write_text(str(releases))
    return round(time.monotonic() - started, 1)


def _name(segments: int, number: int) -> str:
    return f"bench{segments}segments nr{number}x"


def _ids(catalog: Catalog, segments: int) -> list[str]:
    found = search(catalog, Search(f"bench{segments}segments")).releases
    return [release.id.hex for release in found]


def _batch(segments: int, number: int, posted: datetime) -> Batch:
    """A release of files with 200 segments each and ids of 32 random letters."""
    random = np.random.default_rng([segments, number])
    files = segments // _FILE_SEGMENTS
    letters = random.integers(97, 123, (segments, 32), np.uint8).tobytes().decode()
    name, poster = _name(segments, number), "Bench <bench@example.invalid>"
    volumes = [f"{name}.part{nth:04}.rar" for nth in range(1, files + 1)]
    rows = pl.DataFrame({"name": volumes, "file": np.arange(files)}).with_columns(
        record=0, file_key=pl.Series([random.bytes(16) for _ in volumes]), subject=pl.format('{} "{}" yEnc (1/{})', pl.lit(name), "name", pl.lit(_FILE_SEGMENTS)),
        poster=pl.lit(poster), groups=pl.lit([_GROUP]), posted_at=pl.lit(posted), file_number=pl.col("file") + 1, file_total=files,
        segments_expected=_FILE_SEGMENTS, segments_found=_FILE_SEGMENTS, bytes=_FILE_SEGMENTS * 740_000,
        first_number=pl.col("file") * _FILE_SEGMENTS + 1, last_number=(pl.col("file") + 1) * _FILE_SEGMENTS,
    )  # fmt: skip
    held = pl.DataFrame(
        {
            "file": np.repeat(np.arange(files), _FILE_SEGMENTS), "number": np.tile(np.arange(1, _FILE_SEGMENTS + 1), files),
            "bytes": 740_000 + random.integers(0, 200, segments), "message_id": [f"{letters[at : at + 32]}@bench.invalid" for at in range(0, 32 * segments, 32)],
        }
    )  # fmt: skip
    record = pl.DataFrame({"record": [0], "base_key": [random.bytes(16)], "name": [name], "groups": [[_GROUP]], "file_marks": [b""]}).with_columns(
        stem_key=None, pool_key=None, lone_number=None, files=files, files_expected=files, segments=segments, segments_expected=segments,
        bytes=segments * 740_000, poster=pl.lit(poster), first_posted=pl.lit(posted), last_posted=pl.lit(posted), has_par2=False, repost=False,
        readable_name=True, category=4020, request_id=pl.lit(""), tool=pl.lit(""), grouped_by=pl.lit("stem"), named_by=pl.lit("stem"), signature=pl.lit(""),
    )  # fmt: skip
    return Batch(
        records=_as(schema.RECORDS, record), files=_as(schema.RECORD_FILES, rows), segments=_as(schema.SEGMENTS, held),
        fragments=schema.FRAGMENTS.empty(), fragment_segments=schema.SEGMENTS.empty(), probes=schema.PROBES.empty(),
        samples=schema.SAMPLES.empty(), verdicts=schema.VERDICTS.empty(), counters=Counters(lines=segments, kept=segments), window=0,
    )  # fmt: skip


def _as(of: schema.Schema, frame: pl.DataFrame) -> pl.DataFrame:
    return of.check(frame.select(of.names).cast(of.polars))  # pyright: ignore[reportArgumentType] - a schema is such a mapping


def _searches(releases: int) -> list[str]:
    """Addresses of searches, the kinds in turn."""
    kinds = queries(releases)
    return [_address(wanted[nth]) for nth in range(len(next(iter(kinds.values())))) for wanted in kinds.values()]


def _address(wanted: Search) -> str:
    values = {
        "q": wanted.text,
        "cat": ",".join(map(str, wanted.categories)),
        "group": ",".join(wanted.groups),
        "minsize": wanted.min_bytes or "",
        "maxsize": wanted.max_bytes or "",
        "maxage": wanted.max_age.days if wanted.max_age else "",
        "offset": wanted.offset,
    }
    return f"/api?t=search&{urlencode(values)}"


def _feeds() -> list[str]:
    return [f"/rss?t={category}&num=100" for category in (0, 5000, 2000, 5040, 2040, 3000, 7000, 4000)]


@contextmanager
def _served(folder: Path, config: Path, port: int) -> Iterator[psutil.Process]:
    """`overlake serve` over the data; its process."""
    service = Service("serve", own_command("serve", "--config", str(config)), folder / "serve.log")
    with running([service], {}) as (server,):
        end = time.monotonic() + 60
        while True:
            server.check()
            try:
                httpx.get(f"http://127.0.0.1:{port}/health").raise_for_status()
                break
            except httpx.HTTPError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.1)
        yield psutil.Process(server.process.pid)


def _resident_mb(process: psutil.Process) -> float:
    members = (process, *process.children(recursive=True))
    return round(sum(member.memory_info().rss for member in members if "postgres" not in member.name()) / 1e6, 1)


@dataclass(slots=True)
class _Connection:
    """A client's connection: when it asked, and what came since."""

    socket: socket.socket
    asked: float = 0.0
    head: bytes = b""
    missing: int = -1

    def ask(self, path: str) -> None:
        self.asked, self.head, self.missing = time.perf_counter(), b"", -1
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\n\r\n".encode())

    def receive(self) -> int:
        """Read what came. The bytes of the answer when it is complete, else 0.

        Raises:
            RuntimeError: the server answered with an error, or not at all.
        """
        data = self.socket.recv(2**20)
        if not data:
            raise RuntimeError("the server closed a connection; its log says why")
        if self.missing >= 0:
            self.missing -= len(data)
        else:
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return 0
            if not self.head.startswith(b"HTTP/1.1 200"):
                raise RuntimeError(f"the server answered {self.head[: end + 300]!r}")
            length = self.head[:end].lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
            self.missing = int(length) - (len(self.head) - end - 4)
            self.head = self.head[:end]
        return 0 if self.missing else 1


def _load(port: int, paths: Iterator[str], clients: int, seconds: float) -> Load:
    timings: list[float] = []
    size = 0
    with selectors.DefaultSelector() as waiting:
        connections = [_Connection(socket.create_connection(("127.0.0.1", port))) for _ in range(clients)]
        for connection in connections:
            waiting.register(connection.socket, selectors.EVENT_READ, connection)
            connection.ask(next(paths))
        started = time.perf_counter()
        open_ = clients
        while open_:
            for key, _ in waiting.select():
                connection = key.data
                if not connection.receive():
                    continue
                now = time.perf_counter()
                timings.append(1000 * (now - connection.asked))
                length = connection.head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0]
                size += int(length)
                if now - started < seconds:
                    connection.ask(next(paths))
                else:
                    open_ -= 1
        wall = time.perf_counter() - started
        for connection in connections:
            connection.socket.close()
    p50, p95, p99 = (round(float(value), 1) for value in np.percentile(timings, (50, 95, 99)))
    return Load(len(timings), round(len(timings) / wall, 1), p50, p95, p99, round(size / len(timings) / 1000, 1))
