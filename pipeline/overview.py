"""Overview text to columns: every line becomes a row of `schema.OVERVIEW` or of `schema.REJECTED`.

Lines whose columns are where RFC 3977 8.3 puts them are split all at once by the CSV reader of Polars. What is left, lines with raw TABs in
a field or with something missing, is looked at one by one.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass
from datetime import datetime

import numpy as np
import polars as pl

from pipeline.dates import parse_dates
from pipeline.schema import OVERVIEW, REJECTED

LINE_LIMIT = 1 << 16
"""Longest line that is read, octets; a longer one is rejected as `fields`."""

_FIELDS = ("number", "subject", "poster", "date", "message_id", "references", "bytes", "lines", "xref")
_SCHEMA = pl.Schema({name: pl.Int64 if name == "number" else pl.String for name in _FIELDS})
_USED = [name for name in _FIELDS if name != "lines"]
_PLACES_USED = [_FIELDS.index(name) for name in _USED]
_SPLIT = pl.Schema({"row": pl.UInt32, **{name: _SCHEMA[name] for name in _USED}})
_NO_REFERENCES = ("(null)", "null")

_LONE_CR = re.compile(rb"\r(?!\n)")
_XREF = r"^(?i:xref:)?\s*(?:[^\s:]+(?:\s+|$))?"
"""The header name, which some servers leave out, and the server's name."""
_LOOKS_LIKE_XREF = r"^(?i:xref:)|^\S+(?: \S+:\d+)+\s*$|^$"
_A_NUMBER = re.compile(r"\d{1,18}")
_A_SIZE = re.compile(r"-?\d{1,18}")
_A_DATE = re.compile(r"\d{1,2}[ -][A-Za-z]{3}[ -]\d{2,4}\b")
_AN_ID = re.compile(r"<.+>")
_AN_XREF = re.compile(r"(?:xref:.*|\S+(?: \S+:\d+)+\s*)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows of one block.

    Attributes:
        overview: frame `schema.OVERVIEW`, ascending and unique by number, inside the block's numbers.
        rejected: frame `schema.REJECTED`.
        lines: lines of the text; `overview.height + rejected.height`.
    """

    overview: pl.DataFrame
    rejected: pl.DataFrame
    lines: int


def parse(text: bytes, first: int, last: int, now: datetime) -> Parsed:
    """Parse the lines of an XOVER `first-last`.

    Args:
        text: lines with CRLF or LF, as sent, without terminator. A blank line is a line.
        first: lowest number asked for.
        last: highest number asked for.
        now: aware; dates later than `now` + 2 days are not believed.
    """
    lines = _Lines(text)
    split = _split(lines)
    right = split.select(_looks_right()).to_series()
    repaired, unreadable = _repaired(split["row"].filter(~right), lines)
    rows = (
        pl.concat([_cleaned(split.filter(right)), _cleaned(repaired)])
        if repaired.height
        else _cleaned(split.filter(right))
    )
    rows, outside, duplicate = _in_order(rows, first, last)
    overview = rows.select(
        "number",
        "subject",
        "poster",
        parse_dates(rows["date"], now).alias("posted_at"),
        "message_id",
        "references",
        "bytes",
        "xref",
    )
    reasons = [*unreadable, *((row, "outside_range") for row in outside), *((row, "duplicate") for row in duplicate)]
    rejected = pl.DataFrame(
        {"raw": [lines.raw(row) for row, _ in reasons], "reason": [reason for _, reason in reasons]},
        schema=REJECTED.polars,
    )
    return Parsed(OVERVIEW.check(overview), rejected, len(lines))


class _Lines:
    """The lines of a text, cut out one by one where asked for."""

    def __init__(self, text: bytes) -> None:
        self.text = text
        self._octets = np.frombuffer(text, np.uint8)
        self._ends = np.flatnonzero(self._octets == ord("\n"))

    def __len__(self) -> int:
        return len(self._ends) + (bool(self.text) and not self.text.endswith(b"\n"))

    def raw(self, row: int) -> bytes:
        """Line `row` as received, without its line end."""
        start = int(self._ends[row - 1]) + 1 if row else 0
        end = int(self._ends[row]) if row < len(self._ends) else len(self.text)
        return self.text[start:end].removesuffix(b"\r")

    def readable(self) -> bytes:
        """All lines as UTF-8 without NUL and lone CR, which RFC 3977 8.3.2 has servers replace by spaces."""
        returns = np.count_nonzero(self._octets == ord("\r"))
        paired = np.count_nonzero(self._octets[self._ends[self._ends > 0] - 1] == ord("\r"))
        return _readable(self.text if returns == paired else _LONE_CR.sub(b" ", self.text))


def _readable(text: bytes) -> bytes:
    """The text as UTF-8 without NUL."""
    if b"\0" in text:
        text = text.replace(b"\0", b" ")
    if text.isascii():
        return text
    try:
        text.decode("utf-8")
    except UnicodeDecodeError:
        return text.decode("utf-8", "western").encode()
    return text


def _western(error: UnicodeError) -> tuple[str, int]:
    """Bytes that are not UTF-8 as cp1252, and as latin-1 where cp1252 has no character."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "".join(map(_WESTERN.__getitem__, error.object[error.start : error.end])), error.end


_WESTERN = [bytes([byte]).decode("cp1252", "ignore") or chr(byte) for byte in range(256)]
codecs.register_error("western", _western)


def _split(lines: _Lines) -> pl.DataFrame:
    """The lines by column as frame `_SPLIT`, all text, null where a line has fewer; row by row in step with `lines`."""
    split = pl.read_csv(
        lines.readable(),
        schema=_SCHEMA,
        columns=_PLACES_USED,
        separator="\t",
        has_header=False,
        quote_char=None,
        ignore_errors=True,
        empty_string_is_null=False,
        extra_columns="ignore",
        missing_columns="insert",
        raise_if_empty=False,
        row_index_name="row",
    )
    if split.height == len(lines):
        return split
    # Every line is looked at one by one when the reader counts them differently.
    rows = pl.int_range(len(lines), dtype=pl.UInt32, eager=True).alias("row")
    return pl.concat([_SPLIT.to_frame(), rows.to_frame()], how="diagonal")


def _looks_right() -> pl.Expr:
    """Whether the columns of a line hold what they should; a TAB in a field would have shifted them."""
    identity, size, xref = pl.col("message_id"), pl.col("bytes"), pl.col("xref")
    return (
        pl.col("number").is_between(0, 10**18)
        & identity.str.starts_with("<")
        & identity.str.ends_with(">")
        & (identity.str.len_bytes() > 2)
        & (size.is_null() | (size == "") | size.cast(pl.Int64, strict=False).is_not_null())
        & (xref.is_null() | xref.str.contains(_LOOKS_LIKE_XREF))
        & (
            pl.sum_horizontal(pl.col("subject", "poster", "date", "message_id", "references", "xref").str.len_bytes())
            < LINE_LIMIT
        )
    ).fill_null(value=False)


def _cleaned(split: pl.DataFrame) -> pl.DataFrame:
    """Split lines with every field in its final form, the date excepted."""
    references = pl.col("references").fill_null("")
    return split.select(
        "row",
        "number",
        pl.col("subject").fill_null(""),
        pl.col("poster").fill_null(""),
        pl.col("date").fill_null(""),
        pl.col("message_id").str.head(-1).str.tail(-1),
        pl.when(references.is_in(_NO_REFERENCES)).then(pl.lit("")).otherwise(references).alias("references"),
        pl.col("bytes").cast(pl.Int64, strict=False).fill_null(0).clip(lower_bound=0),
        pl.col("xref").fill_null("").str.replace(_XREF, "").str.strip_chars_end(),
    )


def _in_order(rows: pl.DataFrame, first: int, last: int) -> tuple[pl.DataFrame, list[int], list[int]]:
    """Rows ascending and unique by number, and the lines left out: outside the numbers asked for, and duplicates."""
    number = pl.col("number")
    outside = rows.filter(~number.is_between(first, last))["row"].to_list()
    if outside:
        rows = rows.filter(number.is_between(first, last))
    steps = rows["number"].diff(null_behavior="drop")
    if rows.height < 2 or steps.min() > 0:  # type: ignore[operator]
        return rows, outside, []
    rows = rows.sort("number", "row")
    kept = rows["number"].is_first_distinct()
    return rows.filter(kept), outside, rows["row"].filter(~kept).to_list()


def _repaired(odd: pl.Series, lines: _Lines) -> tuple[pl.DataFrame, list[tuple[int, str]]]:
    """Odd lines read one by one: those with all that is needed as frame `_SPLIT`, the others with the reason."""
    rows: list[tuple[int | str, ...]] = []
    unreadable: list[tuple[int, str]] = []
    for row in odd.to_list():
        fields = _fields(lines.raw(row))
        if isinstance(fields, str):
            unreadable.append((row, fields))
        else:
            rows.append((row, *fields))
    return pl.DataFrame(rows, schema=_SPLIT, orient="row"), unreadable


def _fields(line: bytes) -> tuple[int | str, ...] | str:
    """The used fields of a line, or the reason why it cannot be read.

    With raw TABs in a field the columns do not count: the number is first, the message-id is the first `<...>` after something
    like a date, the size is the next whole number, the poster is what has an `@` before the date.
    """
    parts = _readable(_LONE_CR.sub(b" ", line)).decode().split("\t")
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
    return (
        int(parts[0]),
        " ".join(parts[1:poster]),
        " ".join(parts[poster : place - 1]),
        parts[place - 1],
        parts[place],
        " ".join(after[:size]),
        after[size] if size < len(after) else "",
        xref,
    )
