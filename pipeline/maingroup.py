"""The main-group rule: an article that is posted to several groups is indexed once, in the first of them that is listed."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.batch import GroupList
from pipeline.compiled import compiled
from pipeline.distinct import ordinals
from pipeline.texts import Octets, texts


def crossposted_to(xref: pl.Series) -> tuple[pl.Series, NDArray[np.uint32]]:
    """The groups of each Xref.

    Args:
        xref: `schema.OVERVIEW`'s column.

    Returns:
        Lists of groups, e.g. `["alt.binaries.a", "alt.binaries.b"]`, few; and for each row which of them it is.
    """
    found = texts(xref)
    place, first = ordinals(_without_numbers(found.offsets, found.octets))
    each = xref.gather(first).str.replace_all(r":\d+", "").str.strip_chars()
    return each.str.split(" ").list.filter(pl.element() != ""), place


@compiled
def _without_numbers(offsets: NDArray[np.int64], octets: Octets) -> NDArray[np.uint64]:
    """64 bits of each text, where any number after a colon counts as the same sign."""
    hashes = np.empty(offsets.size - 1, np.uint64)
    for text in range(hashes.size):
        at, end, value = offsets[text], offsets[text + 1], np.uint64(0xCBF29CE484222325)
        while at < end:
            sign = np.uint64(octets[at])
            at += 1
            if octets[at - 1] == ord(":") and at < end and 48 <= octets[at] <= 57:
                sign = np.uint64(256)
                while at < end and 48 <= octets[at] <= 57:
                    at += 1
            value = (value ^ sign) * np.uint64(0x100000001B3)
        hashes[text] = value
    return hashes


def in_main_group(xref: pl.Series, group: str, groups: GroupList) -> pl.Series:
    """Which articles, seen in `group`, have it as their main group.

    Args:
        xref: `schema.OVERVIEW`'s column. Empty, or without any listed group: this group is the main one.
        group: the group the articles were seen in.
        groups: the listed groups.

    Returns:
        A Boolean column.
    """
    frame = pl.DataFrame({"xref": xref})
    # A group that is not listed is the main one of its own articles only where no listed one is named.
    first_here = pl.col("xref").str.starts_with(f"{group}:") & (group in groups.names)
    here = frame.select(first_here | (pl.col("xref") == "")).to_series()
    rest = (~here).arg_true()
    lists, place = crossposted_to(xref.gather(rest))
    elected = lists.list.filter(pl.element().is_in(groups.names)).list.first()
    outside = (elected.is_not_null() & (elected != group)).fill_null(value=False)
    return here.scatter(rest.filter(~outside.gather(place)), values=True)
