"""Records: the releases of one batch, judged by the signature table, with their files and segments."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from pipeline import files as names
from pipeline.batch import SignatureTable
from pipeline.categories import category
from pipeline.names import is_generic_program
from pipeline.posters import shapes
from pipeline.releases import base_keys, in_nzb_order, with_records, with_rules
from pipeline.schema import RECORD_FILES, RECORDS, SEGMENTS
from pipeline.signatures import is_dropped, signature
from pipeline.tools import templates, tool_of

ONE_SEGMENT_STYLE = 10
"""From so many files on, `[10/1083] "x.10" (1/1083)` is taken for a file of one segment that repeats the file total."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Files with their records: those kept and those dropped.

    Attributes:
        records: one row a kept record: its first file in NZB order and `tool`, `signature`.
        files: the kept files in NZB order, with `record`.
        garbage: the dropped files.
    """

    records: pl.DataFrame
    files: pl.DataFrame
    garbage: pl.DataFrame


def judge(files: pl.DataFrame, signatures: SignatureTable) -> Judged:
    """Group files to records and drop those whose name is random and whose signature or tool the table drops.

    Args:
        files: the columns of `filetable.FileTable.files` and `subjects.PARSED`.
        signatures: the table to judge by.
    """
    files = in_nzb_order(with_records(with_rules(_one_segment_style(files))))
    # One article is the whole post: no counter of files, no other part, and not the companion of something larger.
    alone = (pl.col("segments_expected").max() == 1) & (pl.len() == 1) & (pl.col("file_total").fill_null(1).max() == 1)
    marks = files.group_by("record", maintain_order=True).agg(
        single=alone & ~names.is_beside(pl.col("name")).any(),
        program=(pl.len() == 1) & is_generic_program(pl.col("name").first()),
    )
    firsts = files.unique("record", keep="first", maintain_order=True).hstack(marks["single", "program"])
    firsts = firsts.with_columns(random=pl.col("random") | pl.col("program"))
    firsts = firsts.with_columns(
        template=templates(firsts["message_id"]), poster_shape=shapes(firsts["poster"])
    ).with_columns(
        tool=tool_of(pl.col("template")),
        signature=signature(
            pl.col("template"),
            pl.col("poster_shape"),
            pl.concat_str("shape", _mark("single", "1"), _mark("program", "!")),
        ),
    )
    dropped = firsts["random"] & is_dropped(signatures, firsts["signature"], firsts["tool"])
    garbage = pl.col("record").is_in(firsts.filter(dropped)["record"].implode())
    return Judged(firsts.filter(~dropped), files.filter(~garbage), files.filter(garbage))


def _mark(column: str, sign: str) -> pl.Expr:
    return pl.when(column).then(pl.lit(sign)).otherwise(pl.lit(""))


def _one_segment_style(files: pl.DataFrame) -> pl.DataFrame:
    total = pl.col("segments_expected")
    repeats = (total == pl.col("file_total")) & (total >= ONE_SEGMENT_STYLE) & (pl.col("segments_found") == 1)
    return files.with_columns(segments_expected=pl.when(repeats).then(1).otherwise(total).cast(pl.Int32))


def frames(
    judged: Judged, segments: pl.DataFrame, message_ids: pl.Series
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """The kept records as `schema.RECORDS`, `schema.RECORD_FILES` and `schema.SEGMENTS`.

    Args:
        judged: its files have `file_key` and `groups` too.
        segments: `file`, `number`, `bytes`, `row`, by file and number; of any files.
        message_ids: by `row`.
    """
    numbers = judged.records.select("record").with_row_index("ordinal")
    files = (
        judged.files.join(numbers, on="record", how="left", maintain_order="left")
        .drop("record")
        .rename({"ordinal": "record", "file": "old"})
        .with_row_index("file")
    )
    record_files = RECORD_FILES.check(files.select(RECORD_FILES.names))
    kept = segments.join(files.select("file", old="old"), left_on="file", right_on="old", how="inner")
    kept = kept.select(file="file_right", number="number", bytes="bytes", row="row").sort("file", "number")
    kept_segments = SEGMENTS.check(kept.select("file", "number", "bytes", message_id=message_ids.gather(kept["row"])))
    return _records(judged.records, files), record_files, kept_segments


def _records(firsts: pl.DataFrame, files: pl.DataFrame) -> pl.DataFrame:
    if firsts.is_empty():
        return RECORDS.empty()
    total, number = pl.col("file_total"), pl.col("file_number")
    # Counting may start at 0 and still run to N.
    zero = ((number == 0).any() & (number == total).any()).cast(pl.Int32)
    sums = files.group_by("record", maintain_order=True).agg(
        groups=pl.col("groups").explode(empty_as_null=False).unique().sort(),
        first_posted=pl.col("posted_at").min(),
        last_posted=pl.col("posted_at").max(),
        files=pl.len().cast(pl.Int32),
        files_expected=pl.when(total.n_unique() == 1).then(total.first() + zero),
        segments=pl.col("segments_found").sum().cast(pl.Int64),
        segments_expected=pl.col("segments_expected").sum().cast(pl.Int64),
        bytes=pl.col("bytes").sum(),
        has_par2=names.is_par2(pl.col("name")).any(),
        extensions=names.extension(pl.col("name")).unique(),
    )
    one = firsts.select(
        "poster",
        "tool",
        "grouped_by",
        "named_by",
        "signature",
        "random",
        name="release",
        base_key=base_keys(firsts["identity"]),
    )
    frame = pl.concat([sums, one], how="horizontal").with_columns(
        readable_name=~pl.col("random"),
        category=category(pl.col("name"), pl.col("extensions"), pl.col("random")),
    )
    return RECORDS.check(frame.select(RECORDS.names))
