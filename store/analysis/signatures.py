"""Proposals for the garbage signature table, from what DuckDB measures of each signature with random names.

A flood is much, of nothing: a share of all lines that is worth dropping, random names, and files too small to hold anything, without recovery
files. A line of the table that drops hardly anything saves nothing, and may drop what somebody wants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from catalog_sql import duckdb_views
from pipeline.batch import Signature, SignatureTable
from pipeline.signatures import DROP, KEEP, dropped_by
from store.catalog.signature_review import Evidence

SNAPSHOT_TABLES = ("releases", "garbage", "ranges")
"""What is measured, of a snapshot of the catalog."""
WORTH_DROPPING = 1e-3
"""Share of all lines from which on a signature is worth a line that drops it."""
NOT_WORTH_DROPPING = 1e-4
"""Share of all lines up to which what a line drops is too little to be a flood."""
RANDOM_SHARE = 0.5
"""Least share of its articles under random names."""
SUBSTANTIAL_SHARE = 0.01
"""Largest share of its releases that have recovery files, or files of 2 MB or more."""
FILE_BYTES = 1_000_000
"""Largest mean size of its files. No archive volume, film or album track that is worth indexing is smaller on average."""


@dataclass(frozen=True, slots=True)
class Measured:
    """What DuckDB measured.

    Attributes:
        groups: by signature, tool, article size and group (view `signature_groups`).
        kept: by signature, of what is in the catalog (view `signature_kept`).
        dropped: by signature, of what the table in force dropped (view `signature_dropped`).
        lines: overview lines of all ranges that are done.
    """

    groups: pl.DataFrame
    kept: pl.DataFrame
    dropped: pl.DataFrame
    lines: int


def measure(snapshot: Path) -> Measured:
    """Measure the signatures in a snapshot of the catalog: its `releases`, `garbage` and `ranges`."""
    with duckdb.connect() as connection:
        connection.sql("SET TimeZone = 'UTC'")
        for name in SNAPSHOT_TABLES:
            connection.read_parquet(str(snapshot / f"{name}.parquet")).create_view(name)
        connection.sql(duckdb_views("signature_groups"))
        ((lines,),) = connection.sql("SELECT coalesce(sum(lines), 0)::bigint FROM ranges").fetchall()
        return Measured(
            groups=connection.table("signature_groups").pl(),
            kept=connection.table("signature_kept").pl(),
            dropped=connection.table("signature_dropped").pl(),
            lines=int(lines),
        )


def propose(measured: Measured, table: SignatureTable) -> list[Evidence]:
    """The lines that the table should have, near-duplicates merged, most articles first.

    Args:
        measured: what `measure` found.
        table: the table in force; what it decides already is not proposed.
    """
    drops = _floods(measured).pipe(_undecided, table, False)
    keeps = _trickles(measured).pipe(_undecided, table, True)
    seen = {*measured.kept["signature"], *measured.dropped["signature"]}
    named = {line.signature for line in table.signatures}
    proposed = [_evidence(pattern, rows, DROP, measured.lines) for pattern, rows in _merged(drops, seen, named)]
    proposed += [_evidence(pattern, rows, KEEP, measured.lines) for pattern, rows in _merged(keeps, seen, named)]
    return sorted(proposed, key=lambda one: (-one.articles, one.signature))


def _floods(measured: Measured) -> pl.DataFrame:
    return measured.kept.filter(
        pl.col("articles") >= max(1.0, WORTH_DROPPING * measured.lines),
        pl.col("random_share") >= RANDOM_SHARE,
        pl.col("substantial") <= SUBSTANTIAL_SHARE * pl.col("releases"),
        pl.col("bytes") <= FILE_BYTES * pl.col("files"),
    )


def _trickles(measured: Measured) -> pl.DataFrame:
    """What the table drops and is too little to be a flood, in the columns of what is kept."""
    return measured.dropped.filter(pl.col("articles") < NOT_WORTH_DROPPING * measured.lines).select(
        "signature", "articles", "bytes", "files", "article_bytes", "groups", "tools", releases="files", random_share=pl.lit(1.0),
        completeness=pl.lit(None, pl.Float64), lifetime_days=pl.lit(None, pl.Float64), posters=pl.lit(0, pl.Int64),
        crossposted=pl.lit(None, pl.Float64), examples=pl.lit([], pl.List(pl.String)), largest=pl.lit(0, pl.Int64),
    )  # fmt: skip


def _undecided(rows: pl.DataFrame, table: SignatureTable, dropped: bool) -> pl.DataFrame:
    """Rows of which the table says now that they are `dropped`, or not; a whole tool's line counts for each of its signatures."""
    if rows.is_empty():
        return rows
    each = rows.select("signature", tool="tools").explode("tool").with_columns(pl.col("tool").fill_null(""))
    now = each.with_columns(now=dropped_by(table, each["signature"], each["tool"]).is_not_null())
    wanted = now.group_by("signature").agg(pl.col("now").any()).filter(pl.col("now") == dropped)["signature"]
    return rows.filter(pl.col("signature").is_in(wanted.implode()))


def _merged(rows: pl.DataFrame, seen: set[str], named: set[str]) -> list[tuple[str, pl.DataFrame]]:
    """Each row, or near-duplicates under one pattern.

    Near-duplicates differ in one thing: one part or more, the poster's shape, or the message-id template. A pattern fits no signature that was
    seen elsewhere, and takes no line of the table's place.
    """
    patterns = {signature: {signature} for signature in rows["signature"]}
    for widen in _WIDER:
        wider: dict[str, list[str]] = {}
        for pattern in patterns:
            wider.setdefault(widen(pattern), []).append(pattern)
        for pattern, members in wider.items():
            covered = set[str]().union(*(patterns[member] for member in members))
            if len(members) > 1 and pattern not in named and _fitting(pattern, seen) == covered:
                patterns = {old: of for old, of in patterns.items() if old not in members} | {pattern: covered}
    return [(pattern, rows.filter(pl.col("signature").is_in(list(of)))) for pattern, of in patterns.items()]


def _any_parts(pattern: str) -> str:
    template, poster, subject = pattern.split("|")
    stem, sign = (subject[:-1], "!") if subject.endswith("!") else (subject, "")
    return f"{template}|{poster}|{stem.removesuffix('1').removesuffix('*')}*{sign}"


def _any_poster(pattern: str) -> str:
    template, _, subject = pattern.split("|")
    return f"{template}|*|{subject}"


def _any_template(pattern: str) -> str:
    return "|".join(["*", *pattern.split("|")[1:]])


_WIDER: tuple[Callable[[str], str], ...] = (_any_parts, _any_poster, _any_template)


def _fitting(pattern: str, signatures: Iterable[str]) -> set[str]:
    ordered = pl.Series(sorted(signatures), dtype=pl.String)
    line = SignatureTable(0, (Signature(pattern, DROP, "fits"),))
    fits = dropped_by(line, ordered, pl.repeat("", len(ordered), eager=True)).is_not_null()
    return set(ordered.filter(fits))


def _evidence(pattern: str, rows: pl.DataFrame, verdict: str, lines: int) -> Evidence:
    articles, size, releases, files = (int(rows[name].sum()) for name in ("articles", "bytes", "releases", "files"))
    examples = rows["examples"].explode().drop_nulls().head(5).to_list()
    share = articles / max(1, lines)
    if verdict == DROP:
        reason = (
            f"flood: {share:.2%} of all lines, {_weighted(rows, 'random_share'):.0%} under random names, files of {size / max(1, files) / 1e6:.2f} MB "
            "on average, hardly any recovery file"
        )
        cost = f"if wrong, {releases:,} releases ({size / 1e9:,.2f} GB, the largest {rows['largest'].max() or 0:,} bytes) are lost"
    else:
        reason = f"no flood: {articles:,} articles, {share:.4%} of all lines, are all that was dropped"
        cost = f"if wrong, {files:,} files of garbage ({size / 1e9:,.2f} GB) come into the catalog"
    return Evidence(
        signature=pattern,
        verdict=verdict,
        reason=reason,
        cost=cost,
        articles=articles,
        bytes=size,
        releases=releases,
        random_share=_weighted(rows, "random_share") or 0.0,
        completeness=_weighted(rows, "completeness"),
        lifetime_days=None if rows["lifetime_days"].is_null().all() else float(rows["lifetime_days"].max()),  # pyright: ignore[reportArgumentType] - a number
        posters=int(rows["posters"].sum()),
        crossposted=_weighted(rows, "crossposted"),
        article_bytes=size // max(1, articles),
        groups=_distinct(rows["groups"]),
        tools=[tool for tool in _distinct(rows["tools"]) if tool],
        members=sorted(rows["signature"]),
        examples=examples,
    )


def _weighted(rows: pl.DataFrame, column: str) -> float | None:
    """The mean of a column by releases; null where nothing tells."""
    known = rows.filter(pl.col(column).is_not_null())
    weight = int(known["releases"].sum())
    return float((known[column] * known["releases"]).sum()) / weight if weight else None


def _distinct(lists: pl.Series) -> list[str]:
    return sorted(set(lists.explode().drop_nulls()))


def lines_of(proposed: Sequence[Evidence]) -> list[Signature]:
    """The lines of the table that are proposed."""
    return [Signature(one.signature, one.verdict, one.reason) for one in proposed]
