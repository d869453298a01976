"""Real news server in, real downloader out: what was posted is downloaded byte for byte through the index."""

from __future__ import annotations

import random
import shutil
import subprocess
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from inn import running_inn, running_reader
from lxml import etree
from missing import MissingProgram
from nzbget import running_nzbget
from overlake import Overlake, free_port
from posting import Article, articles_of

GROUP = "alt.binaries.test"
RANGE_SIZE = 100
NAMESPACE = {"newznab": "http://www.newznab.com/DTD/2010/feeds/attributes/"}


def _release(folder: Path, stem: str, sizes: list[int]) -> list[Path]:
    """Volumes of random bytes and a real par2 set over them."""
    if shutil.which("par2") is None:
        raise MissingProgram("par2 is missing; install it: apt-get install par2")
    folder.mkdir()
    volumes = [folder / f"{stem}.part{n:02}.rar" for n in range(1, len(sizes) + 1)]
    noise = random.Random(stem)
    for path, size in zip(volumes, sizes, strict=True):
        path.write_bytes(noise.randbytes(size))
    subprocess.run(
        ["par2", "create", "-q", "-q", "-r20", "-n2", str(folder / f"{stem}.par2"), *map(str, volumes)],
        check=True,
        cwd=folder,
    )
    return sorted(folder.iterdir())


def _interleaved(files: list[list[Article]], streams: int) -> list[Article]:
    """Several connections post at once: each takes the next file, and they take turns article by article."""
    lanes = [list(chain.from_iterable(files[lane::streams])) for lane in range(streams)]
    longest = max(len(lane) for lane in lanes)
    return [lane[turn] for turn in range(longest) for lane in lanes if turn < len(lane)]


def _is_whole(job: dict[str, Any], files: list[Path]) -> None:
    """What was downloaded is what was posted."""
    assert job["Status"].startswith("SUCCESS"), job
    posted = {path.name: path.read_bytes() for path in files if path.suffix == ".rar"}
    assert posted == {path.name: path.read_bytes() for path in Path(job["DestDir"]).glob("*.rar")}


@pytest.mark.timeout(600)
def test_what_is_posted_is_found_and_downloaded(tmp_path: Path) -> None:
    posted_at = datetime.now(UTC) - timedelta(hours=2)
    debian = _release(tmp_path / "debian", "debian-12.7.0-amd64-netinst", [900_000, 900_000, 400_000])
    film = _release(tmp_path / "film", "Nosferatu.1922.Public.Domain", [700_000, 650_000])
    articles = _interleaved(
        articles_of(
            debian, "debian-12.7.0-amd64-netinst", "Archivist <archivist@example.invalid>", GROUP, posted_at, "deb"
        )
        + articles_of(film, "Nosferatu.1922.Public.Domain", "Cinema <cinema@example.invalid>", GROUP, posted_at, "nos"),
        streams=3,
    )
    index = Overlake(tmp_path / "index")
    with running_inn(tmp_path / "inn", free_port(), groups=(GROUP,)) as inn:
        for article in articles:
            inn.post(article.text)
        index.configure(
            f'range_size = {RANGE_SIZE}\nplan_open_ranges = true\n[provider]\nhost = "127.0.0.1"\nport = {inn.port}\ntls = false\n'
            f'connections = 4\nconnections_per_range = 2\nnumbers_per_request = 40\n[groups]\nnames = ["{GROUP}"]\n[settle]\nquiet_hours = 0\n'
        )
        assert "DEFLATE" in index.json("check")["compression"]
        with index.up():
            planned = index.json("plan")
            assert planned["range_plan"]["ranges"] == len(articles) // RANGE_SIZE + 1
            assert index.json("backfill")["failed"] == 0
            index.run("upkeep")
            key = index.json("keys", "create", "test")["key"]

            found = etree.fromstring(index.api(t="search", q="debian netinst", apikey=key).content)
            items = found.findall("channel/item")
            assert [item.findtext("title") for item in items] == ["debian-12.7.0-amd64-netinst"]
            attributes = {
                attribute.get("name"): attribute.get("value")
                for attribute in items[0].findall("newznab:attr", NAMESPACE)
            }
            assert attributes["files"] == str(len(debian))
            assert attributes["group"] == GROUP

            url = items[0].find("enclosure").get("url")
            reader = free_port()
            feed = f"http://127.0.0.1:{index.server}/rss?t=0&dl=1&i=1&r={key}&num=100"
            with running_reader(inn, reader), running_nzbget(tmp_path / "nzbget", reader, free_port(), feed) as nzbget:
                job = nzbget.download(url)
                _is_whole(job, debian)
                said = {item["Name"]: item["Value"] for item in job["Parameters"]}
                assert said["*DNZB:Name"] == job["Name"] == "debian-12.7.0-amd64-netinst"
                assert items[0].findtext("category") == "PC > ISO"
                assert said["*DNZB:Details"] == items[0].findtext("guid")
                # It is of this category by X-DNZB-Category alone: a download by address names none.
                assert job["Category"] == "computers"

                of_feed = nzbget.read_feed("Nosferatu.1922.Public.Domain")
                _is_whole(of_feed, film)
                (item,) = etree.fromstring(index.api(t="search", q="nosferatu", apikey=key).content).iter("item")
                assert of_feed["Category"] == item.findtext("category")
                said = {parameter["Name"]: parameter["Value"] for parameter in of_feed["Parameters"]}
                assert said["*DNZB:Details"] == item.findtext("guid")

            status = index.json("status")
            assert sum(row["done"] for row in status) == planned["range_plan"]["ranges"]
