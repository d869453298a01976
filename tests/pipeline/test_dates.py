from datetime import UTC, datetime, timedelta

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.dates import EARLIEST, TOLERANCE, parse_dates
from pipeline.schema import UTC_TIME

NOW = datetime(2026, 12, 2, 9, 0, tzinfo=UTC)


def parsed(*texts):
    return parse_dates(pl.Series("date", texts, dtype=pl.String), NOW).to_list()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Thu, 28 Jun 2018 15:25:10 +0000", "2018-06-28 15:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 GMT", "2018-06-28 15:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 UT", "2018-06-28 15:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 Z", "2018-06-28 15:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 -0000 (UTC)", "2018-06-28 15:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 +0200 (UTC)", "2018-06-28 13:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 +0200 (CEST)", "2018-06-28 13:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 +0530", "2018-06-28 09:55:10"),
        ("Thu, 28 Jun 18 15:25:10 UTC", "2018-06-28 15:25:10"),
        ("Thu, 28 Jun 18 15:25:10 +0000", "2018-06-28 15:25:10"),
        ("Fri, 8 Jun 2018 15:25:10 +0200", "2018-06-08 13:25:10"),
        ("8 Jun 2018 15:25:10 +0200", "2018-06-08 13:25:10"),
        ("Fri,  8 Jun 2018 15:25:10 +0200", "2018-06-08 13:25:10"),
        ("Mon, 28 Jun 2018 15:25:10 +0000", "2018-06-28 15:25:10"),  # it was a Thursday
        ("Thu, 28 Jun 2018 15:25 GMT", "2018-06-28 15:25:00"),
        ("Thu, 28 Jun 2018 15:25:10", "2018-06-28 15:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 EST", "2018-06-28 20:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 PDT", "2018-06-28 22:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 CET", "2018-06-28 14:25:10"),
        ("Thu, 28 Jun 2018 15:25:10 CEST", "2018-06-28 13:25:10"),
        ("Wednesday, 02-Dec-26 08:00:00 GMT", "2026-12-02 08:00:00"),
        ("Thu Jun 28 15:25:10 2018", "2018-06-28 15:25:10"),
        ("thu, 28 jun 2018 15:25:10 +0000", "2018-06-28 15:25:10"),
    ],
)
def test_dates_seen_in_the_field(text, expected):
    assert parsed(text) == [datetime.fromisoformat(expected).replace(tzinfo=UTC)]


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "yesterday",
        "Thu, 30 Feb 2018 15:25:10 +0000",
        "Thu, 28 Jun 2018 25:61:10 +0000",
        "Thu, 01 Jan 1970 00:00:00 GMT",
        "Wed, 31 Dec 1969 23:59:59 GMT",
        "Fri, 31 Dec 1999 23:59:59 +0000",
        "Fri, 01 Jan 2036 00:00:00 +0000",
        "Sun, 01 Jan 2040 00:00:00 GMT",
        "Thu, 28 Jun 2018 15:25:10 +9999999999",
        "(" * 500,
        "\t\x01\xff",
    ],
)
def test_what_is_not_believed_is_null(text):
    assert parsed(text) == [None]


def test_the_bounds():
    def shown(time):
        return time.strftime("%a, %d %b %Y %H:%M:%S +0000")

    second = timedelta(seconds=1)
    assert parsed(shown(EARLIEST), shown(EARLIEST - second)) == [EARLIEST, None]
    assert parsed(shown(NOW + TOLERANCE), shown(NOW + TOLERANCE + second)) == [NOW + TOLERANCE, None]


def test_rows_keep_their_places():
    good, odd = "Thu, 28 Jun 2018 15:25:10 +0000", "Thu, 28 Jun 18 15:25:10 UTC"
    time = datetime(2018, 6, 28, 15, 25, 10, tzinfo=UTC)
    series = parse_dates(pl.Series("date", [odd, None, good, "x", odd, good, "x"]), NOW)
    assert series.to_list() == [time, None, time, None, time, time, None]
    assert series.dtype == UTC_TIME
    assert series.name == "date"
    assert parsed() == []


@given(st.integers(86_400, 849_000_000), st.integers(-720, 840))
def test_every_rfc_5322_date(seconds, minutes):
    time = EARLIEST + timedelta(seconds=seconds)
    offset = timedelta(minutes=minutes)
    zone = f"{'-' if minutes < 0 else '+'}{abs(minutes) // 60:02d}{abs(minutes) % 60:02d}"
    local = (time + offset).strftime("%a, %d %b %Y %H:%M:%S")
    assert parsed(f"{local} {zone}", f"{local} {zone} (comment)", f"{local[5:]} {zone}") == [time] * 3


@given(st.lists(st.text(max_size=60)))
def test_no_text_breaks_it(texts):
    assert len(parsed(*texts)) == len(texts)
