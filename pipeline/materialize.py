"""From the overview of a range, or the decided fragments of an edge, to its Batch. Pure and deterministic."""

from __future__ import annotations

import polars as pl

from pipeline.batch import Batch, GroupList, SignatureTable
from pipeline.ranges import Range


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
    raise NotImplementedError


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
    raise NotImplementedError
