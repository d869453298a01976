"""Articles whose subject was damaged on the way, put back into the file they belong to.

A server or a poster's tool may spoil the subject of single articles: another charset, a control character that became a blank, a
word of RFC 2047 set before it (nntp.md section 6). Such an article makes a file of its own. The rest of its subject still says where
it belongs: poster, segment total and all that is not damaged are those of a file that lacks exactly this segment and surrounds it in
article numbers.
"""

from __future__ import annotations

import numpy as np
import polars as pl

from pipeline.posters import stable

LONGEST = 400
"""Characters; a longer subject is damaged, no tool writes one."""

_DAMAGED = r"[^ -~]|=\?"


def healed(files: pl.DataFrame, segments: pl.DataFrame, message_ids: pl.Series) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Join damaged pieces to their files.

    Args:
        files: the columns of `filetable.FileTable.files` and `subjects.PARSED`; other columns are kept.
        segments: as `filetable.FileTable.segments`.
        message_ids: by `row` of the segments.

    Returns:
        `files` without the pieces that were joined, with the counts, sizes, numbers and dates of both; the files keep their ordinals.
        `segments` with the pieces' segments under their file's ordinal, ordered by file and number.
    """
    told = pl.col("file_number").is_not_null() | (pl.col("name") != "")
    open_files = files.filter((pl.col("segments_found") < pl.col("segments_expected")) & told)
    if open_files.height < 2:
        return files, segments
    pieces = _pieces(open_files.with_columns(poster=stable(open_files["poster"])))
    pieces = _missing_there(pieces, segments)
    if pieces.is_empty():
        return files, segments
    return _joined(files, segments, pieces, message_ids)


def _pieces(files: pl.DataFrame) -> pl.DataFrame:
    """`piece` and `file`: each damaged file beside the largest one that it seems to be of and that surrounds it."""
    head = pl.col("head")
    frame = files.select(
        "poster", "segments_expected", "file", "segments_found", "first_number", "last_number",
        damaged=head.str.contains(_DAMAGED) | (head.str.len_chars() > LONGEST),
        letters=head.str.replace_all(r"\s", ""),
    )  # fmt: skip
    # Articles of a small file arrive among those of other connections and posters.
    spread = pl.max_horizontal(pl.col("segments_expected") * 4, 1_000)
    around = (pl.col("first_number") >= pl.col("first_number_whole") - spread) & (
        pl.col("last_number") <= pl.col("last_number_whole") + spread
    )
    larger = (pl.col("segments_found") < pl.col("segments_found_whole")) | (
        (pl.col("segments_found") == pl.col("segments_found_whole")) & (pl.col("file_whole") < pl.col("file"))
    )
    near = around & larger & (pl.col("file") != pl.col("file_whole"))
    # Blanks that came instead of control characters leave no other mark.
    again = frame.filter(pl.struct("poster", "segments_expected", "letters").is_duplicated())
    same = again.join(again, on=["poster", "segments_expected", "letters"], suffix="_whole").filter(near)
    others = frame.filter("damaged").join(frame, on=["poster", "segments_expected"], suffix="_whole").filter(near)
    pairs = pl.concat([same.drop("letters"), others.filter(_spelled_alike()).drop("letters", "letters_whole")])
    return (
        pairs.sort("file", -pl.col("segments_found_whole"), "file_whole")
        .unique("file", keep="first", maintain_order=True)
        .select(piece="file", file="file_whole")
    )


def _spelled_alike() -> pl.Expr:
    """The whole subject ends the damaged one, or fits it with something else where that has foreign signs."""
    pattern = pl.concat_str(
        pl.lit("^"), pl.col("letters").str.escape_regex().str.replace_all(r"[^ -~]+", ".{0,2}"), pl.lit("$")
    )
    long = pl.col("letters").str.len_chars() > LONGEST
    ends = pl.col("letters").str.ends_with(pl.col("letters_whole"))
    return ends | ~long & pl.col("letters_whole").str.contains(pattern, strict=False).fill_null(value=False)


def _missing_there(pieces: pl.DataFrame, segments: pl.DataFrame) -> pl.DataFrame:
    """The pieces whose every segment their file lacks; of two that hold the same one, the first."""
    held = segments.filter(pl.col("file").is_in(pieces["file"].implode())).select("file", "number")
    offered = pieces.join(segments.select("number", piece="file"), on="piece")
    twice = offered.filter(
        pl.struct("file", "number").is_duplicated() & (pl.col("piece").rank("dense").over("file", "number") > 1)
    )
    present = offered.join(held, on=["file", "number"], how="semi")
    refused = pl.concat([twice["piece"], present["piece"]])
    return pieces.filter(~pl.col("piece").is_in(refused.implode()) & ~pl.col("file").is_in(pieces["piece"].implode()))


def _joined(
    files: pl.DataFrame, segments: pl.DataFrame, pieces: pl.DataFrame, message_ids: pl.Series
) -> tuple[pl.DataFrame, pl.DataFrame]:
    wholes = pl.concat(
        [pieces.rename({"file": "whole", "piece": "file"}), pieces.select("file", whole="file").unique()]
    )
    place = np.arange(1 + segments["file"].to_numpy().max(initial=0), dtype=np.uint32)
    place[pieces["piece"].to_numpy()] = pieces["file"].to_numpy()
    segments = segments.with_columns(file=pl.Series(place[segments["file"].to_numpy()]))
    # They are in order but for those of the pieces.
    keys = segments["file"].to_numpy().astype(np.int64) << 32 | segments["number"].to_numpy()
    segments = segments[np.argsort(keys, kind="stable")]
    sums = (
        wholes.join(files, on="file")
        .group_by("whole")
        .agg(
            pl.col("segments_found", "bytes").sum(),
            pl.col("first_number", "posted_at", "first_segment").min(),
            pl.col("last_number").max(),
        )
        .rename({"whole": "file"})
    )
    first = segments.filter(pl.col("file").is_in(sums["file"].implode())).unique(
        "file", keep="first", maintain_order=True
    )
    first = first.select("file", message_id=message_ids.gather(first["row"]))
    kept = files.filter(~pl.col("file").is_in(pieces["piece"].implode()))
    return kept.update(sums.join(first, on="file"), on="file", maintain_order="left"), segments
