"""Ordinals of equal values."""

from __future__ import annotations

import numpy as np
import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from pipeline.distinct import kinds, ordinals


@given(st.lists(st.integers(0, 1 << 64 - 1) | st.integers(0, 5)))
def test_values_are_numbered_in_order_of_first_appearance(values: list[int]):
    ordinal, first = ordinals(np.array(values, np.uint64))
    seen = list(dict.fromkeys(values))
    assert [seen.index(value) for value in values] == ordinal.tolist()
    assert [values.index(value) for value in seen] == first.tolist()


@given(st.lists(st.text(max_size=3)))
def test_each_value_stands_once_and_can_be_put_back(values: list[str]):
    each, ordinal = kinds(pl.Series(values, dtype=pl.String))
    assert each.to_list() == list(dict.fromkeys(values))
    assert each.gather(ordinal).to_list() == values
