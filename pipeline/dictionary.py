"""The data dictionary, made from the declared schemas."""

from __future__ import annotations

from pipeline.attributes import ATTRIBUTES
from pipeline.explain import EXPLAINED
from pipeline.reasons import REASONS
from pipeline.schema import (
    FILES,
    FRAGMENTS,
    OVERVIEW,
    PROBES,
    RECORD_FILES,
    RECORDS,
    REJECTED,
    SAMPLES,
    SEGMENTS,
    VERDICTS,
)

ALL = (
    OVERVIEW, REJECTED, FILES, SEGMENTS, RECORDS, RECORD_FILES, FRAGMENTS, PROBES, SAMPLES, VERDICTS, ATTRIBUTES, EXPLAINED,
    REASONS,
)  # fmt: skip
"""Every declared schema."""


def dictionary() -> str:
    """The data dictionary as Markdown: `docs/data-dictionary.md` is this text."""
    parts = [
        "# Data dictionary\n\nMade from the schemas in `pipeline/` by `make docs`. Every frame that crosses a module border has exactly these columns.\n"
    ]
    for schema in ALL:
        rows = "\n".join(
            f"| `{column.name}` | {column.dtype} | {column.meaning.replace('|', chr(92) + '|')} |"
            for column in schema.columns
        )
        parts.append(f"\n## {schema.name}\n\n| column | dtype | meaning |\n| --- | --- | --- |\n{rows}\n")
    return "".join(parts)
