"""Runs of Nyuu's ids regenerate from the state of V8's generator, and what is not of a run stays as it is."""

import dataclasses
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.chunks import PROFILES, batch_of
from pipeline.batch import Batch
from store.chunks import ChunkHeader, encode
from store.chunks.xorshift import LETTERS, WINDOW, find, letters
from tests.store.test_independent_reader import compared

HEADER = ChunkHeader("main", "alt.binaries.test", 0, "range", 1, "1.0")
NYUU = next(profile for profile in PROFILES if profile.name == "nyuu")
IDS = (Path(__file__).parent / "nyuu_ids.txt").read_text().split()
"""Made by a real V8 (node 20, after 77 other numbers): `node tests/store/nyuu_ids.js 1200 77`."""


def record_of(ids: list[str]) -> Batch:
    """One record of 12 files of 100 segments."""
    batch = batch_of(NYUU, 1200)
    return dataclasses.replace(batch, segments=batch.segments.with_columns(message_id=pl.Series(ids)))


def size(batch: Batch) -> int:
    """Bytes of its record, which both readers read."""
    compared(batch)
    return encode(batch, HEADER).places[0].length


@pytest.fixture(scope="module")
def ordinary() -> int:
    """Bytes of a record whose letters come from elsewhere."""
    random = np.random.default_rng(1).integers(0, 26, (1200, 24)) + np.tile([65, 97], 12)
    return size(
        record_of([bytes(row.astype(np.uint8)).decode() + name[24:] for row, name in zip(random, IDS, strict=True)])
    )


def characters(ids: list[str]) -> np.ndarray[tuple[int, int], np.dtype[np.uint8]]:
    return np.array([list(name[:LETTERS].encode()) for name in ids], np.uint8)


def test_the_ids_of_a_real_v8_regenerate_from_any_eight_of_them():
    shown = characters(IDS)
    begins = np.arange(0, 1192, 7)
    found, states, phases = find(shown[begins[:, None] + np.arange(WINDOW)])
    assert found.all()
    assert phases.tolist() == ((77 + LETTERS * begins) % 64).tolist()
    for begin, state, phase in zip(begins.tolist(), states, phases, strict=True):
        assert (letters(state[None], np.array([phase]), np.array([1200 - begin])) == shown[begin:]).all()


def test_random_letters_come_from_no_state():
    random = np.random.default_rng(2).integers(0, 26, (500, WINDOW, LETTERS)) + np.tile([65, 97], 12)
    assert not find(random.astype(np.uint8))[0].any()


def test_a_run_costs_its_seed_and_the_times(ordinary: int):
    """14 bytes an article less."""
    assert ordinary - size(record_of(IDS)) > 1200 * 14


def test_runs_begin_again_behind_retries(ordinary: int):
    ids = IDS.copy()
    retry = ids.pop(700)
    ids.insert(300, retry)
    assert ordinary - size(record_of(ids)) > 1190 * 14


def test_foreign_ids_inside_a_run_cost_only_themselves():
    whole = size(record_of(IDS))
    ids = IDS.copy()
    ids[10], ids[500], ids[501], ids[1199] = (
        "retry@example.org",
        IDS[500][:5] + "Q" + IDS[500][6:],
        IDS[3],
        "é@example.org",
    )
    assert size(record_of(ids)) < whole + 300


def test_parts_of_a_run_in_two_records_are_two_runs(ordinary: int):
    batch = record_of(IDS)
    half = batch.files["file"] >= 6
    files = batch.files.with_columns(record=half.cast(pl.UInt32))
    records = pl.concat([batch.records, batch.records.with_columns(record=pl.lit(1, pl.UInt32))])
    both = dataclasses.replace(batch, records=records, files=files)
    compared(both)
    assert sum(place.length for place in encode(both, HEADER).places) < ordinary - 1200 * 13


def test_missing_articles_do_not_end_a_run(ordinary: int):
    batch = record_of(IDS)
    kept = batch.segments.filter(pl.col("number") % 10 != 3)
    assert ordinary * 0.9 - size(dataclasses.replace(batch, segments=kept)) > 1080 * 12


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 1199), st.integers(0, 1199)), max_size=12), st.integers(0, 400))
def test_whatever_the_order_they_come_back(swaps: list[tuple[int, int]], shift: int):
    ids = IDS[shift:] + IDS[:shift]
    for first, second in swaps:
        ids[first], ids[second] = ids[second], ids[first]
    encode(record_of(ids), HEADER)
