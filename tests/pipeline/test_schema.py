from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from pipeline import dictionary, schema


def test_the_data_dictionary_is_made_from_the_schemas() -> None:
    written = Path(schema.__file__).parents[1] / "docs" / "data-dictionary.md"
    assert written.read_text() == dictionary.dictionary(), "run: make docs"


@pytest.mark.parametrize("declared", dictionary.ALL, ids=lambda declared: declared.name)
def test_an_empty_frame_passes_its_own_check(declared: schema.Schema) -> None:
    assert declared.check(declared.empty()).width == len(declared.columns)


def test_another_dtype_or_order_is_refused() -> None:
    frame = schema.SEGMENTS.empty()
    with pytest.raises(schema.SchemaMismatch, match="segments"):
        schema.SEGMENTS.check(frame.select(reversed(frame.columns)))
    with pytest.raises(schema.SchemaMismatch):
        schema.SEGMENTS.check(frame.with_columns(pl.col("bytes").cast(pl.Int32)))
