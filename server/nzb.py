"""A release's NZB, built from its records: the same bytes at every call.

What is written follows what SABnzbd, NZBGet and the strict parsers accept: a subject and a group on every file, sizes below 8 MiB, real
segment numbers, no comment, data before par2. The lines of the segments, nearly all of a document, are made by columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

import polars as pl

from pipeline import schema
from server.newznab import categories
from server.newznab.errors import NO_ITEM, Refused
from server.newznab.feed import title
from server.newznab.xml import DECLARATION, escaped, escaped_column, legal
from store.catalog.search import Release
from store.chunks import RecordContent

DOCTYPE = b'<!DOCTYPE nzb PUBLIC "-//newzBin//DTD NZB 1.1//EN" "http://www.newzbin.com/DTD/nzb/nzb-1.1.dtd">\n'
NAMESPACE = "http://www.newzbin.com/DTD/2003/nzb"

_MOST_SEGMENT_BYTES = 2**23 - 1
"""SABnzbd drops a segment whose size is 0 or at least 8 MiB."""

_BLOCK = 10_000
"""Segments whose lines are put together at a time."""

_PART = 2**19
"""Bytes from which a part is sent."""


@dataclass(frozen=True, slots=True)
class Contents:
    """The files of a release over all its records.

    Attributes:
        files: frame `schema.FILES`, one row per file in NZB order, `file` counting from 0.
        segments: frame `schema.SEGMENTS`, ordered by file and number, each number once.
    """

    files: pl.DataFrame
    segments: pl.DataFrame


def merge(records: Sequence[RecordContent]) -> Contents:
    """Put the files of all records together: the same file in two records is one, with the segments of both."""
    files = pl.concat([_numbered(content.files, ordinal) for ordinal, content in enumerate(records)])
    segments = pl.concat([_numbered(content.segments, ordinal) for ordinal, content in enumerate(records)])
    keyed = segments.join(files.select("of", "file", "file_key"), on=("of", "file"), how="inner")
    kept = (
        keyed.filter(pl.col("message_id") != "")
        .sort("file_key", "number", "of")
        .unique(("file_key", "number"), keep="first")
    )
    found = kept.group_by("file_key").agg(pl.len().cast(pl.Int32).alias("found"), pl.col("bytes").sum().alias("size"))
    merged = (
        files.sort("of", "file")
        .group_by("file_key", maintain_order=True)
        .agg(*_MERGED)
        .join(found, on="file_key", how="inner")
    )
    ordered = (
        merged.with_columns(pl.col("found").alias("segments_found"), pl.col("size").alias("bytes"))
        .sort(_IS_PAR2, "file_number", "name", "file_key", nulls_last=True)
        .with_row_index("file")
    )
    placed = kept.drop("file").join(ordered.select("file", "file_key"), on="file_key").sort("file", "number")
    return Contents(
        schema.FILES.check(ordered.select(schema.FILES.names)),
        schema.SEGMENTS.check(placed.select(schema.SEGMENTS.names)),
    )


_IS_PAR2 = pl.col("name").str.to_lowercase().str.ends_with(".par2")

_MERGED = (
    pl.col("subject").first(),
    pl.col("name").first(),
    pl.col("poster").first(),
    pl.col("groups").explode(empty_as_null=False).unique().sort(),
    pl.col("posted_at").min(),
    pl.col("file_number").drop_nulls().first(),
    pl.col("file_total").drop_nulls().first(),
    pl.col("segments_expected").max(),
    pl.col("first_number").min(),
    pl.col("last_number").max(),
)


def _numbered(frame: pl.DataFrame, ordinal: int) -> pl.DataFrame:
    return frame.with_columns(pl.lit(ordinal).alias("of"))


@dataclass(frozen=True, slots=True)
class Nzb:
    """An NZB document: its size is known before it is put together, part by part.

    Attributes:
        heads: what stands before the segments of each file; the first begins with the document's own head.
        lines: String, one line per segment, in the order of the files.
        counts: segments of each file.
        size: bytes of the document.
    """

    heads: tuple[bytes, ...]
    lines: pl.Series
    counts: tuple[int, ...]
    size: int

    @classmethod
    def of(cls, release: Release, contents: Contents) -> Nzb:
        """The document of a release.

        Raises:
            Refused: not one segment is known (Newznab error 300): clients call an empty NZB a failure of the download.
        """
        if contents.files.is_empty():
            raise Refused(NO_ITEM)
        heads = [_file_head(release, *row) for row in contents.files.select(_OF_A_FILE).iter_rows()]
        heads[0] = _head(release) + heads[0]
        lines = _lines(contents.segments)
        counts = contents.files["segments_found"].to_list()
        texts = sum(map(len, heads)) + len(_FILE_END) * len(heads) + len(_END)
        return cls(tuple(heads), lines, tuple(counts), texts + int(lines.str.len_bytes().sum()))

    def parts(self) -> Iterator[bytes]:
        """The document, in parts of half a megabyte to two."""
        held, size = list[bytes](), 0
        for piece in self._pieces():
            held.append(piece)
            size += len(piece)
            if size >= _PART:
                yield b"".join(held)
                held, size = [], 0
        if held:
            yield b"".join(held)

    def _pieces(self) -> Iterator[bytes]:
        row = 0
        for head, count in zip(self.heads, self.counts, strict=True):
            yield head
            for begin in range(row, row + count, _BLOCK):
                yield "".join(self.lines[begin : min(begin + _BLOCK, row + count)].to_list()).encode()
            row += count
            yield _FILE_END
        yield _END


def nzb(release: Release, contents: Contents) -> bytes:
    """The NZB document as a whole.

    Raises:
        Refused: not one segment is known (Newznab error 300).
    """
    return b"".join(Nzb.of(release, contents).parts())


_FILE_END, _END = b"</segments></file>", b"</nzb>"
_OF_A_FILE = ("subject", "name", "poster", "posted_at", "groups", "segments_expected")


def _head(release: Release) -> bytes:
    named, category = escaped(title(release)), escaped(categories.full_name(release.category))
    text = f'<nzb xmlns="{NAMESPACE}"><head><meta type="title">{named}</meta><meta type="category">{category}</meta></head>'
    return DECLARATION + DOCTYPE + text.encode()


def _file_head(
    release: Release, subject: str, name: str, poster: str, posted_at: datetime | None, groups: list[str], expected: int
) -> bytes:
    posted = int((posted_at or release.first_posted).timestamp())
    held = "".join(f"<group>{escaped(group)}</group>" for group in groups or release.groups or ("alt.binaries.misc",))
    own = f'poster="{escaped(poster) or "unknown"}" date="{posted}" subject="{escaped(_subject(subject, name, expected))}"'
    return f"<file {own}><groups>{held}</groups><segments>".encode()


def _lines(segments: pl.DataFrame) -> pl.Series:
    sizes = pl.col("bytes").clip(1, _MOST_SEGMENT_BYTES)
    held = segments.with_columns(escaped_column(segments["message_id"]).alias("message_id"))
    line = pl.format('<segment bytes="{}" number="{}">{}</segment>', sizes, "number", "message_id")
    return held.select(line.alias("line"))["line"]


def _subject(subject: str, name: str, expected: int) -> str:
    """Never empty (NZBGet 21 dies of it), and always with the segment counter."""
    clean = legal(subject).strip() or f'"{legal(name)}" yEnc'
    counter = f"(1/{expected})"
    return clean if counter in clean else f"{clean} {counter}"
