"""The same labelled articles before the header rules and before those of other indexers: who reads and groups what how."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from benchmarks.corpus import GROUPS, corpus, overview_of
from benchmarks.peers_rules import PEERS, Article, Peer
from pipeline.batch import Batch, GroupList
from pipeline.explain import explain_lines
from pipeline.islands import releases_of
from pipeline.materialize import materialize
from pipeline.ranges import Range
from pipeline.schema import Column, Schema
from pipeline.setasides import FILE
from pipeline.signatures import DEFAULT_TABLE

FOUND = Schema(
    "found",
    (
        Column("group", pl.String, "group of the line"),
        Column("number", pl.Int64, "its article number there"),
        Column("segment", pl.Int32, "i of the segment counter as read"),
        Column("segments", pl.Int32, "P of the segment counter as read"),
        Column("file_number", pl.Int32, "n of the file counter as read, null when none is seen"),
        Column("file_total", pl.Int32, "N of the file counter as read, null when none is seen"),
        Column("found", pl.String, "release it was put into; null where its other copy stands in another group"),
        Column(
            "found_file", pl.String, "file of that release it was put into; null as `found`, or where that is not known"
        ),
    ),
)


@dataclass(frozen=True, slots=True)
class Score:
    """What one indexer makes of the corpus.

    Attributes:
        wrong_segments: articles of a release whose segment counter is read wrong, of those that are kept.
        wrong_files: the same for the file counter, where there is none too; None when the indexer has none.
        split_files: true files whose articles of one group lie in more than one found file; None when it is not known how files are made.
        merged_files: found files that hold articles of more than one true file, likewise.
        lost_articles: articles of releases that are dropped.
        lost_releases: true releases of which nothing is kept.
        split_releases: true releases in more than one found release.
        merged_releases: found releases that hold more than one true release.
        exact_releases: true releases found whole, alone, in one piece.
        noise_kept: articles of no release that are kept.
        faults: by case, how many of its releases are not exact; cases without a fault are left out.
    """

    wrong_segments: int
    wrong_files: int | None
    split_files: int | None
    merged_files: int | None
    lost_articles: int
    lost_releases: int
    split_releases: int
    merged_releases: int
    exact_releases: int
    noise_kept: int
    faults: dict[str, str]


@dataclass(frozen=True, slots=True)
class SideBySide:
    """One run: the size of the corpus, and the score of each indexer."""

    articles: int
    releases: int
    cases: int
    scores: dict[str, Score]


def run(seed: int = 1) -> SideBySide:
    """Put the corpus of `seed` before the header rules and before every peer's."""
    articles = corpus(seed)
    scores = {"Overlake": score(articles, by_overlake(articles))}
    scores |= {peer.name: score(articles, by_peer(peer, articles), peer) for peer in PEERS}
    return SideBySide(
        articles=articles["message_id"].n_unique(),
        releases=articles["release"].drop_nulls().n_unique(),
        cases=articles["case"].n_unique(),
        scores=scores,
    )


def by_peer(peer: Peer, articles: pl.DataFrame) -> pl.DataFrame:
    """The lines a peer keeps, frame `FOUND`; it reads a crosspost in each of its groups."""
    rows: list[tuple[object, ...]] = []
    for line in articles.select("group", "number", "subject", "poster", "posted_at").iter_rows(named=True):
        read = peer.rule(Article(line["subject"], line["poster"], line["group"], line["posted_at"]))
        if read is not None:
            rows.append(
                (
                    line["group"],
                    line["number"],
                    read.segment,
                    read.segments,
                    read.file,
                    read.files,
                    read.collection,
                    read.binary,
                )
            )
    return pl.DataFrame(rows, schema=FOUND.polars, orient="row")


def by_overlake(articles: pl.DataFrame) -> pl.DataFrame:
    """The lines the header rules keep, frame `FOUND`: each group a range, the releases those of all records together."""
    batches = [_batch(overview_of(articles, group), group) for group in GROUPS]
    records = pl.concat([batch.records.with_columns(batch=pl.lit(at)) for at, batch in enumerate(batches)])
    records = records.hstack(releases_of(records)).with_columns(
        found=pl.concat_str(pl.col("release_key").bin.encode("hex"), "island", separator="/")
    )
    kept = pl.concat(
        [
            batch.segments.select("file", "message_id")
            .join(batch.files.select("file", "record", found_file=pl.col("file_key").bin.encode("hex")), on="file")
            .join(records.filter(pl.col("batch") == at).select("record", "found"), on="record")
            .select("message_id", "found", "found_file", group=pl.lit(GROUPS[at]))
            for at, batch in enumerate(batches)
        ]
    )
    lines = articles.hstack(
        explain_lines(articles).select("kind", read_i="segment", read_p="segments", read_n="file", read_total="files")
    )
    # A crosspost is kept in its main group alone; its other lines are read like it, and lie in no release.
    known = lines.filter((pl.col("kind") == FILE) & pl.col("message_id").is_in(kept["message_id"].implode()))
    known = known.join(kept, on=["message_id", "group"], how="left", maintain_order="left")
    return FOUND.check(
        known.select(
            "group",
            "number",
            segment="read_i",
            segments="read_p",
            file_number="read_n",
            file_total="read_total",
            found="found",
            found_file="found_file",
        )
    )


def _batch(overview: pl.DataFrame, group: str) -> Batch:
    groups, range_ = GroupList(1, GROUPS), Range(1, group, 0, 2_000_000)
    return materialize(overview, range_, groups, DEFAULT_TABLE, lines=overview.height, malformed=0, duplicate=0)


def score(articles: pl.DataFrame, found: pl.DataFrame, peer: Peer | None = None) -> Score:
    """Compare what was found with the truth.

    Args:
        articles: frame `corpus.CORPUS`.
        found: frame `FOUND`; lines it does not have were dropped.
        peer: whose they are; what is not known of it is not compared.
    """
    lines = articles.join(found, on=["group", "number"], how="left", suffix="_read", maintain_order="left")
    posted = lines.filter(pl.col("release").is_not_null())
    kept = posted.join(found.select("group", "number"), on=["group", "number"], how="semi")
    placed = kept.filter(pl.col("found").is_not_null()).select("release", "found").unique()
    split = placed.group_by("release").len().filter(pl.col("len") > 1)["release"]
    merged = placed.group_by("found").len().filter(pl.col("len") > 1)["found"]
    mixed = placed.filter(pl.col("found").is_in(merged.implode()))["release"]
    dropped = posted.join(kept.select("message_id"), on="message_id", how="anti")
    releases = posted.select("case", "release").unique()
    impure = pl.concat([split, mixed, dropped["release"]])
    exact = releases.filter(~pl.col("release").is_in(impure.implode()))
    counts_files, makes_files = (peer is None or peer.counts_files), (peer is None or peer.makes_files)
    pieces = kept.filter(pl.col("found").is_not_null()).select("group", "file", "found", "found_file").unique()
    return Score(
        wrong_segments=_differing(kept, "segment", "segments"),
        wrong_files=_differing(kept, "file_number", "file_total") if counts_files else None,
        split_files=_several(pieces, "group", "file") if makes_files else None,
        merged_files=_several(pieces, "group", "found", "found_file") if makes_files else None,
        lost_articles=dropped["message_id"].n_unique(),
        lost_releases=releases.height - placed["release"].n_unique(),
        split_releases=len(split),
        merged_releases=len(merged),
        exact_releases=exact.height,
        noise_kept=lines.filter(pl.col("release").is_null() & pl.col("found").is_not_null()).height,
        faults=_faults(releases, exact),
    )


def _differing(lines: pl.DataFrame, *columns: str) -> int:
    same = pl.all_horizontal(pl.col(column).eq_missing(pl.col(f"{column}_read")) for column in columns)
    return lines.filter(~same).height


def _several(pieces: pl.DataFrame, *keys: str) -> int:
    return pieces.group_by(keys).len().filter(pl.col("len") > 1).height


def _faults(releases: pl.DataFrame, exact: pl.DataFrame) -> dict[str, str]:
    cases = releases.group_by("case").agg(
        all=pl.len(), faulty=(~pl.col("release").is_in(exact["release"].implode())).sum()
    )
    return {
        case: f"{faulty} of {number}"
        for case, number, faulty in cases.filter(pl.col("faulty") > 0).sort("case").iter_rows()
    }
