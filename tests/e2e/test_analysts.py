"""What analysts use, over an index of a simulated history: the twenty questions, `overlake sql`, the report, decoded chunk files.

`OVERLAKE_WRITE_DOCS=1` writes the questions with their answers into docs/analysts.md.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import dagster as dg
import duckdb
import polars as pl
import pytest
from command import overlake
from index_lab import Lab, derive_again, materialize_range, plan_all, running_provider, settings_for

from assets.analysis.report import PAGE, report, write_report
from catalog_sql import analyses, report_queries
from pipeline.ranges import Range
from simulator.history import DEFAULT, History, planned_history
from store.analysis.estimate import ESTIMATE
from store.catalog.planning import source_number
from store.catalog.settle import settle
from store.chunks import read_index, read_records
from store.lakehouse import analysis_folder, lakehouse
from store.stores import Stores
from store.verify import published_files

GROUPS = ("alt.binaries.linux", "alt.binaries.films")
ERAS = (2009, 2016, 2024)
RANGE_SIZE = 4_000
NOW = datetime.now(UTC)
DOCUMENT = Path(__file__).parents[2] / "docs" / "analysts.md"
MARKED = re.compile("(?<=<!-- questions -->\n).*(?=<!-- end of the questions -->\n)", re.DOTALL)


@pytest.fixture(scope="module")
def history() -> History:
    return planned_history(12, GROUPS, (24_000, 16_000), ERAS, DEFAULT, offset=120_000)


@pytest.fixture(scope="module")
def stores(lab: Lab, history: History, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stores]:
    """The index of all full ranges, settled, with an `overlake.toml` beside its data."""
    folder = tmp_path_factory.mktemp("analysts")
    with (
        running_provider(history, folder / "blocks") as (port,),
        # One connection: what is compressed together is the same every time.
        lab.index(settings_for(folder / "data", port, RANGE_SIZE, connections_per_range=1)) as opened,
    ):
        for range_ in plan_all(opened, GROUPS, NOW):
            materialize_range(opened, range_)
        settle(opened.catalog, NOW + timedelta(days=3), timedelta(days=1), timedelta(hours=1))
        (folder / "overlake.toml").write_text(f'data = "data"\n[catalog]\ndsn = "{opened.catalog.dsn}"\n')
        yield opened


@pytest.fixture(scope="module")
def answers(stores: Stores) -> dict[str, pl.DataFrame]:
    with lakehouse(stores) as connection:
        return {name: pl.DataFrame(connection.sql(text)) for name, text in analyses().items()}


@pytest.fixture(scope="module")
def truth(stores: Stores, history: History) -> pl.DataFrame:
    """What each line of the planned ranges is."""
    ranges = _ranges(stores)
    return pl.concat(
        history.truth(group, index * RANGE_SIZE, (index + 1) * RANGE_SIZE - 1).with_columns(
            era=pl.lit(era), range=pl.lit(index)
        )
        for group, index, era in ranges
    )


def _ranges(stores: Stores) -> list[tuple[str, int, int]]:
    with lakehouse(stores) as connection:
        return connection.execute('SELECT "group", "range", era FROM ranges WHERE lines > 0 ORDER BY ALL').fetchall()


def stored(truth: pl.DataFrame) -> pl.DataFrame:
    """The lines that have a row in the overview files."""
    return truth.filter(~pl.col("class").is_in(["duplicate", "malformed"]))


# --- the questions ------------------------------------------------------------------------------------


def test_each_of_the_twenty_questions_has_an_answer(answers: dict[str, pl.DataFrame]):
    assert len(answers) == 20
    assert {name for name, rows in answers.items() if rows.is_empty()} == set()


def test_lines_of_groups_and_eras_are_those_of_the_history(answers: dict[str, pl.DataFrame], truth: pl.DataFrame):
    held = stored(truth)
    by_group = answers["02_bytes_by_group"].select("group", "lines")
    assert sorted(by_group.rows()) == sorted(held.group_by("group").len().rows())
    by_era = sorted(held.group_by("era").len().rows())
    for name in ("18_forged_dates", "20_posters_by_era"):
        assert answers[name].select("era", "lines").rows() == by_era, name
    assert answers["09_segment_sizes"]["lines"].sum() == held.height


def test_damaged_and_repeated_lines_are_those_of_the_history(answers: dict[str, pl.DataFrame], truth: pl.DataFrame):
    counted = truth.group_by("era").agg(
        pl.len(), (pl.col("class") == "malformed").sum().alias("malformed"), (pl.col("class") == "duplicate").sum()
    )
    got = answers["11_malformed_lines"].select("era", "lines", "malformed", "duplicate")
    assert [tuple(map(int, row)) for row in got.rows()] == sorted(counted.rows())


def test_gaps_are_the_numbers_the_history_left_out(answers: dict[str, pl.DataFrame], truth: pl.DataFrame):
    steps = (
        stored(truth)
        .sort("group", "number")
        .with_columns(missing=pl.col("number").diff().over("group", "range") - 1)
        .filter(pl.col("missing") > 0)
    )
    expected = steps.group_by("group").agg(pl.len(), pl.col("missing").sum(), pl.col("missing").max().alias("longest"))
    got = [
        (group, int(gaps), int(missing), int(longest))
        for group, gaps, missing, longest in answers["05_retention_gaps"].rows()
    ]
    assert sorted(got) == sorted(expected.rows())


def test_crossposts_are_those_of_the_history(answers: dict[str, pl.DataFrame], truth: pl.DataFrame):
    copies = stored(truth).filter(pl.col("class") == "crosspost").group_by("group").len().rows()
    edges = {(group, also_in): articles for group, also_in, articles in answers["04_crosspost_graph"].rows()}
    # Damage may have taken a line's Xref.
    copied = dict(copies)[GROUPS[1]]
    assert (1 - DEFAULT.dirt) * copied <= edges[GROUPS[1], GROUPS[0]] <= copied
    outside = answers["16_where_lines_go"].select(pl.col("lines").cast(pl.Int64), "outside_main").rows()
    expected = truth.group_by("era").agg(pl.len(), (pl.col("class") == "crosspost").sum().alias("copies")).sort("era")
    for (lines, percent), (_, total, copied) in zip(outside, expected.rows(), strict=True):
        assert lines == total
        assert percent == pytest.approx(100 * copied / total, abs=0.3)


def test_only_tools_of_the_history_are_recognised_and_releases_are_no_more_than_it_has(
    answers: dict[str, pl.DataFrame], truth: pl.DataFrame
):
    releases = truth.filter(pl.col("class") == "release")
    found = answers["01_tools_by_year"]
    assert set(found["year"]) - {2000} <= set(ERAS)
    assert 0.5 * releases["release"].n_unique() < found["releases"].sum() < 1.5 * truth["release"].n_unique()


def test_the_questions_and_their_answers_are_documented(answers: dict[str, pl.DataFrame]):
    shown = "\n".join(_section(name, text, answers[name]) for name, text in analyses().items())
    text = DOCUMENT.read_text()
    if os.environ.get("OVERLAKE_WRITE_DOCS") == "1":
        DOCUMENT.write_text(MARKED.sub(lambda _: shown, text))
    else:
        assert MARKED.findall(text) == [shown], "run this test with OVERLAKE_WRITE_DOCS=1"


def _section(name: str, text: str, rows: pl.DataFrame) -> str:
    question = text.splitlines()[0].removeprefix("-- ")
    head = f"### {int(name[:2])}. {question}\n\n[`{name}.sql`](../catalog_sql/analysis/{name}.sql)\n"
    table = [rows.columns, ["---"] * rows.width, *([_cell(value) for value in row] for row in rows.head(12).rows())]
    lines = "\n".join(f"| {' | '.join(cells)} |" for cells in table)
    more = f"\n\nand {rows.height - 12} more rows" if rows.height > 12 else ""
    return f"{head}\n{lines}{more}\n"


def _cell(value: object) -> str:
    if value is None:
        return ""
    number = isinstance(value, int | float) or value.__class__.__name__ == "Decimal"
    return f"{value}" if number else str(value).replace("|", "\\|").replace("<", "&lt;")


# --- overlake sql -------------------------------------------------------------------------------------

LINES = 'SELECT "group", count(*) AS lines FROM overview GROUP BY "group" ORDER BY "group"'


def ask(stores: Stores, *arguments: str, stdin: bytes = b"") -> str:
    ran = overlake(stores.settings.data.parent, *arguments, stdin=stdin)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


def test_an_answer_is_the_same_in_every_format(stores: Stores, answers: dict[str, pl.DataFrame], tmp_path: Path):
    expected = sorted(answers["02_bytes_by_group"].select("group", "lines").rows())
    as_json = json.loads(ask(stores, "sql", LINES, "--format", "json"))
    assert [(row["group"], row["lines"]) for row in as_json] == expected
    read = csv.DictReader(io.StringIO(ask(stores, "sql", LINES, "--kept", "--format", "csv")))
    assert [(row["group"], int(row["lines"])) for row in read] == expected
    assert ask(stores, "sql", LINES, "--kept", "--format", "parquet", "-o", str(tmp_path / "it's.parquet")) == ""
    assert pl.read_parquet(tmp_path / "it's.parquet").rows() == expected
    table = ask(stores, "sql", "--kept", stdin=LINES.encode())
    assert all(group in table and str(lines) in table for group, lines in expected)


@pytest.mark.parametrize(
    ("statement", "said"),
    [("SELECT nothing FROM overview", "nothing"), ("SELEKT 1", "syntax error"), ("SELECT 1 FROM lines", "lines")],
)
def test_a_statement_that_fails_is_said_on_stderr(stores: Stores, statement: str, said: str):
    ran = overlake(stores.settings.data.parent, "sql", statement)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert said in ran.stderr
    assert "Traceback" not in ran.stderr


def test_any_duckdb_opens_the_views_by_one_file(stores: Stores, answers: dict[str, pl.DataFrame]):
    ask(stores, "sql", "SELECT 1")
    with duckdb.connect() as connection:
        connection.execute((analysis_folder(stores.settings) / "open.sql").read_text())
        assert pl.DataFrame(connection.sql(LINES)).rows() == sorted(
            answers["02_bytes_by_group"].select("group", "lines").rows()
        )


# --- chunk files ----------------------------------------------------------------------------------------


def test_exported_chunk_files_hold_what_their_records_decode_to_and_stale_ones_go(stores: Stores):
    published = published_files(stores.catalog)
    told = json.loads(ask(stores, "chunks", "export", "--json"))
    assert told == {"files": len(published), "decoded": len(published), "deleted": 0}
    assert len(published) > 5
    rows = "SELECT path, record, name, segments FROM chunks ORDER BY path, record, file"
    with lakehouse(stores) as connection:
        exported = pl.DataFrame(connection.sql(rows))
        assert connection.execute("SELECT count(*) FROM files").fetchone() == (exported.height,)
        assert connection.execute("SELECT count(*) FROM chunks WHERE release_id IS NULL").fetchone() == (0,)
    assert exported.height > 100
    for (path,), part in exported.partition_by("path", as_dict=True).items():
        data, places = stores.disk.read(path), read_index(stores.disk, path).places
        content = read_records([data[place.offset : place.offset + place.length] for place in places])
        assert part["name"].to_list() == content.files["name"].to_list()
        held = part.select(pl.col("segments").explode()).unnest("segments")
        assert held.equals(content.segments.select("number", "bytes", "message_id"))

    derive_again(stores, first_done(stores))
    told = json.loads(ask(stores, "chunks", "export", "--json"))
    assert told["deleted"] == told["decoded"] > 0
    assert {file.path for file in published_files(stores.catalog)} == {
        path for (path,) in lakehouse_rows(stores, "SELECT DISTINCT path FROM chunks")
    }


def first_done(stores: Stores) -> Range:
    found = lakehouse_rows(stores, """SELECT "group", "range", size FROM ranges WHERE state = 'done' ORDER BY ALL""")
    group, index, size = found[0]
    return Range(source_number(stores.catalog, stores.settings.provider.source), group, index, size)


def lakehouse_rows(stores: Stores, text: str) -> list[tuple[Any, ...]]:
    with lakehouse(stores) as connection:
        return connection.execute(text).fetchall()


# --- the report -----------------------------------------------------------------------------------------


def test_the_report_is_one_page_that_loads_nothing(stores: Stores, tmp_path: Path):
    told = json.loads(ask(stores, "report", "--json", "-o", str(tmp_path / "page.html")))
    page = (tmp_path / "page.html").read_text()
    assert set(told["figures"]) == set(report_queries())
    assert all(told["figures"].values()), "every figure has rows"
    for name in report_queries():
        assert f'<section id="{name}">' in page
    assert page.count("Plotly.newPlot(") >= len(report_queries())
    assert "default-src 'none'" in page
    outside_scripts = re.sub(r"<script\b.*?</script>", "", page, flags=re.DOTALL)
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import|<link|<iframe""", outside_scripts)
    assert not re.search(r"<script[^>]*\bsrc", page)


def test_the_report_shows_the_estimate_where_one_was_made(stores: Stores, tmp_path: Path):
    made = {"figure": ["lines", "lines"], "estimate": [5e6, 2e6], "low": [4e6, 1e6], "high": [6e6, 3e6]}
    estimate = stores.settings.data / ESTIMATE
    estimate.parent.mkdir(exist_ok=True)
    pl.DataFrame({"era": [None, "2009"], **made}).write_parquet(estimate)
    try:
        *_, shown = write_report(stores, tmp_path / "page.html")
    finally:
        estimate.unlink()
    assert shown.name == "estimate"
    assert shown.rows.rows() == [("lines", 5e6, 4e6, 6e6)]
    (mark,) = shown.plot.data
    assert (list(mark.x), list(mark.error_x.array), list(mark.error_x.arrayminus)) == ([5e6], [1e6], [1e6])
    assert '<section id="estimate">' in (tmp_path / "page.html").read_text()


def test_the_report_is_an_asset_whose_tables_dagster_shows(stores: Stores):
    with dg.DagsterInstance.ephemeral() as instance:
        result = dg.materialize([report], instance=instance, resources={"stores": stores})
    assert result.success
    (made,) = result.asset_materializations_for_node("report")
    assert set(made.metadata) == {"page", *report_queries()}
    assert (analysis_folder(stores.settings) / PAGE).exists()
