"""Whether everything an index needs is as it should be, and what to do where it is not. Changes nothing."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import psutil

from cli.console import out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from pipeline.nntp.errors import NntpError
from store.catalog.connection import DATABASE, CatalogUnavailable, Server, look_at
from store.configuration import BadConfiguration, Settings, load
from store.disk import Disk, DiskError
from store.postgres import EmbeddedPostgres
from store.stores import chunk_disk, lake_disk

FREE_GIB = 10
"""Below this, a disk is nearly full: a range needs up to 1 GiB while it is made, and Postgres its log."""

OLDEST_POSTGRES = 15
CLOCK = timedelta(seconds=30)
"""What a clock may be off: eras, settling and leases count in minutes and more."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at, whether it is well, what was found, and what to do (empty: nothing)."""

    check: str
    ok: bool
    found: str
    cure: str = ""


def doctor(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Check configuration, provider, storage, database, versions, disk space and clock, and say what to do. Ends with status 1 when something must be done."""
    findings = list(examine(config))
    if json:
        print_json(findings)
    else:
        for finding in findings:
            out.print("ok   " if finding.ok else "bad  ", style="green" if finding.ok else "bold red", end="")
            out.print(f"{finding.check}: {finding.found}", soft_wrap=True)
            if finding.cure:
                out.print(f"     -> {finding.cure}", soft_wrap=True)
    if not all(finding.ok for finding in findings):
        raise SystemExit(1)


def examine(config: Path) -> Iterator[Finding]:
    """Every finding, in the order in which faults are worth curing; without a configuration nothing else can be looked at."""
    yield _versions()
    try:
        settings = load(config)
        settings.groups.named()
    except BadConfiguration as error:
        yield _fault("configuration", error)
        return
    yield Finding("configuration", True, f"{config} can be used")
    for name, account in settings.provider.every_account().items():
        yield from _provider(f"provider.accounts.{name}" if name else "provider", name, account.host, settings)
    for name, disk in (("lake", lake_disk(settings)), ("chunks", chunk_disk(settings))):
        yield _storage(name, disk)
    yield from _database(settings)
    if settings.dagster.broker is not None:
        yield _broker(settings.dagster.broker.get_secret_value())
    yield from _space(settings)


def _provider(place: str, name: str, host: str, settings: Settings) -> Iterator[Finding]:
    from assets.provider import accounts
    from pipeline.nntp.connection import connect

    try:
        account = accounts(settings.provider)[name]
        with connect(account) as connection:
            yield Finding(place, True, f"{host}:{account.port} {'takes the login' if account.username else 'answers'}")
            asked = datetime.now(UTC)
            said = connection.date()
    except (BadConfiguration, NntpError) as error:
        yield _fault(place, error)
        return
    with suppress(ValueError):
        yield _clock(f"clock beside {host}", datetime.strptime(said, "%Y%m%d%H%M%S").replace(tzinfo=UTC) - asked)
        return
    yield Finding(f"clock beside {host}", True, f"the server says no time ({said[:20]})")


def _clock(name: str, ahead: timedelta) -> Finding:
    seconds = round(ahead.total_seconds())
    if abs(ahead) <= CLOCK:
        return Finding(name, True, f"{seconds:+d} s")
    return Finding(
        name,
        False,
        f"this machine's clock is {abs(seconds)} s {'behind' if seconds > 0 else 'ahead'}",
        "let NTP set it: timedatectl set-ntp true",
    )


def _storage(name: str, disk: Disk) -> Finding:
    """Writes a file, reads it and deletes it again."""
    path, content = f"doctor-{uuid.uuid4().hex}", b"overlake doctor"
    place = disk.location(path).removesuffix(f"/{path}")
    try:
        disk.create(path, content)
        try:
            same = disk.read(path) == content
        finally:
            disk.delete(path)
    except (DiskError, OSError) as error:
        return _fault(f"storage of the {name}", error)
    if not same:
        return Finding(f"storage of the {name}", False, f"{place} gives back other bytes", "check the disk or service")
    return Finding(f"storage of the {name}", True, f"{place} can be written and read")


def _database(settings: Settings) -> Iterator[Finding]:
    if settings.catalog.dsn is None:
        postgres = EmbeddedPostgres(settings.data / "postgres")
        if not postgres.answers():
            there = (postgres.folder / "PG_VERSION").exists()
            yield Finding(
                "database", True, f"embedded, {'stopped' if there else 'not made yet'}; `overlake up` starts it"
            )
            return
        dsn = postgres.dsn(DATABASE)
    else:
        dsn = settings.catalog.dsn.get_secret_value()
    try:
        asked, server = datetime.now(UTC), look_at(dsn)
    except CatalogUnavailable as error:
        yield _fault("database", error)
        return
    yield _server_version(server)
    yield _migrations(server)
    yield _clock("clock beside Postgres", server.time - asked)


def _server_version(server: Server) -> Finding:
    found = f"Postgres {server.version // 10_000}.{server.version % 10_000}"
    if server.version // 10_000 < OLDEST_POSTGRES:
        return Finding("database", False, found, f"upgrade the server to Postgres {OLDEST_POSTGRES} or newer")
    return Finding("database", True, found)


def _migrations(server: Server) -> Finding:
    if server.unknown:
        return Finding(
            "migrations",
            False,
            f"the catalog was migrated by newer software ({', '.join(server.unknown)})",
            "update Overlake on this machine",
        )
    if server.pending:
        return Finding(
            "migrations",
            False,
            f"{', '.join(server.pending)} to be applied",
            "stop every process of this index, make a backup, start again: the first one migrates",
        )
    return Finding("migrations", True, "the catalog is up to date")


def _broker(url: str) -> Finding:
    import redis

    try:
        redis.Redis.from_url(url, socket_connect_timeout=5, socket_timeout=5).ping()
    except redis.RedisError as error:
        return Finding(
            "broker", False, " ".join(str(error).split()), "start the Redis server, or correct dagster.broker"
        )
    return Finding("broker", True, "Redis answers")


def _versions() -> Finding:
    """This Python, and what is installed beside what this version of Overlake asks for."""
    from packaging.requirements import Requirement

    wrong: list[str] = []
    for text in requires("overlake") or ():
        requirement = Requirement(text)
        if requirement.marker is not None and not requirement.marker.evaluate({"extra": ""}):
            continue
        try:
            installed = version(requirement.name)
        except PackageNotFoundError:
            wrong.append(f"{requirement.name} is missing")
            continue
        if not requirement.specifier.contains(installed, prereleases=True):
            wrong.append(f"{requirement.name} is {installed} instead of {requirement.specifier}")
    if wrong:
        return Finding("versions", False, "; ".join(wrong), "run: make setup")
    return Finding("versions", True, f"Overlake {version('overlake')}, Python {sys.version.split()[0]}")


def _space(settings: Settings) -> Iterator[Finding]:
    """Each file system that holds local data, once."""
    places = {
        settings.data,
        *(Path(place) for place in (settings.storage.lake, settings.storage.chunks) if place and "://" not in place),
    }
    seen: set[int] = set()
    for place in sorted(places):
        above = next(folder for folder in (place, *place.parents) if folder.exists())
        if (device := above.stat().st_dev) in seen:
            continue
        seen.add(device)
        free = psutil.disk_usage(str(above)).free / 2**30
        if free < FREE_GIB:
            yield Finding(
                f"space at {place}",
                False,
                f"{free:.1f} GiB are free, fewer than {FREE_GIB}",
                "free some, shorten [retention], or move the lake and the chunks ([storage])",
            )
        else:
            yield Finding(f"space at {place}", True, f"{free:,.0f} GiB are free")


def _fault(check: str, error: Exception) -> Finding:
    """What an error says; its last part, after a semicolon, is what to do."""
    found, _, cure = " ".join(str(error).split()).rpartition("; ")
    return Finding(check, False, found or cure, cure if found else "correct this, then run again")
