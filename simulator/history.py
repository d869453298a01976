"""A deterministic, labelled history of Usenet groups: any block of article numbers alone, in any order, always the same.

How a number becomes a line. A group's section is cut in windows of `WINDOW` numbers; in each window every stream of the
section has a fixed quota of lines, and a permutation of the window's own mixes the streams. So a number gives, by
arithmetic, a stream and a position in it; the position lies in a span, and spans are filled alone (`spans`). A crosspost
stream of a group is a stream of an earlier group, seen through the other group's windows: the same articles, and both
numbers can be computed from either side.
"""

from __future__ import annotations

import calendar
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from simulator.mix import CLEAN, DEFAULT, DEMO, Mix
from simulator.randomness import Ints, chosen, digest, keyed
from simulator.spans import OVERVIEW_TEXT, Span, Stream, fill, posted
from simulator.tools import RECIPES

__all__ = [
    "CLEAN",
    "DEFAULT",
    "DEMO",
    "HOST",
    "Article",
    "GroupPlan",
    "GroupRange",
    "History",
    "Mix",
    "Section",
    "demo_history",
    "planned_history",
]

WINDOW = 4_000
"""Numbers in a window."""
WINDOW_SECONDS = 300
"""Posting time of a window."""
SPAN_WINDOWS = 24
"""Windows in a span."""
SHARED_SINCE = 2016
"""Year from which posters share one random name over a release."""
HOST = "news.provider.example"
"""The server name in Xref."""
UNSERVED = "alt.binaries.crossposts"
"""Main group of the copies in a history of one group; it is on no list the server gives."""

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Section:
    """`articles` consecutive numbers posted from `start` on. Sections of one start in several groups run side by side."""

    start: date
    articles: int

    @property
    def windows(self) -> int:
        """Windows it takes; the last one may be cut."""
        return -(-self.articles // WINDOW)


@dataclass(frozen=True, slots=True)
class GroupPlan:
    """A group: its name, its lowest article number and its sections, oldest first."""

    name: str
    low: int
    sections: tuple[Section, ...]


@dataclass(frozen=True, slots=True)
class GroupRange:
    """The lowest and highest article number of a group."""

    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Article:
    """What a body is made of: the file, its raw size in bytes, and the segment's place in it.

    Attributes:
        file: identity of the file's content.
        filename: name for the yEnc header, empty for a text article.
        size: raw bytes of the file.
        article: raw bytes of a full segment; 0 for a text article.
        part, parts: i and P of the segment counter.
    """

    file: int
    filename: str
    size: int
    article: int
    part: int
    parts: int


@dataclass(frozen=True, slots=True)
class _Lane:
    """A stream as a group sees it: who holds the other copy of its lines, and whether this group is the later one."""

    stream: Stream
    other: tuple[int, int] | None = None
    """Slot of the other copy: (part index, lane index)."""
    is_copy: bool = False


@dataclass(slots=True)
class _Part:
    """A section of a group, laid out: first number, windows and lanes."""

    group: str
    base: int
    section: Section
    lanes: list[_Lane]

    @property
    def end(self) -> int:
        """The number after the last one."""
        return self.base + self.section.articles


class History:
    """The groups and their lines; equal arguments give equal histories."""

    def __init__(self, seed: int, groups: tuple[GroupPlan, ...], mix: Mix) -> None:
        self.seed = seed
        self.plans = groups
        self.mix = mix
        self._parts = _lay_out(seed, groups, mix)
        self._windows: _Recent[tuple[int, int], tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint16]]] = _Recent(2_000)
        self._spans: _Recent[tuple[int, int], Span] = _Recent(160)

    @property
    def names(self) -> tuple[str, ...]:
        """The groups the server carries."""
        return tuple(plan.name for plan in self.plans)

    @property
    def key(self) -> str:
        """16 hex digits that stand for everything the history is made from, this code and its libraries included."""
        return f"{digest(_code(), pl.__version__, np.__version__, self.seed, self.plans, self.mix):016x}"

    def group(self, name: str) -> GroupRange:
        """Low and high of `name`. Raises KeyError for a group that is not there."""
        for plan in self.plans:
            if plan.name == name:
                return GroupRange(plan.low, plan.low + sum(section.articles for section in plan.sections) - 1)
        raise KeyError(name)

    def block(self, group: str, first: int, last: int) -> pl.DataFrame:
        """The overview rows of `first..last` as the server sends them, ascending, duplicates adjacent.

        Columns: number int64, and as strings subject, from, date, message_id (with its brackets), references, bytes,
        lines, xref (with the server name). Bytes that are not text stand in as `dirt` says.
        """
        return self._rows(group, first, last, _overview)

    def truth(self, group: str, first: int, last: int) -> pl.DataFrame:
        """What each row of `block` is, row by row.

        Columns: group, number, release and file (UInt64, unique over the history), name (of the release), segment,
        class, level, tool, segments_expected, files_expected.
        """
        return self._rows(group, first, last, _truth)

    def article(self, group: str, number: int) -> tuple[pl.DataFrame, Article] | None:
        """The overview row of one article and what its body is made of; None where there is none."""
        row = self.block(group, number, number)
        if not row.height:
            return None
        lane, span, place = self._locate(group, number)
        facts = span.files.row(int(span.labels["ordinal"][place]), named=True)
        part = int(span.labels["part"][place])
        tool = lane.stream.tool
        article = Article(
            facts["file"], facts["filename"], facts["size"], tool.article, part, facts["segments_expected"]
        )
        return row[:1], article

    def census(self, size: int) -> pl.DataFrame:
        """How much of what each stretch of `size` numbers of a section holds, by the arithmetic of the plan: no line is made.

        Columns: group, year, first (its lowest number), numbers, lines (as sent, copies and duplicates included), copies, and of each class of
        `truth`, lines in their main group; files and releases: those of class `release`, each shared out by where its lines lie.

        Raises:
            ValueError: `size` is not a whole number of windows.
        """
        if size % WINDOW:
            raise ValueError(f"size must be a multiple of {WINDOW}")
        served = [(at, part) for at, part in enumerate(self._parts) if part.group in self.names]
        return pl.concat([self._census(at, part, size) for at, part in served])

    def _census(self, at: int, part: _Part, size: int) -> pl.DataFrame:
        """`census` of one section."""
        stretches = -(-part.section.articles // size)
        counts = np.zeros((len(part.lanes), stretches), dtype=np.int64)
        for stretch in range(stretches):
            low = stretch * size
            offsets = np.arange(low, min(low + size, part.section.articles), dtype=np.int64)
            windows = range(low // WINDOW, int(offsets[-1]) // WINDOW + 1)
            lanes = np.concatenate([self._mixed(at, window)[0] for window in windows])[: len(offsets)]
            times = self._times_sent(part, offsets + part.base)
            counts[:, stretch] = np.bincount(lanes, weights=times, minlength=len(part.lanes))
        copied = np.array([lane.is_copy for lane in part.lanes])
        labels = np.array([lane.stream.recipe.label for lane in part.lanes])
        classes = {
            label: counts[(labels == label) & ~copied].sum(axis=0)
            for label in ("release", "garbage", "obfuscated", "random", "text")
        }
        shared = [
            self._shares(lane.stream, part, size)
            for lane in part.lanes
            if lane.stream.recipe.label == "release" and not lane.is_copy
        ]
        files, releases = np.sum(shared, axis=0) if shared else np.zeros((2, stretches))
        first = part.base + np.arange(stretches, dtype=np.int64) * size
        return pl.DataFrame(
            {
                "group": [part.group] * stretches,
                "year": [part.section.start.year] * stretches,
                "first": first,
                "numbers": np.minimum(size, part.end - first),
                "lines": counts.sum(axis=0),
                "copies": counts[copied].sum(axis=0),
                **classes,
                "files": files,
                "releases": releases,
            }
        )

    def _shares(self, stream: Stream, part: _Part, size: int) -> npt.NDArray[np.float64]:
        """Files and releases of a stream in each stretch of `size` numbers, shared out by lines: float64[2, stretches]."""
        stretches = -(-part.section.articles // size)
        # The last window may be cut.
        end = part.section.articles * stream.quota // WINDOW
        told = np.zeros((2, stretches))
        position = 0
        while position < end:
            start, last = self._span_of(stream, position)
            sent, release = posted(stream, start, last, self.mix)
            taken = min(last + 1, end) - start
            file = np.repeat(np.arange(len(sent)), sent)[:taken]
            place = (start + np.arange(taken, dtype=np.int64)) // stream.quota * WINDOW // size
            per_release = np.bincount(release, weights=sent)
            told[0] += np.bincount(place, weights=1 / sent[file], minlength=stretches)[:stretches]
            told[1] += np.bincount(place, weights=1 / per_release[release[file]], minlength=stretches)[:stretches]
            position = last + 1
        return told

    def _locate(self, group: str, number: int) -> tuple[_Lane, Span, int]:
        part_at, part = next(found for found in self._parts_of(group) if found[1].base <= number < found[1].end)
        window, slot = divmod(number - part.base, WINDOW)
        lanes, ranks = self._window(part_at, window)
        lane = part.lanes[lanes[slot]]
        position = window * lane.stream.quota + int(ranks[slot])
        span, start = self._span(lane.stream, position)
        return lane, span, position - start

    def _parts_of(self, group: str) -> list[tuple[int, _Part]]:
        return [(at, part) for at, part in enumerate(self._parts) if part.group == group]

    def _rows(self, group: str, first: int, last: int, view: View) -> pl.DataFrame:
        """Rows of `first..last` as `view` shows them."""
        self.group(group)
        within = [
            self._part_rows(at, part, max(first, part.base), min(last, part.end - 1), view)
            for at, part in self._parts_of(group)
            if first < part.end and last >= part.base and first <= last
        ]
        if within:
            return pl.concat(within)
        at, part = self._parts_of(group)[0]
        return self._part_rows(at, part, part.base, part.base, view).clear()

    def _part_rows(self, at: int, part: _Part, first: int, last: int, view: View) -> pl.DataFrame:
        numbers = np.arange(first, last + 1, dtype=np.int64)
        w0, w1 = (first - part.base) // WINDOW, (last - part.base) // WINDOW
        windows = [self._window(at, window) for window in range(w0, w1 + 1)]
        cut = slice(first - part.base - w0 * WINDOW, last - part.base - w0 * WINDOW + 1)
        lanes = np.concatenate([lane for lane, _ in windows])[cut]
        ranks = np.concatenate([rank for _, rank in windows])[cut]
        others = np.zeros(len(numbers), dtype=np.int64)
        pieces: list[_Piece] = []
        where: list[Ints] = []
        for index in np.flatnonzero(np.bincount(lanes)).tolist():
            lane = part.lanes[index]
            here = np.flatnonzero(lanes == index).astype(np.int64)
            positions = (numbers[here] - part.base) // WINDOW * lane.stream.quota + ranks[here]
            others[here] = self._other_numbers(lane, positions)
            where.append(here)
            pieces += self._pieces(lane, positions)
        order = np.empty(len(numbers), dtype=np.int64)
        order[np.concatenate(where)] = np.arange(len(numbers))
        times = self._times_sent(part, numbers)
        places = np.repeat(np.arange(len(numbers)), times)
        rows = _Rows(self._parts, part, pieces, order[places], numbers[places], others[places], lanes[places])
        return view(rows)

    def _times_sent(self, part: _Part, numbers: Ints) -> Ints:
        """How often each number is sent: 0 for holes, one by one or half a window long; 2 for a few."""
        single = chosen(digest(self.seed, part.group, "hole"), numbers, self.mix.holes)
        runs = chosen(digest(self.seed, part.group, "run"), numbers // (WINDOW // 2), self.mix.hole_runs)
        twice = chosen(digest(self.seed, part.group, "duplicate"), numbers, self.mix.duplicates)
        return np.where(single | runs, 0, 1 + twice).astype(np.int64)

    def _window(self, at: int, window: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint16]]:
        """Lane and rank in the lane of each slot of a window."""
        return self._windows.get((at, window), lambda: self._mixed(at, window))

    def _mixed(self, at: int, window: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.uint16]]:
        part = self._parts[at]
        quotas = [lane.stream.quota for lane in part.lanes]
        lanes = np.repeat(np.arange(len(quotas), dtype=np.uint8), quotas)
        mixed = keyed(self.seed, part.group, part.section.start, window).permutation(lanes)
        ranks = np.empty(WINDOW, dtype=np.uint16)
        ranks[np.argsort(mixed, kind="stable")] = np.concatenate([np.arange(quota) for quota in quotas])
        return mixed, ranks

    def _other_numbers(self, lane: _Lane, positions: Ints) -> Ints:
        """Numbers of the lines in the group of the other copy; 0 where there is no copy."""
        if lane.other is None:
            return np.zeros(len(positions), dtype=np.int64)
        at, index = lane.other
        part, quota = self._parts[at], lane.stream.quota
        w0, w1 = int(positions[0]) // quota, int(positions[-1]) // quota
        slots = np.zeros((w1 - w0 + 1) * quota, dtype=np.int64)
        for window in range(w0, min(w1 + 1, part.section.windows)):
            lanes, _ = self._window(at, window)
            numbers = part.base + window * WINDOW + np.flatnonzero(lanes == index)
            slots[(window - w0) * quota : (window - w0 + 1) * quota] = np.where(numbers < part.end, numbers, 0)
        return slots[positions - w0 * quota]

    def _pieces(self, lane: _Lane, positions: Ints) -> list[_Piece]:
        """The lines at consecutive positions, piece by piece from the spans that hold them."""
        pieces: list[_Piece] = []
        at, end = int(positions[0]), int(positions[-1]) + 1
        while at < end:
            span, start = self._span(lane.stream, at)
            count = min(end, start + span.lines.height) - at
            pieces.append(_Piece(lane.stream, span, at - start, count))
            at += count
        return pieces

    def _span(self, stream: Stream, position: int) -> tuple[Span, int]:
        """The span that holds a position, and its first position. Spans of different streams begin in different windows."""
        start, last = self._span_of(stream, position)
        return self._spans.get((stream.key, start), lambda: fill(stream, start, last, self.mix)), start

    @staticmethod
    def _span_of(stream: Stream, position: int) -> tuple[int, int]:
        """First and last position of the span that holds a position."""
        length = SPAN_WINDOWS * stream.quota
        shift = stream.key % SPAN_WINDOWS * stream.quota
        start = max((position + shift) // length * length - shift, 0)
        return start, (position + shift) // length * length - shift + length - 1


@cache
def _code() -> int:
    """A digest of the simulator's source, so that blocks of older code are not served."""
    return digest(*(path.read_bytes() for path in sorted(Path(__file__).parent.glob("*.py"))))


@dataclass(frozen=True, slots=True)
class _Piece:
    """`count` lines of a span from line `start` on."""

    stream: Stream
    span: Span
    start: int
    count: int


@dataclass(frozen=True, slots=True)
class _Rows:
    """Rows of a part before they are shown: the pieces their lines are in, and per row int64 facts.

    Attributes:
        order: place of each row's line in the pieces put one after the other.
        numbers: article number.
        others: number of the other copy, 0 where there is none.
        lanes: lane in the part.
    """

    parts: list[_Part]
    part: _Part
    pieces: list[_Piece]
    order: Ints
    numbers: Ints
    others: Ints
    lanes: npt.NDArray[np.uint8]

    def far_groups(self) -> pl.Series:
        """Group of the other copy."""
        names = [self.parts[lane.other[0]].group if lane.other else "" for lane in self.part.lanes]
        return pl.Series(names).gather(self.lanes)

    def copies(self) -> npt.NDArray[np.bool_]:
        """Which rows are copies outside their main group."""
        return np.array([lane.is_copy for lane in self.part.lanes])[self.lanes] & (self.others > 0)


View = Callable[[_Rows], pl.DataFrame]


def _overview(rows: _Rows) -> pl.DataFrame:
    lines = pl.concat([piece.span.lines.slice(piece.start, piece.count) for piece in rows.pieces])[rows.order]
    own = pl.concat_str(pl.lit(f" {rows.part.group}:"), pl.col("number"))
    far = pl.concat_str(pl.lit(" "), pl.col("group"), pl.lit(":"), pl.col("other"))
    single, copied = pl.col("other") == 0, pl.col("copied")
    xref = pl.when(single).then(own).when(copied).then(pl.concat_str(far, own)).otherwise(pl.concat_str(own, far))
    return lines.with_columns(
        number=pl.Series(rows.numbers),
        other=pl.Series(rows.others),
        group=rows.far_groups(),
        copied=pl.Series(rows.copies()),
    ).select("number", *OVERVIEW_TEXT, xref=pl.concat_str(pl.lit(HOST), xref))


def _truth(rows: _Rows) -> pl.DataFrame:
    facts = pl.concat([_labels(piece) for piece in rows.pieces])[rows.order]
    number = pl.Series(rows.numbers)
    label = (
        pl.when(number == number.shift(1, fill_value=-1))
        .then(pl.lit("duplicate"))
        .when(pl.col("malformed") > 0)
        .then(pl.lit("malformed"))
        .when(pl.Series(rows.copies()))
        .then(pl.lit("crosspost"))
        .otherwise("class")
    )
    return facts.select(
        group=pl.lit(rows.part.group),
        number=number,
        release="release",
        file="file",
        name="name",
        segment=pl.col("part").cast(pl.Int32),
        **{"class": label},
        level="level",
        tool="tool",
        segments_expected="segments_expected",
        files_expected="files_expected",
    )


def _labels(piece: _Piece) -> pl.DataFrame:
    labels = piece.span.labels.slice(piece.start, piece.count)
    stream = piece.stream
    return piece.span.files[labels["ordinal"]].with_columns(
        labels["part"],
        labels["malformed"],
        pl.lit(stream.recipe.label).alias("class"),
        pl.lit(stream.tool.name).alias("tool"),
        pl.lit(stream.level, dtype=pl.Int8).alias("level"),
    )


class _Recent(Generic[Key, Value]):
    """The values used last, up to `room` of them."""

    def __init__(self, room: int) -> None:
        self._room = room
        self._values: OrderedDict[Key, Value] = OrderedDict()

    def get(self, key: Key, make: Callable[[], Value]) -> Value:
        """The value of `key`, made when it is not at hand."""
        if key in self._values:
            self._values.move_to_end(key)
            return self._values[key]
        value = self._values[key] = make()
        if len(self._values) > self._room:
            self._values.popitem(last=False)
        return value


# --- the lay-out of the streams ------------------------------------------------------------------


def _lay_out(seed: int, plans: tuple[GroupPlan, ...], mix: Mix) -> list[_Part]:
    """Each section with its streams; a section copies crossposts from the nearest earlier group that ran at that time."""
    served = [
        _Part(plan.name, plan.low + sum(section.articles for section in plan.sections[:at]), section, [])
        for plan in plans
        for at, section in enumerate(plan.sections)
    ]
    hidden = [_Part(UNSERVED, part.base, part.section, []) for part in served] if len(plans) == 1 else []
    parts = hidden + served if mix.crossposts else served
    sources = {at: source for at in range(len(parts)) if (source := _source(parts, at)) is not None}
    copying = sum(min(parts[at].section.articles, parts[source].section.articles) for at, source in sources.items())
    total = sum(part.section.articles for part in served)
    share = min(mix.crossposts * total / copying, 0.45) if copying else 0.0
    for at, part in enumerate(parts):
        copied = sources.get(at)
        _give_lanes(seed, parts, at, mix, share if at in sources.values() else 0.0, copied if share else None)
        if not part.lanes:
            raise ValueError(f"{part.group} has no streams")
    return parts


def _source(parts: list[_Part], at: int) -> int | None:
    """The part whose crossposts part `at` sees: the last group before it with a section of the same start."""
    start, group = parts[at].section.start, parts[at].group
    earlier = [i for i in range(at) if parts[i].section.start == start and parts[i].group != group]
    return earlier[-1] if earlier else None


def _give_lanes(seed: int, parts: list[_Part], at: int, mix: Mix, shared: float, source: int | None) -> None:
    """Fill `parts[at].lanes`: copies of the source's shared lanes, lanes shared with a later group, lanes of its own."""
    part = parts[at]
    if source is not None:
        for index, lane in enumerate(parts[source].lanes):
            if lane.other == (-1, -1):
                parts[source].lanes[index] = _Lane(lane.stream, (at, len(part.lanes)))
                part.lanes.append(_Lane(lane.stream, (source, index), is_copy=True))
    room = WINDOW - sum(lane.stream.quota for lane in part.lanes)
    weights = _kind_weights(part.section.start, mix)
    together = int(WINDOW * shared)
    for kind, quota in _portions(weights, together):
        part.lanes.append(_Lane(_stream(seed, part, kind, 100, quota), (-1, -1)))
    for kind, quota in _portions(weights, room - together):
        for which, some in enumerate(_split(quota)):
            part.lanes.append(_Lane(_stream(seed, part, kind, which, some)))


def _kind_weights(start: date, mix: Mix) -> dict[str, float]:
    shares = mix.at(start.year + (start.month - 1) / 12)
    shared = mix.shared if start.year >= SHARED_SINCE else 0.0
    return {
        "clear": shares.clear,
        "counted": shares.counted * (1 - mix.garbage - mix.obfuscated - shared),
        "shared": shares.counted * shared,
        "garbage": shares.counted * mix.garbage,
        "obfuscated": shares.counted * mix.obfuscated,
        "random": shares.random,
        "spam": shares.noise * 0.5,
        "text": shares.noise * 0.5,
    }


def _portions(weights: dict[str, float], total: int) -> list[tuple[str, int]]:
    """`total` divided by weight in whole numbers that add up; kinds below one line fall to the largest."""
    if total <= 0:
        return []
    sum_of_weights = sum(weights.values())
    quotas = {kind: int(total * weight / sum_of_weights) for kind, weight in weights.items()}
    largest = max(quotas, key=lambda kind: quotas[kind])
    quotas[largest] += total - sum(quotas.values())
    return [(kind, quota) for kind, quota in quotas.items() if quota]


def _split(quota: int) -> list[int]:
    """A kind's quota over one to three streams of unlike size."""
    if quota < 200:
        return [quota]
    if quota < 700:
        return [quota * 2 // 3, quota - quota * 2 // 3]
    return [quota // 2, quota // 3, quota - quota // 2 - quota // 3]


def _stream(seed: int, part: _Part, kind: str, which: int, quota: int) -> Stream:
    key = digest(seed, part.group, part.section.start, kind, which)
    recipe = next(recipe for recipe in RECIPES if recipe.kind == kind)
    tools = recipe.in_year(part.section.start.year)
    tool = tools[(key // 97 + which) % len(tools)]
    level = recipe.levels[0] if tool.poster != "article" else recipe.levels[-1]
    start = calendar.timegm(part.section.start.timetuple()) * 1_000
    return Stream(key, recipe, tool, level, quota, start, WINDOW_SECONDS * 1_000)


# --- ready-made histories ------------------------------------------------------------------------

_DEMO = (
    ("alt.binaries.distributions", 4_000_000, ((2009, 500_000), (2016, 500_000), (2024, 520_000))),
    ("alt.binaries.films.silent", 6_000_000, ((2009, 250_000), (2016, 250_000), (2024, 520_000))),
    ("alt.binaries.music.classical", 2_000_000, ((2009, 500_000), (2016, 520_000))),
    ("alt.binaries.open-data", 8_000_000, ((2016, 250_000), (2024, 520_000))),
)
"""Whole ranges of 250,000 numbers, and 20,000 numbers of a range that still grows in each group."""


def demo_history(seed: int = 1, mix: Mix = DEMO, offset: int = 0) -> History:
    """Four groups over 2009, 2016 and 2024, 4,330,000 article numbers in all."""
    plans = tuple(
        GroupPlan(name, low + offset, tuple(Section(date(year, 5, 4), articles) for year, articles in sections))
        for name, low, sections in _DEMO
    )
    return History(seed, plans, mix)


def planned_history(
    seed: int,
    names: tuple[str, ...],
    sizes: tuple[int, ...],
    eras: tuple[int, ...] = (2009, 2013, 2017, 2021, 2025),
    mix: Mix = DEFAULT,
    offset: int = 2_000_000,
) -> History:
    """A history of the named groups, numbered from `offset`.

    Args:
        seed: the history's seed.
        names: the groups; later ones see crossposts of earlier ones.
        sizes: article numbers of each group; a single size holds for all.
        eras: years, oldest first. Later ones get more articles, as traffic grew: the k-th of n gets a weight of 1.7^k.
        mix: the mix.
        offset: lowest article number of each group.

    Raises:
        ValueError: the sizes do not fit the names.
    """
    if len(sizes) not in {1, len(names)} or not eras:
        raise ValueError(f"{len(names)} groups need one size or {len(names)} sizes, and at least one era")
    growth = 1.7 ** np.arange(len(eras))
    plans: list[GroupPlan] = []
    for at, name in enumerate(names):
        size = sizes[at % len(sizes)]
        counts = np.maximum((size * growth / growth.sum()).astype(np.int64), 1)
        counts[-1] += size - counts.sum()
        sections = tuple(Section(date(year, 3, 1), int(count)) for year, count in zip(eras, counts, strict=True))
        plans.append(GroupPlan(name, offset, sections))
    return History(seed, tuple(plans), mix)
