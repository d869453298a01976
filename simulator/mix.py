"""The mix of a history: what share of a group's lines is what, by year. Every share is a parameter."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EraShares:
    """Shares of the lines posted around a year; the four add up to 1.

    Attributes:
        year: the year they hold for; between two years they are interpolated.
        clear: level 0, readable names and counters.
        counted: levels 1 to 3, random names with counters.
        random: levels 4 and 5, subjects that are random per article.
        noise: spam and text.
    """

    year: int
    clear: float
    counted: float
    random: float
    noise: float


@dataclass(frozen=True, slots=True)
class Mix:
    """A named mix.

    Attributes:
        name: name of the preset.
        shares: shares by year, ascending.
        shared: share of the counted lines, from 2016 on, whose files share a random name and have no file counter.
        garbage: share of the counted lines that are hash floods.
        obfuscated: share of the counted lines whose subjects are random per file, with nothing to group on.
        crossposts: share of all lines that are copies outside their main group (0.18 by design.md section 1).
        holes: share of the article numbers that do not exist, one by one.
        hole_runs: share of the windows of article numbers that are missing as a whole.
        duplicates: share of the rows that are sent twice.
        unsorted: share of the 10,000-number blocks that are sent out of order.
        dirt: share of the lines with one of the faults of `dirt.KINDS`.
        malformed: share of the lines that cannot be read at all.
        aborted: probability that a post is broken off and stays incomplete.
        forged: probability that all articles of a post are dated 2000-01-01 by their poster.
    """

    name: str
    shares: tuple[EraShares, ...]
    shared: float = 0.08
    garbage: float = 0.42
    obfuscated: float = 0.08
    crossposts: float = 0.18
    holes: float = 0.004
    hole_runs: float = 0.002
    duplicates: float = 0.0005
    unsorted: float = 0.02
    dirt: float = 0.003
    malformed: float = 0.0005
    aborted: float = 0.02
    forged: float = 0.002

    def at(self, year: float) -> EraShares:
        """The shares in `year`, linear between the years given."""
        before = [share for share in self.shares if share.year <= year] or [self.shares[0]]
        after = [share for share in self.shares if share.year >= year] or [self.shares[-1]]
        low, high = before[-1], after[0]
        part = 0.0 if high.year <= low.year else (year - low.year) / (high.year - low.year)
        blend = [a + (b - a) * part for a, b in zip(_four(low), _four(high), strict=True)]
        return EraShares(int(year), *blend)


def _four(share: EraShares) -> tuple[float, float, float, float]:
    return share.clear, share.counted, share.random, share.noise


_OBSERVED = (
    EraShares(2008, 0.85, 0.05, 0.00, 0.10),
    EraShares(2013, 0.45, 0.40, 0.05, 0.10),
    EraShares(2017, 0.20, 0.45, 0.30, 0.05),
    EraShares(2021, 0.10, 0.35, 0.50, 0.05),
    EraShares(2026, 0.05, 0.30, 0.60, 0.05),
)
"""Estimates of posters.md section 4: no source gives measured shares."""

DEFAULT = Mix("default", _OBSERVED)
DEMO = Mix("demo", _OBSERVED, garbage=0.5, forged=0.0)
CLEAN = Mix(
    "clean",
    (EraShares(2008, 1.0, 0.0, 0.0, 0.0),),
    crossposts=0.0,
    holes=0.0,
    hole_runs=0.0,
    duplicates=0.0,
    unsorted=0.0,
    dirt=0.0,
    malformed=0.0,
    aborted=0.0,
    forged=0.0,
)

PRESETS: dict[str, Mix] = {mix.name: mix for mix in (DEFAULT, DEMO, CLEAN)}
"""The presets by name, for the command line."""
