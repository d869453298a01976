"""Posts files the way posting tools do: yEnc segments with file and segment counters in the subject."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from pathlib import Path

import sabctools

SEGMENT = 16_000
LINE = 128


@dataclass(frozen=True)
class Article:
    message_id: str
    text: bytes


def articles_of(
    paths: list[Path], title: str, poster: str, group: str, posted_at: datetime, stem: str
) -> list[list[Article]]:
    """The articles of every file, one list a file, as `title [01/05] - "name" yEnc (1/7)`."""
    return [
        list(
            _file(
                path, f"{title} [{n:0{len(str(len(paths)))}}/{len(paths)}] - ", poster, group, posted_at, f"{stem}{n}"
            )
        )
        for n, path in enumerate(paths, 1)
    ]


def _file(path: Path, before: str, poster: str, group: str, posted_at: datetime, stem: str) -> Iterator[Article]:
    data = path.read_bytes()
    total = -(-len(data) // SEGMENT)
    for part in range(1, total + 1):
        begin = (part - 1) * SEGMENT
        piece = data[begin : begin + SEGMENT]
        encoded, crc = sabctools.yenc_encode(piece)
        message_id = f"part{part}of{total}.{stem}@example.invalid"
        header = (
            f"=ybegin part={part} total={total} line={LINE} size={len(data)} name={path.name}\r\n"
            f"=ypart begin={begin + 1} end={begin + len(piece)}\r\n"
        )
        end = f"\r\n=yend size={len(piece)} part={part} pcrc32={crc & 0xFFFFFFFF:08x} crc32={zlib.crc32(data):08x}\r\n"
        head = (
            f'From: {poster}\r\nNewsgroups: {group}\r\nSubject: {before}"{path.name}" yEnc ({part}/{total})\r\n'
            f"Date: {format_datetime(posted_at)}\r\nMessage-ID: <{message_id}>\r\nPath: lab.invalid!not-for-mail\r\n\r\n"
        )
        yield Article(message_id, head.encode() + header.encode() + encoded + end.encode())
