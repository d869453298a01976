"""What a range (or an edge) becomes: the Batch and its inputs that are not lines.

The same overview, group list and signature table give the same Batch, byte for byte.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

import polars as pl


@dataclass(frozen=True, slots=True)
class GroupList:
    """The groups that are indexed, in order of preference, under a version.

    The main group of an article is the first group in its Xref that is in `names`.
    """

    version: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signature:
    """One line of the signature table: verdict `drop` or `keep` for a signature or a whole tool, with its reason."""

    signature: str
    verdict: str
    reason: str


@dataclass(frozen=True, slots=True)
class SignatureTable:
    """The versioned garbage signatures."""

    version: int
    signatures: tuple[Signature, ...]


@dataclass(frozen=True, slots=True)
class Counters:
    """Where each line of a range went. `lines` is the sum of all the others: see `balance`.

    For an edge, `lines` are the segments of the fragments it merged; the first three and the set-asides are 0.
    """

    lines: int = 0
    malformed: int = 0
    duplicate: int = 0
    outside_main: int = 0
    set_aside_random: int = 0
    set_aside_obfuscated: int = 0
    set_aside_text: int = 0
    repeated: int = 0
    garbage: int = 0
    kept: int = 0
    in_fragments: int = 0

    @property
    def balance(self) -> int:
        """Lines not accounted for; 0 when every line is."""
        return self.lines - sum(getattr(self, field.name) for field in fields(self) if field.name != "lines")


@dataclass(frozen=True, slots=True)
class Batch:
    """Records, edge fragments, probe candidates, samples and counters of one range or edge.

    Attributes:
        records: frame `schema.RECORDS`.
        files: frame `schema.RECORD_FILES`: the files of the records.
        segments: frame `schema.SEGMENTS`: the segments of those files, ordered by file, then number.
        fragments: frame `schema.FRAGMENTS`: files that may continue over an edge. Empty for an edge.
        fragment_segments: frame `schema.SEGMENTS`: their segments.
        probes: frame `schema.PROBES`.
        samples: frame `schema.SAMPLES`: some lines of each set-aside and garbage kind, for analysts.
        verdicts: frame `schema.VERDICTS`: the files with random names, by what the signature table says of them.
        counters: where each line went.
        window: articles from an edge within which an incomplete file may continue; 0 for an edge.
    """

    records: pl.DataFrame
    files: pl.DataFrame
    segments: pl.DataFrame
    fragments: pl.DataFrame
    fragment_segments: pl.DataFrame
    probes: pl.DataFrame
    samples: pl.DataFrame
    verdicts: pl.DataFrame
    counters: Counters
    window: int
