"""Runs of ids that one process of Nyuu drew one after the other: split from the others of their record, each with its seed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from store.chunks.columns import Integers, Unsigned, bounds_of
from store.chunks.ragged import Mask, Ragged
from store.chunks.templates import Group, Seeds, drawn_letters
from store.chunks.xorshift import LETTERS, WINDOW, find

_MIN_ROWS = 32
_ATTEMPTS = 8
"""Windows looked at in a record at most: other runs begin where a retry or a missing file shifted the numbers. Where the first window of
no record is of a run, the ids come from elsewhere, and no other is looked at."""


def with_runs(group: Group, articles: Integers, least: int) -> Iterator[Group]:
    """The runs in a group whose ids look like Nyuu's, then what is left of it.

    Args:
        group: ids of one length.
        articles: for each id how many articles come before it in its record, if none is missing.
        least: ids that a template has at least.
    """
    left = np.ones(articles.size, np.bool_)
    if _like_nyuu(group):
        record = np.repeat(np.arange(len(group.records)), np.diff(group.bounds))
        usable = left.copy()
        for attempt in range(_ATTEMPTS):
            begins = _windows(articles, record, usable)
            if not begins.size:
                break
            usable[begins] = False
            found, states, phases = find(group.ids.characters[begins[:, None] + np.arange(WINDOW), :LETTERS])
            if not found.any():
                if not attempt:
                    break
                continue
            taken, owners = _same(group, articles, record, left, begins[found], states[found], phases[found])
            left &= ~taken
            usable &= ~taken
            if taken.any():
                seeds = Seeds(states[found][owners], phases[found][owners], articles[taken])
                yield _of(group, taken, seeds)
    kept = left if left.all() else left & _in_numbers(group, left, least)
    if kept.any():
        yield group if kept.all() else _of(group, kept, None)


def _like_nyuu(group: Group) -> bool:
    """Whether the first id has 24 letters, upper and lower case in turn, before a dash."""
    first = group.ids.characters[0].tobytes().decode("latin-1")
    upper, lower = first[0:LETTERS:2], first[1:LETTERS:2]
    plain = not group.form and group.ids.absent is None and len(first) > LETTERS and first.isascii()
    return plain and first[LETTERS] == "-" and f"{upper}{lower}".isalpha() and upper.isupper() and lower.islower()


def _windows(articles: Integers, record: Integers, usable: Mask) -> Integers:
    """The first row of each record from which on enough ids follow each other."""
    last = articles.size - WINDOW + 1
    if last <= 0:
        return np.zeros(0, np.int64)
    many = np.bincount(record[usable], minlength=int(record[-1]) + 1)[record[:last]] >= _MIN_ROWS
    whole = bounds_of(usable.astype(np.int64))
    follow = (whole[WINDOW:] - whole[:last] == WINDOW) & (record[WINDOW - 1 :] == record[:last])
    follow &= articles[WINDOW - 1 :] - articles[:last] == WINDOW - 1
    rows = np.flatnonzero(follow & many)
    return rows[np.unique(record[rows], return_index=True)[1]]


def _same(
    group: Group, articles: Integers, record: Integers, left: Mask, begins: Integers, states: Unsigned, phases: Integers
) -> tuple[Mask, Integers]:
    """(ids that the generators of some windows give too, which of the windows those with such ids are)."""
    window = np.full(len(group.records), -1)
    window[record[begins]] = np.arange(begins.size)
    own = window[record]
    after = articles - articles[begins][own]
    rows = np.flatnonzero(left & (own >= 0) & (after >= 0) & (after < 2 * np.diff(group.bounds)[record]))
    # A template counts articles from its first id, and that is the first of its window.
    rows = rows[rows >= begins[own[rows]]]
    bounds = np.append(np.flatnonzero(np.diff(own[rows], prepend=-1)), rows.size)
    letters = drawn_letters(Seeds(states, phases, articles[rows]), bounds)
    same = rows[(letters == group.ids.characters[rows, :LETTERS]).all(axis=1)]
    taken = np.zeros(left.size, np.bool_)
    taken[same] = True
    return taken, np.unique(own[same])


def _in_numbers(group: Group, left: Mask, least: int) -> Mask:
    """The ids of records with at least as many of them left."""
    counts = np.add.reduceat(left, group.bounds[:-1], dtype=np.int64)
    return np.repeat(counts >= least, np.diff(group.bounds))


def _of(group: Group, chosen: Mask, seeds: Seeds | None) -> Group:
    """Some ids of a group."""
    counts = np.add.reduceat(chosen, group.bounds[:-1], dtype=np.int64)
    records = [record for record, count in zip(group.records, counts.tolist(), strict=True) if count]
    return replace(
        group,
        rows=group.rows[chosen],
        bounds=bounds_of(counts[counts > 0]),
        records=records,
        ids=Ragged(group.ids.characters[chosen]),
        files=group.files[chosen],
        seeds=seeds,
    )
