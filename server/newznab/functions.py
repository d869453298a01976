"""The search functions, in one table from which both the capabilities and the answers are made, so that they cannot differ."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta

from server.newznab.categories import CATEGORIES
from server.newznab.errors import NOT_AVAILABLE, Refused
from server.newznab.parameters import Parameters, incorrect
from store.catalog.search import Order, Search

PAGE = 100
"""Releases in a page, both default and most: clients stop paging at a shorter one (NZBHydra2, Sonarr#5373)."""

_MOST_BYTES = 2**62
_MOST_DAYS = 36_500
_EXCLUDED = re.compile(r"^(?:--|!|-)(?=\w)")
_SEASON = re.compile(r"[sS]?([0-9]{1,4})")
_EPISODE = re.compile(r"[eE]?([0-9]{1,4})")
_DAY = re.compile(r"([0-9]{1,2})[/-]([0-9]{1,2})")
_YEAR = re.compile(r"[0-9]{4}")
_CATEGORY_LIST = re.compile(r"[0-9]{1,9}(,[0-9]{1,9})*")
_PREFIX = re.compile(r"[^\W\d_]{3,}")
"""What the last word may go on: a person who types has not come to its end. Numbers, years and episodes are whole."""

ORDERS = {
    "posted": (Order.OLDEST, Order.NEWEST),
    "size": (Order.SMALLEST, Order.LARGEST),
    "files": (Order.FEWEST_FILES, Order.MOST_FILES),
    "name": (Order.NAME, Order.NAME_BACKWARDS),
    "relevance": (Order.RELEVANCE, Order.RELEVANCE),
}
"""What `sort` may name: the order upwards and the one downwards."""

_USUAL = {"name": "asc"}
"""Direction of those that are not meant downwards when none is named."""

FILTERS = (
    "cat",
    "group",
    "poster",
    "minsize",
    "maxsize",
    "minage",
    "maxage",
    "completeness",
    "sort",
    "limit",
    "offset",
)
"""Parameters that every search answers."""


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
        "show",
        "anidb",
        "airdate",
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
    min_bytes, max_bytes = parameters.number("minsize"), parameters.number("maxsize")
    completeness = parameters.number("completeness")
    search = Search(
        text=words(function, parameters),
        categories=categories,
        groups=tuple(filter(None, parameters.text("group").split(","))),
        min_bytes=min(min_bytes, _MOST_BYTES) if min_bytes else None,
        max_bytes=min(max_bytes, _MOST_BYTES) if max_bytes else None,
        max_age=_days(parameters, "maxage"),
        min_age=_days(parameters, "minage"),
        completeness=min(completeness, 100) / 100 if completeness else None,
        poster=parameters.text("poster"),
        order=_order(parameters),
        limit=PAGE if limit is None else min(limit, PAGE),
        offset=offset,
    )
    narrowing = NARROWING & parameters.values.keys()
    vanished = narrowing and not search.text
    return None if narrowing - set(function.parameters) or vanished or (asked and not categories) else search


def feed_parameters(parameters: Parameters) -> Parameters:
    """The parameters of `/rss` as those of a search: `t` names categories there, and `num` the releases of the page.

    Raises:
        Refused: `t` is a list of one's own (Newznab error 203), which this index does not keep, or cannot be read (201).
    """
    values = dict(parameters.values)
    kind, count = values.pop("t", ""), values.pop("num", "")
    if search_function(kind.lower()) is not None:
        return parameters
    if kind.startswith("-") and kind != "-1":
        raise Refused(NOT_AVAILABLE.because("Function not available: there are no carts and no lists of shows"))
    if kind not in ("", "0", "-1"):
        if not _CATEGORY_LIST.fullmatch(kind):
            raise incorrect("t", "categories with commas between them")
        values.setdefault("cat", kind)
    if count:
        values["limit"] = count
    return Parameters(values | {"t": SEARCH.names[0]})


def _days(parameters: Parameters, name: str) -> timedelta | None:
    days = parameters.number(name)
    return timedelta(days=min(days, _MOST_DAYS)) if days else None


def _order(parameters: Parameters) -> Order:
    """`size`, `size_asc` or `size_desc`: dates, sizes and files downwards, names upwards unless the direction is named."""
    name, _, direction = parameters.text("sort").lower().partition("_")
    if not name:
        return Order.NEWEST
    if name not in ORDERS or direction not in ("", "asc", "desc"):
        raise incorrect("sort", f"one of {', '.join(ORDERS)}, with _asc or _desc")
    return ORDERS[name][(direction or _USUAL.get(name, "desc")) == "desc"]


def words(function: SearchFunction, parameters: Parameters) -> str:
    """The words a release's name must hold, out of all the parameters the function answers.

    Raises:
        Refused: season, episode or year cannot be read.
    """
    year = parameters.text("year") if "year" in function.parameters else ""
    if year and not _YEAR.fullmatch(year):
        raise incorrect("year", "four digits")
    plain = [parameters.text(name) for name in function.parameters if name not in ("season", "ep")]
    found = list(filter(None, map(_plain, " ".join(plain).split())))
    if function is SEARCH and found and _PREFIX.fullmatch(found[-1]):
        found[-1] += "*"
    text = " ".join(found)
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
