"""The grammar of a binary post's subject.

    subject = head, segment counter, tail          `head (3/66) 52428800`
    head    = title, file counter, file name, ...  `Debian 12 [05/06] - "debian12.part04.rar" yEnc`

The segment counter is the last parenthesised pair with 1 <= i <= P; all segments of a file share the head, so heads are
read once a file. Rules follow the yEnc draft 1.3 and the shapes posting tools and people write; docs/subjects.md has them
all, with examples and what is read as no counter and why.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable
from contextlib import suppress
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from html import unescape
from itertools import product

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.compiled import compiled
from pipeline.files import KNOWN_EXTENSION
from pipeline.schema import Column, Schema
from pipeline.texts import Octets, cut, texts

SPLIT = Schema(
    "split",
    (
        Column("head", pl.String, "subject before the segment counter, without white space at its end"),
        Column("tail", pl.String, "subject after the segment counter"),
        Column("segment", pl.Int32, "i of the segment counter, null when there is none"),
        Column("segments", pl.Int32, "P of the segment counter, null when there is none"),
    ),
)

PARSED = Schema(
    "parsed",
    (
        Column("name", pl.String, "file name without folders, empty when the subject has none"),
        Column("folder", pl.String, "uppermost folder of the name, empty when it has none"),
        Column("title", pl.String, "text that names the release, empty when there is none"),
        Column("description", pl.String, "text between a leading file counter and the name"),
        Column("file_number", pl.Int32, "n of the file counter"),
        Column("file_total", pl.Int32, "N of the file counter"),
        Column("request_id", pl.String, "request id, empty when there is none"),
        Column("repost", pl.Boolean, "marked as a repost"),
        Column(
            "shape",
            pl.String,
            "how it is written: `t` title, kind of counter, name `q` quoted, `h` quoted without extension or `u` plain, `y` yEnc",
        ),
    ),
)

# Digits are ASCII here and below: `\d` is any script's, which no integer is read from.
_LAST_PAIR = r"(\([0-9]{1,6}[/\\][0-9]{1,6}\)[^()]*)$"
_LAST_PAIR_BEFORE_COMMENT = r".*(\([0-9]{1,6}[/\\][0-9]{1,6}\).*)$"
_BRACKET_PAIR = r"^[A-Za-z0-9_-]{8,64} (\[[0-9]{1,6}/[0-9]{1,6}\])$"
NAME_IN_QUOTES = r'"[^"]*[^".\s]\.[A-Za-z0-9]{1,5} ?"'
_YEARS = pl.col("segment").is_between(1900, 2099) & pl.col("segments").is_between(1900, 2099)


def split(subjects: pl.Series) -> pl.DataFrame:
    """Cut the segment counter out of subjects.

    Args:
        subjects: String column without nulls.

    Returns:
        A frame `SPLIT` beside it. A pair out of bounds, or one that reads as years in a text, is no counter: the whole
        subject is the head then.
    """
    found = texts(subjects)
    return split_texts(found.octets, found.offsets[:-1], found.offsets[1:], subjects.gather)[0]


def split_texts(
    octets: Octets,
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    odd: Callable[[NDArray[np.intp]], pl.Series],
    doubted: NDArray[np.bool_] | None = None,
) -> tuple[pl.DataFrame, NDArray[np.int64]]:
    """`split` of subjects that lie in `octets`; `odd` gives those that need a closer look, among them all that are `doubted`.

    Returns:
        The frame, and where the head of each subject ends in `octets`; -1 in those that were odd.
    """
    cuts, pairs = _counters_at_end(starts, ends, octets)
    if doubted is not None:
        cuts[doubted] = -1
    usual = cuts[:, 0] >= 0
    others = np.flatnonzero(~usual)
    read = split_by_patterns(odd(others))
    columns: list[pl.Series] = []
    for name, first, last in (("head", starts, cuts[:, 0]), ("tail", cuts[:, 1], ends)):
        more = texts(read[name])
        begin, end = np.where(usual, first, 0), np.where(usual, last, 0)
        begin[others], end[others] = octets.size + more.offsets[:-1], octets.size + more.offsets[1:]
        columns.append(cut(octets, begin, end, more.octets).column.alias(name))
    counted = pl.Series(usual).scatter(others, read["segment"].is_not_null())
    pairs[others] = read.select(pl.col("segment", "segments").fill_null(0)).to_numpy()
    frame = pl.DataFrame([*columns, pl.Series("segment", pairs[:, 0]), pl.Series("segments", pairs[:, 1])])
    return frame.with_columns(pl.when(counted).then(pl.col("segment", "segments"))), cuts[:, 0]


@compiled
def _counters_at_end(
    starts: NDArray[np.int64], ends: NDArray[np.int64], octets: Octets
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Counters as almost all subjects have them, `head (3/66) tail`, told by the rules of `split_by_patterns`.

    Returns:
        cuts: int64[n, 2], where the head ends and the tail begins; -1 in subjects that have no such counter, or any doubt about it.
        pairs: int32[n, 2], segment and segments.
    """
    cuts, pairs = np.full((starts.size, 2), -1, np.int64), np.zeros((starts.size, 2), np.int32)
    for subject in range(starts.size):
        start, close = starts[subject], ends[subject] - 1
        while close >= start and octets[close] not in _NOT_IN_TAIL:
            close -= 1
        if close < start or octets[close] != ord(")"):
            continue
        segments, slash = _number_before(octets, start, close)
        if slash < start or octets[slash] not in (ord("/"), ord("\\")):
            continue
        segment, open_ = _number_before(octets, start, slash)
        if open_ < start or octets[open_] != ord("(") or not 1 <= segment <= segments:
            continue
        end = open_
        while end > start and (octets[end - 1] == 32 or 9 <= octets[end - 1] <= 13):
            end -= 1
        # Other scripts have white space of their own; two years in a row may be no counter.
        if (end > start and octets[end - 1] > 127) or (1900 <= segment <= segments <= 2099):
            continue
        cuts[subject, 0], cuts[subject, 1] = end, close + 1
        pairs[subject, 0], pairs[subject, 1] = segment, segments
    return cuts, pairs


_NOT_IN_TAIL = (ord("("), ord(")"), ord('"'))


@compiled
def _number_before(octets: Octets, start: int, end: int) -> tuple[int, int]:
    """The number of up to six digits that ends before `end`, and the place before it; (-1, -1) when there is none."""
    value, power, at = 0, 1, end - 1
    while at >= start and 48 <= octets[at] <= 57 and end - at <= 6:
        value += power * (int(octets[at]) - 48)
        power, at = power * 10, at - 1
    return (value, at) if at < end - 1 else (-1, -1)


def split_by_patterns(subjects: pl.Series) -> pl.DataFrame:
    """`split` for any subject."""
    subject = pl.col("subject")
    frame = pl.DataFrame({"subject": subjects}).with_columns(rest=subject.str.extract(_LAST_PAIR))
    if frame["rest"].null_count():
        # A comment with parentheses after the counter, or brackets as one tool writes them: few, so the dear way.
        other = pl.coalesce(subject.str.extract(_BRACKET_PAIR), subject.str.extract(_LAST_PAIR_BEFORE_COMMENT))
        odd = frame.with_row_index().filter(pl.col("rest").is_null() & subject.str.contains("/", literal=True))
        odd = odd.select("index", other=other).filter(pl.col("other").is_not_null())
        if odd.height:
            frame = frame.with_row_index().join(odd, on="index", how="left", maintain_order="left")
            frame = frame.select("subject", rest=pl.coalesce("rest", "other"))
    pair = pl.col("rest").str.extract_groups(r"^[(\[]([0-9]+)[/\\]([0-9]+)[)\]]")
    frame = frame.with_columns(
        segment=pair.struct[0].cast(pl.Int32),
        segments=pair.struct[1].cast(pl.Int32),
    )
    text = ~subject.str.contains('"', literal=True) & ~subject.str.contains("yEnc", literal=True)
    valid = (pl.col("segment") >= 1) & (pl.col("segment") <= pl.col("segments"))
    frame = frame.with_columns(
        valid=(valid & ~(_YEARS & text)).fill_null(value=False),
        tail=pl.col("rest").str.splitn(")", 2).struct[1].fill_null(""),
    )
    # What a name follows counts files: `Debian 12 (01/12) "debian12.rar" yEnc` has no segment counter.
    quoting = frame.with_row_index().filter(pl.col("tail").str.contains('"', literal=True))
    before = subject.str.strip_suffix(pl.col("rest"))
    named_later = pl.col("tail").str.contains(NAME_IN_QUOTES) & ~before.str.contains('"', literal=True)
    frame = frame.with_columns(valid=frame["valid"].scatter(quoting.filter(named_later)["index"], values=False))
    return frame.select(
        head=pl.when("valid").then(subject.str.strip_suffix(pl.col("rest"))).otherwise(subject).str.strip_chars_end(),
        tail=pl.when("valid").then("tail").otherwise(pl.lit("")),
        segment=pl.when("valid").then("segment"),
        segments=pl.when("valid").then("segments"),
    )


_NAME_MARK = "\x1a"
_QUOTED_FILE = r'^(.*)"([^"]*[^".\s]\.[A-Za-z0-9+_-]{1,12}) ?"(.*)$'
_QUOTED = r'^(.*)"([^"]+)"(.*)$'
_COUNTER_MARK = "\x1d"
_OF = "(?i:of|von|de|van)"
_N = "([0-9]{1,5})"
_FILE_WORD = "(?i:(?:par )?(?:file|datei|fichier|archivo|bestand))"
_BOX_WORD = r"(?i:(?:(?:par )?(?:file|datei|fichier|archivo|bestand|part|teil|post|rar|nr\.?|no\.?) |#))"
_COUNTERS = (
    # Kind of counter, a sign it never lacks, and its pattern: the last match of the first kind that has a possible one counts.
    # Alone between other parts and the name, it is the inner one of a nested set: `[1/3] Debian - (07/40) - "f"`.
    ("()", "(", rf"^(.*[-\]>)}}] ?)\({_N}(?:/|\|){_N}\)[ -]*(\x1a.*)$"),
    ("[]", "[", rf"^(.*)\[{_BOX_WORD}?{_N}(?:/| ?{_OF} ?|\|){_N}[\])>}}](.*)$"),
    ("[]", "]", rf"^(.*[\s\x1a]|){_N}/{_N}\](.*)$"),
    ("[]", "[", rf"^(.*\W|)\[{_N}/{_N}([ \x1a].*)$"),
    ("<>", "/", rf"^(.*?)[<{{]{{1,2}}{_N}/{_N}[>}})\]]{{1,2}}(.*)$"),
    ("()", "(", rf"^(.*)\((?:{_FILE_WORD} )?{_N}(?:/|\|| ?- ?| ?{_OF} ?){_N}[\])>}}](.*)$"),
    ("of", " ", rf"^(|.*?\W){_FILE_WORD}[ _]+{_N}(?:/| {_OF} ){_N}(|[^0-9].*)$"),
    ("of", " ", rf"^(|.*?\W-[ _]+|-[ _]+){_N} {_OF} {_N}(| ?[-:(\x1a\x1d].*| )$"),
    ("of", "\x1a", rf"^(.*\x1a[ -]*){_N} {_OF} {_N}(|[^0-9].*)$"),
    ("/", "/", rf"^(.*\x1a) ?{_N}/{_N}(|[^0-9].*)$"),
    ("/", "/", rf"^(.* - ){_N}/{_N}( - \x1a.*)$"),
)
_AGAIN = r"(?:full[ ._-]*)?(?:re-?post(?:ed)?|re-?up(?:load(?:ed)?)?)"
_REPLY = r"^(?:\s*(?i:re|aw|fwd?): ?)+"
# In brackets or asterisks, as the first word, or as the last one before counter or name; else it is a word of the title.
_REPOST = (
    rf"(?i)-?[*\[(<{{]+ *(?:{_AGAIN}|proper) *[*\])>}}]+ *"
    rf"|^[^\w\x1a\x1d]*{_AGAIN}\b[-*:_ ]*"
    rf"|\b{_AGAIN}\b[^\w\x1a\x1d]*([\x1a\x1d])"
)
_MAYBE_REPOST = r"(?i)re-?(?:post|up)|proper"
_REPOST_IN_CAPITALS = r"\b(?:RE-?POST|RE-?UP)\b"
_ID = r"^\W*\[ ?([0-9]{5,8}) ?\]"
_REQUEST = rf"{_ID} ?-? ?[\[\x1d]"
_REQUEST_TITLE = (
    rf"{_ID}(?: ?- ?\[ *(?i:#?[^\]]*(?:@|a\.b\.|alt\.?bin)[^\]]*|full|part|req|[0-9]+/[0-9]+) *\])*"
    r" ?-? ?\[\s*([^\]\x1a]+?)\s*\]"
)
_SIZE = r"(?i)[\[(]?\b\d+(?:[.,]\d+)? ?[kmgt]i?b(?:ytes)?\b[\])]?|\b\d{3,} bytes\b"
_DOMAIN = r"[\w-]+\.(?:test|com|net|org|info)"
_SITE = rf"(?:www\.|\b{_DOMAIN}(?:[\s/\]>]|$)|partner)"
# The chat channel a request was made in, and what part of it is posted: `[#a.b.x@EFNet]-[FULL]`. The boxes beside it are no advertisement.
_CHANNEL = r"(?i)\[[^\]\x1a\x1d]*(?:efnet|#a\.b|#alt\.?bin)[^\]\x1a\x1d]*\][ -]*|\[(?:full|req)\][ -]*"
_BOX = r"\[[^\]\x1a\x1d]*\][ -]*"
_ADVERT = (
    rf"(?i)<<+[^<>]*{_SITE}[^<>]*>>+|>>+[^<>]*{_SITE}[^<>]*<<+|(?:{_BOX})*\[[^\]\x1a\x1d]*{_SITE}[^\]\x1a\x1d]*\][ -]*(?:{_BOX})*"
    rf"|[(\[<]?(?:https?://|www\.)[^\s)\]>]+[)\]>]?|(?:^|[\s(\[<]){_DOMAIN}(?:/\S*)?(?:[\s)\]>]|$)"
    r"|[(\[]\?{2,}[)\]]|\[[0-9a-f]{6,}…\]|\[[0-9]*[a-f][0-9a-f]{9,}\]"
)
# `[PRiVATE] \\release\\::file.r00::/release/ [newzNZB] [3/3] - yEnc`: what is random per file goes.
_PRIVATE = (r"^\[PRiVATE\] *\\+[^\\]+\\+::([^:]+)::/+[^/]*/+ *(?:\[newzNZB\])?(.*)$", '$2 "$1"')
# `[N3wZ] \id\::[PRiVATE]-[WtFnZb]-[file.mkv]-[1/3] - "" yEnc` and `...-[3]-[1/file.mkv] - "" yEnc`: the name stands in a box.
_BOXED = (rf'^.*-\[([^\]"]+\.(?i:{KNOWN_EXTENSION}))\]-\[([0-9]+/[0-9]+)\] - ""(.*)$', '[$2] - "$1"$3')
_BOXED_COUNTED = (rf'^.*-\[([0-9]+)\]-\[([0-9]+)/([^\]"]+\.(?i:{KNOWN_EXTENSION}))\] - ""(.*)$', '[$2/$1] - "$3"$4')
_FRAME = ' \t-_|:;,~*=+.<>\x1a"`/\\'
LONGEST = 4_000
"""Characters of a head that are read; RFC 5536 2.2 allows lines of 998 octets."""


def parse(heads: pl.Series) -> pl.DataFrame:
    """Read heads: file name, file counter, title, request id, repost mark.

    Args:
        heads: String column without nulls, best one a file.

    Returns:
        A frame `PARSED` beside it.
    """
    found = texts(heads)
    titles, names, counters, shapes = _plain(found.offsets, found.octets)
    plain = shapes >= 0
    rows = np.flatnonzero(plain)
    told = pl.DataFrame(
        {
            "title": cut(found.octets, titles[rows, 0], titles[rows, 1]).column,
            "name": cut(found.octets, names[rows, 0], names[rows, 1]).column,
            "file_number": counters[rows, 0],
            "file_total": counters[rows, 1],
            "shape": _PLAIN_SHAPES.gather(shapes[rows]),
        }
    ).select(
        *(
            pl.col(column.name) if column.name in ("title", "name", "shape") else _plainly(column)
            for column in PARSED.columns
        )
    )
    others = np.flatnonzero(~plain)
    if not len(others):
        return told
    place = np.empty(len(heads), np.int64)
    place[rows], place[others] = np.arange(len(rows)), np.arange(len(rows), len(heads))
    return pl.concat([told, parse_by_patterns(heads.gather(others))]).rechunk()[place]


def _plainly(column: Column) -> pl.Expr:
    """What a plain head says of anything but title, name and shape."""
    if column.dtype == pl.Int32:
        return pl.when(pl.col("file_total") > 0).then(column.name)
    return pl.lit("" if column.dtype == pl.String else False).alias(column.name)


_PLAIN_SHAPES = pl.Series(["".join(signs) for signs in product(("", "t"), ("", "[]"), "hq", ("", "y"))])


@compiled
def _plain(
    offsets: NDArray[np.int64], octets: Octets
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int32], NDArray[np.int8]]:
    """Heads that are nothing but `4b81c07d [5/6] - "name.rar" yEnc`, all but the name left out or not, told by the rules of `parse_by_patterns`.

    Returns:
        titles: int64[n, 2], where the title, a word with a digit in it, begins and ends.
        names: int64[n, 2], where the name begins and ends.
        counters: int32[n, 2], file number and file total, 0 where there are none.
        shapes: int8[n], place of the shape in `_PLAIN_SHAPES`; -1 in heads that are not plain, or any doubt about it.
    """
    count = offsets.size - 1
    titles, names, counters = (
        np.zeros((count, 2), np.int64),
        np.zeros((count, 2), np.int64),
        np.zeros((count, 2), np.int32),
    )
    shapes = np.full(count, -1, np.int8)
    for head in range(count):
        start, end = offsets[head], offsets[head + 1]
        if end - start > LONGEST:
            continue
        title = _title_end(octets, start, end)
        number, total, at = _counter_at(octets, _after_frame(octets, title, end) if title > start else start, end)
        if at >= end or octets[at] != ord('"'):
            continue
        dotted, yenc, close = _name_end(octets, at + 1, end)
        if close < 0:
            continue
        titles[head, 0], titles[head, 1] = start, title
        names[head, 0], names[head, 1] = at + 1, close
        counters[head, 0], counters[head, 1] = number, total
        shapes[head] = 8 * (title > start) + 4 * (total > 0) + 2 * dotted + yenc
    return titles, names, counters, shapes


@compiled
def _title_end(octets: Octets, start: int, end: int) -> int:
    """Where a title ends that is one word of ASCII letters and digits, both or digits alone; `start` where there is none.

    A word with a digit is no mark of a repost and no advertisement; one that may be a size, `700MB`, is doubted.
    """
    at, digits = start, 0
    while at < end and (48 <= octets[at] <= 57 or 97 <= octets[at] | 32 <= 122):
        digits += octets[at] <= 57
        at += 1
    size = at > start and octets[start] <= 57 and octets[at - 1] | 32 in _ENDS_OF_SIZES
    return at if digits and at - start > 1 and not size else start


_ENDS_OF_SIZES = (ord("b"), ord("s"))


@compiled
def _after_frame(octets: Octets, at: int, end: int) -> int:
    """The place after blanks and dashes."""
    while at < end and octets[at] in (32, ord("-")):
        at += 1
    return at


@compiled
def _counter_at(octets: Octets, start: int, end: int) -> tuple[int, int, int]:
    """File number and total of a `[5/6]` at `start` (0 and 0 where there is none), and the place after it and what parts it from the name."""
    if start >= end or octets[start] != ord("["):
        return 0, 0, start
    number, at = _number_at(octets, start + 1, end)
    if at >= end or octets[at] != ord("/"):
        return 0, 0, end
    total, at = _number_at(octets, at + 1, end)
    if at >= end or octets[at] != ord("]") or not 0 <= number <= total or total < 1:
        return 0, 0, end
    # Two years are no counter.
    return number, total, end if number >= 1900 and total <= 2099 else _after_frame(octets, at + 1, end)


@compiled
def _name_end(octets: Octets, start: int, end: int) -> tuple[bool, bool, int]:
    """Whether a name at `start` has a dot and yEnc after it, and where it ends; -1 where it or what follows needs a closer look."""
    at, dotted, right, yenc_within = start, False, True, False
    while at < end and octets[at] != ord('"'):
        dotted |= octets[at] == ord(".")
        right &= 32 <= octets[at] < 127 and octets[at] not in _NOT_PLAIN
        # `REPOST` and `REUP` in capitals mark a repost wherever they stand.
        right &= octets[at] != ord("E") or octets[at - 1] != ord("R")
        yenc_within |= octets[at] | 32 == ord("e") and octets[at - 1] | 32 == ord("y")
        at += 1
    yenc = end - at == _YENC_END.size
    for place in range(_YENC_END.size):
        yenc = yenc and octets[at + place] == _YENC_END[place]
    right &= yenc or (end - at == 1 and not yenc_within)
    right &= at > start and octets[start] != 32 and octets[at - 1] != 32
    return dotted, yenc, at if right else -1


_NOT_PLAIN = (ord("&"), ord("="), ord("/"), ord("\\"))
_YENC_END = np.frombuffer(b'" yEnc', np.uint8)


@compiled
def _number_at(octets: Octets, start: int, end: int) -> tuple[int, int]:
    """The number of one to five digits at `start`, -1 when there is none, and the place after it."""
    value, at = 0, start
    while at < end and 48 <= octets[at] <= 57 and at - start < 5:
        value = value * 10 + int(octets[at]) - 48
        at += 1
    return (value, at) if at > start else (-1, at)


def parse_by_patterns(heads: pl.Series) -> pl.DataFrame:
    """`parse` for any heads."""
    text = legible(heads).str.head(LONGEST).str.replace(_REPLY, "").str.replace(*_PRIVATE)
    boxed = text.str.contains('""', literal=True).arg_true()
    if len(boxed):
        text = text.scatter(boxed, text.gather(boxed).str.replace(*_BOXED).str.replace(*_BOXED_COUNTED))
    frame = pl.DataFrame({"head": text}).with_columns(
        yenc=pl.col("head").str.contains(r"(?i)\byenc\b"),
    )
    frame = _with_name(frame)
    frame = _with_counter(frame)
    return _with_title(frame)


def decoded(subjects: pl.Series) -> pl.Series:
    """Subjects with the words of RFC 2047 in them decoded: a whole one may be written so, counters and all."""
    encoded = subjects.str.contains("=?", literal=True).arg_true()
    return subjects.clone().scatter(encoded, legible(subjects.gather(encoded))) if len(encoded) else subjects


@compiled
def encoded(offsets: NDArray[np.int64], octets: Octets) -> NDArray[np.bool_]:
    """Texts that may hold words of RFC 2047."""
    found = np.zeros(offsets.size - 1, np.bool_)
    for text in range(found.size):
        for at in range(offsets[text], offsets[text + 1] - 1):
            if octets[at] == ord("=") and octets[at + 1] == ord("?"):
                found[text] = True
                break
    return found


_ENTITY = r"&(?:#[0-9]{1,6}|#[xX][0-9A-Fa-f]{1,5}|[A-Za-z]{2,8}[0-9]{0,2});"
# The first two octets of a character in UTF-8, read as cp1252 or latin-1.
_MOJIBAKE = rf"[\u00c2-\u00f4][\u0080-\u00bf{re.escape(bytes(range(0x80, 0xC0)).decode('cp1252', 'ignore'))}]"
_CONTROL = r"[\x00-\x1f\x7f]"


def legible(texts: pl.Series) -> pl.Series:
    """Texts with RFC 2047 words, HTML entities and UTF-8 read as cp1252 put right, each once; control characters are blanks."""
    odd = texts.str.contains(rf"=\?[\w-]+\?[bBqQ]\?|{_ENTITY}|{_MOJIBAKE}|{_CONTROL}")
    if not odd.any():
        return texts
    kinds = texts.filter(odd).unique()
    return texts.replace(kinds, pl.Series([_legible(text) for text in kinds], dtype=pl.String))


def _legible(text: str) -> str:
    if "=?" in text:
        with suppress(HeaderParseError, LookupError, ValueError):
            text = str(make_header(decode_header(text)))
    text = re.sub(_ENTITY, lambda entity: unescape(entity[0]), text)
    with suppress(UnicodeError):
        text = text.encode("cp1252", "latin_where_undefined").decode("utf-8")
    return re.sub(_CONTROL, " ", text)


def _latin(error: UnicodeError) -> tuple[bytes, int]:
    """The five octets that cp1252 has no character for stand in the text as latin-1 reads them."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return error.object[error.start : error.end].encode("latin-1"), error.end


codecs.register_error("latin_where_undefined", _latin)


def _with_name(frame: pl.DataFrame) -> pl.DataFrame:
    """Add `quoted`, the quoted name, and `rest`, the head with it cut out (marked)."""
    pieces = pl.col("head").str.splitn('"', 3).struct
    frame = frame.with_columns(before=pieces[0], quoted=pieces[1], after=pieces[2])
    plain = pl.col("quoted") != ""
    # Two quotes in most heads; where there are more, the last that look like a file name count.
    usual = plain & pl.col("after").is_not_null() & ~pl.col("after").str.contains('"', literal=True)
    several = frame.with_row_index().filter(~usual.fill_null(value=False) & pl.col("quoted").is_not_null())
    parts = [several["head"].str.extract_groups(pattern).struct.unnest() for pattern in (_QUOTED_FILE, _QUOTED)]
    for ordinal, column in enumerate(("before", "quoted", "after")):
        found = pl.select(pl.coalesce(part.to_series(ordinal) for part in parts)).to_series()
        frame = frame.with_columns(frame[column].scatter(several["index"], found))
    marked = pl.concat_str("before", pl.lit(_NAME_MARK), "after")
    return frame.select(
        "head",
        "yenc",
        quoted=pl.col("quoted").fill_null(""),
        rest=pl.when(pl.col("quoted").is_null()).then("head").otherwise(marked),
    )


def _with_counter(frame: pl.DataFrame) -> pl.DataFrame:
    """Add `file_number`, `file_total` and `counter` (its kind), and put a mark in its place in `rest`."""
    rest = pl.col("rest")
    none = pl.repeat(None, frame.height, dtype=pl.Int32, eager=True)
    counters = [pl.repeat("", frame.height, eager=True), none, none.clone(), frame["rest"]]
    pairs = frame.select("rest").with_row_index().filter(rest.str.contains(rf"[0-9](?:/|\|| ?- ?| ?{_OF} ?)[0-9]"))
    for kind, sign, pattern in _COUNTERS:
        found = pairs.filter(rest.str.contains(sign, literal=True)).select(
            "index", parts=rest.str.extract_groups(pattern)
        )
        parts = pl.col("parts").struct
        found = found.select(
            "index",
            counter=pl.lit(kind),
            file_number=parts[1].cast(pl.Int32),
            file_total=parts[2].cast(pl.Int32),
            rest=pl.concat_str(parts[0], pl.lit(_COUNTER_MARK), parts[3]),
        )
        n, total = pl.col("file_number"), pl.col("file_total")
        years = n.is_between(1900, 2099) & total.is_between(1900, 2099)
        found = found.filter((total >= 1) & (n <= total) & ~years)
        if found.is_empty():
            continue
        counters = [old.scatter(found["index"], new) for old, new in zip(counters, found.drop("index"), strict=True)]
        # (1/1), or one at the end, gives way to any later kind: it may be a doubled segment counter.
        doubled = (pl.col("file_total") == 1) | rest.str.ends_with(_COUNTER_MARK)
        settled = found.filter(~((pl.col("counter") == "()") & doubled))["index"]
        pairs = pairs.filter(~pl.col("index").is_in(settled.implode()))
    names = ("counter", "file_number", "file_total", "rest")
    return frame.with_columns(column.alias(name) for name, column in zip(names, counters, strict=True))


# Typographic quotes and apostrophes.
_OPENING, _CLOSING = "\u201c\u201e\u00ab", "\u201c\u201d\u00bb"
_NAME_TO_QUOTE = rf'^([^"]*?)([^\x1d\x1a\[\]<>|"]*[^\x1d\x1a\[\]<>|"\s]\.(?i:{KNOWN_EXTENSION}))("[^"]*)$'
# Where several parts could be the name, the last: `Name.ISO [1/2] name.part1.rar`.
_PLAIN_NAME = rf"^(.*[\x1d\x1a\[\]<>|\"]|)([^\x1d\x1a\[\]<>|\"]*?[^\x1d\x1a\[\]<>|\"\s]\.(?i:{KNOWN_EXTENSION}))((?:[\s\x1d\"'`{_CLOSING}].*)?)$"


# `[Group] Title - 01 [1080p][E18CFA59].mkv`
_BOXES_NAME = rf'^([^\[]*)(\[[^\x1d\x1a<>|"]*[\])]\.(?i:{KNOWN_EXTENSION}))((?:[\s\x1d"].*)?)$'
# A slash that parts no folders: `AC/DC`, `24/7`, `(1/3)`.
_NO_PATH = r"\([0-9]+/[0-9]+\)|\b[A-Z]{1,3}/[A-Z]{1,3}\b|\b24/7\b"


def _with_title(frame: pl.DataFrame) -> pl.DataFrame:
    """Names not quoted, then what is left of `rest` as title and description."""
    frame = _with_repost(_with_plain_name(frame))
    full = pl.when(pl.col("quoted") != "").then("quoted").otherwise("plain")
    frame = frame.with_columns(full=full.str.strip_chars(' "\t').str.replace_all("\\", "/", literal=True))
    frame = frame.with_columns(unnamed=pl.col("full") == "").hstack(_folders(frame["full"]))
    # The files of a release differ in name and counter, which are cut out by now.
    said = _said(frame.select("rest", "unnamed").unique(maintain_order=True))
    frame = frame.join(said, on=["rest", "unnamed"], how="left", maintain_order="left")
    return frame.select(
        "name",
        "folder",
        "title",
        "description",
        "file_number",
        "file_total",
        "request_id",
        "repost",
        shape=pl.concat_str(
            pl.when("titled").then(pl.lit("t")).otherwise(pl.lit("")),
            "counter",
            pl.when((pl.col("quoted") != "") & ~pl.col("full").str.contains(".", literal=True))
            .then(pl.lit("h"))
            .when(pl.col("quoted") != "")
            .then(pl.lit("q"))
            .when(pl.col("plain") != "")
            .then(pl.lit("u"))
            .otherwise(pl.lit("")),
            pl.when("yenc").then(pl.lit("y")).otherwise(pl.lit("")),
        ),
    )


def _with_plain_name(frame: pl.DataFrame) -> pl.DataFrame:
    """Add `plain`, a name without quotes, and put a mark in its place in `rest`."""
    rest = pl.col("rest")
    unquoted = frame.with_row_index("row").filter(pl.col("quoted") == "").select("row", "head", "rest")
    to_quote, to_end, boxed = (rest.str.extract_groups(p) for p in (_NAME_TO_QUOTE, _PLAIN_NAME, _BOXES_NAME))
    unquoted = unquoted.with_columns(
        parts=pl.when(to_quote.struct[1].is_not_null())
        .then(to_quote)
        .when(to_end.struct[1].is_not_null())
        .then(to_end)
        .otherwise(boxed)
    )
    parts = pl.col("parts").struct
    unquoted = unquoted.with_columns(
        plain=parts[1].fill_null("").str.strip_chars(" -_\t:;'`" + _OPENING),
        rest=pl.coalesce(pl.concat_str(parts[0], pl.lit(_NAME_MARK), parts[2]), "rest"),
    )
    plain = pl.repeat("", frame.height, eager=True).scatter(unquoted["row"], unquoted["plain"])
    doubled = unquoted.filter((pl.col("plain") != "") & pl.col("head").str.contains('^[^"]*"[^"]*$'))
    if doubled.height:
        names = pl.Series([_without_title(name) for name in doubled["plain"]], dtype=pl.String)
        plain = plain.scatter(doubled["row"], names)
    return frame.with_columns(plain=plain, rest=frame["rest"].scatter(unquoted["row"], unquoted["rest"]))


def _folders(full: pl.Series) -> pl.DataFrame:
    """`name` and `folder`: the uppermost folder is what was posted; of a path from a root that says nothing, the last one."""
    text = pl.col("full")
    frame = pl.DataFrame({"full": full}).with_row_index().filter(text.str.contains("/", literal=True))
    frame = frame.filter(~text.str.contains(_NO_PATH))
    path = text.str.extract(r"^(.+)/[^/]+$").fill_null("")
    rooted = path.str.contains(r"^(?:/|[A-Za-z]:|~|\.)")
    folder = pl.when(rooted).then(path.str.extract(r"([^/]*)$")).otherwise(path.str.extract(r"^([^/]*)")).fill_null("")
    frame = frame.select("index", folder=folder, name=text.str.extract(r"([^/]*)$").fill_null(""))
    return pl.DataFrame(
        {
            "name": full.clone().scatter(frame["index"], frame["name"]),
            "folder": pl.repeat("", len(full), eager=True).scatter(frame["index"], frame["folder"]),
        }
    )


def _said(kinds: pl.DataFrame) -> pl.DataFrame:
    """Add `title`, `description` and `request_id` to what is left of heads: `rest`, and whether they are `unnamed`."""
    rest = pl.col("rest")
    frame = kinds.with_columns(
        request_id=rest.str.extract(_REQUEST).fill_null(""),
        request_title=rest.str.extract(_REQUEST_TITLE, 2).fill_null(""),
    )
    clean = (
        rest.str.replace_all(_CHANNEL, " ")
        .str.replace_all(_ADVERT, " ")
        .str.replace_all(_SIZE, " ")
        .str.replace_all(r"(?i)[\[(]?\byenc\b[\])]?|^\S*\bpresents?\b[-:. ]*|[<>]{2,}", " ")
    )
    frame = frame.with_columns(
        clean=pl.when(rest.str.contains(r"[A-Za-z0-9\x{80}-\x{10ffff}]")).then(clean).otherwise(rest)
    )
    before, after = (
        frame["clean"].str.extract(pattern).fill_null("").str.strip_chars(_FRAME)
        for pattern in (r"^([^\x1d\x1a]*)", r"^[^\x1d\x1a]*[\x1d\x1a](.*)$")
    )
    before = before.str.strip_chars_end("[({" + _FRAME)
    after = after.str.replace_all(r"[\x1d\x1a]", " ").str.strip_chars(_FRAME)
    frame = frame.with_columns(before=before, after=after)
    # `"Release" [00/14] - "x.nzb"`: the first quotes are the title, which `before` holds with its quotes taken off.
    title = pl.when(pl.col("request_id") != "").then("request_title").otherwise("before")
    title = pl.when(pl.col("unnamed") & (title == "")).then("after").otherwise(title)
    title = (
        title.str.replace_all(r"^[\[({]\s*([^\[\](){}]*?)\s*[\])}]$", "$1")
        .str.replace_all(r"\s+", " ")
        .str.strip_chars(_FRAME)
        .str.replace(r"^'([^']*)'?$", "$1")
    )
    return frame.select(
        "rest",
        "unnamed",
        "request_id",
        title=pl.when(title.str.contains(r"[A-Za-z0-9\x{80}-\x{10ffff}]{2}")).then(title).otherwise(pl.lit("")),
        titled=title != "",
        description="after",
    )


def _with_repost(frame: pl.DataFrame) -> pl.DataFrame:
    """Add `repost`, and take its mark out of `rest`."""
    head, rest = pl.col("head"), pl.col("rest")
    odd = frame.with_row_index().filter(head.str.contains(_MAYBE_REPOST)).select("index", "head", "rest")
    odd = odd.with_columns(repost=rest.str.contains(_REPOST) | head.str.contains(_REPOST_IN_CAPITALS))
    odd = odd.with_columns(rest=rest.str.replace_all(_REPOST, " $1"))
    repost = pl.repeat(value=False, n=frame.height, eager=True).scatter(odd["index"], odd["repost"])
    return frame.with_columns(repost=repost, rest=frame["rest"].scatter(odd["index"], odd["rest"]))


def _without_title(name: str) -> str:
    """`X X.vol0+1.par2`, with its quotes lost, is title X and file `X.vol0+1.par2`."""
    for end in range(1, len(name) // 2 + 1):
        if name[end] == " " and name.startswith(name[:end], end + 1):
            return name[end + 1 :]
    return name
