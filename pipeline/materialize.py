"""From the overview of a range, or the decided fragments of an edge, to its Batch. Pure and deterministic."""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline import records, setasides, subjects
from pipeline.batch import Batch, Counters, GroupList, SignatureTable
from pipeline.distinct import ordinals
from pipeline.filetable import file_keys, segments_of, table
from pipeline.fragments import reach, window
from pipeline.healing import healed
from pipeline.islands import islands
from pipeline.maingroup import crossposted_to, in_main_group
from pipeline.probes import candidates
from pipeline.ranges import Range
from pipeline.schema import FRAGMENTS, OVERVIEW, SAMPLES, SEGMENTS, VERDICTS

SAMPLED = 20
"""Lines kept of each set-aside and garbage kind."""


def materialize(
    overview: pl.DataFrame,
    range_: Range,
    group_list: GroupList,
    signatures: SignatureTable,
    *,
    lines: int,
    malformed: int,
    duplicate: int,
) -> Batch:
    """What a range holds: records, fragments, probes, samples and where each line went.

    Args:
        overview: frame `schema.OVERVIEW` of the range, in any order.
        range_: the range; its numbers, not those seen, say where its edges are.
        group_list: decides the main group of each article.
        signatures: the garbage signatures.
        lines: lines the server sent.
        malformed: lines of those that could not be read.
        duplicate: lines of those that repeated an article number.
    """
    lines_seen = _in_order(OVERVIEW.check(overview).drop("references"))
    main = in_main_group(lines_seen["xref"], range_.group, group_list).arg_true()
    # Most lines end here; what follows sees the rest only.
    random, told = setasides.told(lines_seen["subject"].gather(main))
    others = main.filter(pl.Series(~random))
    aside = {setasides.RANDOM: main.filter(pl.Series(random))} | {
        kind: others.filter(told["kind"] == kind) for kind in (setasides.OBFUSCATED, setasides.TEXT)
    }
    file_like = told["kind"] == setasides.FILE
    articles = lines_seen.drop("subject")[others.filter(file_like)].hstack(told.filter(file_like))
    found = table(articles)
    files, pieces = healed(
        found.files.hstack(subjects.parse(found.files["head"])), found.segments, articles["message_id"]
    )
    size = window(files, range_)
    files = reach(files, range_, size)
    fragment = pl.col("at_low") | pl.col("at_high")
    judged = records.judge(files.filter(~fragment), signatures)
    stay = _with_groups(files.filter(fragment), pieces, articles, range_.group)
    kept = _with_groups(judged.files, pieces, articles, range_.group)
    judged = records.Judged(judged.records, kept, judged.garbage)
    record_rows, record_files, segments = records.frames(judged, pieces, articles["message_id"])
    fragments, fragment_segments = _fragments(stay, pieces, articles["message_id"])
    counters = Counters(
        lines=lines,
        malformed=malformed,
        duplicate=duplicate,
        outside_main=lines_seen.height - len(main),
        set_aside_random=len(aside[setasides.RANDOM]),
        set_aside_obfuscated=len(aside[setasides.OBFUSCATED]),
        set_aside_text=len(aside[setasides.TEXT]),
        repeated=found.repeated,
        garbage=int(judged.garbage["segments_found"].sum()),
        kept=segments.height,
        in_fragments=fragment_segments.height,
    )
    samples = [_sample(f"set_aside_{kind}", lines_seen[_spread(rows)]) for kind, rows in aside.items()]
    samples.append(_garbage_sample(judged.garbage))
    return Batch(
        records=record_rows,
        files=record_files,
        segments=segments,
        fragments=fragments,
        fragment_segments=fragment_segments,
        probes=candidates(record_rows, record_files, segments),
        samples=pl.concat(samples),
        verdicts=_verdicts(judged),
        counters=counters,
        window=size,
    )


def _in_order(overview: pl.DataFrame) -> pl.DataFrame:
    if not overview["number"].is_sorted():
        overview = overview.sort("number")
    return overview.with_columns(filled_at=pl.col("posted_at").forward_fill().backward_fill())


def _with_groups(files: pl.DataFrame, segments: pl.DataFrame, articles: pl.DataFrame, group: str) -> pl.DataFrame:
    """Add `file_key` and `groups`, the groups in the Xref of the files' articles; `group` where it is empty."""
    rows = segments_of(files["file"], segments)
    lists, place = crossposted_to(articles["xref"].gather(rows["row"]))
    each = pl.DataFrame({"groups": lists.list.unique().list.sort()}).select(
        groups=pl.when(pl.col("groups").list.len() == 0).then(pl.lit([group])).otherwise("groups")
    )
    pairs = rows["file"].to_numpy().astype(np.uint64) << np.uint64(32) | place
    pairs = pairs[ordinals(pairs)[1]]
    places = each[(pairs & np.uint64(0xFFFFFFFF)).astype(np.int64)].with_columns(
        file=files["file"].gather(pairs >> np.uint64(32))
    )
    several = pl.col("file").is_duplicated()
    joined = places.filter(several).group_by("file").agg(pl.col("groups").explode().unique().sort())
    places = pl.concat([places.filter(~several), joined.select("groups", "file")])
    return files.with_columns(file_keys(files)).join(places, on="file", how="left", maintain_order="left")


def _fragments(
    files: pl.DataFrame, segments: pl.DataFrame, message_ids: pl.Series
) -> tuple[pl.DataFrame, pl.DataFrame]:
    files = files.sort("first_number")
    rows = segments_of(files["file"], segments)
    files = files.with_columns(file=pl.int_range(pl.len(), dtype=pl.UInt32))
    ids = message_ids.gather(rows["row"])
    return FRAGMENTS.check(files.select(FRAGMENTS.names)), SEGMENTS.check(
        rows.select("file", "number", "bytes", message_id=ids)
    )


def _spread(rows: pl.Series) -> pl.Series:
    """Up to `SAMPLED` of the rows, evenly spread."""
    return rows.gather_every(max(1, len(rows) // SAMPLED)).head(SAMPLED)


def _sample(kind: str, lines: pl.DataFrame) -> pl.DataFrame:
    return SAMPLES.check(lines.select(pl.lit(kind).alias("kind"), *SAMPLES.names[1:]))


def _garbage_sample(garbage: pl.DataFrame) -> pl.DataFrame:
    files = garbage.select("subject", "poster", "message_id", "bytes", number="first_number").sort("number")
    return _sample("garbage", files[_spread(files.select(pl.int_range(pl.len(), dtype=pl.UInt32)).to_series())])


def _verdicts(judged: records.Judged) -> pl.DataFrame:
    facts = ("dropped_by", "signature", "tool", "segments_found", "bytes")
    files = pl.concat([judged.garbage.select(facts), judged.files.filter("random").select(facts)])
    return VERDICTS.check(
        files.group_by("dropped_by", "signature", "tool")
        .agg(
            files=pl.len().cast(pl.Int64),
            segments=pl.col("segments_found").sum().cast(pl.Int64),
            bytes=pl.col("bytes").sum(),
        )
        .sort("dropped_by", "signature", "tool", nulls_last=True)
    )


def merge_edge(fragments: pl.DataFrame, fragment_segments: pl.DataFrame, signatures: SignatureTable) -> Batch:
    """What the decided fragments of an edge become, by the same rules as a range.

    Args:
        fragments: frame `schema.FRAGMENTS`, from any number of ranges; rows with equal `file_key` are one file.
            `file` numbers the fragments uniquely over all of them.
        fragment_segments: frame `schema.SEGMENTS` of those fragments.
        signatures: the garbage signatures.

    Returns:
        A Batch without fragments, with window 0; `counters.lines` is the number of `fragment_segments`.
    """
    fragments, fragment_segments = FRAGMENTS.check(fragments), SEGMENTS.check(fragment_segments)
    parts = fragments.sort("first_number", "file").with_columns(island=islands("file_key", "posted_at"))
    whole = (
        parts.group_by("file_key", "island", maintain_order=True)
        .agg(pl.col("file").alias("parts"), pl.col("first_number").min().alias("lowest"))
        .sort("lowest", "file_key", "island")
        .with_row_index("whole")
    )
    pieces = whole.select("whole", "parts").explode("parts")
    parts = parts.join(pieces, left_on="file", right_on="parts").sort("first_number", "file").with_row_index("place")
    rows = (
        fragment_segments.with_row_index("row")
        .join(parts.select("file", "whole", "place"), on="file")
        .sort("whole", "number", "place", "row")
    )
    first_seen = rows.unique(["whole", "number"], keep="first", maintain_order=True)
    segments = first_seen.select("number", "bytes", "row", file="whole").select("file", "number", "bytes", "row")
    files, segments = healed(
        _merged(parts, segments, fragment_segments["message_id"]), segments, fragment_segments["message_id"]
    )
    judged = records.judge(files, signatures)
    record_rows, record_files, kept = records.frames(judged, segments, fragment_segments["message_id"])
    counters = Counters(
        lines=fragment_segments.height,
        repeated=fragment_segments.height - segments.height,
        garbage=int(judged.garbage["segments_found"].sum()),
        kept=kept.height,
    )
    return Batch(
        records=record_rows,
        files=record_files,
        segments=kept,
        fragments=FRAGMENTS.empty(),
        fragment_segments=SEGMENTS.empty(),
        probes=candidates(record_rows, record_files, kept),
        samples=_garbage_sample(judged.garbage),
        verdicts=_verdicts(judged),
        counters=counters,
        window=0,
    )


def _merged(parts: pl.DataFrame, segments: pl.DataFrame, message_ids: pl.Series) -> pl.DataFrame:
    """Fragments of one file as one row; subject and poster are those of its first segment."""
    sums = segments.group_by("file", maintain_order=True).agg(
        segments_found=pl.len().cast(pl.Int32),
        bytes=pl.col("bytes").sum(),
        row=pl.col("row").first(),
        first_segment=pl.col("number").first(),
    )
    # The fragment that holds the first segment present speaks for the file.
    facts = parts.group_by("whole").agg(
        pl.col("subject", "poster", "file_key", "segments_expected").first(),
        groups=pl.col("groups").explode(empty_as_null=False).unique().sort(),
        posted_at=pl.col("posted_at").min(),
        first_number=pl.col("first_number").min(),
        last_number=pl.col("last_number").max(),
    )
    files = sums.join(facts, left_on="file", right_on="whole", maintain_order="left", how="left")
    files = files.with_columns(
        head=subjects.split(files["subject"])["head"], message_id=message_ids.gather(files["row"])
    )
    # The neighbours of an edge may hold more files of any release here.
    return files.drop("row").hstack(subjects.parse(files["head"])).with_columns(near_edge=pl.lit(value=True))
