from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.nntp.connection import ActiveGroup
from pipeline.planning import UnknownGroup, Window, choose_groups, plan, ranges_of
from pipeline.ranges import Range

NOW = datetime(2026, 12, 2, tzinfo=UTC)
GROUP = "alt.binaries.test"
LISTED = [
    ActiveGroup("alt.binaries.linux", 1, 500),
    ActiveGroup("alt.binaries.music", 1_000, 3_000),
    ActiveGroup("alt.binaries.empty", 8, 7),
    ActiveGroup("alt.binaries.films", 1, 500),
    ActiveGroup("alt.binaries.test.spam", 1, 9_000),
    ActiveGroup("alt.binaries..broken", 1, 9_999),
    ActiveGroup("comp.os.linux", 1, 7_000),
]


def test_largest_groups_first_and_only_those_that_match():
    assert choose_groups(LISTED, exclude=("*.spam",)) == (
        "alt.binaries.music",
        "alt.binaries.films",
        "alt.binaries.linux",
    )
    assert choose_groups(LISTED, include=("*",), limit=2) == ("alt.binaries.test.spam", "comp.os.linux")
    assert choose_groups(LISTED, include=("comp.*", "alt.binaries.m*"), min_articles=2_001) == (
        "comp.os.linux",
        "alt.binaries.music",
    )
    with pytest.raises(UnknownGroup, match=r"none of the 0 groups"):
        choose_groups([])


def test_named_groups_keep_their_order():
    names = ("alt.binaries.linux", "comp.os.linux", "alt.binaries.linux")
    assert choose_groups(LISTED, names, exclude=("*",), limit=1) == ("alt.binaries.linux", "comp.os.linux")


def test_an_unknown_name_is_answered_with_the_nearest():
    with pytest.raises(UnknownGroup, match=r"alt\.binaries\.lunix; did you mean alt\.binaries\.linux\?"):
        choose_groups(LISTED, ("alt.binaries.lunix",))
    with pytest.raises(UnknownGroup, match="lists 0 groups"):
        choose_groups([], ("alt.binaries.linux",))


@pytest.mark.parametrize(
    ("low", "high", "closed", "every"),
    [
        (1, 0, [], []),
        (0, 0, [], []),
        (500, 400, [], []),
        (1, 98, [], [0]),
        (1, 99, [0], [0]),
        (1, 100, [0], [0, 1]),
        (150, 399, [1, 2, 3], [1, 2, 3]),
        (150, 400, [1, 2, 3], [1, 2, 3, 4]),
        (5_000_000_000, 5_000_000_250, [50_000_000, 50_000_001], [50_000_000, 50_000_001, 50_000_002]),
    ],
)
def test_ranges_of_a_group(low, high, closed, every):
    assert [range_.index for range_ in ranges_of(1, GROUP, low, high, 100)] == closed
    assert [range_.index for range_ in ranges_of(1, GROUP, low, high, 100, include_open=True)] == every


@given(st.integers(1, 5_000), st.integers(0, 5_000), st.integers(1, 300))
def test_ranges_hold_every_number_once(low, high, size):
    found = ranges_of(1, GROUP, low, high, size, include_open=True)
    held = [number for range_ in found for number in range(max(range_.first, low), min(range_.last, high) + 1)]
    assert held == list(range(low, high + 1))
    closed = ranges_of(1, GROUP, low, high, size)
    assert closed == [range_ for range_ in found if range_.last <= high]


def window(*dates):
    return Window(len(dates), tuple(dates))


def month(year, number=1, day=15):
    return datetime(year, number, day, tzinfo=UTC)


def planned(*windows):
    ranges = [Range(1, GROUP, index, 100) for index in range(len(windows))]
    return plan(ranges, windows, NOW)


def test_the_era_is_the_posting_month():
    assert [one.era for one in planned(window(month(2008, 8)), window(month(2008, 12)), window(month(2009, 1)))] == [
        200808,
        200812,
        200901,
    ]


def test_a_few_forged_dates_in_a_window_do_not_matter():
    true = [month(2015, 6) + timedelta(minutes=minute) for minute in range(51)]
    for forged in (month(2000), month(2026)):
        found = planned(window(*[forged] * 49, *true))[0]
        assert found.era == 201506


@pytest.mark.parametrize("forged", [month(2000), month(2026, 11)])
@pytest.mark.parametrize("place", [2, 3])
def test_a_whole_forged_window_takes_the_date_of_the_range_before(forged, place):
    windows = [window(month(2015, number)) for number in (1, 2, 3, 4, 5)]
    windows[place] = window(forged)
    expected = [201501, 201502, 201503, 201504, 201505]
    expected[place] = expected[place - 1]
    assert [one.era for one in planned(*windows)] == expected


def test_a_range_without_articles_is_known_empty():
    found = planned(window(), window(month(2015)), window(), window(month(2016)))
    assert [one.first_posted for one in found] == [None, month(2015), None, month(2016)]
    assert [one.era for one in found] == [201501, 201501, 201501, 201601]


def test_articles_without_a_believable_date_are_not_empty():
    found = planned(window(month(2015)), Window(100, ()))
    assert found[1].first_posted == month(2015)
    assert planned(Window(100, ()))[0].era == 202612
    assert planned() == []


dates = st.integers(0, 9_800).map(lambda days: month(2000) + timedelta(days=days))


@given(st.lists(st.lists(dates, max_size=5).map(lambda found: window(*found)), max_size=30))
def test_eras_never_fall(windows):
    eras = [one.era for one in planned(*windows)]
    assert eras == sorted(eras)


@given(st.lists(dates, min_size=5, max_size=40), st.data())
def test_one_forged_window_changes_no_other_range_of_a_rising_group(found, data):
    true = sorted(found)
    place = data.draw(st.integers(1, len(true) - 2))
    forged = [*true]
    forged[place] = data.draw(dates)
    eras = [one.era for one in planned(*map(window, forged))]
    expected = [one.era for one in planned(*map(window, true))]
    # The forged one, and one neighbour when both fit equally well, may differ.
    assert sum(a != b for a, b in zip(eras, expected, strict=True)) <= 2
