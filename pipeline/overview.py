"""Overview text to columns: every line becomes a row of `schema.OVERVIEW` or of `schema.REJECTED`."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

import polars as pl


@dataclass(frozen=True, slots=True)
class Parsed:
    """The rows of one block.

    Attributes:
        overview: frame `schema.OVERVIEW`, ascending and unique by number, inside the block's numbers.
        rejected: frame `schema.REJECTED`.
        lines: lines of the text; `overview.height + rejected.height`.
    """

    overview: pl.DataFrame
    rejected: pl.DataFrame
    lines: int


def parse(text: bytes, first: int, last: int, now: datetime) -> Parsed:
    """Parse the lines of an XOVER `first-last`; dates later than `now` + 2 days are not believed."""
    raise NotImplementedError
