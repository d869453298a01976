"""Records: the releases of one batch, judged by the signature table, with their files and segments."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from pipeline import files as names
from pipeline.batch import SignatureTable
from pipeline.categories import category
from pipeline.completeness import is_whole, marks
from pipeline.filetable import segments_of
from pipeline.names import are_random, is_generic_program
from pipeline.posters import shapes
from pipeline.releases import bare_stem, base_keys, each_random, in_nzb_order, with_identities, with_records, with_rules
from pipeline.schema import RECORD_FILES, RECORDS, SEGMENTS
from pipeline.signatures import dropped_by as signatures_dropping
from pipeline.signatures import signature
from pipeline.tools import templates, tool_of

ONE_SEGMENT_STYLE = 10
"""From so many files on, `[10/1083] "x.10" (1/1083)` is taken for a file of one segment that repeats the file total."""


@dataclass(frozen=True, slots=True)
class Judged:
    """Files with their records: those kept and those dropped.

    Attributes:
        records: one row a kept record: the file that speaks for it.
        files: the kept files in NZB order, with `record`.
        garbage: the dropped files with the columns they came with, `signature`, `tool` and `dropped_by`, the line of the table that
            drops each.
    """

    records: pl.DataFrame
    files: pl.DataFrame
    garbage: pl.DataFrame


def judge(files: pl.DataFrame, signatures: SignatureTable) -> Judged:
    """Drop files whose name is random and whose signature or tool the table drops, and group the others to records.

    Each file is judged by its own facts, so that the verdict is the same wherever its range is cut.

    Args:
        files: the columns of `filetable.FileTable.files`, `subjects.PARSED` and `near_edge`.
        signatures: the table to judge by.
    """
    files = _with_signatures(_one_segment_style(files))
    files = files.with_columns(dropped_by=signatures_dropping(signatures, files["signature"], files["tool"]))
    flood = _of_floods(files)
    others = with_rules(files.filter(~flood)).with_columns(random=pl.col("random") | pl.col("program"))
    others = others.with_columns(dropped_by=pl.when("random").then("dropped_by"))
    dropped = pl.col("dropped_by").is_not_null()
    kept = in_nzb_order(with_records(with_identities(others.filter(~dropped))))
    garbage = pl.concat([files.filter(flood), others.filter(dropped).select(files.columns)])
    return Judged(_leaders(kept), kept, garbage)


def _of_floods(files: pl.DataFrame) -> pl.Series:
    """Files whose signature or tool is dropped and whose title and stem are random, where by `with_rules` nothing else could name them.

    Most files end here, and need no other rule.
    """
    untitled = pl.col("title") == ""
    alone = pl.col("file_total").fill_null(1) <= 1
    nameless = (pl.col("name") != "") & (pl.col("folder") == "") & (pl.col("request_id") == "")
    candidates = files.select(
        "name", "title", "program", likely=pl.col("dropped_by").is_not_null() & nameless & (alone | ~untitled)
    )
    likely = candidates["likely"].arg_true()
    found = candidates[likely]
    random = are_random(bare_stem(found["name"])) & ((found["title"] == "") | each_random(found["title"]))
    random |= found["program"]
    return pl.repeat(value=False, n=files.height, eager=True).scatter(likely, random)


def _with_signatures(files: pl.DataFrame) -> pl.DataFrame:
    """Add `signature` and `tool`, and whether it is a `program` whose name says nothing."""
    # One article is the whole post: no counter of files, no other part, no companion or volume of something larger.
    alone = pl.col("file_total").fill_null(1) == 1
    of_a_set = (
        names.is_beside(pl.col("name")) | names.is_volume(pl.col("name")) | names.is_numbered_track(pl.col("name"))
    )
    single = alone & (pl.col("segments_expected") == 1) & ~of_a_set
    files = files.with_columns(single=single, program=alone & is_generic_program(pl.col("name")))
    files = files.with_columns(
        template=templates(files["message_id"]),
        poster_shape=shapes(files["poster"]),
    )
    return files.with_columns(
        tool=tool_of(files.rename({"first_segment": "segment", "segments_expected": "segments"})),
        signature=signature(
            pl.col("template"),
            pl.col("poster_shape"),
            pl.concat_str("shape", _mark("single", "1"), _mark("program", "!")),
        ),
    )


def _leaders(files: pl.DataFrame) -> pl.DataFrame:
    """The file of each record that speaks for it; the choice does not depend on which of its files are here.

    A readable name before a random one, the longest spelling, then the first in the order of letters.
    """
    ordered = files.with_row_index("place").sort(
        "record", "random", -pl.col("release").str.len_chars().cast(pl.Int32), "release", "place"
    )
    return ordered.unique("record", keep="first", maintain_order=True).drop("place")


def _mark(column: str, sign: str) -> pl.Expr:
    return pl.when(column).then(pl.lit(sign)).otherwise(pl.lit(""))


def _one_segment_style(files: pl.DataFrame) -> pl.DataFrame:
    total = pl.col("segments_expected")
    only_first = (pl.col("segments_found") == 1) & (pl.col("first_segment") == 1)
    repeats = (total == pl.col("file_total")) & (total >= ONE_SEGMENT_STYLE) & only_first
    # A set of so many files of so many segments each is none, however little of one file is there.
    several = ((total == pl.col("file_total")) & ~only_first).any().over("poster", "file_total")
    repeats &= ~several
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
    files = judged.files.join(numbers, on="record", how="left", maintain_order="left").drop("record")
    kept = segments_of(files["file"], segments)
    files = files.rename({"ordinal": "record"}).with_columns(file=pl.int_range(pl.len(), dtype=pl.UInt32))
    record_files = RECORD_FILES.check(files.select(RECORD_FILES.names))
    kept_segments = SEGMENTS.check(kept.select("file", "number", "bytes", message_id=message_ids.gather(kept["row"])))
    return _records(judged.records, files), record_files, kept_segments


def _records(firsts: pl.DataFrame, files: pl.DataFrame) -> pl.DataFrame:
    if firsts.is_empty():
        return RECORDS.empty()
    files = files.with_columns(mark=marks(files))
    sums = files.group_by("record", maintain_order=True).agg(
        groups=pl.col("groups").explode(empty_as_null=False).unique().sort(),
        first_posted=pl.col("posted_at").min(),
        last_posted=pl.col("posted_at").max(),
        files=pl.len().cast(pl.Int32),
        files_expected=_files_expected(pl.col("file_total"), names.is_par2(pl.col("name"))),
        segments=pl.col("segments_found").sum().cast(pl.Int64),
        segments_expected=pl.col("segments_expected").sum().cast(pl.Int64),
        bytes=pl.col("bytes").sum(),
        has_par2=names.is_par2(pl.col("name")).any(),
        repost=pl.col("repost").any(),
        marks=pl.col("mark").sort(),
        extensions=names.extension(pl.col("name")).unique(),
    )
    one = firsts.select(
        "poster",
        "tool",
        "grouped_by",
        "named_by",
        "signature",
        "random",
        "request_id",
        name="release",
        base_key=base_keys(firsts["base"]),
        stem_key=base_keys(firsts["stem_base"]),
        pool_key=base_keys(firsts["pool_base"]),
        lone_number=pl.when(pl.col("stem_base").is_not_null() & (pl.col("base") == pl.col("pool_base"))).then(
            "file_number"
        ),
    )
    # Each chunk of a frame costs an expression its start again.
    frame = (
        pl.concat([sums, one], how="horizontal")
        .rechunk()
        .with_columns(
            readable_name=~pl.col("random"),
            file_marks=pl.when(is_whole())
            .then(pl.lit(b""))
            .otherwise(pl.Series([b"".join(one) for one in sums["marks"]])),
            category=category(pl.col("name"), pl.col("extensions"), pl.col("random")),
        )
    )
    return RECORDS.check(frame.select(RECORDS.names))


def _files_expected(total: pl.Expr, par2: pl.Expr) -> pl.Expr:
    """N of the file counter, one more where it runs from 0 to N; recovery files may be counted apart. Null when not knowable."""
    number = pl.col("file_number")
    zero = ((number == 0).any() & (number == total).any()).cast(pl.Int32)
    data_total, par2_total = total.filter(~par2), total.filter(par2)
    # Discs of a request count for themselves too; how many there are nobody says.
    apart = (data_total.n_unique() == 1) & (par2_total.n_unique() == 1) & (pl.col("grouped_by").first() != "request")
    expected = (
        pl.when(total.n_unique() == 1).then(total.first()).when(apart).then(data_total.first() + par2_total.first())
    )
    known = total.is_not_null().all() & expected.is_not_null()
    return pl.when(known).then(pl.max_horizontal(expected + zero, pl.len()).cast(pl.Int32))
