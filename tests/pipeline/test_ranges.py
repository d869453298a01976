from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.batch import Counters
from pipeline.ranges import BadGroupName, Range, check_group, parse_key, range_of

groups = st.from_regex(r"(alt\.binaries\.|a\.c\.)[a-z0-9][a-z0-9+_-]{0,20}", fullmatch=True)


@given(st.integers(1, 2**62), st.integers(100, 5_000_000), groups)
def test_a_range_holds_the_numbers_it_is_arithmetic_of(number: int, size: int, group: str) -> None:
    range_ = range_of(1, group, number, size)
    assert range_.first <= number <= range_.last
    assert range_.last - range_.first + 1 == size
    assert range_of(1, group, range_.last + 1, size).index == range_.index + 1


@given(groups, st.integers(0, 10**7), st.integers(199001, 203012), st.integers(1, 99), st.integers(100, 5_000_000))
def test_a_partition_key_names_its_range(group: str, index: int, era: int, source: int, size: int) -> None:
    range_ = Range(source, group, index, size)
    assert parse_key(range_.key(era), size) == (era, range_)


def test_keys_sort_by_era_then_group_then_index() -> None:
    keys = [
        Range(1, "alt.binaries.a", 9).key(200901),
        Range(1, "alt.binaries.a", 10).key(200901),
        Range(1, "alt.binaries.b", 1).key(200901),
        Range(1, "alt.binaries.a", 11).key(201012),
    ]
    assert keys == sorted(keys)
    assert keys[0] == "200901~a.b.a~000009"


@pytest.mark.parametrize("name", ["", "..", "a..b", "a/b", "../etc", "a b", "a.", "a\x00b", "a" * 300, "a~b", ".a"])
def test_a_group_name_that_is_no_safe_path_is_refused(name: str) -> None:
    with pytest.raises(BadGroupName):
        check_group(name)


@pytest.mark.parametrize(
    "key", ["", "2009~a.b.x~000001", "200901~a.b.x~1", "200901~../x~000001", "200901|a.b.x|000001"]
)
def test_what_is_no_partition_key_is_refused(key: str) -> None:
    with pytest.raises(ValueError):
        parse_key(key)


def test_a_line_that_is_counted_twice_or_not_at_all_shows_in_the_balance() -> None:
    assert Counters(lines=3, kept=1, garbage=2).balance == 0
    assert Counters(lines=3, kept=1).balance == 2
    assert Counters(lines=3, kept=2, outside_main=2).balance == -1
