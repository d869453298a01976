"""The walk over plain lines says what the closer look and the lenient date reader say."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import polars as pl
from hypothesis import example, given
from hypothesis import strategies as st

from pipeline import fields
from pipeline.dates import believable, parse_dates
from pipeline.overview import parse
from pipeline.schema import UTC_TIME

NOW = datetime(2026, 12, 2, tzinfo=UTC)
LINE = [
    "7",
    "Nosferatu (1/2)",
    "p@x.example",
    "Wed, 02 Dec 2026 18:11:59 +0000",
    "<a@b>",
    "",
    "100",
    "2",
    "Xref: n a.b:7",
]


def found(*parts: str) -> fields.Fields:
    return fields.find(np.frombuffer("\t".join(parts).encode() + b"\r\n", np.uint8))


def text(line: fields.Fields, which: int, parts: list[str]) -> str:
    whole = "\t".join(parts).encode()
    return whole[line.starts[which, 0] : line.ends[which, 0]].decode()


DATES = st.builds(
    "{}{} {} {} {}:{}:{} {}{}".format,
    st.sampled_from(["", "Wed, ", "Thu, ", "Wed,", "Mittwoch, "]),
    st.sampled_from(["2", "02", "30", "31", "00", "29", "x"]),
    st.sampled_from(["Dec", "Feb", "feb", "Sept", "Apr"]),
    st.sampled_from(["2026", "2023", "2024", "1900", "0099", "99", "2000"]),
    st.sampled_from(["18", "00", "24", "7"]),
    st.sampled_from(["11", "59", "60"]),
    st.sampled_from(["00", "59", "60", "61"]),
    st.sampled_from(["+0000", "-0730", "GMT", "UTC", "EST", "+2400", "+01:00", "+0160", ""]),
    st.sampled_from(["", " (CET)", " (", " ()", ")", "  (a (b))"]),
)


@given(DATES | st.text(st.characters(min_codepoint=32, exclude_categories=["Cs"]), max_size=40))
@example("Wed, 02 Dec 2026 18:11:59 +0000")
@example("1 Mar 2024 00:00:00 -0800")
def test_a_date_read_on_the_way_is_the_date_the_lenient_reader_reads(date: str):
    line = found(*LINE[:3], date, *LINE[4:])
    if line.plain[0] and line.time[0] != fields.UNREAD:
        seen = believable(pl.Series(line.time).cast(UTC_TIME), NOW)
        assert parse_dates(pl.Series([date]), NOW).to_list() == seen.to_list()


def test_the_usual_dates_are_read_on_the_way():
    for date in (LINE[3], "02 Dec 2026 19:11:59 +0100", "Wed, 2 Dec 2026 13:41:59 -0430", "Wed, 02 Dec 2026 18:11:59 GMT", f"{LINE[3]} (UTC)"):  # fmt: skip
        assert (
            found(*LINE[:3], date, *LINE[4:]).time[0]
            == datetime(2026, 12, 2, 18, 11, 59, tzinfo=UTC).timestamp() * 1000
        )


def test_texts_are_where_they_stand():
    line = found(*LINE)
    assert line.plain[0]
    assert (line.number[0], line.size[0]) == (7, 100)
    assert [text(line, which, LINE) for which in range(6)] == [
        "Nosferatu (1/2)",
        "p@x.example",
        LINE[3],
        "a@b",
        "",
        "a.b:7",
    ]


def test_what_is_not_plain():
    broken = {
        0: ["", "x", "-1", "7 ", "1" * 19],
        4: ["a@b", "<>", "<a", ""],
        6: ["-5", "big"],
        8: ["junk", "n a.b:", "n :7", "Xref: n ä:1"],
    }
    for place, values in broken.items():
        for value in values:
            assert not found(*LINE[:place], value, *LINE[place + 1 :]).plain[0], (place, value)
    for place in range(1, 9):
        assert not found(*LINE[:place], LINE[place] + "\0", *LINE[place + 1 :]).plain[0]
        assert not found(*LINE[:place], "\r" + LINE[place], *LINE[place + 1 :]).plain[0]
    assert not found("").plain[0]
    assert not found(*LINE[:4]).plain[0]
    assert not found(*LINE[:1], "x" * fields.LINE_LIMIT, *LINE[2:]).plain[0]


def test_what_servers_leave_out():
    for xref in ("", "n a.b:7", "xref: n a.b:7  ", "Xref:n a.b:7 a.c:8", "Xref: a.b:7"):
        parts = [*LINE[:8], xref]
        assert found(*parts).plain[0], xref
        assert text(found(*parts), fields.XREF, parts) in {"", "a.b:7", "a.b:7 a.c:8"}
    for references in ("null", "(null)"):
        parts = [*LINE[:5], references, *LINE[6:]]
        assert text(found(*parts), fields.REFERENCES, parts) == ""
    assert found(*LINE[:6]).plain[0]
    assert found(*LINE[:6], "").size[0] == 0


PARTS = (
    st.sampled_from(["7", "007", " 7", "x", "-7", ""]),
    st.sampled_from(["Nosferatu (1/2)", "", "Señorita (1/2)", "a@b <c>"]),
    st.sampled_from(["p@x.example", "Somebody", "<p@x.example>", ""]),
    st.sampled_from([LINE[3], "02 Dec 2026 18:11:59 GMT", "yesterday", ""]),
    st.sampled_from(["<a@b>", "<<a>>", "<é@b>", "a@b", "<>"]),
    st.sampled_from(["", "<r@x>", "<r@x> <s@x>", "(null)", "null", "(nuLL)"]),
    st.sampled_from(["100", "", "0", "-5", "1.5", "+7"]),
    st.sampled_from(["2", "", "x"]),
    st.sampled_from(["Xref: n a.b:7", "n a.b:7 a.c:8", "xref:n a.b:7", "", "Xref: a.b:7", "Xref:", "Xref: n", "a.b:7 a.c:8", "junk", "n a.b:7  "]),
)  # fmt: skip


@given(st.tuples(*PARTS), st.integers(4, 9))
def test_a_plain_line_says_what_a_closer_look_at_it_says(parts: tuple[str, ...], count: int):
    line = "\t".join(parts[:count]).encode() + b"\r\n"
    if not fields.find(np.frombuffer(line, np.uint8)).plain[0]:
        return
    # A NUL in a field that nobody reads makes a line odd.
    odd = "\t".join((*parts[:count], *[""] * (9 - count), "\0")).encode() + b"\r\n"
    assert not fields.find(np.frombuffer(odd, np.uint8)).plain[0]
    plain, looked_at = (parse(text, 0, 99, NOW).overview for text in (line, odd))
    assert plain.to_dicts() == looked_at.to_dicts()
