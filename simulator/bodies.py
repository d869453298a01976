"""Articles in full: headers and real yEnc of file content that any segment can be made from alone."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import polars as pl
import sabctools

from simulator.dirt import as_sent
from simulator.history import HOST, Article
from simulator.randomness import keyed

_LINE = 128
_NO_MARKS = dict.fromkeys(range(0xF8FC, 0xF900))
"""Marks of a broken overview line are not part of the article."""
_WHOLE_CRC_LIMIT = 64_000_000
"""Larger files go without the CRC of the whole file: making it means making the file."""
_WORDS = [
    "the",
    "archive",
    "index",
    "of",
    "this",
    "week",
    "lists",
    "mirrors",
    "readers",
    "asked",
    "for",
    "and",
    "more",
    "will",
    "follow",
    "when",
    "space",
    "allows",
]


def content(file: int, start: int, length: int) -> bytes:
    """`length` raw bytes of a file from `start` on, `start` a multiple of 32: Philox blocks are 32 bytes."""
    stream = np.random.Philox(key=file).advance(start // 32)
    return stream.random_raw(-(-length // 8)).tobytes()[:length]


def segment(article: Article) -> tuple[int, bytes]:
    """Offset and raw bytes of the segment an article carries."""
    start = (article.part - 1) * article.article
    return start, content(article.file, start, min(article.article, article.size - start))


@lru_cache(1_000)
def _whole_crc(file: int, size: int) -> int:
    return sabctools.yenc_encode(content(file, 0, size))[1]


def body(article: Article) -> bytes:
    """The body with CRLF line ends, dot-stuffed."""
    if not article.article:
        return _plain_text(article)
    start, raw = segment(article)
    encoded, crc = sabctools.yenc_encode(raw)
    if article.parts == 1:
        head = f"=ybegin line={_LINE} size={article.size} name={article.filename}\r\n"
        tail = f"\r\n=yend size={article.size} crc32={crc:08x}\r\n"
    else:
        head = (
            f"=ybegin part={article.part} total={article.parts} line={_LINE} size={article.size}"
            f" name={article.filename}\r\n=ypart begin={start + 1} end={start + len(raw)}\r\n"
        )
        whole = ""
        if article.part == article.parts and article.size <= _WHOLE_CRC_LIMIT:
            whole = f" crc32={_whole_crc(article.file, article.size):08x}"
        tail = f"\r\n=yend size={len(raw)} part={article.part} pcrc32={crc:08x}{whole}\r\n"
    return head.encode() + encoded + tail.encode()


def _plain_text(article: Article) -> bytes:
    words = [_WORDS[at] for at in keyed(article.file).integers(0, len(_WORDS), article.size // 6 + 1)]
    lines = [" ".join(words[at : at + 11]) for at in range(0, len(words), 11)]
    return "\r\n".join(lines).encode()[: article.size - 2] + b"\r\n"


def headers(group: str, row: pl.DataFrame, body_bytes: int) -> bytes:
    """The headers of an article; Path is as long as needed for the size that the overview row tells."""
    facts = row.row(0, named=True)
    groups = ",".join(place.split(":")[0] for place in facts["xref"].split(" ")[1:]) or group
    fields = {
        "From": facts["from"],
        "Newsgroups": groups,
        "Subject": facts["subject"],
        "Date": facts["date"],
        "Message-ID": facts["message_id"],
        "References": facts["references"],
        "Lines": facts["lines"],
        "Xref": facts["xref"],
    }
    text = "".join(f"{name}: {value}\r\n" for name, value in fields.items() if value).translate(_NO_MARKS)
    told = int(facts["bytes"]) if facts["bytes"].isdigit() else 0
    missing = told - body_bytes - len(as_sent(text.encode())) - len(f"Path: {HOST}!not-for-mail\r\n\r\n")
    hops = HOST + "!relay" * max(missing // len("!relay"), 0) + "!not-for-mail"
    return as_sent(f"Path: {hops}\r\n{text}".encode())
