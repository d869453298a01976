"""Streams of posts, cut in spans: a span is filled with releases by its own generator and needs no other span.

A stream is one poster with one tool. Its positions are the lines it ever posts in a group; a span is a stretch of
them. The last post of a span is cut off where the span ends, like an upload that was broken off.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from string import Formatter

import numpy as np
import polars as pl

from simulator.dirt import soil
from simulator.mix import Mix
from simulator.names import File, Post, discussion, flood, random_name, release, release_name, spam, title
from simulator.randomness import B62, Ints, Words, digest, keyed, ragged, scatter
from simulator.tools import Lines, Recipe, Rng, Tool, join

OVERVIEW_TEXT = ("subject", "from", "date", "message_id", "references", "bytes", "lines")
HEADER_BYTES = 900
"""Bytes of the headers of an article, as `bodies` pads them."""
_FORGED_MS = 946_728_000_000
ENCODED = 1.015625 * 130 / 128
"""Bytes of yEnc text a raw byte becomes: 4 of 256 values are escaped, and each 128 characters end in CRLF."""


@dataclass(frozen=True, slots=True)
class Stream:
    """A poster with a tool.

    Attributes:
        key: what makes it different from all others.
        recipe: the kind of posts.
        tool: the posting tool.
        level: obfuscation level, 0 to 5.
        quota: lines in each window.
        start_ms: Unix time of its first window.
        window_ms: length of a window.
    """

    key: int
    recipe: Recipe
    tool: Tool
    level: int
    quota: int
    start_ms: int
    window_ms: int


@dataclass(frozen=True, slots=True)
class Span:
    """The lines of a stretch of a stream, in posting order.

    Attributes:
        lines: strings subject, from, date, message_id, references, bytes, lines.
        labels: class of each line (it differs from the stream's for malformed lines), file ordinal and part.
        files: release and file (UInt64, unique over the history), content key, size, parts, files_expected, name, title.
        article: raw bytes of a full segment.
    """

    lines: pl.DataFrame
    labels: pl.DataFrame
    files: pl.DataFrame
    article: int


@dataclass(frozen=True, slots=True)
class _Upload:
    """The files of a span, flat: one entry a file."""

    posts: list[Post]
    post_of: list[int]
    number: list[int]
    files: list[File]
    parts: list[int]


def fill(stream: Stream, first: int, last: int, mix: Mix) -> Span:
    """The span of positions `first..last` of a stream."""
    rng = keyed(stream.key, first)
    rows = last - first + 1
    upload, sent = _uploads(rng, stream, rows, mix)
    made = _lines(rng, stream, upload, sent, first)
    order = _arrival(rng, rows)
    arrived = made.in_order(order)
    ids = stream.tool.ids(rng, made)
    references = (
        _references(ids, made).gather(order) if stream.tool.chained else pl.Series([""]).new_from_index(0, rows)
    )
    dates = made.ms if stream.tool.server_dated else _told(rng, upload, arrived, mix)
    frame, broken = soil(rng, _text(rng, stream, upload, arrived, ids.gather(order), references, dates), mix)
    label = np.zeros(rows, dtype=np.int8)
    label[broken] = 1
    labels = pl.DataFrame({"malformed": label, "ordinal": arrived.file, "part": arrived.part})
    return Span(frame, labels, _files(stream, upload, first), stream.tool.article)


def posted(stream: Stream, first: int, last: int, mix: Mix) -> tuple[Ints, Ints]:
    """Lines of each file and ordinal of its release, of the span of positions `first..last`: as `fill` makes them, but no line is made."""
    upload, sent = _uploads(keyed(stream.key, first), stream, last - first + 1, mix)
    return sent, np.array(upload.post_of, dtype=np.int64)


def _uploads(rng: Rng, stream: Stream, room: int, mix: Mix) -> tuple[_Upload, Ints]:
    """Posts that fill `room` lines, and how many lines of each file are really sent."""
    upload = _Upload([], [], [], [], [])
    sent: list[int] = []
    left = room
    endless = _ENDLESS[stream.recipe.kind](rng) if stream.recipe.kind in _ENDLESS else None
    while left > 0:
        post = _post(rng, stream, left) if endless is None else next(endless)
        parts = [_segments(file.size, stream.tool.article) for file in post.files]
        limit = left if endless is not None or rng.random() >= mix.aborted else _broken_off(rng, parts, left)
        taken = parts if sum(parts) <= limit else _cut(parts, limit)
        upload.post_of.extend([len(upload.posts)] * len(taken))
        upload.number.extend(range(1, len(taken) + 1))
        upload.files.extend(post.files[: len(taken)])
        upload.parts.extend(parts[: len(taken)])
        upload.posts.append(post)
        sent.extend(taken)
        left -= sum(taken)
    return upload, np.array(sent, dtype=np.int64)


def _segments(size: int, article: int) -> int:
    return -(-size // article) if article else 1


def _cut(parts: list[int], limit: int) -> list[int]:
    """The lines of each file that fit in `limit`, without files of which nothing fits."""
    taken: list[int] = []
    for count in parts:
        take = min(count, limit)
        if take == 0:
            break
        taken.append(take)
        limit -= take
    return taken


def _broken_off(rng: Rng, parts: list[int], left: int) -> int:
    """Lines an upload of these files gets to before it is broken off."""
    return min(left, int(sum(parts) * rng.uniform(0.05, 0.95)) + 1)


_ENDLESS = {"spam": spam, "text": discussion}


def _post(rng: Rng, stream: Stream, room: int) -> Post:
    match stream.recipe.kind:
        case "garbage":
            return flood(rng, room)
        case "clear":
            post = release(rng, stream.tool.article, room, release_name(rng))
            return replace(post, title=title(rng, post.name, sum(file.size for file in post.files)))
        case "shared":
            return release(rng, stream.tool.article, room, random_name(rng))
        case _:
            post = release(rng, stream.tool.article, room, random_name(rng))
            return _per_file_names(rng, post) if rng.random() < 0.3 else post


def _per_file_names(rng: Rng, post: Post) -> Post:
    """The same post with a random name for each file; the ends stay."""
    stem = len(post.name)
    return replace(post, files=tuple(File(_renamed(rng, file.name, stem), file.size) for file in post.files))


def _renamed(rng: Rng, name: str, stem: int) -> str:
    return rng.bytes(16).hex() + name[stem:] if len(name) > stem else name


def _lines(rng: Rng, stream: Stream, upload: _Upload, sent: Ints, first: int) -> Lines:
    rows = int(sent.sum())
    file = np.repeat(np.arange(len(sent), dtype=np.int64), sent)
    starts = np.cumsum(sent) - sent
    position = first + np.arange(rows, dtype=np.int64)
    window, rank = position // stream.quota, position % stream.quota
    within = (rank + rng.random(rows)) * stream.window_ms / stream.quota
    return Lines(
        release=np.array(upload.post_of, dtype=np.int64)[file],
        file=file,
        file_number=np.array(upload.number, dtype=np.int64)[file],
        part=np.arange(rows, dtype=np.int64) - starts[file] + 1,
        parts=np.array(upload.parts, dtype=np.int64)[file],
        ms=stream.start_ms + window * stream.window_ms + within.astype(np.int64),
    )


def _arrival(rng: Rng, rows: int) -> Ints:
    """The order in which lines arrive: several connections shift neighbours past each other."""
    connections = int(rng.integers(1, 20))
    return np.argsort(np.arange(rows) + rng.random(rows) * 2 * connections, kind="stable").astype(np.int64)


def _told(rng: Rng, upload: _Upload, lines: Lines, mix: Mix) -> Ints:
    """Times that the posters tell; a few posts are dated wrongly as a whole."""
    forged = rng.random(len(upload.posts)) < mix.forged
    return np.where(forged[lines.release], _FORGED_MS, lines.ms)


def _text(
    rng: Rng, stream: Stream, upload: _Upload, lines: Lines, ids: pl.Series, references: pl.Series, dates: Ints
) -> pl.DataFrame:
    tool = stream.tool
    sizes = np.array([file.size for file in upload.files], dtype=np.int64)[lines.file]
    article = tool.article or 1 << 40
    raw = np.minimum(article, sizes - (lines.part - 1) * article)
    return pl.DataFrame(
        {
            "subject": _subjects(rng, stream, upload, lines, ids),
            "from": _posters(rng, stream, upload, lines),
            "date": _dates(dates, tool.zone),
            "message_id": join("<", ids, ">"),
            "references": references,
            "bytes": pl.Series(_article_bytes(rng, raw, tool)).cast(pl.String),
            "lines": pl.Series(_article_lines(raw, tool)).cast(pl.String),
        }
    )


def _article_bytes(rng: Rng, raw: Ints, tool: Tool) -> Ints:
    """Sizes as the server counts them: how many bytes yEnc escapes is chance, of 4 in 256 values."""
    if not tool.article:
        return raw + HEADER_BYTES
    escapes = rng.standard_normal(len(raw)) * np.sqrt(raw / 64)
    return (raw * ENCODED + escapes).astype(np.int64) + HEADER_BYTES


def _article_lines(raw: Ints, tool: Tool) -> Ints:
    return (raw * 1.015625 / 128).astype(np.int64) + 4 if tool.article else raw // 60 + 1


def _subjects(rng: Rng, stream: Stream, upload: _Upload, lines: Lines, ids: pl.Series) -> pl.Series:
    tool = stream.tool
    if tool.subject_is_id:
        return ids.str.head(32)
    if tool.random_subject is not None:
        return tool.random_subject.draw(rng, len(lines.ms))
    before, after = _around_counter(rng, stream, upload)
    file = pl.Series(lines.file)
    if not tool.shape.after:
        return before.gather(file)
    if tool.shape.pad_parts:
        widths = pl.Series([len(str(count)) for count in upload.parts]).gather(file)
        numbers = pl.select(pl.lit(pl.Series(lines.part)).cast(pl.String).str.zfill(pl.lit(widths))).to_series()
    else:
        numbers = pl.Series(lines.part).cast(pl.String)
    return join(before.gather(file), numbers, after.gather(file))


def _around_counter(rng: Rng, stream: Stream, upload: _Upload) -> tuple[pl.Series, pl.Series]:
    """What stands before and after the segment counter, one entry a file."""
    shape = stream.tool.shape
    totals = pl.Series([len(upload.posts[at].files) for at in upload.post_of])
    numbers = pl.Series(upload.number).cast(pl.String)
    if shape.pad_files:
        widths = totals.cast(pl.String).str.len_bytes()
        numbers = pl.select(pl.lit(numbers).str.zfill(pl.lit(widths))).to_series()
    facts = {
        "t": pl.Series([post.title for post in upload.posts]).gather(upload.post_of),
        "n": numbers,
        "N": totals.cast(pl.String),
        "f": pl.Series([file.name for file in upload.files]),
        "P": pl.Series(upload.parts).cast(pl.String),
        "s": pl.Series([file.size for file in upload.files]).cast(pl.String),
    }
    if "{r}" in shape.before:
        facts["r"] = ragged(rng, len(upload.files), 16, 24, B62)
    before = _written(shape.before, facts)
    if not shape.lone_counter:
        alone = _written(shape.before.replace(_COUNTER, ""), facts)
        before = before.zip_with(totals > 1, alone)
    return before, _written(shape.after, facts)


_COUNTER = "[{n}/{N}] - "


def _written(template: str, facts: dict[str, pl.Series]) -> pl.Series:
    """A template filled in for each file."""
    pieces: list[pl.Series | str] = []
    for text, field, _, _ in Formatter().parse(template):
        pieces += [text, *([facts[field]] if field else [])]
    if all(isinstance(piece, str) for piece in pieces):
        return pl.Series([template]).new_from_index(0, len(facts["t"]))
    return join(*pieces)


def _posters(rng: Rng, stream: Stream, upload: _Upload, lines: Lines) -> pl.Series:
    tool, rows = stream.tool, len(lines.ms)
    if tool.random_poster is not None:
        match tool.poster:
            case "article":
                return tool.random_poster(rng, rows)
            case "file":
                return tool.random_poster(rng, len(upload.files)).gather(lines.file)
            case _:
                return tool.random_poster(rng, len(upload.posts)).gather(lines.release)
    if tool.poster != "user":
        return pl.Series([tool.poster]).new_from_index(0, rows)
    names = pl.Series([_user(stream.key, int(which)) for which in rng.integers(0, 4, len(upload.posts))])
    return names.gather(lines.release)


def _user(key: int, which: int) -> str:
    """The name of one of the few people behind a stream."""
    people = ("archivist", "librarian", "curator", "mirror", "keeper", "collector", "reader", "uploader")
    hosts = ("example.org", "example.net", "news.example.com", "host.localdomain", "invalid.example")
    mark = digest(key, which)
    name = f"{people[mark % 8]}{mark // 8 % 1000}"
    return f"{name} <{name}@{hosts[mark // 8000 % 5]}>"


def _dates(ms: Ints, zone: str) -> pl.Series:
    """Date texts in the local time of `zone`, put together from a day and a time of day."""
    sign = -1 if zone.startswith("-") else 1
    offset = sign * (int(zone[1:3]) * 3600 + int(zone[3:5]) * 60) if zone[1:5].isdigit() else 0
    days, seconds = np.divmod(ms // 1000 + offset, 86_400)
    low = int(days.min())
    dates = pl.Series(np.arange(low, int(days.max()) + 1, dtype=np.int32)).cast(pl.Date).dt.strftime("%a, %d %b %Y ")
    return join(dates.gather(days - low), _times_of_day().gather(seconds), f" {zone}")


@cache
def _times_of_day() -> pl.Series:
    return pl.Series([f"{at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}" for at in range(86_400)])


def _references(ids: pl.Series, lines: Lines) -> pl.Series:
    first = np.flatnonzero(np.diff(lines.file, prepend=-1))
    heads = join("<", ids.gather(first), ">").gather(lines.file)
    frame = pl.DataFrame({"head": heads, "part": lines.part})
    return frame.select(pl.when(pl.col("part") > 1).then("head").otherwise(pl.lit(""))).to_series()


def _files(stream: Stream, upload: _Upload, first: int) -> pl.DataFrame:
    ordinals = np.arange(len(upload.files), dtype=np.int64)
    releases = np.array(upload.post_of, dtype=np.int64)
    keys: Words = scatter(digest(stream.key, first, "file"), ordinals)
    return pl.DataFrame(
        {
            "release": scatter(digest(stream.key, first, "release"), releases),
            "file": keys,
            "size": [file.size for file in upload.files],
            "segments_expected": pl.Series(upload.parts, dtype=pl.Int32),
            "files_expected": pl.Series([len(upload.posts[at].files) for at in upload.post_of], dtype=pl.Int32),
            "name": [upload.posts[at].name for at in upload.post_of],
            "filename": [file.name for file in upload.files],
        }
    )
