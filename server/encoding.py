"""Answers compressed for the clients that ask for it, with their length known before they are sent.

Litestar's own compression sends a stream without a length, which NZBGet, a client of HTTP/1.0, takes for an error; and ISA-L is several
times quicker than zlib.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from isal import isal_zlib

_GZIP = re.compile(r"(?:^|,)\s*(?:gzip|x-gzip|\*)\s*(?:;\s*q=([0-9.]+))?\s*(?=,|$)")
_LEVEL = 1
_GZIP_CONTAINER = 31


def asks_for_gzip(accept_encoding: str) -> bool:
    """Whether an `Accept-Encoding` header names gzip, and not with a weight of 0."""
    found = _GZIP.search(accept_encoding.lower())
    return found is not None and (found[1] is None or found[1].strip("0.") != "")


def gzipped(parts: Iterable[bytes]) -> list[bytes]:
    """The parts of a body, compressed; the same bytes for the same body."""
    compressor = isal_zlib.compressobj(_LEVEL, isal_zlib.DEFLATED, _GZIP_CONTAINER)
    compressed = [compressor.compress(part) for part in parts]
    return [part for part in (*compressed, compressor.flush()) if part]
