"""The server over a real catalog: what was committed is found, downloaded, and refused without a key."""

from __future__ import annotations

from pathlib import Path

import pytest
import rnzb
from databases import Databases
from litestar.testing import TestClient
from lxml import etree

from pipeline.ranges import Range
from server.app import create_app
from store.catalog import keys
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.planning import PlannedRange, Versions, group_seen, plan
from store.configuration import Settings
from store.disk import LocalDisk


@pytest.fixture
def settings(databases: Databases, tmp_path: Path) -> Settings:
    return Settings.model_validate({"data": tmp_path, "catalog": {"dsn": databases.new()}})


def test_commit_search_download(settings, release_of, content_of, file_of, batch_of):
    release = release_of(1)
    range_ = Range(1, "alt.binaries.linux", 0, 1000)
    disk = LocalDisk(settings.data)
    with Catalog.open(settings) as catalog:
        plan(catalog, [PlannedRange(range_, 202403, release.first_posted)])
        group_seen(catalog, 1, range_.group, 1, 999)
        content = content_of(file_of("debian.iso", 4), file_of("debian.par2", 1))
        commit_range(catalog, disk, range_, batch_of(release, content), Versions(1, 1, "0.1.0"))
        secret = keys.create(catalog, "test")
        with TestClient(create_app(catalog, disk, settings)) as client:
            assert client.get("/health").status_code == 200
            for query in (
                "t=search",
                "t=search&q=debian%20amd64&cat=4000",
                "t=search&q=debian --windows",
                "t=search&q=netin*&maxage=36000",
            ):
                (item,) = etree.fromstring(client.get(f"/api?{query}&apikey={secret}").content).findall("channel/item")
            for query in (
                "t=search&q=fedora",
                "t=search&cat=5000",
                "t=search&offset=1",
                "t=search&offset=99999",
                "t=search&limit=0",
                "t=search&q=!!!",
            ):
                assert not etree.fromstring(client.get(f"/api?{query}&apikey={secret}").content).findall("channel/item")
            for hostile in (
                "'",
                "a:*&|!(",
                "%00",
                "\\",
                "--",
                "*",
                "a*b*",
                "-a",
                "<->",
                "%",
                "_",
                "x" * 5000,
                "a " * 3000,
                "%f0%9f%90%a7",
                "日本",
                "ﬁ",
                "a'b--c;",
            ):
                for name in ("q", "group", "poster"):
                    answer = client.get(f"/api?t=search&{name}={hostile}&apikey={secret}")
                    assert (answer.status_code, etree.fromstring(answer.content).tag) == (200, "rss"), hostile
            answers = [client.get(item.findtext("link").removeprefix("http://testserver.local")) for _ in range(2)]
            assert answers[0].content == answers[1].content
            assert {file.name for file in rnzb.Nzb.from_str(answers[0].text).files} == {"debian.iso", "debian.par2"}
            assert "Debian" in client.get(f"/?q=debian&apikey={secret}").text
            assert "debian.iso" in client.get(item.findtext("guid").removeprefix("http://testserver.local")).text
            (key,) = keys.list_keys(catalog)
            assert {use.kind: use.count for use in keys.usage(catalog, key.id)} == {"api": 61, "get": 2}
            keys.revoke(catalog, key.id)
            assert client.get("/").status_code == 401
            assert client.get(f"/getnzb/{release.id.hex}.nzb?apikey={secret}").status_code == 401
