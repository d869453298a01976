"""The search functions, in one table from which both the capabilities and the answers are made, so that they cannot differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from server.newznab.categories import CATEGORIES
from server.newznab.parameters import Parameters, incorrect
from store.catalog.search import Search

PAGE = 100
"""Releases in a page, both default and most: clients stop paging at a shorter one (NZBHydra2, Sonarr#5373)."""

_MOST_BYTES = 2**62
_MOST_DAYS = 36_500
_EXCLUDED = re.compile(r"^(?:--|!|-)(?=\w)")
_SEASON = re.compile(r"[sS]?([0-9]{1,4})")
_EPISODE = re.compile(r"[eE]?([0-9]{1,4})")
_DAY = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,2})")


@dataclass(frozen=True, slots=True)
class SearchFunction:
    """One way to search.

    Attributes:
        names: values of `t` that call it.
        element: its element in the capabilities.
        parameters: what it answers, beside the filters every search takes.
        categories: where it looks when the client names no category; empty: everywhere.
    """

    names: tuple[str, ...]
    element: str
    parameters: tuple[str, ...]
    categories: tuple[int, ...] = ()


SEARCH = SearchFunction(("search", "s"), "search", ("q",))

SEARCHES = (
    SEARCH,
    SearchFunction(("tvsearch", "tv"), "tv-search", ("q", "season", "ep"), (5000,)),
    SearchFunction(("movie", "m"), "movie-search", ("q", "year"), (2000,)),
    SearchFunction(("music", "audio"), "audio-search", ("q", "artist", "album", "track", "year"), (3000,)),
    SearchFunction(("book", "b"), "book-search", ("q", "author", "title"), (7000, 3030)),
)

NARROWING = frozenset(
    [
        "q",
        "season",
        "ep",
        "year",
        "artist",
        "album",
        "track",
        "author",
        "title",
        "label",
        "publisher",
        "genre",
        "rid",
        "tvdbid",
        "tvmazeid",
        "traktid",
        "imdbid",
        "tmdbid",
        "tvrageid",
    ]
)
"""Parameters that say which releases are meant. One that a function does not answer finds nothing: to ignore it would give wrong shows."""

UNAVAILABLE = frozenset(
    [
        "getnfo",
        "info",
        "nfo",
        "n",
        "gn",
        "comments",
        "commentadd",
        "cartadd",
        "cartdel",
        "user",
        "register",
        "r",
        "nzbadd",
    ]
)
"""Functions of the specification that an index of headers cannot or does not answer."""


def search_function(name: str) -> SearchFunction | None:
    """The search function called `name`, null when there is none."""
    return next((function for function in SEARCHES if name in function.names), None)


def wanted(function: SearchFunction, parameters: Parameters) -> Search | None:
    """What a search request asks the catalog for; null when nothing can match it.

    Raises:
        Refused: a parameter cannot be read (Newznab error 201).
    """
    asked = parameters.numbers("cat")
    categories = function.categories if asked is None else tuple(number for number in asked if number in CATEGORIES)
    limit, offset = parameters.number("limit"), parameters.number("offset") or 0
    max_age, text = parameters.number("maxage"), words(function, parameters)
    min_bytes, max_bytes = parameters.number("minsize"), parameters.number("maxsize")
    unanswered = (NARROWING & parameters.values.keys()) - set(function.parameters)
    vanished = not text and (NARROWING & parameters.values.keys())
    if unanswered or vanished or (asked and not categories):
        return None
    return Search(
        text=text,
        categories=categories,
        groups=tuple(filter(None, parameters.text("group").split(","))),
        min_bytes=min(min_bytes, _MOST_BYTES) if min_bytes else None,
        max_bytes=min(max_bytes, _MOST_BYTES) if max_bytes else None,
        max_age=timedelta(days=min(max_age, _MOST_DAYS)) if max_age else None,
        poster=parameters.text("poster"),
        limit=PAGE if limit is None else min(limit, PAGE),
        offset=offset,
    )


def words(function: SearchFunction, parameters: Parameters) -> str:
    """The words a release's name must hold, out of all the parameters the function answers.

    Raises:
        Refused: season or episode cannot be read.
    """
    plain = [parameters.text(name) for name in function.parameters if name not in ("season", "ep")]
    text = " ".join(filter(None, map(_plain, " ".join(plain).split())))
    return f"{text} {_episode(parameters)}".strip() if "season" in function.parameters else text


def _plain(word: str) -> str:
    """`--word` and `!word` exclude (NZBHydra2); a lone dash is nothing."""
    return _EXCLUDED.sub("-", word) if word.strip("-!*") else ""


def _episode(parameters: Parameters) -> str:
    """Season and episode as names write them: `S01E02|1x02`, `S01*|1x*` for a whole season, `2014 09 25` for a daily show."""
    season, episode = parameters.text("season"), parameters.text("ep")
    day = _DAY.fullmatch(episode)
    match = _SEASON.fullmatch(season)
    number = _EPISODE.fullmatch(episode)
    if season and not match:
        raise incorrect("season", "a number or a year")
    if episode and not number and not day:
        raise incorrect("ep", "a number or MM/DD")
    year = match[1] if match and len(match[1]) == 4 else ""
    if day:
        return f"{year} {int(day[1]):02d} {int(day[2]):02d}".strip()
    if match and number:
        of_season, of_series = int(match[1]), int(number[1])
        return f"S{of_season:02d}E{of_series:02d}|{of_season}x{of_series:02d}"
    if match:
        return f"{year}|S{year}*" if year else f"S{int(match[1]):02d}*|{int(match[1])}x*"
    return f"E{int(number[1]):02d}" if number else ""
