"""What is measured of signatures with random names, and which lines of the table are proposed because of it."""

from __future__ import annotations

import datetime as dt
from pathlib import Path
from typing import Any

import polars as pl

from pipeline.batch import Signature, SignatureTable
from pipeline.signatures import DEFAULT_TABLE, DROP, KEEP
from store.analysis.signatures import Measured, measure, propose

START = dt.datetime(2013, 3, 1, tzinfo=dt.UTC)
EMPTY = SignatureTable(0, ())
LINES = 1_000_000
GARBAGE = pl.Schema(
    {"group": pl.String, "dropped_by": pl.String, "signature": pl.String, "tool": pl.String, "files": pl.Int64, "segments": pl.Int64, "bytes": pl.Int64}
)  # fmt: skip


def release(signature: str, **facts: Any) -> dict[str, Any]:
    """A flood's release: 200 files of one segment, random names, nothing else."""
    return {
        "name": "9f5c34f99c4a3471", "poster": "flood <flood@flood.example>", "groups": ["alt.binaries.test"], "first_posted": START,
        "last_posted": START + dt.timedelta(days=1), "files": 200, "files_expected": 200, "segments": 200, "segments_expected": 200,
        "bytes": 200 * 300_000, "has_par2": False, "readable_name": False, "tool": "JBinUp", "signature": signature,
    } | facts  # fmt: skip


def measured(
    folder: Path, releases: list[dict[str, Any]], garbage: tuple[tuple[Any, ...], ...] = (), lines: int = LINES
) -> Measured:
    pl.DataFrame(releases or [release("x|x|x")]).head(len(releases)).write_parquet(folder / "releases.parquet")
    pl.DataFrame(list(garbage), schema=GARBAGE, orient="row").write_parquet(folder / "garbage.parquet")
    pl.DataFrame({"lines": [lines]}).write_parquet(folder / "ranges.parquet")
    return measure(folder)


def proposed(found: Measured, table: SignatureTable = EMPTY) -> list[tuple[str, str]]:
    return [(one.verdict, one.signature) for one in propose(found, table)]


def test_a_flood_is_proposed_with_its_evidence(tmp_path: Path):
    flood = [release("jbinup|named|t[]hy", poster=f"flood{n}", groups=["alt.a", "alt.b"]) for n in range(9)]
    flood.append(release("jbinup|named|t[]hy", poster="flood0", groups=["alt.a"], segments=100, bytes=100 * 300_000))
    (one,) = propose(measured(tmp_path, flood), EMPTY)
    assert (one.verdict, one.signature, one.members) == (DROP, "jbinup|named|t[]hy", ["jbinup|named|t[]hy"])
    assert (one.articles, one.bytes, one.releases, one.posters) == (1_900, 1_900 * 300_000, 10, 9)
    assert (one.random_share, one.completeness, one.crossposted, one.lifetime_days) == (1.0, 0.95, 0.9, 1.0)
    assert (one.article_bytes, one.groups, one.tools) == (300_000, ["alt.a", "alt.b"], ["JBinUp"])
    assert one.examples == ["9f5c34f99c4a3471"] * 5
    assert "10 releases" in one.cost


def test_what_people_may_want_is_not_proposed_for_dropping(tmp_path: Path):
    with_par2 = [release("nyuu|named|t[]qy", has_par2=True) for _ in range(20)]
    large = [release("pan|named|tqy", files=2) for _ in range(20)]
    readable = [release("x|named|t[]qy", readable_name=True) for _ in range(20)] + [release("x|named|t[]qy")]
    few = [release("jbinup|named|t[]hy", files=10, segments=10)]
    assert proposed(measured(tmp_path, with_par2 + large + readable + few)) == []


def test_groups_are_by_signature_tool_article_size_and_group(tmp_path: Path):
    rows = [
        release("a|named|hy"),
        release("a|named|hy", bytes=200 * 700_000),
        release("a|named|hy", groups=["alt.other"]),
        release("a|named|hy", tool=""),
    ]
    groups = measured(tmp_path, rows).groups
    assert groups.height == 4
    assert groups["articles"].sum() == 800


def test_what_the_table_drops_already_is_not_proposed_again(tmp_path: Path):
    found = measured(tmp_path, [release("jbinup|named|t[]hy") for _ in range(9)])
    assert proposed(found, DEFAULT_TABLE) == []
    assert proposed(found, SignatureTable(1, (Signature("tool:JBinUp", DROP, "x"),))) == []


def test_a_line_that_drops_hardly_anything_is_proposed_to_be_kept(tmp_path: Path):
    garbage = [
        ("alt.a", "*|*|qy1", "nyuu|named|qy1", "Nyuu", 2, 2, 1_400_000),
        ("alt.a", "*|*|qy1", "x|named|qy1", "", 500, 500, 1),
    ]
    found = measured(tmp_path, [], tuple(garbage))
    (one,) = propose(found, DEFAULT_TABLE)
    assert (one.verdict, one.signature, one.articles, one.bytes) == (KEEP, "nyuu|named|qy1", 2, 1_400_000)
    assert (one.completeness, one.crossposted, one.tools) == (None, None, ["Nyuu"])
    kept = SignatureTable(2, (Signature("nyuu|named|qy1", KEEP, "x"), *DEFAULT_TABLE.signatures))
    assert proposed(found, kept) == []


def floods(*signatures: str) -> list[dict[str, Any]]:
    return [release(signature) for signature in signatures for _ in range(9)]


def test_near_duplicates_become_one_line(tmp_path: Path):
    templates = floods("jbinup|named|t[]hy", "giganews|named|t[]hy")
    assert proposed(measured(tmp_path, templates)) == [(DROP, "*|named|t[]hy")]
    posters = floods("jbinup|named|t[]hy", "jbinup|random|t[]hy")
    assert proposed(measured(tmp_path, posters)) == [(DROP, "jbinup|*|t[]hy")]
    parts = floods("other|named|tqy!", "other|named|tqy1!")
    assert proposed(measured(tmp_path, parts)) == [(DROP, "other|named|tqy*!")]
    lines = propose(measured(tmp_path, templates + posters), EMPTY)
    members = [member for line in lines for member in line.members]
    assert sorted(members) == sorted({row["signature"] for row in templates + posters}), "each in one line"


def test_unlike_ones_stay_apart(tmp_path: Path):
    both = floods("jbinup|named|t[]hy", "giganews|random|[]hy")
    assert set(proposed(measured(tmp_path, both))) == {(DROP, "jbinup|named|t[]hy"), (DROP, "giganews|random|[]hy")}


def test_a_merge_never_covers_a_signature_that_is_wanted(tmp_path: Path):
    wanted = release("nyuu|named|t[]hy", has_par2=True)
    both = floods("jbinup|named|t[]hy", "giganews|named|t[]hy")
    found = measured(tmp_path, [*both, wanted])
    assert set(proposed(found)) == {(DROP, "jbinup|named|t[]hy"), (DROP, "giganews|named|t[]hy")}


def test_a_merge_never_takes_the_place_of_a_line_of_the_table(tmp_path: Path):
    table = SignatureTable(1, (Signature("*|named|qy1", DROP, "floods"),))
    garbage = [("alt.a", "*|named|qy1", f"{tool}|named|qy1", tool, 2, 2, 1_400_000) for tool in ("nyuu", "pan")]
    assert proposed(measured(tmp_path, [], tuple(garbage)), table) == [
        (KEEP, "nyuu|named|qy1"),
        (KEEP, "pan|named|qy1"),
    ]
