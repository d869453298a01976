"""The faults of real overview data (nntp.md section 6), put on a few lines, and how they look as bytes.

A frame holds text, and some faults are not text. Two stand-ins from the private use area carry them: U+F700 + b is the
raw byte b, and U+F8FC..U+F8FF mark a line whose shape is wrong. `as_sent` turns both into what goes over the wire.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import polars as pl

from simulator.mix import Mix

Row = dict[str, str]

_EMPTY_XREF, _NO_TABS, _SHORT, _LF_ONLY = "\uf8fc", "\uf8fd", "\uf8fe", "\uf8ff"


def raw(byte: int) -> str:
    """The stand-in for a byte that is not text."""
    return chr(0xF700 + byte)


_ODD = re.compile(
    rb"\t(?P<bare>[^\t\r]*)\xef\xa3\xbd[^\r\n]*"
    rb"|\xef\xa3\xbe[^\r\n]*"
    rb"|\xef\xa3\xbc\t[^\r\n]*"
    rb"|\xef\xa3\xbf(?P<lf>[^\r\n]*)\r\n"
    rb"|\xef(?P<byte>[\x9c-\x9f][\x80-\xbf])"
)


def as_sent(text: bytes) -> bytes:
    """Overview text with the stand-ins replaced by what they stand for; only lines that can hold one are looked at."""
    pieces: list[bytes] = []
    done = 0
    while (mark := text.find(b"\xef", done)) >= 0:
        start, end = text.rfind(b"\n", done, mark) + 1 or done, text.find(b"\n", mark) + 1 or len(text)
        pieces += [text[done:start], _ODD.sub(_real, text[start:end])]
        done = end
    return b"".join([*pieces, text[done:]])


def _real(match: re.Match[bytes]) -> bytes:
    if (byte := match["byte"]) is not None:
        return bytes([(byte[0] - 0x9C) << 6 | (byte[1] & 0x3F)])
    if (bare := match["bare"]) is not None:
        return b" " + bare
    if (line := match["lf"]) is not None:
        return line + b"\n"
    return b"\t" if match[0].endswith(b"\t") or match[0].startswith(b"\xef\xa3\xbc") else b""


def _replace(column: str, change: Callable[[str], str]) -> Callable[[Row], Row]:
    return lambda row: row | {column: change(row[column])}


def _vowel(text: str, instead: str) -> str:
    """`text` with its first lower-case vowel (or its start) replaced by an accented one."""
    at = next((at for at, letter in enumerate(text) if letter in "aeiou"), 0)
    return text[:at] + instead + text[at + 1 :]


_LATIN_1, _CP1252 = raw(0xE9), raw(0x93)

KINDS: dict[str, Callable[[Row], Row]] = {
    "latin1_subject": _replace("subject", lambda text: _vowel(text, _LATIN_1)),
    "cp1252_subject": _replace("subject", lambda text: _CP1252 + text),
    "utf8_subject": _replace("subject", lambda text: _vowel(text, "é")),
    "double_utf8": _replace("subject", lambda text: _vowel(text, "Ã©")),
    "rfc2047": _replace("subject", lambda text: "=?UTF-8?Q?Vid=C3=A9o?= " + text),
    "empty_subject": _replace("subject", lambda _: ""),
    "long_subject": _replace("subject", lambda text: "x" * 1_500 + " " + text),
    "nul": _replace("subject", lambda text: text[:3] + raw(0) + text[3:]),
    "tab": _replace("subject", lambda text: text[:4] + raw(9) + text[4:]),
    "latin1_from": _replace("from", lambda text: raw(0xFC) + text),
    "two_digit_year": _replace("date", lambda text: re.sub(r" (?:19|20)(\d\d) (\S+) .*", r" \1 \2 UTC", text)),
    "no_seconds": _replace("date", lambda text: re.sub(r"(\d\d:\d\d):\d\d", r"\1", text)),
    "no_zone": _replace("date", lambda text: re.sub(r"(\d\d:\d\d:\d\d).*", r"\1", text)),
    "named_zone": _replace("date", lambda text: re.sub(r"(\d\d:\d\d:\d\d).*", r"\1 EST", text)),
    "year_1970": _replace("date", lambda _: "Thu, 01 Jan 1970 00:00:00 GMT"),
    "year_2036": _replace("date", lambda _: "Thu, 07 Feb 2036 06:28:16 GMT"),
    "empty_date": _replace("date", lambda _: ""),
    "null_references": _replace("references", lambda _: "(null)"),
    "negative_bytes": _replace("bytes", lambda text: "-" + text),
    "empty_bytes": _replace("bytes", lambda _: ""),
    "empty_lines": _replace("lines", lambda _: ""),
    "empty_xref": _replace("lines", lambda text: text + _EMPTY_XREF),
    "short_line": _replace("lines", lambda text: text + _SHORT),
    "lf_only": _replace("lines", lambda text: text + _LF_ONLY),
}
"""The faults of lines that can still be read."""

MALFORMED: dict[str, Callable[[Row], Row]] = {
    "no_tabs": _replace("subject", lambda _: "connection reset by spool" + _NO_TABS),
    "bare_id": _replace("message_id", lambda text: text.strip("<>")),
    "no_message_id": _replace("message_id", lambda _: ""),
}
"""The faults of lines that cannot be read; readers such as Pan take no id without brackets."""


def soil(rng: np.random.Generator, lines: pl.DataFrame, mix: Mix) -> tuple[pl.DataFrame, list[int]]:
    """`lines` with the faults of the mix on a few of them, and which rows became malformed."""
    odds = rng.random(lines.height)
    dirty = np.flatnonzero(odds < mix.dirt)
    broken = np.flatnonzero((odds >= mix.dirt) & (odds < mix.dirt + mix.malformed))
    rows = np.concatenate([dirty, broken])
    if not len(rows):
        return lines, []
    changes = [_one(rng, KINDS) for _ in dirty] + [_one(rng, MALFORMED) for _ in broken]
    before = lines[rows].to_dicts()
    after = pl.DataFrame([change(row) for change, row in zip(changes, before, strict=True)], schema=lines.schema)
    changed = [lines[name].scatter(pl.Series(rows), after[name]) for name in lines.columns]
    return lines.with_columns(changed), broken.tolist()


def _one(rng: np.random.Generator, kinds: dict[str, Callable[[Row], Row]]) -> Callable[[Row], Row]:
    return list(kinds.values())[int(rng.integers(0, len(kinds)))]
