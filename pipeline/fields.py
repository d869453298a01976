"""The fields of overview lines: where each is in the text, and the numbers and times among them, found in one walk.

A line whose fields are all where RFC 3977 8.3 puts them, and hold what they should, is *plain*. Any doubt leaves a line to a closer look,
see `pipeline.overview`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from pipeline.compiled import compiled
from pipeline.texts import Octets

LINE_LIMIT = 1 << 16
"""Longest line that is read, octets."""

SUBJECT, POSTER, DATE, MESSAGE_ID, REFERENCES, XREF = range(6)
"""Rows of `Fields.starts` and `Fields.ends`."""

UNREAD = np.iinfo(np.int64).min
"""The time of a date that is in none of the usual shapes."""

_FIELDS = 9
_TAB, _LF, _CR = 9, 10, 13
_LOW = 14
_PLACES_OF = np.array([-1, SUBJECT, POSTER, DATE, MESSAGE_ID, REFERENCES, -1, -1, XREF], np.int8)
"""Which text each field of a line is; -1 for number, bytes and lines."""
_MONTHS = np.frombuffer(b"JanFebMarAprMayJunJulAugSepOctNovDec", np.uint8).reshape(12, 3)
_NULL = np.frombuffer(b"(null)", np.uint8)


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of n lines.

    Attributes:
        plain: bool[n]; nothing else is known of a line that is not.
        number: int64[n], article number.
        size: int64[n], octets of the article, 0 when not told.
        time: int64[n], milliseconds since 1970, `UNREAD` for a date in no usual shape.
        starts: int32[6, n], where each text begins: Message-ID without `<`, Xref after the server's name.
        ends: int32[6, n], where each ends.
    """

    plain: NDArray[np.bool_]
    number: NDArray[np.int64]
    size: NDArray[np.int64]
    time: NDArray[np.int64]
    starts: NDArray[np.int32]
    ends: NDArray[np.int32]


def find(octets: Octets) -> Fields:
    """The fields of the lines of a text.

    Args:
        octets: UTF-8, less than 2 GiB; every line with LF or CRLF.
    """
    count = np.count_nonzero(octets == _LF)
    found = Fields(
        np.zeros(count, np.bool_),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros(count, np.int64),
        np.zeros((6, count), np.int32),
        np.zeros((6, count), np.int32),
    )
    _walk(octets, np.flatnonzero(octets < _LOW), found.plain, found.number, found.size, found.time, found.starts, found.ends)  # fmt: skip
    return found


@compiled
def _walk(
    octets: Octets,
    controls: NDArray[np.int64],
    plain: NDArray[np.bool_],
    number: NDArray[np.int64],
    size: NDArray[np.int64],
    time: NDArray[np.int64],
    starts: NDArray[np.int32],
    ends: NDArray[np.int32],
) -> None:
    """Read every line; `controls` are the places of all octets below 14, ascending."""
    line, begin, field, right, start = 0, 0, 0, True, 0
    for at in range(controls.size):
        place = controls[at]
        octet = octets[place]
        if octet in (_TAB, _LF):
            end = place
            if octet == _LF and place > begin and octets[place - 1] == _CR:
                end = max(start, place - 1)
            if field == 0:
                number[line] = _number(octets, start, end)
                right &= number[line] >= 0
            elif field == 6:
                size[line] = _number(octets, start, end) if end > start else 0
                right &= size[line] >= 0
            elif field < _FIELDS and _PLACES_OF[field] >= 0:
                starts[_PLACES_OF[field], line] = start
                ends[_PLACES_OF[field], line] = end
            field += 1
            start = place + 1
            if octet == _LF:
                right &= field > 4 and place - begin < LINE_LIMIT
                plain[line] = right and _read(octets, line, time, starts, ends)
                line, begin, field, right = line + 1, place + 1, 0, True
        elif octet == _CR:
            # One that ends no line stands for a space; a closer look replaces it.
            right &= octets[place + 1] == _LF
        elif octet == 0:
            right = False


@compiled
def _read(
    octets: Octets, line: int, time: NDArray[np.int64], starts: NDArray[np.int32], ends: NDArray[np.int32]
) -> bool:
    """Check and trim the texts of a line, and read its date; False when it needs a closer look."""
    start, end = starts[MESSAGE_ID, line], ends[MESSAGE_ID, line]
    if end - start < 3 or octets[start] != ord("<") or octets[end - 1] != ord(">"):
        return False
    starts[MESSAGE_ID, line], ends[MESSAGE_ID, line] = start + 1, end - 1
    start, end = starts[REFERENCES, line], ends[REFERENCES, line]
    if _is_null(octets, start, end):
        ends[REFERENCES, line] = start
    time[line] = _time(octets, starts[DATE, line], ends[DATE, line])
    start, end = _after_server(octets, starts[XREF, line], ends[XREF, line])
    starts[XREF, line], ends[XREF, line] = start, end
    return start <= end


@compiled
def _number(octets: Octets, start: int, end: int) -> int:
    """The decimal number of at most 18 digits, -1 for anything else."""
    if not 0 < end - start <= 18:
        return -1
    value = 0
    for at in range(start, end):
        digit = octets[at] - 48
        if not 0 <= digit <= 9:
            return -1
        value = value * 10 + digit
    return value


@compiled
def _is_null(octets: Octets, start: int, end: int) -> bool:
    """Whether it is `(null)` or `null`, as some servers print a header that is not there."""
    if end - start == 4:
        start -= 1
    elif end - start != 6:
        return False
    for at in range(1, 5):
        if octets[start + at] != _NULL[at]:
            return False
    return end - start == 5 or (octets[start] == ord("(") and octets[end - 1] == ord(")"))


@compiled
def _after_server(octets: Octets, start: int, end: int) -> tuple[int, int]:
    """Where the places of an Xref begin, behind its name (which some servers leave out) and the server's, and end.

    (1, 0) when it is no Xref for certain: not ASCII, without its name and not of groups with numbers.
    """
    while end > start and octets[end - 1] == 32:
        end -= 1
    for at in range(start, end):
        if not 32 <= octets[at] < 127:
            return 1, 0
    named = end - start >= 5 and octets[start + 4] == ord(":")
    for at in range(4):
        named = named and octets[start + at] | 32 == _XREF_NAME[at]
    if named:
        start += 5
        while start < end and octets[start] == 32:
            start += 1
    word = start
    while word < end and octets[word] != 32 and octets[word] != ord(":"):
        word += 1
    if named and word < end and octets[word] == ord(":"):
        return start, end
    if not named and start < end and not _are_places(octets, word, end):
        return 1, 0
    while word < end and octets[word] == 32:
        word += 1
    return word, end


_XREF_NAME = np.frombuffer(b"xref", np.uint8)


@compiled
def _are_places(octets: Octets, start: int, end: int) -> bool:
    """Whether a text is ` group:number` once or more."""
    at = start
    while at < end:
        if octets[at] != 32 or at + 1 == end or octets[at + 1] == 32:
            return False
        at += 1
        last = -1
        while at < end and octets[at] != 32:
            if octets[at] == ord(":"):
                last = at
            at += 1
        if last <= start + 1 or _number(octets, last + 1, at) < 0:
            return False
    return start < end


@compiled
def _time(octets: Octets, start: int, end: int) -> int:
    """`Wed, 02 Dec 2026 18:11:59 +0100 (CET)` in ms since 1970; day and comment may lack, the zone be GMT. `UNREAD` for any other shape."""
    if end - start > 4 and octets[start + 3] == ord(","):
        start += 5
    if end > start and octets[end - 1] == ord(")"):
        comment = start + 24
        while comment < end and octets[comment] != ord("("):
            comment += 1
        if comment >= end or octets[comment - 1] != 32:
            return UNREAD
        end = comment - 1
    digits = 1 + (start + 1 < end and octets[start + 1] != 32)
    day = _number(octets, start, start + digits)
    start += digits
    if end - start != len(" Dec 2026 18:11:59 +0100") and end - start != len(" Dec 2026 18:11:59 GMT"):
        return UNREAD
    month, year = _month(octets, start + 1), _number(octets, start + 5, start + 9)
    clock, east = _clock(octets, start + 10), _east(octets, start + 19, end)
    spaced = octets[start] == octets[start + 4] == octets[start + 9] == octets[start + 18] == 32
    if not spaced or month == 0 or year < 1000 or not 1 <= day <= _days(year, month) or UNREAD in (clock, east):
        return UNREAD
    return (_since_1970(year, month, day) * 86_400 + clock - east) * 1000


@compiled
def _month(octets: Octets, start: int) -> int:
    """1 to 12, 0 for what is none."""
    for month in range(12):
        name = _MONTHS[month]
        if octets[start] == name[0] and octets[start + 1] == name[1] and octets[start + 2] == name[2]:
            return month + 1
    return 0


@compiled
def _clock(octets: Octets, start: int) -> int:
    """`18:11:59` in seconds."""
    hour, minute = _number(octets, start, start + 2), _number(octets, start + 3, start + 5)
    second = _number(octets, start + 6, start + 8)
    if not (octets[start + 2] == octets[start + 5] == ord(":")):
        return UNREAD
    if not (0 <= hour <= 23 and 0 <= minute <= 59 and 0 <= second <= 59):
        return UNREAD
    return (hour * 60 + minute) * 60 + second


@compiled
def _east(octets: Octets, start: int, end: int) -> int:
    """`+0100`, or GMT, in seconds east of Greenwich."""
    if end - start == 3:
        greenwich = octets[start] == ord("G") and octets[start + 1] == ord("M") and octets[start + 2] == ord("T")
        return 0 if greenwich else UNREAD
    hours, minutes = _number(octets, start + 1, start + 3), _number(octets, start + 3, start + 5)
    if not (0 <= hours <= 23 and 0 <= minutes <= 59) or octets[start] not in (ord("+"), ord("-")):
        return UNREAD
    east = (hours * 60 + minutes) * 60
    return east if octets[start] == ord("+") else -east


@compiled
def _days(year: int, month: int) -> int:
    """Days of a month of the Gregorian calendar."""
    if month == 2:
        return 29 if year % 4 == 0 and (year % 100 != 0 or year % 400 == 0) else 28
    return 30 if month in (4, 6, 9, 11) else 31


@compiled
def _since_1970(year: int, month: int, day: int) -> int:
    """Days from 1970-01-01 to a date; years begin in March here, so that a leap day is the last one."""
    if month <= 2:
        year -= 1
        month += 12
    return 365 * year + year // 4 - year // 100 + year // 400 + (153 * (month - 3) + 2) // 5 + day - 719469
