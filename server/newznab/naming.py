"""What names say of the releases of one answer, as Newznab attributes and as lines of a page.

It is read when a release is shown and not stored: better rules then hold for old releases too.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from threading import Lock
from typing import Any, TypeAlias

import polars as pl

from pipeline.attributes import attributes
from server.newznab.xml import legal
from store.catalog.search import Release


@dataclass(frozen=True, slots=True)
class Naming:
    """The attributes of one release, as `pipeline.attributes.ATTRIBUTES` describes and orders them; `category` is its own."""

    category: int
    title: str | None
    season: int | None
    episode: int | None
    episode_last: int | None
    aired: date | None
    year: int | None
    resolution: str | None
    source: str | None
    video: str | None
    audio: str | None
    channels: str | None
    hdr: str | None
    languages: Sequence[str]
    team: str | None
    proper: bool | None
    artist: str | None
    album: str | None
    author: str | None

    def pairs(self) -> list[tuple[str, str]]:
        """Names and values of Newznab attributes. Season and episode come both or not at all: clients expect it."""
        numbered = self.season is not None and self.episode is not None
        book = self.title if self.category // 1000 == 7 or self.author else None
        pairs = [
            ("season", self.season if numbered else None),
            ("episode", self.episode if numbered else None),
            ("imdbyear", self.year if self.category // 1000 == 2 else None),
            ("resolution", self.resolution),
            ("video", self.video),
            ("audio", self._sound()),
            *(("language", language) for language in self.languages),
            ("team", self.team),
            ("artist", self.artist),
            ("album", self.album),
            ("author", self.author),
            ("booktitle", book),
        ]
        return [(name, str(value)) for name, value in pairs if value is not None]

    def lines(self) -> list[tuple[str, str]]:
        """Labels and texts for the page of the release."""
        first, last = self.episode, self.episode_last
        episode = None if first is None else f"{first}" if last is None else f"{first} to {last}"
        picture = " ".join(filter(None, (self.resolution, self.source, self.video, self.hdr)))
        lines = [
            ("Title", self.title),
            ("Season", self.season),
            ("Episode", episode),
            ("Aired", self.aired),
            ("Artist", self.artist),
            ("Album", self.album),
            ("Author", self.author),
            ("Year", self.year),
            ("Picture", picture or None),
            ("Sound", self._sound()),
            ("Language", ", ".join(self.languages) or None),
            ("Team", self.team),
            ("Corrects", "an earlier release" if self.proper else None),
        ]
        return [(label, str(text)) for label, text in lines if text is not None]

    def _sound(self) -> str | None:
        return " ".join(filter(None, (self.audio, self.channels))) or None


Named: TypeAlias = tuple[str, int]
"""Name and category of a release: what its naming follows from."""

_REMEMBERED = 100_000


class Reader:
    """Reads names, and remembers what it read last: the same releases are asked for again and again.

    To read one name takes as long as to read hundreds, since the patterns must be made ready each time. So while names are read, those
    of all other callers gather, and are read together next.
    """

    def __init__(self) -> None:
        self._known: dict[Named, tuple[Any, ...]] = {}
        self._wanted: dict[Named, None] = {}
        self._guard = Lock()
        self._reading = Lock()

    def read(self, names: Sequence[Named]) -> list[tuple[Any, ...]]:
        """The attributes of each name, as `pipeline.attributes.ATTRIBUTES` orders them."""
        found = self._look_up(names)
        missing = dict.fromkeys(name for name in names if name not in found)
        if missing:
            with self._guard:
                self._wanted |= missing
            with self._reading:
                found |= self._look_up(missing)
                with self._guard:
                    wanted, self._wanted = [name for name in self._wanted | missing if name not in self._known], {}
                if wanted:
                    rows = _rows(wanted)
                    self._remember(wanted, rows)
                    found |= zip(wanted, rows, strict=True)
        return [found[name] for name in names]

    def _look_up(self, names: Iterable[Named]) -> dict[Named, tuple[Any, ...]]:
        with self._guard:
            return {name: self._known[name] for name in names if name in self._known}

    def _remember(self, names: list[Named], rows: list[tuple[Any, ...]]) -> None:
        with self._guard:
            for oldest in list(islice(self._known, max(0, len(self._known) + len(rows) - _REMEMBERED))):
                del self._known[oldest]
            self._known |= zip(names, rows, strict=True)


def _rows(names: list[Named]) -> list[tuple[Any, ...]]:
    texts = pl.Series([text for text, _ in names], dtype=pl.String)
    categories = pl.Series([category for _, category in names], dtype=pl.Int32)
    return attributes(texts, categories).with_columns(pl.col("languages").fill_null([])).rows()


_READER = Reader()


def namings(releases: Sequence[Release]) -> list[Naming]:
    """What the names of these releases say, in their order."""
    rows = _READER.read([(legal(release.name), release.category) for release in releases])
    return [Naming(release.category, *row) for release, row in zip(releases, rows, strict=True)]
