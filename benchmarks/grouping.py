"""How well releases are found: the header rules over a simulated history, beside what its articles truly are.

Measured over articles that a release, or garbage, is made of, in their main group. Two articles of one release are a pair: precision is the
share of the pairs found that are true, recall the share of the true pairs that are found. A release is exact when one found release holds
articles of every file of it, each file whole, and neither shares anything with another; articles that were set aside count in recall.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

import polars as pl

from pipeline.batch import Batch, GroupList, SignatureTable
from pipeline.completeness import totals
from pipeline.fragments import decide
from pipeline.islands import releases_of
from pipeline.materialize import materialize, merge_edge
from pipeline.overview import parse
from pipeline.ranges import Range
from pipeline.schema import FRAGMENTS
from pipeline.setasides import FILE, kinds
from pipeline.signatures import DEFAULT_TABLE
from simulator.history import History, planned_history
from simulator.mix import PRESETS
from simulator.tools import RECIPES
from simulator.wire import overview_text

NAMES = ("alt.binaries.first", "alt.binaries.second", "alt.binaries.third")
NOW = datetime(2026, 12, 1, tzinfo=UTC)
_GOAL_LEVELS = (0, 1, 2)


@dataclass(frozen=True, slots=True)
class Score:
    """Releases found beside true ones.

    Attributes:
        articles: articles of true releases.
        releases: true releases.
        pair_precision, pair_recall, f1: over pairs of articles.
        release_exact: share of the true releases that are found exactly.
        article_recall: share of the articles that are in any release.
        completeness_exact: share of the exactly found releases whose files and segments, found and expected, are the true ones.
    """

    articles: int
    releases: int
    pair_precision: float
    pair_recall: float
    f1: float
    release_exact: float
    article_recall: float
    completeness_exact: float


@dataclass(frozen=True, slots=True)
class Grouping:
    """One run.

    Attributes:
        lines: overview lines sent.
        ranges: ranges they came in.
        goal: the score over obfuscation levels 0 to 2.
        levels, tools: the score by obfuscation level, and by posting tool.
        garbage_precision: share of the articles dropped as garbage that are none of a true release.
        garbage_recall: share of the true garbage articles that are dropped.
        set_aside: articles set aside by true class, and how many of them belong to a release of level 0 to 2.
    """

    lines: int
    ranges: int
    goal: Score
    levels: dict[str, Score]
    tools: dict[str, Score]
    garbage_precision: float
    garbage_recall: float
    set_aside: dict[str, int]


def run(lines: int, range_size: int, seed: int = 1, mix: str = "default") -> Grouping:
    """Index about `lines` lines of all eras in ranges of `range_size` and compare with the truth."""
    history = planned_history(seed, NAMES, (-(-lines // len(NAMES)),), mix=PRESETS[mix], offset=2_000_000)
    truth, found, sent, ranges = _indexed(history, range_size)
    joined = truth.join(found, on="id", how="left", maintain_order="left").with_columns(
        place=pl.when(pl.col("found").is_not_null())
        .then(pl.lit("kept"))
        .when("sorted_out")
        .then(pl.lit("set_aside"))
        .otherwise(pl.lit("garbage"))
    )
    posted = joined.filter(pl.col("class") == "release")
    good = pl.col("level").is_in(_GOAL_LEVELS)
    garbage = joined.filter(pl.col("place") == "garbage")
    aside = joined.filter(pl.col("place") == "set_aside")
    return Grouping(
        lines=sent,
        ranges=ranges,
        goal=score(posted.filter(good), joined),
        levels={str(level): score(part, joined) for (level,), part in _parts(posted, "level")},
        tools={str(tool): score(part, joined) for (tool,), part in _parts(posted, "tool")},
        garbage_precision=_share(garbage, pl.col("class") != "release"),
        garbage_recall=_share(joined.filter(pl.col("class") == "garbage"), pl.col("place") == "garbage"),
        set_aside={
            **dict(aside.group_by("class").len().sort("class").iter_rows()),
            "of_release": aside.filter((pl.col("class") == "release") & good).height,
        },
    )


def _parts(frame: pl.DataFrame, by: str) -> Iterator[tuple[tuple[object, ...], pl.DataFrame]]:
    yield from sorted(frame.partition_by(by, as_dict=True).items(), key=lambda part: str(part[0]))


def _share(frame: pl.DataFrame, condition: pl.Expr) -> float:
    return round(float(frame.select(condition.fill_null(value=False).mean()).item() or 0.0), 6)


def score(posted: pl.DataFrame, everything: pl.DataFrame) -> Score:
    """Compare the releases of some articles with those found.

    Args:
        posted: articles of true releases: `release`, `file`, `files_expected`, `segments_expected` (true) and `found`, `found_file`,
            `found_files`, `found_files_expected`, ... (null where in none).
        everything: all articles of the history, to see what else a found release holds.
    """
    kept = posted.filter(pl.col("found").is_not_null())
    pairs = pl.col("len").cast(pl.Int64) * (pl.col("len").cast(pl.Int64) - 1)
    both = kept.group_by("release", "found").len().select(pairs.sum()).item()
    true = posted.group_by("release").len().select(pairs.sum()).item()
    around = everything.filter(pl.col("found").is_in(kept["found"].unique().implode()))
    made = around.group_by("found").len().select(pairs.sum()).item()
    # What another part of the comparison holds in the same found release is no pair of this one.
    elsewhere = around.filter(~pl.col("release").is_in(posted["release"].unique().implode()))
    made -= elsewhere.group_by("found").len().select(pairs.sum()).item()
    precision, recall = both / made if made else 0.0, both / true if true else 0.0
    exact, complete = _exact(posted, around)
    releases = posted["release"].n_unique()
    return Score(
        articles=posted.height,
        releases=releases,
        pair_precision=round(precision, 6),
        pair_recall=round(recall, 6),
        f1=round(2 * precision * recall / (precision + recall), 6) if both else 0.0,
        release_exact=round(exact / releases, 6) if releases else 0.0,
        article_recall=round(kept.height / posted.height, 6) if posted.height else 0.0,
        completeness_exact=round(complete / exact, 6) if exact else 0.0,
    )


def _exact(posted: pl.DataFrame, around: pl.DataFrame) -> tuple[int, int]:
    """True releases that are found exactly, and those of them whose completeness is told rightly."""
    pure = around.group_by("found").agg(pl.col("release").n_unique() == 1).filter("release")["found"]
    kept = pl.col("found").is_not_null()
    facts = posted.group_by("release").agg(
        one=pl.col("found").drop_nulls().n_unique() == 1,
        found=pl.col("found").drop_nulls().first(),
        files=pl.col("file").n_unique(),
        files_kept=pl.col("file").filter(kept).n_unique(),
        pieces=pl.struct("file", "found_file").filter(kept).n_unique(),
        found_pieces=pl.col("found_file").drop_nulls().n_unique(),
        told=(pl.col("found_files_expected").drop_nulls().first() == pl.col("files_expected").first()),
        unknown=pl.col("found_files_expected").filter(kept).null_count() > 0,
        counted=pl.col("counts_files").first(),
        segments=(pl.col("found_expected") == pl.col("segments_expected")).all(),
        known=(pl.col("found_files").drop_nulls().first() == pl.col("file").filter(kept).n_unique()),
    )
    exact = facts.filter(
        pl.col("one")
        & (pl.col("files") == pl.col("files_kept"))
        & (pl.col("pieces") == pl.col("files"))
        & (pl.col("found_pieces") == pl.col("files"))
        & pl.col("found").is_in(pure.implode())
    )
    right = pl.when("counted").then("told").otherwise("unknown")
    return exact.height, exact.filter(pl.col("segments") & pl.col("known") & right).height


# --- the history, indexed ------------------------------------------------------------------------


def _indexed(history: History, range_size: int) -> tuple[pl.DataFrame, pl.DataFrame, int, int]:
    """The truth of each article and where the rules put it, joined by a hash of the message-id.

    Returns:
        truth: `id`, `class`, `level`, `tool`, `release`, `file`, `files_expected`, `segments_expected`, `counts_files`.
        found: `id`, `place` (`kept` or `garbage`), `found`, `found_file`, `found_files`, ...
        the lines sent, crossposts, duplicates and malformed ones included, and the number of ranges.
    """
    groups = GroupList(1, history.names)
    truths: list[pl.DataFrame] = []
    batches: list[Batch] = []
    sent = ranges = 0
    for group in history.names:
        bounds = history.group(group)
        made: list[tuple[int, Batch]] = []
        for index in range(bounds.low // range_size, bounds.high // range_size + 1):
            first, last = max(bounds.low, index * range_size), min(bounds.high, (index + 1) * range_size - 1)
            rows = history.block(group, first, last)
            truths.append(truth_of(history.truth(group, first, last), rows))
            parsed = parse(overview_text(rows), first, last, NOW)
            batch = materialize(
                parsed.overview, Range(1, group, index, range_size), groups, DEFAULT_TABLE,
                lines=parsed.lines, malformed=parsed.rejected.height, duplicate=0,
            )  # fmt: skip
            made.append((index, batch))
            ranges += 1
            sent += rows.height
        batches += [batch for _, batch in made]
        batches += edges(made)
    return pl.concat(truths), _found(batches), sent, ranges


def edges(made: list[tuple[int, Batch]], table: SignatureTable = DEFAULT_TABLE) -> list[Batch]:
    """What the fragments of a group's ranges become when every range is done, judged by `table`."""
    frames: list[pl.DataFrame] = []
    segments: list[pl.DataFrame] = []
    offset = 0
    for index, batch in made:
        shifted = (pl.col("file") + offset).cast(pl.UInt32)
        frames.append(batch.fragments.with_columns(shifted, range_index=pl.lit(index)))
        segments.append(batch.fragment_segments.with_columns(shifted))
        offset += batch.fragments.height
    fragments, rows = pl.concat(frames), pl.concat(segments)
    if fragments.is_empty():
        return []
    chained = fragments.hstack(decide(fragments, lambda _: True))
    return [
        merge_edge(part.select(FRAGMENTS.names), rows.filter(pl.col("file").is_in(part["file"].implode())), table)
        for part in chained.partition_by("low_index", maintain_order=True)
    ]


def truth_of(truth: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """The articles that can be read, once each, in their main group."""
    frame = truth.hstack(rows.select("message_id", "subject"))
    frame = frame.filter(~pl.col("class").is_in(["malformed", "duplicate", "crosspost"]))
    counted = pl.col("tool").replace_strict(_COUNTS_FILES, default=True, return_dtype=pl.Boolean)
    several = (pl.col("files_expected") > 1) | ~pl.col("tool").is_in(_NO_LONE_COUNTER)
    return frame.select(
        "class", "level", "tool", "release", "file", "files_expected", "segments_expected",
        id=ids_of(pl.col("message_id").str.strip_chars("<>")),
        counts_files=counted & several,
        sorted_out=kinds(frame["subject"])["kind"] != FILE,
    )  # fmt: skip


_COUNTS_FILES = {tool.name: "{N}" in tool.shape.before for recipe in RECIPES for tool in recipe.tools}
_NO_LONE_COUNTER = [tool.name for recipe in RECIPES for tool in recipe.tools if not tool.shape.lone_counter]


def ids_of(message_ids: pl.Expr) -> pl.Expr:
    """A hash that stands for each message-id."""
    return message_ids.hash(11)


def _found(batches: list[Batch]) -> pl.DataFrame:
    """Each kept article with its found release and file, and what is told of them."""
    records = pl.concat([batch.records.with_columns(batch=pl.lit(at)) for at, batch in enumerate(batches)])
    records = records.hstack(releases_of(records)).with_columns(
        found=pl.struct("release_key", "island").rank("dense").cast(pl.UInt32)
    )
    told = totals(records.rename({"found": "release"})).select(
        found="release", found_files="files", found_files_expected="files_expected", found_segments="segments"
    )
    owners = records.select("batch", "record", "found").join(told, on="found")
    frames: list[pl.DataFrame] = []
    for at, batch in enumerate(batches):
        files = batch.files.select("file", "record", "file_key", found_expected="segments_expected")
        files = files.join(owners.filter(pl.col("batch") == at).drop("batch"), on="record")
        rows = batch.segments.select("file", id=ids_of(pl.col("message_id"))).join(files, on="file")
        # An NZB holds a file once, whatever records its segments lie in.
        file = pl.struct("found", "file_key").hash()
        frames.append(
            rows.select("id", "found", "found_files", "found_files_expected", "found_expected", found_file=file)
        )
    return pl.concat(frames).unique("id", keep="first")
