"""Random names told from readable ones: precision and recall over labelled names, and names per second.

The labels (`labels/*.tsv`) are what a person would say who sees the name alone. A bit of each name's hash puts it into one of two
halves: the rules are made with the first and judged by the second.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl
import xxhash

from pipeline.names import are_random, are_tokens

LABELS = Path(__file__).with_name("labels")


@dataclass(frozen=True, slots=True)
class Kind:
    """One class of names.

    Attributes:
        kind: the class, e.g. `hex 32` or `polish`.
        random: whether its names are random.
        names: its names in the held-out half.
        recall: share of them that are called what they are, in the held-out half.
        recall_tuning: the same in the other half.
    """

    kind: str
    random: bool
    names: int
    recall: float
    recall_tuning: float


@dataclass(frozen=True, slots=True)
class Half:
    """One half of the names.

    Attributes:
        readable, random: names by their label.
        precision: share of the names called random that are; it depends on the mix of classes.
        recall: share of the random names that are called so.
        recall_long: the same over the classes long enough to tell: hashes, UUIDs, hex from 16 and base62 from 12 characters.
        false_positives: share of the readable names that are called random.
    """

    readable: int
    random: int
    precision: float
    recall: float
    recall_long: float
    false_positives: float


@dataclass(frozen=True, slots=True)
class Names:
    """One run; speeds are unique names per second of CPU time.

    Attributes:
        wrong: the readable names of both halves that are called random.
    """

    held_out: Half
    tuning: Half
    names_per_cpu_s: int
    subjects_per_cpu_s: int
    wrong: tuple[str, ...]
    kinds: tuple[Kind, ...]


_LONG = r"^(?:hex (?:16|32|40|64|128|odd)|uuid|base62 (?:12|16|23)|hash |dotted hex)"


def labelled() -> pl.DataFrame:
    """All labelled names.

    Returns:
        `class` String, `name` String, unique; `random` Boolean; `held_out` Boolean.
    """
    schema = pl.Schema({"class": pl.String, "name": pl.String})
    parts = [
        pl.read_csv(LABELS / f"{label}.tsv", separator="\t", quote_char=None, schema=schema).with_columns(
            random=pl.lit(label == "random")
        )
        for label in ("readable", "random")
    ]
    names = pl.concat(parts)
    half = [xxhash.xxh64_intdigest(name.encode()) & 1 == 1 for name in names["name"]]
    return names.with_columns(held_out=pl.Series(half))


def run(unique: int = 500_000) -> Names:
    """Judge all labelled names, and time `unique` names made of them by numbering."""
    names = labelled()
    names = names.with_columns(said=are_random(names["name"]))
    copies = range(-(-unique // names.height))
    many = pl.concat([names.select(pl.format("{}.{}", "name", pl.lit(copy))) for copy in copies]).to_series()[:unique]
    wrong = names.filter(~pl.col("random") & pl.col("said"))["name"].sort()
    return Names(
        held_out=_half(names.filter("held_out")),
        tuning=_half(names.filter(~pl.col("held_out"))),
        names_per_cpu_s=_speed(are_random, many),
        subjects_per_cpu_s=_speed(are_tokens, many.str.replace_all(".", "_", literal=True)),
        wrong=tuple(wrong),
        kinds=_kinds(names),
    )


def _half(names: pl.DataFrame) -> Half:
    random, said = pl.col("random"), pl.col("said")
    row = names.select(
        readable=(~random).sum(),
        random=random.sum(),
        precision=random.filter(said).mean(),
        recall=said.filter(random).mean(),
        recall_long=said.filter(random & pl.col("class").str.contains(_LONG)).mean(),
        false_positives=said.filter(~random).mean(),
    ).row(0)
    return Half(row[0], row[1], *(round(float(share), 5) for share in row[2:]))


def _kinds(names: pl.DataFrame) -> tuple[Kind, ...]:
    right, held_out = pl.col("said") == pl.col("random"), pl.col("held_out")
    rows = names.group_by("class", "random", maintain_order=True).agg(
        held_out.sum().alias("names"),
        right.filter(held_out).mean().round(4).alias("recall"),
        right.filter(~held_out).mean().round(4).alias("recall_tuning"),
    )
    return tuple(Kind(*row) for row in rows.rows())


def _speed(judge: Callable[[pl.Series], pl.Series], names: pl.Series) -> int:
    began = time.process_time()
    judge(names)
    return round(len(names) / (time.process_time() - began))
