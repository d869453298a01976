"""Overview text to columns: every line becomes a row of `schema.OVERVIEW` or of `schema.REJECTED`.

Lines whose fields are where RFC 3977 8.3 puts them are read all at once, see `pipeline.fields`. What is left, lines with raw TABs in
a field or with something missing, is looked at one by one.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, partial
from typing import Any

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from pipeline import fields
from pipeline.dates import believable, parse_dates
from pipeline.fields import LINE_LIMIT, Fields
from pipeline.schema import OVERVIEW, REJECTED
from pipeline.texts import Octets, Texts, cut
from pipeline.utf8 import as_utf8

_NO_REFERENCES = ("(null)", "null")

_LONE_CR = re.compile(rb"\r(?!\n)")
_XREF = re.compile(r"^(?i:xref:)?\s*(?:[^\s:]+(?:\s+|$))?")
"""The header name, which some servers leave out, and the server's name."""
_A_NUMBER = re.compile(r"\d{1,18}")
_A_SIZE = re.compile(r"-?\d{1,18}")
_A_DATE = re.compile(r"\d{1,2}[ -][A-Za-z]{3}[ -]\d{2,4}\b")
_AN_ID = re.compile(r"<.+>")
_AN_XREF = re.compile(r"(?:xref:.*|\S+(?: \S+:\d+)+\s*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows of one block.

    Attributes:
        table: the columns of `schema.OVERVIEW` as a `pyarrow.Table`, as Parquet is written from; ascending and unique by number, inside the
            block's numbers.
        rejected: frame `schema.REJECTED`.
        lines: lines of the text; `overview.height + rejected.height`.
    """

    table: Any
    rejected: pl.DataFrame
    lines: int

    @property
    def overview(self) -> pl.DataFrame:
        """The table as frame `schema.OVERVIEW`."""
        return OVERVIEW.check(pl.DataFrame(self.table))


def parse(text: bytes, first: int, last: int, now: datetime) -> Parsed:
    """Parse the lines of an XOVER `first-last`.

    Args:
        text: lines with CRLF or LF, as sent, without terminator; less than 1 GiB. A blank line is a line.
        first: lowest number asked for.
        last: highest number asked for.
        now: aware; dates later than `now` + 2 days are not believed.
    """
    if text and not text.endswith(b"\n"):
        text += b"\n"
    lines, octets = _Lines(text), as_utf8(text)
    found = fields.find(octets)
    repaired, unreadable = _repaired(found, lines, len(octets))
    texts = partial(_texts, octets, repaired, found)
    rows, outside, duplicate = _in_order(np.flatnonzero(found.plain), found.number, first, last)
    times = _times(found.time[rows], lambda odd: texts(fields.DATE, rows[odd]).column, now)
    table = pa.table(
        {
            "number": found.number[rows],
            "subject": texts(fields.SUBJECT, rows).array,
            "poster": texts(fields.POSTER, rows).array,
            "posted_at": times.to_arrow(compat_level=pl.CompatLevel.oldest()),
            "message_id": texts(fields.MESSAGE_ID, rows).array,
            "references": texts(fields.REFERENCES, rows).array,
            "bytes": found.size[rows],
            "xref": texts(fields.XREF, rows).array,
        }
    )
    reasons = [*unreadable, *((row, "outside_range") for row in outside), *((row, "duplicate") for row in duplicate)]
    rejected = pl.DataFrame(
        {"raw": [lines.raw(row) for row, _ in reasons], "reason": [reason for _, reason in reasons]},
        schema=REJECTED.polars,
    )
    return Parsed(table, rejected, len(found.plain))


class _Lines:
    """The lines of a text, cut out one by one where asked for."""

    def __init__(self, text: bytes) -> None:
        self._text = text

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        return np.flatnonzero(np.frombuffer(self._text, np.uint8) == ord("\n"))

    def raw(self, row: int) -> bytes:
        """Line `row` as received, without its line end."""
        start = int(self._ends[row - 1]) + 1 if row else 0
        return self._text[start : int(self._ends[row])].removesuffix(b"\r")


def _texts(octets: Octets, more: Octets, found: Fields, which: int, rows: NDArray[np.intp]) -> Texts:
    """One of the texts of each row."""
    return cut(octets, found.starts[which, rows], found.ends[which, rows], more)


def _times(time: NDArray[np.int64], dates: Callable[[NDArray[np.intp]], pl.Series], now: datetime) -> pl.Series:
    """When each row was posted, null when that is not believable; `dates` gives the texts of rows whose time is unread."""
    column = believable(pl.Series(time).cast(OVERVIEW.polars["posted_at"]), now)
    odd = np.flatnonzero(time == fields.UNREAD)
    return column.scatter(odd, parse_dates(dates(odd), now)) if len(odd) else column


def _in_order(
    rows: NDArray[np.intp], number: NDArray[np.int64], first: int, last: int
) -> tuple[NDArray[np.intp], list[int], list[int]]:
    """Lines ascending and unique by number, and those left out: outside the numbers asked for, and duplicates."""
    inside = (number[rows] >= first) & (number[rows] <= last)
    outside, rows = rows[~inside].tolist(), rows[inside]
    if (np.diff(number[rows]) > 0).all():
        return rows, outside, []
    rows = rows[np.argsort(number[rows], kind="stable")]
    repeats = np.append(False, np.diff(number[rows]) == 0)
    return rows[~repeats], outside, rows[repeats].tolist()


def _repaired(found: Fields, lines: _Lines, end: int) -> tuple[Octets, list[tuple[int, str]]]:
    """Read the lines that are not plain one by one.

    Those with all that is needed become plain in `found`, their texts in the octets returned, which belong at `end` of the text; the
    others are returned with the reason.
    """
    octets, unreadable = bytearray(), list[tuple[int, str]]()
    for row in np.flatnonzero(~found.plain).tolist():
        line = _looked_at(lines.raw(row))
        if isinstance(line, str):
            unreadable.append((row, line))
            continue
        found.plain[row], found.time[row] = True, fields.UNREAD
        found.number[row], found.size[row] = line.number, line.size
        for which, text in enumerate(line.texts):
            found.starts[which, row] = end + len(octets)
            octets += text.encode()
            found.ends[which, row] = end + len(octets)
    return np.frombuffer(bytes(octets), np.uint8), unreadable


@dataclass(frozen=True, slots=True)
class _Line:
    """What a line says; `texts` in the order of `Fields.starts`, as its columns have them."""

    number: int
    size: int
    texts: tuple[str, ...]


def _looked_at(line: bytes) -> _Line | str:
    """A line, or the reason why it cannot be read.

    With raw TABs in a field the columns do not count: the number is first, the message-id is the first `<...>` after something
    like a date, the size is the next whole number, the poster is what has an `@` before the date.
    """
    # NUL and lone CR, which RFC 3977 8.3.2 has servers replace by spaces.
    parts = as_utf8(_LONE_CR.sub(b" ", line).replace(b"\0", b" ")).tobytes().decode().split("\t")
    if len(parts) < 5 or len(line) > LINE_LIMIT:
        return "fields"
    if not _A_NUMBER.fullmatch(parts[0].strip()):
        return "number"
    ids = [place for place in range(3, len(parts)) if _AN_ID.fullmatch(parts[place])]
    place = next((place for place in ids if place > 3 and _A_DATE.search(parts[place - 1])), 4)
    if place not in ids:
        return "message_id"
    poster = next((start for start in range(place - 2, 1, -1) if "@" in parts[start]), place - 2)
    after = parts[place + 1 :]
    size = next(
        (at for at, part in enumerate(after) if at and (_A_SIZE.fullmatch(part) or (at == 1 and not part))), len(after)
    )
    xref = next((part for part in after[size + 1 :] if _AN_XREF.fullmatch(part)), "")
    references = " ".join(after[:size])
    return _Line(
        number=int(parts[0]),
        size=max(0, int(after[size] or 0)) if size < len(after) else 0,
        texts=(
            " ".join(parts[1:poster]),
            " ".join(parts[poster : place - 1]),
            parts[place - 1],
            parts[place][1:-1],
            "" if references in _NO_REFERENCES else references,
            _XREF.sub("", xref, count=1).rstrip(),
        ),
    )
