"""A library in memory, and the application over it."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import polars as pl
import pytest
from litestar import Litestar
from litestar.testing import TestClient

from pipeline import schema
from pipeline.batch import Batch, Counters
from server.app import application
from server.attempts import Attempts
from server.newznab.errors import NO_ITEM, Refused
from server.sessions import Sessions
from store.catalog.connection import CatalogUnavailable
from store.catalog.figures import Figures
from store.catalog.keys import ApiKey, Use
from store.catalog.search import Page, Release, Search
from store.chunks import RecordContent
from store.configuration import Settings

sys.path.insert(0, str(Path(__file__).parent))

SECRET = "0123456789abcdef0123456789abcdef"
DAY = datetime(2024, 3, 2, 10, 20, 30, tzinfo=UTC)


def make_release(number: int = 1, **changes: object) -> Release:
    release = Release(
        id=UUID(int=number),
        name=f"Debian.12.{number}.netinst.amd64",
        poster="Penguin <penguin@example.org>",
        groups=("alt.binaries.linux", "alt.binaries.test"),
        first_posted=DAY - timedelta(hours=number),
        last_posted=DAY,
        files=2,
        files_expected=2,
        segments=5,
        segments_expected=5,
        bytes=3_000_000_000,
        has_par2=True,
        readable_name=True,
        category=4020,
        tool="",
        grouped_by="stem",
        named_by="stem",
        signature="",
        records=1,
        settled=True,
        completeness=1.0,
        repost_of=None,
        added_at=DAY,
        changed_at=DAY,
        repost=False,
        request_id="",
    )
    return replace(release, **changes)


def make_file(
    name: str, segments: int, found: range | None = None, /, **changes: object
) -> tuple[dict, list[tuple[int, int, str]]]:
    numbers = found or range(1, segments + 1)
    file = {
        "file_key": hashlib.md5(name.encode()).digest(),
        "subject": f'Debian 12 [1/2] - "{name}" yEnc (1/{segments})',
        "name": name,
        "poster": "Penguin <penguin@example.org>",
        "groups": ["alt.binaries.linux"],
        "posted_at": DAY,
        "file_number": None,
        "file_total": None,
        "segments_expected": segments,
        "segments_found": len(numbers),
        "bytes": 1000 * len(numbers),
        "first_number": 1,
        "last_number": 9,
    }
    return file | changes, [(number, 1000, f"{name}.{number}@example.org") for number in numbers]


def make_content(*files: tuple[dict, list[tuple[int, int, str]]]) -> RecordContent:
    rows = [{"record": 0, "file": ordinal} | file for ordinal, (file, _) in enumerate(files)]
    segments = [(ordinal, *segment) for ordinal, (_, found) in enumerate(files) for segment in found]
    return RecordContent(
        schema.RECORDS.empty(),
        pl.DataFrame(rows, schema=schema.RECORD_FILES.polars),
        pl.DataFrame(segments, schema=schema.SEGMENTS.polars, orient="row"),
    )


@dataclass(slots=True)
class Shelf:
    """A library in memory; `down` makes its catalog unreachable."""

    releases: list[Release] = field(default_factory=list)
    contents: dict[UUID, list[RecordContent]] = field(default_factory=dict)
    searches: list[Search] = field(default_factory=list)
    uses: list[str] = field(default_factory=list)
    limits: tuple[int | None, int | None] = (None, None)
    damaged: Refused | None = None
    down: bool = False
    revoked: bool = False

    def search(self, wanted: Search) -> Page:
        self.check()
        self.searches.append(wanted)
        found = [release for release in self.releases if wanted.text.lower().rstrip("*") in release.name.lower()]
        return Page(len(found), tuple(found[wanted.offset : wanted.offset + wanted.limit]))

    def release(self, release_id: UUID) -> Release:
        self.check()
        for release in self.releases:
            if release.id == release_id:
                return release
        raise Refused(NO_ITEM)

    def content(self, release_id: UUID) -> list[RecordContent]:
        if self.damaged:
            raise self.damaged
        return self.contents[release_id]

    def key(self, secret: str) -> ApiKey | None:
        self.check()
        return ApiKey(1, "test", False, DAY, None, *self.limits) if secret == SECRET and not self.revoked else None

    def use(self, secret: str, kind: str, times: int = 1) -> Use | None:
        key = self.key(secret)
        if key is None:
            return None
        most = self.limits[kind == "get"]
        allowed = most is None or self.uses.count(kind) + times <= most
        self.uses += [kind] * times if allowed else []
        return Use(key, allowed, self.uses.count("api"), self.uses.count("get"))

    def check(self) -> None:
        if self.down:
            raise CatalogUnavailable("the catalog's Postgres does not answer; start it")

    def figures(self) -> Figures:
        self.check()
        return Figures({"done": 3, "failed": 1}, {"kept": 90, "garbage": 10}, 100, 7_000, 1.7e9, 20, 3, 2_000, 9_000)

    def add(self, release: Release, *contents: RecordContent) -> Release:
        self.releases.append(release)
        self.contents[release.id] = list(contents)
        return release


@pytest.fixture
def secret() -> str:
    return SECRET


@pytest.fixture
def release_of() -> Callable[..., Release]:
    return make_release


@pytest.fixture
def file_of() -> Callable[..., tuple[dict, list[tuple[int, int, str]]]]:
    return make_file


@pytest.fixture
def content_of() -> Callable[..., RecordContent]:
    return make_content


@pytest.fixture(scope="session")
def app_and_shelf() -> tuple[Litestar, Shelf]:
    """One application for all tests, over a shelf that each test fills anew."""
    shelf = Shelf()
    return application(shelf, Settings(), Sessions.fresh()), shelf


@pytest.fixture
def app(app_and_shelf: tuple[Litestar, Shelf]) -> Litestar:
    return app_and_shelf[0]


@pytest.fixture
def shelf(app_and_shelf: tuple[Litestar, Shelf]) -> Shelf:
    """Three releases, the first with two files."""
    shelf = app_and_shelf[1]
    shelf.__init__()
    shelf.add(make_release(1), make_content(make_file("debian.iso.vol0+1.par2", 1), make_file("debian.iso", 4)))
    shelf.add(make_release(2, name="Night.of.the.Living.Dead.1968", category=2040))
    shelf.add(make_release(3, name="Open.Show.S01E02.720p", category=5040))
    return shelf


@pytest.fixture
def client(app: Litestar, shelf: Shelf) -> Iterator[TestClient]:
    app.state.attempts = Attempts()
    with TestClient(app) as client:
        client.headers["Accept-Encoding"] = "identity"
        yield client


@pytest.fixture
def batch_of() -> Callable[[Release, RecordContent], Batch]:
    """A batch of one record: the release's facts and its content."""

    def make(release: Release, content: RecordContent) -> Batch:
        named = {column: getattr(release, column) for column in schema.RECORDS.names if hasattr(release, column)}
        record = named | {"record": 0, "base_key": b"k" * 16, "file_marks": b"", "groups": list(release.groups)}
        return Batch(
            records=pl.DataFrame([record], schema=schema.RECORDS.polars),
            files=content.files,
            segments=content.segments,
            fragments=schema.FRAGMENTS.empty(),
            fragment_segments=schema.SEGMENTS.empty(),
            probes=schema.PROBES.empty(),
            samples=schema.SAMPLES.empty(),
            verdicts=schema.VERDICTS.empty(),
            counters=Counters(lines=5, kept=5),
            window=0,
        )

    return make
