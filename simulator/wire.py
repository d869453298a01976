"""Overview text and how it is compressed on the wire: the forms of nntp.md section 4, all from one stored deflate fragment.

A fragment is raw deflate that ends in a sync flush and refers to nothing before it. So fragments can be put one after
the other, inside a zlib stream (forms A, B, C, D'), as raw deflate (D), or in the middle of a session (E).
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Literal

import polars as pl
import sabctools
from isal import isal_zlib

from simulator.dirt import as_sent

WireForm = Literal["plain", "A", "B", "C", "D", "D'", "E"]
FORMS: tuple[WireForm, ...] = ("plain", "A", "B", "C", "D", "D'", "E")

END = b".\r\n"
_ADLER = 65_521
_EMPTY_FINAL = b"\x03\x00"
_END_FINAL = b"\x01" + struct.pack("<HH", len(END), len(END) ^ 0xFFFF) + END
"""A final stored block that holds the line with the dot."""


@dataclass(frozen=True, slots=True)
class Fragment:
    """Deflated text: the deflate bytes, Adler-32 and length of the text."""

    deflated: bytes
    adler: int
    length: int


def overview_text(rows: pl.DataFrame) -> bytes:
    """Overview rows as lines with CRLF, as they are sent."""
    line = pl.concat_str([*(pl.col(name) for name in rows.columns)], separator="\t")
    lines = rows.select(pl.concat_str(line, pl.lit("\r\n")).alias("line")).to_series().rechunk()
    array = lines.to_arrow(compat_level=pl.CompatLevel.oldest())
    text = array.buffers()[2]
    return as_sent(text.to_pybytes()) if rows.height and text is not None else b""


def deflate(text: bytes) -> Fragment:
    """`text` as a fragment, at the fastest level, as providers do."""
    engine = isal_zlib.compressobj(1, isal_zlib.DEFLATED, -15)
    deflated = engine.compress(text) + engine.flush(isal_zlib.Z_SYNC_FLUSH)
    return Fragment(deflated, isal_zlib.adler32(text), len(text))


def inflate(fragment: Fragment) -> bytes:
    """The text of a fragment."""
    return isal_zlib.decompressobj(-15).decompress(fragment.deflated)


def joined_adler(fragments: list[Fragment]) -> int:
    """Adler-32 of the fragments' texts one after the other (as zlib's adler32_combine)."""
    total = 1
    for fragment in fragments:
        low, high = total & 0xFFFF, total >> 16
        low_next = (low + (fragment.adler & 0xFFFF) - 1) % _ADLER
        high = (high + (fragment.adler >> 16) + fragment.length * (low - 1)) % _ADLER
        total = high << 16 | low_next
    return total


def data_block(form: WireForm, fragments: list[Fragment]) -> bytes:
    """What follows the status line, up to the end of the reply. For E, inside the session's deflate stream."""
    body = b"".join(fragment.deflated for fragment in fragments)
    match form:
        case "plain":
            return b"".join(inflate(fragment) for fragment in fragments) + END
        case "A":
            return _zlib(body, _EMPTY_FINAL, joined_adler(fragments)) + END
        case "B" | "C":
            return _zlib(body, _END_FINAL, isal_zlib.adler32(END, joined_adler(fragments)))
        case "D":
            return _yenc(body + _EMPTY_FINAL)
        case "D'":
            return _yenc(_zlib(body, _EMPTY_FINAL, joined_adler(fragments)))
        case "E":
            return body + deflate(END).deflated


def _zlib(body: bytes, final: bytes, adler: int) -> bytes:
    return b"\x78\x01" + body + final + struct.pack(">I", adler)


def _yenc(data: bytes) -> bytes:
    encoded, crc = sabctools.yenc_encode(data)
    return b"=ybegin line=128 size=-1\r\n" + encoded + b"\r\n=yend crc=%08x\r\n" % crc + END
