"""A release's NZB, built from its records: the same bytes at every call.

What is written follows what SABnzbd, NZBGet and the strict parsers accept: a subject and a group on every file, sizes below 8 MiB, real
segment numbers, no comment, data before par2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from pipeline import schema
from server.newznab import categories
from server.newznab.errors import NO_ITEM, Refused
from server.newznab.feed import title
from server.newznab.xml import Element, child, document, leaves, legal, root
from store.catalog.search import Release
from store.chunks import RecordContent

NAMESPACE = "http://www.newzbin.com/DTD/2003/nzb"
DOCTYPE = b'<!DOCTYPE nzb PUBLIC "-//newzBin//DTD NZB 1.1//EN" "http://www.newzbin.com/DTD/nzb/nzb-1.1.dtd">\n'

_MOST_SEGMENT_BYTES = 2**23 - 1
"""SABnzbd drops a segment whose size is 0 or at least 8 MiB."""


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


def nzb(release: Release, contents: Contents) -> bytes:
    """The NZB document.

    Raises:
        Refused: not one segment is known (Newznab error 300): clients call an empty NZB a failure of the download.
    """
    if contents.files.is_empty():
        raise Refused(NO_ITEM)
    top = root("nzb", xmlns=NAMESPACE)
    head = child(top, "head")
    child(head, "meta", title(release), type="title")
    child(head, "meta", categories.full_name(release.category), type="category")
    lists = contents.segments.partition_by("file", maintain_order=True)
    for file, segments in zip(contents.files.iter_rows(named=True), lists, strict=True):
        posted = file["posted_at"] or release.first_posted
        poster, subject = (
            legal(file["poster"]) or "unknown",
            _subject(file["subject"], file["name"], file["segments_expected"]),
        )
        element = child(top, "file", poster=poster, date=str(int(posted.timestamp())), subject=subject)
        groups = child(element, "groups")
        for group in file["groups"] or release.groups or ("alt.binaries.misc",):
            child(groups, "group", group)
        _segments(child(element, "segments"), segments)
    return document(top, DOCTYPE)


def _segments(parent: Element, segments: pl.DataFrame) -> None:
    sizes = segments["bytes"].clip(1, _MOST_SEGMENT_BYTES).cast(pl.String).to_list()
    numbers = segments["number"].cast(pl.String).to_list()
    leaves(parent, "segment", segments["message_id"].to_list(), [("bytes", sizes), ("number", numbers)])


def _subject(subject: str, name: str, expected: int) -> str:
    """Never empty (NZBGet 21 dies of it), and always with the segment counter."""
    clean = legal(subject).strip() or f'"{legal(name)}" yEnc'
    counter = f"(1/{expected})"
    return clean if counter in clean else f"{clean} {counter}"
