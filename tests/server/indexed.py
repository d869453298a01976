"""A served catalog with releases of every kind, and what its clients check in an answer, written from descriptions of the clients."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any

import polars as pl
from databases import Databases
from litestar.testing import TestClient
from lxml import etree

from pipeline import schema
from pipeline.batch import Batch, Counters
from pipeline.ranges import Range
from server.app import create_app
from server.newznab.feed import NEWZNAB
from store.catalog import keys
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.planning import PlannedRange, Versions, group_seen, plan
from store.configuration import Settings
from store.disk import LocalDisk

ATTR = f"{{{NEWZNAB}}}attr"
RESPONSE = f"{{{NEWZNAB}}}response"
GROUP = "alt.binaries.test"

HELD = {
    "Open.Show.S01E02.720p.HDTV.x264-GRP": 5040,
    "Open.Show.1x03.Second.Try.720p.HDTV.x264-GRP": 5040,
    "Open.Show.S01.1080p.WEB-DL.H264-GRP": 5040,
    "Open.Show.S00E03.The.Special.SDTV": 5030,
    "Daily.Show.2014.09.25.720p.HDTV.x264-GRP": 5040,
    "[Group] Open Anime - 07 [720p]": 5070,
    "Nosferatu.1922.1080p.BluRay.x264-GRP": 2040,
    "Metropolis.1927.2160p.BluRay.x265-GRP": 2045,
    "Avengers.of.the.Reef.1914.720p.BluRay.x264": 2040,
    "Open Band - Free Album (2008) FLAC": 3040,
    "Open Band - Early Songs (1999) MP3": 3010,
    "Mary Shelley - Frankenstein (Audiobook)": 3030,
    "Mary Shelley - Frankenstein (1818) [epub]": 7020,
    "Open Comic 012 (1940) (digital)": 7030,
    "debian-12.7.0-amd64-netinst": 4020,
    "8b33bf5960714efb91c2": 8020,
}


@dataclass(frozen=True)
class Indexed:
    """The served catalog and a key to it."""

    http: TestClient[Any]
    catalog: Catalog
    secret: str

    def get(self, address: str, **headers: str) -> Any:
        """Ask for an address in which K stands for the key."""
        return self.http.get(
            address.replace("K", self.secret), headers={name.replace("_", "-"): text for name, text in headers.items()}
        )

    def titles(self, address: str) -> list[str]:
        return [item.findtext("title") for item in accepted(self.get(address))]


@contextmanager
def indexed(databases: Databases, folder: Path, **server: object) -> Iterator[Indexed]:
    settings = Settings.model_validate({"data": folder, "catalog": {"dsn": databases.new()}, "server": server})
    with Catalog.open(settings) as catalog:
        disk, first = LocalDisk(folder), datetime.now(UTC).replace(microsecond=0) - timedelta(days=2)
        range_ = Range(1, GROUP, 0, 1000)
        plan(catalog, [PlannedRange(range_, int(f"{first:%Y%m}"), first)])
        group_seen(catalog, 1, GROUP, 1, 999)
        commit_range(catalog, disk, range_, _batch(first), Versions(1, 1, "test"))
        secret = keys.create(catalog, "test")
        with TestClient(create_app(catalog, disk, settings)) as http:
            yield Indexed(http, catalog, secret)


def _batch(first: datetime) -> Batch:
    records, files, segments = [], [], []
    for nth, (name, category) in enumerate(HELD.items()):
        posted = first + timedelta(minutes=nth)
        records.append(
            {
                "record": nth, "base_key": hashlib.md5(name.encode()).digest(), "name": name, "poster": "Archive <archive@example.org>", "groups": [GROUP],
                "first_posted": posted, "last_posted": posted, "files": 2, "files_expected": 2, "segments": 3, "segments_expected": 3,
                "bytes": 3_000_000_000, "has_par2": True, "readable_name": category != 8020, "category": category, "tool": "", "grouped_by": "stem",
                "named_by": "stem", "signature": "", "repost": False, "request_id": "", "file_marks": b"",
            }
        )  # fmt: skip
        for part, (file, count) in enumerate(((f"{nth}.par2", 1), (f"{nth}.rar", 2))):
            files.append(
                {
                    "record": nth, "file": 2 * nth + part, "file_key": hashlib.md5(file.encode()).digest(), "subject": f'{name} - "{file}" yEnc (1/{count})',
                    "name": file, "poster": "Archive <archive@example.org>", "groups": [GROUP], "posted_at": posted, "segments_expected": count,
                    "segments_found": count, "bytes": count * 700_000, "first_number": 1, "last_number": 9,
                }
            )  # fmt: skip
            segments += [
                (2 * nth + part, number, 700_000, f"{file}.{number}@example.org") for number in range(1, count + 1)
            ]
    return Batch(
        records=pl.DataFrame(records, schema=schema.RECORDS.polars), files=pl.DataFrame(files, schema=schema.RECORD_FILES.polars),
        segments=pl.DataFrame(segments, schema=schema.SEGMENTS.polars, orient="row"), fragments=schema.FRAGMENTS.empty(),
        fragment_segments=schema.SEGMENTS.empty(), probes=schema.PROBES.empty(), samples=schema.SAMPLES.empty(), verdicts=schema.VERDICTS.empty(),
        counters=Counters(lines=len(segments), kept=len(segments)), window=0,
    )  # fmt: skip


def accepted(answer: Any) -> list[etree._Element]:
    """The items as Sonarr and its kin, Prowlarr and NZBHydra2 take them; what they reject fails here."""
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"].split(";")[0] in (
        "application/rss+xml",
        "text/rss+xml",
        "application/xml",
        "text/xml",
    )
    assert answer.content.startswith(b'<?xml version="1.0" encoding="UTF-8"?>')
    root = etree.fromstring(answer.content)
    assert root.tag == "rss", answer.text
    (channel,) = root
    assert channel.find("title") is not None
    response = channel.find(RESPONSE)
    items = channel.findall("item")
    assert int(response.get("offset")) >= 0
    assert len(items) <= int(response.get("total")) < 10_000
    guids = [item.findtext("guid") for item in items]
    assert len(set(guids)) == len(guids)
    dates = [_checked(item) for item in items]
    assert dates == sorted(dates, reverse=True)
    return items


def _checked(item: etree._Element) -> datetime:
    assert item.findtext("title")
    assert item.find("guid").get("isPermaLink") == "true"
    assert item.findtext("comments").startswith("http")
    (enclosure,) = item.findall("enclosure")
    assert enclosure.get("type") == "application/x-nzb"
    assert enclosure.get("url") == item.findtext("link")
    assert item.index(item.find("link")) < item.index(enclosure)
    attributes = [(attr.get("name"), attr.get("value")) for attr in item.findall(ATTR)]
    told = dict(attributes)
    assert int(told["size"]) == int(enclosure.get("length")) > 0
    for number in {"files", "grabs", "comments"} & told.keys():
        int(told[number])
    categories = [int(value) for name, value in attributes if name == "category"]
    assert categories[0] % 1000 == 0
    assert ("season" in told) == ("episode" in told)
    assert "imdb" not in told
    date = parsedate_to_datetime(item.findtext("pubDate"))
    assert date.tzinfo is not None
    assert item.findtext("pubDate") == date.strftime("%a, %d %b %Y %H:%M:%S +0000")
    assert told["usenetdate"] == item.findtext("pubDate")
    return date


def grabbed(answer: Any) -> etree._Element:
    """An NZB as Sonarr and its kin let it pass."""
    assert answer.status_code == 200, answer.text
    root = etree.fromstring(answer.content)
    space = root.nsmap[None]
    assert root.tag == f"{{{space}}}nzb"
    assert root.findall(f"{{{space}}}file")
    return root
