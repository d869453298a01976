"""File marks and keys in less space, told the same by the database as by the pipeline."""

from __future__ import annotations

from collections import Counter

import polars as pl
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store.catalog.connection import Catalog
from store.catalog.packing import packed_marks, short_keys

MARKS = st.tuples(st.integers(0, 2**24 - 1), st.integers(0, 2**20 - 1), st.integers(0, 2**20 - 1))
SMALL = st.tuples(st.integers(0, 2**24 - 1), st.integers(1, 300), st.integers(1, 300))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(records=st.lists(st.lists(MARKS | SMALL | SMALL.map(lambda mark: (mark[0], mark[1], mark[1])), max_size=12)))
def test_the_database_reads_every_mark_that_was_packed(catalog: Catalog, records: list[list[tuple[int, int, int]]]):
    written = [
        b"".join(sorted((key << 40 | expected << 20 | found).to_bytes(8) for key, expected, found in marks))
        for marks in records
    ]
    packed = packed_marks(pl.Series(written, dtype=pl.Binary))
    with catalog.transaction() as connection:
        for marks, data in zip(records, packed, strict=True):
            assert Counter(connection.execute("SELECT * FROM file_marks(%s)", [data])) == Counter(marks)
            assert (data == b"") == (not marks)


def test_marks_of_complete_files_take_half_the_space_or_less():
    marks = b"".join((key << 40 | 200 << 20 | 200).to_bytes(8) for key in range(100))
    (packed,) = packed_marks(pl.Series([marks]))
    assert len(packed) == 4 + 100 * 4


def test_keys_are_the_first_8_bytes_as_the_database_orders_them():
    keys = pl.Series([b"\0" * 7 + b"\1" + b"\xff" * 8, b"\xff" * 16, None], dtype=pl.Binary)
    assert short_keys(keys) == [1, -1, None]
