"""What names say of the releases of one answer, as Newznab attributes and as lines of a page.

It is read when a release is shown and not stored: better rules then hold for old releases too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

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


def namings(releases: Sequence[Release]) -> list[Naming]:
    """What the names of these releases say, in their order."""
    names = pl.Series([legal(release.name) for release in releases], dtype=pl.String)
    categories = pl.Series([release.category for release in releases], dtype=pl.Int32)
    rows = attributes(names, categories).with_columns(pl.col("languages").fill_null([])).iter_rows()
    return [Naming(release.category, *row) for release, row in zip(releases, rows, strict=True)]
