from __future__ import annotations

from pathlib import Path

from benchmarks.layouts import LAYOUTS, run


def test_what_lies_in_the_lake_is_smaller_than_what_came(tmp_path: Path) -> None:
    found = run(tmp_path, 50_000)
    assert [layout.name for layout in found.layouts] == list(LAYOUTS)
    assert found.parquet_bytes_per_line <= found.wire_bytes_per_line
    shipped, *others = found.layouts
    # The same options as in the lake, whose files also say where they are from.
    assert 0 <= found.parquet_bytes_per_line - shipped.bytes_per_line < 0.5
    assert all(layout.columns.keys() == shipped.columns.keys() for layout in others)
    assert shipped.bytes_per_line < min(
        layout.bytes_per_line for layout in others if layout.name in ("plain", "dictionaries everywhere")
    )
