"""The posting tools: what each one writes into Subject, From, Message-ID and Date (posters.md sections 1 and 5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import polars as pl

from simulator.randomness import B36, B62, B64, HEX, LOWER, Ints, alternating, in_base, ragged, text


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a stream in the order the tool makes them: one int64 array a fact, one entry a line.

    Attributes:
        release: ordinal of the release.
        file: ordinal of the file.
        file_number: n of `[n/N]`, from 1.
        part: i of `(i/P)`, from 1.
        parts: P.
        ms: Unix time in milliseconds.
    """

    release: Ints
    file: Ints
    file_number: Ints
    part: Ints
    parts: Ints
    ms: Ints

    def in_order(self, order: Ints) -> Lines:
        """The same lines in another order."""
        facts = (self.release, self.file, self.file_number, self.part, self.parts, self.ms)
        return Lines(*(fact[order] for fact in facts))


Rng = np.random.Generator
Ids = Callable[[Rng, Lines], pl.Series]


@dataclass(frozen=True, slots=True)
class Shape:
    """A subject: `before`, the segment number, `after`. Fields: t title, n, N, f file name, P, s file bytes, r random token.

    `lone_counter`: `[1/1] - ` is written for a single file too.
    """

    before: str
    after: str = "/{P})"
    pad_files: bool = True
    pad_parts: bool = False
    lone_counter: bool = True


@dataclass(frozen=True, slots=True)
class Letters:
    """Random text: its alphabet and its shortest and longest length."""

    alphabet: str
    low: int
    high: int

    def draw(self, rng: Rng, rows: int) -> pl.Series:
        """`rows` independent texts."""
        if self.low == self.high:
            return text(rng, rows, self.low, self.alphabet)
        return ragged(rng, rows, self.low, self.high, self.alphabet)


@dataclass(frozen=True, slots=True)
class Tool:
    """A posting tool, or a way to set one up.

    Attributes:
        name: as `truth` names it.
        first, last: years of use.
        article: raw bytes of a full segment, a multiple of 32.
        shape: the subject, where it is not random per article.
        ids: makes the message-ids without brackets.
        poster: From; `user` takes a name of the stream, `session` a random one per release, `file` one per file.
        random_poster: makes From per article or file where `poster` says so.
        random_subject: makes a subject per article; None where `shape` holds.
        subject_is_id: the subject is the local part of the message-id.
        server_dated: the tool sends no Date, the server's clock counts.
        zone: how Date ends.
        chained: parts 2..P name part 1 in References.
    """

    name: str
    first: int
    last: int
    article: int
    shape: Shape
    ids: Ids
    poster: str = "user"
    random_poster: Callable[[Rng, int], pl.Series] | None = None
    random_subject: Letters | None = None
    subject_is_id: bool = False
    server_dated: bool = False
    zone: str = "+0000"
    chained: bool = False


def join(*pieces: pl.Series | str) -> pl.Series:
    """The pieces side by side, row by row; a plain string is repeated."""
    named = [piece.alias(str(at)) if isinstance(piece, pl.Series) else piece for at, piece in enumerate(pieces)]
    frame = pl.DataFrame([piece for piece in named if isinstance(piece, pl.Series)])
    parts = [pl.col(piece.name) if isinstance(piece, pl.Series) else pl.lit(piece) for piece in named]
    return frame.select(pl.concat_str(parts)).to_series()


def decimal(values: Ints) -> pl.Series:
    """Each value in decimal digits."""
    return pl.Series(values).cast(pl.String)


_POSTED_AGAIN = 0.0005
"""Share of the articles that a server refused at first."""

# --- message-ids ---------------------------------------------------------------------------------


def _powerpost(domain: str) -> Ids:
    def ids(rng: Rng, lines: Lines) -> pl.Series:
        tokens = text(rng, int(lines.file[-1]) + 1, 20, B62 + "$&").gather(lines.file)
        # An article that is posted again gets a digit after the token.
        again = pl.Series(["", "1"]).gather((rng.random(len(lines.ms)) < _POSTED_AGAIN).astype(np.int64))
        return join("part", decimal(lines.part), "of", decimal(lines.parts), ".", tokens, again, domain)

    return ids


def _newsmangler(rng: Rng, lines: Lines) -> pl.Series:
    # All ids of a run are made in one loop when it starts: some 10 us steps from the release's first time.
    steps = _since_release(lines, rng.integers(1, 5, len(lines.ms)))
    ticks = _release_start(lines) * 100 + steps
    seconds, rest = ticks // 100_000, ticks % 100_000
    return join(
        decimal(seconds), ".", in_base(rest, "0123456789", 5), ".", decimal(lines.part), "@news.provider.example"
    )


def _gopoststuff(rng: Rng, lines: Lines) -> pl.Series:
    nanos = _release_start(lines) * 1_000_000 + _since_release(lines, rng.integers(200_000, 9_000_000, len(lines.ms)))
    return join(decimal(nanos), "$gps@gopoststuff")


def _jbinup(rng: Rng, lines: Lines) -> pl.Series:
    return join(text(rng, len(lines.ms), 20, B62), "_", decimal(lines.part), "o", decimal(lines.parts), "@JBinUp.local")


def _nyuu(rng: Rng, lines: Lines) -> pl.Series:
    return join(alternating(rng, len(lines.ms), 24), "-", decimal(lines.ms), "@nyuu")


def _uuid_digits(rng: Rng, rows: int) -> pl.Series:
    """UUIDv4 as 32 hex digits: 122 random bits."""
    return join(
        text(rng, rows, 12, HEX), "4", text(rng, rows, 3, HEX), text(rng, rows, 1, "89ab"), text(rng, rows, 15, HEX)
    )


def _ngpost(rng: Rng, lines: Lines) -> pl.Series:
    return join(_uuid_digits(rng, len(lines.ms)), "@ngPost")


def _postie(rng: Rng, lines: Lines) -> pl.Series:
    rows = len(lines.ms)
    return join(text(rng, rows, 32, B62), "@", text(rng, rows, 8, B62), ".", text(rng, rows, 3, B62))


def _pesto(rng: Rng, lines: Lines) -> pl.Series:
    rows = len(lines.ms)
    nanos = lines.ms * 1_000_000 + rng.integers(0, 1_000_000, rows)
    word = rng.integers(0, 2**64, rows, dtype=np.uint64)
    ends = pl.Series([".com", ".net", ".org"]).gather(rng.integers(0, 3, rows))
    sequence = in_base(np.arange(rows, dtype=np.int64), HEX)
    return join(in_base(nanos, HEX), ".", sequence, ".", in_base(word, HEX), "@", ragged(rng, rows, 8, 15, LOWER), ends)


def _nntpposter(rng: Rng, lines: Lines) -> pl.Series:
    rows = len(lines.ms)
    return join(ragged(rng, rows, 20, 29, B64), "@", ragged(rng, rows, 5, 9, B64), ".", text(rng, rows, 3, B64))


def _post2usenet(rng: Rng, lines: Lines) -> pl.Series:
    runs = text(rng, int(lines.release[-1]) + 1, 16, B36).gather(lines.release)
    return join(runs, ".", decimal(lines.file_number - 1), ".", decimal(lines.part - 1), "@poster.example")


def _part_of_guid(rng: Rng, lines: Lines) -> pl.Series:
    guid = _uuid_digits(rng, len(lines.ms)).str.to_uppercase()
    return join(
        "Part", decimal(lines.part), "of", decimal(lines.parts), ".", guid, "@", decimal(lines.ms // 1000), ".local"
    )


def _pan(rng: Rng, lines: Lines) -> pl.Series:
    rows = len(lines.ms)
    words = [in_base(rng.integers(0, 2**32, rows), HEX) for _ in range(3)]
    micros = in_base(rng.integers(0, 1_000_000, rows), HEX)
    return join("pan$", micros, "$", words[0], "$", words[1], "$", words[2], "@reader.example")


def _newsup(rng: Rng, lines: Lines) -> pl.Series:
    seconds = lines.ms // 1000
    micros = decimal(lines.ms % 1000 * 1000 + rng.integers(0, 1000, len(lines.ms)))
    backwards = in_base(seconds, B36, 6).str.reverse()
    return join(
        decimal(seconds), micros, ".", in_base(rng.integers(0, 2**48, len(lines.ms)), B36), "@", backwards, ".newsup"
    )


def _giganews(rng: Rng, lines: Lines) -> pl.Series:
    return join(text(rng, len(lines.ms), 26, B64), "dnZ2d", text(rng, len(lines.ms), 1, B64), "@giganews.com")


def _usenetsync(rng: Rng, lines: Lines) -> pl.Series:
    return join(text(rng, len(lines.ms), 16, B36), "@ngPost.com")


def _reader(rng: Rng, lines: Lines) -> pl.Series:
    return join(text(rng, len(lines.ms), 34, "0123456789abcdefghijklmnopqrstuv"), "@4ax.com")


def _release_start(lines: Lines) -> Ints:
    """Time in ms of the first line of each line's release."""
    starts = np.flatnonzero(np.diff(lines.release, prepend=-1))
    return np.repeat(lines.ms[starts], np.diff(np.append(starts, len(lines.ms))))


def _since_release(lines: Lines, steps: Ints) -> Ints:
    """Sum of `steps` from the first line of each line's release."""
    total = np.cumsum(steps)
    starts = np.flatnonzero(np.diff(lines.release, prepend=-1))
    return total - np.repeat(total[starts], np.diff(np.append(starts, len(steps))))


# --- From ----------------------------------------------------------------------------------------


def _mailbox(local: int, domain: int, top: int) -> Callable[[Rng, int], pl.Series]:
    def draw(rng: Rng, rows: int) -> pl.Series:
        name = text(rng, rows, local, B62)
        return join(name, " <", name, "@", text(rng, rows, domain, B62), ".", text(rng, rows, top, B62), ">")

    return draw


def _bare_mailbox(rng: Rng, rows: int) -> pl.Series:
    return join(text(rng, rows, 10, B62), "@", text(rng, rows, 5, B62), ".", text(rng, rows, 3, B62))


def _ngpost_mailbox(rng: Rng, rows: int) -> pl.Series:
    return join(text(rng, rows, 13, B62), "@ngPost.com")


# --- the table -----------------------------------------------------------------------------------

_NYUU = Shape('{t} [{n}/{N}] - "{f}" yEnc (', "/{P}) {s}", lone_counter=False)
_NGPOST = Shape('[{n}/{N}] "{f}" (')
_PADDED = Shape('{t} [{n}/{N}] - "{f}" yEnc (', pad_parts=True)
_BARE = Shape('{t} [{n}/{N}] - "{f}" yEnc (', pad_files=False)
_PER_FILE = Shape("{r} (")

POWERPOST = Tool(
    "powerpost", 2002, 2015, 249_600,
    Shape('(????) [{n}/{N}] - "{f}" yEnc (', pad_parts=True), _powerpost("@powerpost2000AA.local"),
    poster="Yenc@power-post.org (Yenc-PP-A&A)", server_dated=True, zone="-0000 (UTC)", chained=True,
)  # fmt: skip
CAMELSYSTEM = Tool(
    "camelsystem", 2009, 2018, 640_000,
    Shape('[{n}/{N}] - "{f}" yEnc (', pad_parts=True), _powerpost("@camelsystem-powerpost.local"),
    server_dated=True, zone="GMT", chained=True,
)  # fmt: skip
NEWSMANGLER = Tool("newsmangler", 2005, 2016, 768_000, _PADDED, _newsmangler)
GOPOSTSTUFF = Tool("gopoststuff", 2013, 2018, 768_000, _BARE, _gopoststuff)
JBINUP = Tool(
    "jbinup", 2010, 2017, 640_000, Shape('[{n}/{N}] - "{f}" yEnc ('), _jbinup,
    poster="Nick <JBinUp@JBinUp.local>", zone="GMT",
)  # fmt: skip
NYUU = Tool("nyuu", 2016, 2026, 716_800, _NYUU, _nyuu)
NYUU_BARE = Tool("nyuu-bare", 2016, 2026, 716_800, Shape('"{f}" yEnc (', "/{P}) {s}"), _nyuu)
NYUU_SUBJECT = Tool("nyuu-subject", 2018, 2026, 716_800, _NYUU, _nyuu, random_subject=Letters(B62, 20, 20))
NYUU_PRIVATE = Tool(
    "nyuu-private", 2018, 2026, 716_800, _NYUU, _nyuu,
    poster="article", random_poster=_bare_mailbox, random_subject=Letters(B62, 20, 20),
)  # fmt: skip
NGPOST = Tool(
    "ngpost", 2019, 2026, 716_800, _NGPOST, _ngpost,
    poster="session", random_poster=_ngpost_mailbox, server_dated=True, zone="+0000 (UTC)",
)  # fmt: skip
NGPOST_X = Tool(
    "ngpost-x", 2019, 2026, 716_800, _NGPOST, _ngpost,
    poster="article", random_poster=_ngpost_mailbox, subject_is_id=True, server_dated=True,
)  # fmt: skip
POSTIE = Tool(
    "postie", 2025, 2026, 768_000, Shape('[{n}/{N}] "{t}/{f}" - yEnc (', pad_files=False), _postie,
    poster="article", random_poster=_mailbox(14, 5, 3), random_subject=Letters(B62, 32, 32),
)  # fmt: skip
PESTO = Tool(
    "pesto", 2026, 2026, 768_000, Shape('[{n}/{N}] - "{f}" yEnc ('), _pesto,
    poster="session", random_poster=_mailbox(10, 8, 3), server_dated=True,
)  # fmt: skip
PESTO_SHARED = Tool(
    "pesto-shared", 2026, 2026, 768_000, Shape('"{f}" yEnc ('), _pesto,
    poster="session", random_poster=_mailbox(10, 8, 3), server_dated=True,
)  # fmt: skip
PESTO_FULL = Tool(
    "pesto-full", 2026, 2026, 768_000, _PER_FILE, _pesto,
    poster="file", random_poster=_mailbox(10, 8, 3), server_dated=True,
)  # fmt: skip
NNTPPOSTER = Tool(
    "nntpposter", 2015, 2021, 640_000, Shape('{t} [{n}/{N}] "{f}" yEnc ('), _nntpposter,
    poster="file", random_poster=_mailbox(12, 8, 3), zone="+0200 (UTC)",
)  # fmt: skip
NNTPPOSTER_RANDOM = Tool(
    "nntpposter-random", 2015, 2021, 640_000, Shape("{r} [{n}/{N}] ({n}/{N})", ""), _nntpposter,
    poster="file", random_poster=_mailbox(12, 8, 3), zone="+0200 (UTC)",
)  # fmt: skip
POST2USENET = Tool("post2usenet", 2015, 2016, 640_000, _BARE, _post2usenet)
PART_OF_GUID = Tool(
    "part-of-guid", 2016, 2017, 640_000, Shape('(????) [{n}/{N}] - "{f}" yEnc (', pad_parts=True), _part_of_guid
)
PAN = Tool("pan", 2011, 2026, 512_000, Shape('{t} - "{f}" yEnc (', pad_parts=True), _pan, zone="+0000 (UTC)")
NEWSUP = Tool(
    "newsup", 2013, 2020, 716_800, Shape('[{n}/{N}] - "{f}" (', pad_files=False), _newsup,
    poster="NewsUP <NewsUP@somewhere.cbr>", server_dated=True,
)  # fmt: skip
NEWSUP_RANDOM = Tool(
    "newsup-random", 2013, 2020, 716_800, Shape('[{n}/{N}] - "{f}" (', pad_files=False), _newsup,
    poster="article", random_poster=_bare_mailbox, random_subject=Letters(LOWER, 1, 32), server_dated=True,
)  # fmt: skip
NEWSPOST = Tool(
    "newspost", 2003, 2015, 224_000, Shape('{t} - File {n} of {N}: "{f}" yEnc (', pad_parts=True), _giganews,
    server_dated=True, zone="-0600",
)  # fmt: skip
USENETSYNC = Tool("usenetsync", 2025, 2026, 768_000, Shape("{r} ("), _usenetsync, random_subject=Letters(LOWER, 20, 20))
PIPELINE_2026 = Tool(
    "usenet-pipeline", 2026, 2026, 716_800, Shape("{r} [", "/{P}]"),
    lambda rng, lines: join(_uuid_digits(rng, len(lines.ms)), "@posting.example"),
)  # fmt: skip
PRIVATE = Tool(
    "newznzb", 2016, 2026, 716_800, Shape("[PRiVATE] \\{r}\\::{f}::/{r}/ [newzNZB] [{n}/{N}] - yEnc (", "/{P}) {s}"),
    lambda rng, lines: join(alternating(rng, len(lines.ms), 24), "-", decimal(lines.ms), "@PRiVATE"),
    poster="PRiVATE <PRiVATE@PRiVATE>",
)  # fmt: skip
FLOOD = Tool(
    "hash-flood", 2010, 2026, 384_000, Shape('{t} [{n}/{N}] - "{f}" yEnc (', pad_files=False), _jbinup,
    poster="flood <flood@flood.local>", zone="GMT",
)  # fmt: skip
EARLY_FLOOD = Tool(
    "early-flood", 2002, 2026, 249_600, Shape('{t} [{n}/{N}] - "{f}" yEnc (', pad_parts=True), _giganews,
    poster="mirror <mirror@flood.local>", zone="-0500",
)  # fmt: skip
SPAM = Tool("spam", 2002, 2026, 64_000, Shape('{t} "{f}" yEnc ('), _giganews, zone="-0700")
READER = Tool("reader", 2002, 2026, 0, Shape("{t}", ""), _reader, zone="+0100")


@dataclass(frozen=True, slots=True)
class Recipe:
    """What streams of one kind look like: class and level as `truth` says, and the tools that are used for it."""

    kind: str
    label: str
    levels: tuple[int, ...]
    tools: tuple[Tool, ...]

    def in_year(self, year: int) -> tuple[Tool, ...]:
        """The tools in use in `year`; the nearest ones where there is none."""
        current = tuple(tool for tool in self.tools if tool.first <= year <= tool.last)
        return current or (min(self.tools, key=lambda tool: min(abs(tool.first - year), abs(tool.last - year))),)


_NAMED = (
    POWERPOST, NEWSPOST, NEWSMANGLER, CAMELSYSTEM, JBINUP, PAN, GOPOSTSTUFF, POST2USENET, NNTPPOSTER, PART_OF_GUID,
    NEWSUP, NYUU, NGPOST, PESTO,
)  # fmt: skip

RECIPES = (
    Recipe("clear", "release", (0,), _NAMED),
    Recipe("counted", "release", (1,), (*_NAMED, PRIVATE)),
    Recipe("shared", "release", (2,), (NYUU_BARE, PESTO_SHARED)),
    Recipe("garbage", "garbage", (1,), (FLOOD, EARLY_FLOOD)),
    Recipe("obfuscated", "obfuscated", (3,), (NNTPPOSTER_RANDOM, PESTO_FULL, PIPELINE_2026)),
    Recipe(
        "random", "random", (4, 5), (NEWSUP_RANDOM, NYUU_SUBJECT, NYUU_PRIVATE, NGPOST_X, POSTIE, USENETSYNC)
    ),
    Recipe("spam", "garbage", (0,), (SPAM,)),
    Recipe("text", "text", (0,), (READER,)),
)  # fmt: skip
"""The kinds of streams."""
