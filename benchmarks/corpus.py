"""A labelled corpus: posts in every subject shape that is known from the field, and the posts that lead grouping astray.

It is written from descriptions of what posters send, independent of the simulator and of the rules, so that the same articles can be
put before any indexer's rules. Shapes are in `labels/subject_shapes.tsv` beside this module; the traps are functions here.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import count
from pathlib import Path
from random import Random

import polars as pl

from pipeline.schema import OVERVIEW, Column, Schema

GROUPS = ("alt.binaries.first", "alt.binaries.second", "alt.binaries.third")
FIRST_NUMBER = 500_000
"""Far from the edges of a range, so that nothing waits for a neighbour."""

CORPUS = Schema(
    "corpus",
    (
        *OVERVIEW.columns,
        Column("group", pl.String, "group the line was seen in; a crosspost has a line in each of its groups"),
        Column("case", pl.String, "shape or trap the post stands for"),
        Column("release", pl.Int32, "true release; null for an article of none"),
        Column("file", pl.Int32, "true file, over all releases; null for an article of none"),
        Column("segment", pl.Int32, "i of the segment counter as written; null for an article of no release"),
        Column("segments", pl.Int32, "P of the segment counter as written"),
        Column("file_number", pl.Int32, "n of the file counter as written, null when there is none"),
        Column("file_total", pl.Int32, "N of the file counter as written, null when there is none"),
    ),
)

_START = datetime(2021, 3, 1, 8, tzinfo=UTC)
_SHAPES = Path(__file__).parent / "labels" / "subject_shapes.tsv"
_POSTS_OF_A_SHAPE = 5
_BASE62 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

_FILMS = (
    "Nosferatu.1922", "Metropolis.1927", "Faust.1926", "The.General.1926", "Sunrise.1927", "Safety.Last.1923", "The.Kid.1921",
    "Intolerance.1916", "Greed.1924", "The.Gold.Rush.1925", "Sherlock.Jr.1924", "The.Last.Laugh.1924", "The.Lost.World.1925",
    "Cabiria.1914", "Haexan.1922", "Die.Nibelungen.1924", "Der.Golem.1920", "Orphans.of.the.Storm.1921", "Broken.Blossoms.1919",
    "The.Navigator.1924", "Our.Hospitality.1923", "Seven.Chances.1925", "The.Freshman.1925", "Girl.Shy.1924",
    "The.Big.Parade.1925", "Wings.1927", "The.Unknown.1927", "A.Trip.to.the.Moon.1902", "The.Cheat.1915", "Les.Vampires.1915",
    "Fantomas.1913", "Strike.1925", "Battleship.Potemkin.1925", "Mother.1926", "Spies.1928", "The.Crowd.1928",
    "Street.Angel.1928", "The.Wind.1928", "The.Circus.1928", "Steamboat.Bill.1928",
)  # fmt: skip
_EDITIONS = (
    "720p.PDM", "1080p.PDM", "DVDRip.XviD.PDM", "German.DVDRip.PDM", "2160p.PDM", "HDTV.x264.PDM", "WEB.h264.PDM", "Restored.PDM",
    "NTSC.DVD5.PDM", "PAL.DVD9.PDM",
)  # fmt: skip
_FIRST_WORDS = (
    "Silent", "Golden", "Winter", "Harbour", "Northern", "Paper", "Copper", "Hidden", "Distant", "Amber", "Open", "Summer",
    "Ivory", "Marble", "Velvet", "Crystal",
)  # fmt: skip
_SECOND_WORDS = (
    "Forest", "River", "Stories", "Garden", "Lantern", "Orchard", "Mountain", "Village", "Kingdom", "Journey", "Bridge",
    "Library", "Market", "Island", "Castle", "Valley", "Meadow", "Station", "Voyage", "Theatre", "Academy", "Workshop", "Harvest",
    "Lighthouse", "Chapel",
)  # fmt: skip
_PEOPLE = (
    "Ann", "Ben", "Cleo", "Dora", "Edgar", "Flora", "Gustav", "Hanna", "Igor", "Jane", "Karl", "Laura", "Martin", "Nora", "Otto",
    "Paula",
)  # fmt: skip
_POSTERS = tuple(f"{name} <{name.lower()}@{name.lower()}.example>" for name in _PEOPLE)


@dataclass(frozen=True, slots=True)
class File:
    """One file as it is posted.

    Attributes:
        head: subject before the segment counter.
        segments: P, as written.
        number, total: the file counter, as written.
        poster: From; empty when drawn for each article.
        groups: ordinals of the groups it is crossposted to.
        counter: how the segment counter is written, with what follows it.
        articles: segments that are posted; all of them when None.
        hours: when it begins, after its release.
    """

    head: str
    segments: int
    number: int | None = None
    total: int | None = None
    poster: str = ""
    groups: tuple[int, ...] = (0,)
    counter: str = "({i}/{p})"
    articles: tuple[int, ...] | None = None
    hours: float = 0.0


@dataclass(frozen=True, slots=True)
class Post:
    """One true release: its case, when it begins, and its files. Without files that belong together, `release` is False."""

    case: str
    at: datetime
    files: Sequence[File]
    release: bool = True


@dataclass(frozen=True, slots=True)
class Texts:
    """What the names of one release are made of; unique to it."""

    title: str
    words: str
    stem: str
    short: str
    series: str
    episode: str
    word: str
    five: str
    advert: str
    rand: str
    hash: str
    tag: str
    req: str


def corpus(seed: int = 1) -> pl.DataFrame:
    """All articles, frame `CORPUS`, by group and number; the same for the same seed."""
    draw = Random(seed)
    rows: list[tuple[object, ...]] = []
    file_ordinal = 0
    for release, post in enumerate(_posts(draw)):
        at = post.at
        for file in post.files:
            rows += _articles(file, post, release, file_ordinal, at + timedelta(hours=file.hours), draw)
            at += timedelta(seconds=4 * len(file.articles or range(file.segments)))
            file_ordinal += 1
    return _numbered(rows)


def overview_of(articles: pl.DataFrame, group: str) -> pl.DataFrame:
    """The lines of one group as frame `schema.OVERVIEW`."""
    return OVERVIEW.check(articles.filter(pl.col("group") == group).select(OVERVIEW.names))


def _articles(
    file: File, post: Post, release: int, ordinal: int, at: datetime, draw: Random
) -> Iterator[tuple[object, ...]]:
    for place, i in enumerate(file.articles or range(1, file.segments + 1)):
        subject = " ".join((file.head, file.counter.format(i=i, p=file.segments, w=len(str(file.segments)))))
        yield (
            subject.strip(),
            file.poster or _drawn_poster(draw),
            at + timedelta(seconds=4 * place),
            f"{_word(draw, 24)}@posts.example",
            draw.randrange(700_000, 740_000),
            file.groups,
            post.case,
            *((release, ordinal, i, file.segments, file.number, file.total) if post.release else (None,) * 6),
        )


def _numbered(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    columns = ("subject", "poster", "posted_at", "message_id", "bytes", "groups", "case", "release", "file", "segment", "segments", "file_number", "file_total")  # fmt: skip
    types = {"groups": pl.List(pl.Int64)}
    frame = pl.DataFrame(rows, schema={name: types.get(name) for name in columns}, orient="row").with_row_index(
        "article"
    )
    lines = frame.explode("groups").sort("posted_at", "article", "groups").with_columns(
        group=pl.col("groups").replace_strict(dict(enumerate(GROUPS)), return_dtype=pl.String),
        number=pl.int_range(pl.len()).over("groups") + FIRST_NUMBER,
    )  # fmt: skip
    place = pl.concat_str("group", pl.lit(":"), "number")
    xrefs = lines.group_by("article").agg(xref=place.sort_by("groups").str.join(" "))
    lines = lines.join(xrefs, on="article").with_columns(references=pl.lit("")).sort("groups", "number")
    return CORPUS.check(lines.select(pl.col(column.name).cast(column.dtype) for column in CORPUS.columns))


def _word(draw: Random, length: int, letters: str = _BASE62) -> str:
    return "".join(draw.choices(letters, k=length))


def _drawn_poster(draw: Random) -> str:
    return f"{_word(draw, 13)}@ngPost.com"


# --- names ---------------------------------------------------------------------------------------


def _texts(ordinal: int, draw: Random) -> Texts:
    film, edition = _FILMS[ordinal % len(_FILMS)], _EDITIONS[ordinal // len(_FILMS) % len(_EDITIONS)]
    first = _FIRST_WORDS[ordinal % len(_FIRST_WORDS)]
    second = _SECOND_WORDS[ordinal // len(_FIRST_WORDS) % len(_SECOND_WORDS)]
    title, series = f"{film}.{edition}", f"{first} {second}"
    return Texts(
        title=title,
        words=title.replace(".", " ").removesuffix(" PDM"),
        stem=title.lower().removesuffix(".pdm"),
        short=f"{first[:3]}{second[:3]}{ordinal}".lower(),
        series=series,
        episode=f"{series} - {ordinal % 9 + 1}x{ordinal % 20 + 1:02}",
        word=f"{first}{second.lower()}",
        five=f"{first} 5 of 6 {second}",
        advert=f"{title.replace('.', '_')}__www.site.test__",
        rand=_word(draw, 10),
        hash=_word(draw, 32, "0123456789abcdef"),
        tag=_word(draw, 32, "0123456789abcdef"),
        req=str(134_000 + 137 * ordinal),
    )


def _parts(stem: str, count: int) -> list[str]:
    """`count` files of a set in the new style of rar volumes, with par2 from four files on."""
    beside = [f"{stem}.nfo", f"{stem}.par2", f"{stem}.vol00+1.PAR2"][: max(0, min(3, count - 2))]
    return beside + [f"{stem}.part{n:02}.rar" for n in range(1, count - len(beside) + 1)]


def _old(stem: str, count: int) -> list[str]:
    """The same in the old style of rar volumes."""
    beside = [f"{stem}.sfv", f"{stem}.par2", f"{stem}.vol00+1.par2"][: max(0, min(3, count - 2))]
    return beside + [f"{stem}.rar"] + [f"{stem}.r{n:02}" for n in range(count - len(beside) - 1)]


def _episodes(stem: str, count: int) -> list[str]:
    dotted = stem.replace(" ", ".")
    names = [f"{dotted}.S01E{e:02}.{end}" for e in range(1, count) for end in ("par2", "rar", "r00", "r01")]
    return names[:count]


def _season(stem: str, count: int) -> list[str]:
    return [f"{stem[:5]}{100 + n // 3}.{('par2', 'rar', 'r00')[n % 3]}" for n in range(count)]


def _songs(stem: str, _: int) -> list[str]:
    song = f"{stem} - Song.mp3"
    return [song, f"{song}.par2", f"{song}.vol0+1.PAR2"]


_NAMES: dict[str, Callable[[str, int], list[str]]] = {
    "part": _parts,
    "old": _old,
    "episodes": _episodes,
    "season": _season,
    "song": _songs,
    "dotted": lambda stem, count: [f"{stem}-0.{n}" for n in range(count)],
    "volumes": lambda stem, count: [f"{stem} - (DVD).part{n:02}.rar" for n in range(1, count + 1)],
    "tracks": lambda stem, count: [f"{n:02} {stem} - Song.flac" for n in range(1, count + 1)],
    "books": lambda stem, count: [f"{stem} - Volume {n}.mobi" for n in range(1, count + 1)],
    "images": lambda stem, count: [f"{stem}-{n:03}.jpg" for n in range(1, count + 1)],
    "album": lambda stem, count: [f"{stem}.nzb", *(f"{n:02}-{stem}.mp3" for n in range(1, count))],
}


# --- posts ---------------------------------------------------------------------------------------


class _Author:
    """One poster, with texts that no other release has."""

    def __init__(self, poster: str, draw: Random, ordinals: Iterator[int]) -> None:
        self.poster = poster
        self.draw = draw
        self._ordinals = ordinals

    def texts(self) -> Texts:
        """Texts for another release."""
        return _texts(next(self._ordinals), self.draw)

    def file(self, head: str, number: int | None = None, total: int | None = None) -> File:
        """A file of a few segments."""
        return File(head, self.draw.randrange(2, 7), number, total, self.poster)


def _posts(draw: Random) -> Iterator[Post]:
    """Posts of every shape, five of each from one poster within a quarter of an hour; then the traps, one a day."""
    ordinals = count()
    for place, shape in enumerate(shapes()):
        by = _Author(_POSTERS[place % len(_POSTERS)], draw, ordinals)
        for n in range(_POSTS_OF_A_SHAPE):
            yield Post(shape["case"], _START + timedelta(hours=7 * place, minutes=3 * n), _shaped(shape, by))
    for place, trap in enumerate(_TRAPS):
        for post in trap(_Author(_POSTERS[place % len(_POSTERS)], draw, ordinals)):
            yield replace(post, at=post.at + timedelta(days=20 + place))


def shapes() -> list[dict[str, str]]:
    """The shapes: `case`, `counter` (`1` or `0` where it begins, `-` none), `names` and `stem` of the files, `template` of the subject."""
    with _SHAPES.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def _shaped(shape: dict[str, str], by: _Author) -> list[File]:
    texts, zero, counted = by.texts(), shape["counter"] == "0", shape["counter"] != "-"
    names = _NAMES[shape["names"]](getattr(texts, shape["stem"]), by.draw.randrange(5, 15))
    total = len(names) - zero
    return [
        by.file(_head(shape["template"], texts, name, n, total), n if counted else None, total if counted else None)
        for n, name in enumerate(names, 0 if zero else 1)
    ]


def _head(template: str, texts: Texts, name: str, n: int, total: int) -> str:
    fields = {field: getattr(texts, field) for field in Texts.__dataclass_fields__}
    return template.format(
        **fields, name=name, n=f"{n:02}", N=f"{total:02}", n3=f"{n:03}", N3=f"{total:03}", m=n, M=total
    )


_PLAIN = '{title} [{n}/{N}] - "{name}" yEnc'


def _plain(texts: Texts, by: _Author, files: int = 8, names: Sequence[str] = (), template: str = _PLAIN) -> list[File]:
    names = names or _parts(texts.stem, files)
    return [by.file(_head(template, texts, name, n, len(names)), n, len(names)) for n, name in enumerate(names, 1)]


# --- traps: each yields posts whose times count from _START --------------------------------------

_Trap = Callable[["_Author"], Iterator[Post]]


def _after(**span: float) -> datetime:
    return _START + timedelta(**span)


def _lone_counters(by: _Author) -> Iterator[Post]:
    """A file counter in parentheses before the segment counter, in a post of many files."""
    for n in range(4):
        yield Post("two pairs in parentheses", _after(minutes=n), _plain(by.texts(), by, 20, template='{title} ({n}/{N}) "{name}" yEnc'))  # fmt: skip


def _doubled(by: _Author) -> Iterator[Post]:
    """The segment counter written twice, also `(1/1) (1/1)`."""
    for n in range(4):
        files = [
            replace(file, counter="({i}/{p}) ({i}/{p})", segments=1 if k % 2 else file.segments)
            for k, file in enumerate(_plain(by.texts(), by, 6, template='"{name}" - {m} of {M}'))
        ]
        yield Post("41 doubled segment counter", _after(minutes=n), files)


def _sizes_after(by: _Author) -> Iterator[Post]:
    for n in range(4):
        files = _plain(by.texts(), by, template='[{m}/{M}] - "{name}" yEnc')
        yield Post("55 size after the segment counter", _after(minutes=n), [replace(file, counter="({i}/{p}) 52428800") for file in files])  # fmt: skip


def _one_segment(by: _Author) -> Iterator[Post]:
    for n in range(3):
        texts, total = by.texts(), 30 + 11 * n
        files = [
            File(f'[{k}/{total}] "{texts.short}.{k}" yEnc', total, k, total, by.poster, articles=(1,))
            for k in range(1, total + 1)
        ]
        yield Post("61 one segment a file, file total repeated", _after(minutes=5 * n), files)


def _single_books(by: _Author) -> Iterator[Post]:
    """Files that are releases of their own, below one heading."""
    for n in range(6):
        texts = by.texts()
        yield Post("50 single files", _after(minutes=n), [File(f'"{texts.words} - {n:02} - Work.epub"', 3, poster=by.poster)])  # fmt: skip
    for n in range(6):
        texts = by.texts()
        head = f'*FULL REPOST* New eBooks - "{texts.words} - {texts.series} (mobi).rar"'
        yield Post("65 single files below one heading", _after(minutes=10 + n), [File(head, 3, poster=by.poster)])


def _one_of_several_groups(by: _Author) -> Iterator[Post]:
    for n in range(4):
        files = [
            replace(file, poster=_drawn_poster(by.draw), groups=(k % len(GROUPS),))
            for k, file in enumerate(_plain(by.texts(), by))
        ]
        yield Post("files spread over groups, poster drawn for each", _after(minutes=3 * n), files)


def _poster_of_each_article(by: _Author) -> Iterator[Post]:
    for n in range(4):
        yield Post(
            "poster drawn for each article",
            _after(minutes=3 * n),
            [replace(file, poster="") for file in _plain(by.texts(), by)],
        )


def _crossposts(by: _Author) -> Iterator[Post]:
    for n in range(4):
        files = [replace(file, groups=(0, 1, 2)) for file in _plain(by.texts(), by)]
        yield Post("crosspost to three groups", _after(minutes=3 * n), files)


def _same_total_below_one_prefix(by: _Author) -> Iterator[Post]:
    for n in range(5):
        files = _plain(by.texts(), by, 8, template='Best posts of the week - [{n}/{N}] - "{name}" yEnc')
        yield Post("constant prefix, same file total", _after(minutes=n), files)


def _over_midnight(by: _Author) -> Iterator[Post]:
    to_midnight = timedelta(days=1) - timedelta(hours=_START.hour)
    for n in range(4):
        files = [replace(file, hours=0.2 * k) for k, file in enumerate(_plain(by.texts(), by))]
        yield Post("over UTC midnight", _START + to_midnight - timedelta(minutes=40 - n), files)


def _reposts(by: _Author) -> Iterator[Post]:
    for n in range(4):
        texts = by.texts()
        for weeks in (0, 5):
            yield Post("repost weeks later", _after(weeks=weeks, minutes=3 * n), _plain(texts, by))
    for n in range(3):
        texts = by.texts()
        for weeks, mark in ((0, ""), (6, "[REPOST] ")):
            files = _plain(texts, by, template=mark + _PLAIN)
            yield Post("marked repost weeks later", _after(weeks=weeks, minutes=20 + 3 * n), files)


def _discs(by: _Author) -> Iterator[Post]:
    for n in range(3):
        texts = by.texts()
        files: list[File] = []
        for disc, total in ((1, 9), (2, 11)):
            template = f"[{{req}}]-[#altbin@EFNet]-[Full]-[CD{disc}]-" + '[{n}/{N}] - "{name}" yEnc'
            files += _plain(texts, by, names=_parts(f"CD{disc}", total), template=template)
        yield Post("22 discs of one request", _after(minutes=5 * n), files)


def _request_pack(by: _Author) -> Iterator[Post]:
    """Sets of one request with names and totals of their own: releases apart."""
    request = by.texts().req
    for n, total in enumerate((3, 5, 9, 12)):
        template = f"[{request}]-[FULL]-[#a.b.test@EFNet]-" + '[ {title} ]-[{n}/{N}] - "{name}" yEnc'
        yield Post("pack of one request, other names", _after(minutes=3 * n), _plain(by.texts(), by, total, template=template))  # fmt: skip


def _answers(by: _Author) -> Iterator[Post]:
    for n in range(3):
        files = _plain(by.texts(), by, template='[{req}]-[FULL]-[#a.b.test]-[ {title} ]-[{n}/{N}] - "{name}" yEnc')
        marked = [replace(file, head=f"Re: {file.head}") if k % 2 else file for k, file in enumerate(files)]
        yield Post("17 some files as answers", _after(minutes=3 * n), marked)


def _subtitles(by: _Author) -> Iterator[Post]:
    for n in range(3):
        texts = by.texts()
        names = [*_old(texts.req, 8), f"{texts.req}-Subs.par2", f"{texts.req}-Subs.rar", f"{texts.req}-sample.mkv"]
        yield Post("subtitles inside", _after(minutes=3 * n), _plain(texts, by, names=names, template='[{req}]-[{n3}/{N3}] - "{name}" yEnc'))  # fmt: skip


def _par2_of_its_own_total(by: _Author) -> Iterator[Post]:
    for n in range(3):
        texts = by.texts()
        data = [f"{texts.stem}.part{k:02}.rar" for k in range(1, 9)]
        par2 = [f"{texts.stem}.par2", f"{texts.stem}.vol00+1.par2", f"{texts.stem}.vol01+2.par2"]
        files = [*_plain(texts, by, names=data), *_plain(texts, by, names=par2)]
        yield Post("par2 posted with a total of its own", _after(minutes=3 * n), files)


def _mixed_padding(by: _Author) -> Iterator[Post]:
    for n in range(4):
        texts = by.texts()
        names = [name.upper() if k % 3 == 0 else name for k, name in enumerate(_old(texts.stem, 12))]
        forms = ('{title} [{m}/{M}] - "{name}" yEnc', _PLAIN, '{title} [{n3}/{M}] - "{name}" yEnc')
        files = [
            replace(
                _plain(texts, by, names=names, template=forms[k % 3])[k],
                counter=("({i}/{p})", "({i:0{w}}/{p})", "({i:03}/{p:03})")[k % 3],
            )
            for k in range(len(names))
        ]
        yield Post("mixed padding and case of one post", _after(minutes=3 * n), files)


def _from_zero(by: _Author) -> Iterator[Post]:
    """The first file is the nzb, number 0 of N: N+1 files."""
    for n in range(4):
        texts = by.texts()
        names = [f"{texts.stem}.nzb", *_parts(texts.stem, 9)]
        files = [
            by.file(_head(_PLAIN, texts, name, k, len(names) - 1), k, len(names) - 1) for k, name in enumerate(names)
        ]
        yield Post("counted from zero, nzb first", _after(minutes=3 * n), files)


def _charsets(by: _Author) -> Iterator[Post]:
    """UTF-8 and, of the same post, UTF-8 that was read as cp1252."""
    for n, name in enumerate(("Fjällräven", "Großstadtsinfonie", "Éternité", "Señorita")):
        texts = by.texts()
        texts = replace(texts, title=f"{name}.{texts.title}", stem=f"{name}.{texts.stem}".lower())
        files = [
            replace(file, head=file.head.encode().decode("cp1252", "replace")) if k % 2 else file
            for k, file in enumerate(_plain(texts, by))
        ]
        yield Post("two charsets in one post", _after(minutes=3 * n), files)


def _two_posters(by: _Author) -> Iterator[Post]:
    for n in range(3):
        texts = by.texts()
        for other in (_POSTERS[2 * n], _POSTERS[2 * n + 1]):
            yield Post(
                "two posters, same names and time",
                _after(minutes=3 * n),
                [replace(file, poster=other) for file in _plain(texts, by)],
            )


def _incomplete(by: _Author) -> Iterator[Post]:
    for n in range(4):
        files = [
            replace(file, articles=tuple(i for i in range(1, file.segments + 1) if i != 2))
            for k, file in enumerate(_plain(by.texts(), by, 12))
            if k % 3
        ]
        yield Post("files and segments missing", _after(minutes=3 * n), files)


def _drawn_names(by: _Author) -> Iterator[Post]:
    """Every file has a random name of its own; poster, counter and time hold the post together."""
    for n, total in enumerate((7, 9, 11)):
        files = [by.file(f'[{k:02}/{total:02}] - "{_word(by.draw, 20)}" yEnc', k, total) for k in range(1, total + 1)]
        yield Post("names drawn for each file", _after(hours=30 * n), files)


def _two_counters(by: _Author) -> Iterator[Post]:
    for n in range(3):
        files = _plain(by.texts(), by, template='[01/10] - "{title}" yEnc - [{n3}/{N3}] - "{name}" yEnc')
        yield Post("two file counters, the later one counts", _after(minutes=3 * n), files)


_CHATTER = (
    "Usenet Index Post 17 yEnc (1/66)", "Re: hello", "REQ: Nosferatu (see titles inside)", "Films of the year (1999/2012)", "open 24/7",
    "M/F", "5.1", "20x04", "CD 2 of 2", "[1080p]", "[E18CFA59]", "nothing (0/0)", "score (5/3)", "none (1/0)",
)  # fmt: skip


def _chatter(by: _Author) -> Iterator[Post]:
    """What is no file at all, and articles with random subjects: neither belongs to any release."""
    texts = [File(text, 1, poster=by.poster, counter="") for text in _CHATTER]
    yield Post("negative shapes", _after(minutes=1), texts, release=False)
    random = [File(_word(by.draw, 32, "0123456789abcdef"), 1, counter="") for _ in range(40)]
    yield Post("62 random subject for each article", _after(minutes=2), random, release=False)


_TRAPS: tuple[_Trap, ...] = (
    _lone_counters, _doubled, _sizes_after, _one_segment, _single_books, _one_of_several_groups, _poster_of_each_article, _crossposts,
    _same_total_below_one_prefix, _over_midnight, _reposts, _discs, _request_pack, _answers, _subtitles, _par2_of_its_own_total,
    _mixed_padding, _from_zero, _charsets, _two_posters, _incomplete, _drawn_names, _two_counters, _chatter,
)  # fmt: skip
