"""What asset checks say of a range by its dates."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assets.checks import in_order
from store.catalog.range_facts import RangeFacts

DAY = datetime(2024, 5, 1, tzinfo=UTC)
MARGIN = timedelta(hours=6)


def posted(first: datetime | None, last: datetime | None, below: datetime | None) -> RangeFacts:
    return RangeFacts("main/alt.binaries.test/0000001", 100, 0, first, last, 100, below)


@pytest.mark.parametrize(
    ("below", "in_its_place"),
    [
        (None, True),
        (DAY - timedelta(days=1), True),
        (DAY + timedelta(hours=1), True),
        (DAY + timedelta(hours=1) + MARGIN, True),
        (DAY + timedelta(hours=1, seconds=1) + MARGIN, False),
        (DAY + timedelta(days=400), False),
    ],
)
def test_a_range_that_was_posted_before_the_one_below_it_is_out_of_order(below: datetime | None, in_its_place: bool):
    assert in_order(posted(DAY, DAY + timedelta(hours=1), below), MARGIN) is in_its_place


def test_a_poster_whose_clock_is_wrong_puts_no_range_out_of_order():
    assert in_order(posted(DAY - timedelta(days=400), DAY, DAY - timedelta(days=1)), MARGIN)


def test_a_range_without_dates_is_in_order():
    assert in_order(posted(None, None, DAY), MARGIN)
