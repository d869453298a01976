"""Whether par2 covers what is missing, from names, sizes and the articles that are there."""

from __future__ import annotations

import pytest

from server.nzb import merge
from server.pages.release import missing
from server.pages.repair import gaps, repair


@pytest.fixture
def reach(content_of, file_of):
    """The reach of a release: data files of 100 articles of 1,000 bytes with these present, and volumes of these blocks."""

    def of(*present, volumes=(), unseen=0, volume_share=1):
        data = [file_of(f"data.part{nth}.rar", 100, numbers) for nth, numbers in enumerate(present)]
        # A block of 4,932 bytes and its packet head make five articles.
        par2 = [
            file_of(f"data.vol{nth:03}+{blocks:02}.par2", 5 * blocks, range(1, int(5 * blocks * volume_share) + 1))
            for nth, blocks in enumerate(volumes)
        ]
        return repair(merge([content_of(*data, file_of("data.par2", 1), *par2)]), unseen)

    return of


WHOLE = range(1, 101)


def test_nothing_is_missing(reach):
    told = reach(WHOLE, WHOLE, volumes=(1, 2, 4))
    assert told.whole
    assert told.covered
    assert (told.blocks, told.block_bytes, told.damaged_blocks) == (7, 4932, 0)


@pytest.mark.parametrize(
    ("present", "damaged"),
    [
        ([number for number in WHOLE if number != 50], 2),  # one article may lie over two blocks
        ([number for number in WHOLE if number not in (10, 50, 90)], 6),
        (range(1, 51), 12),  # fifty articles in a row fill ten blocks and touch two more
        (range(1, 2), 21),  # never more than the file has
    ],
)
def test_runs_of_missing_articles_touch_blocks(reach, present, damaged):
    told = reach(present, WHOLE, volumes=(1, 2, 4))
    assert told.damaged_blocks == damaged
    assert told.covered is (damaged <= 7)


def test_a_file_that_nothing_was_seen_of_costs_as_many_blocks_as_the_largest(reach):
    told = reach(WHOLE, volumes=(10, 20), unseen=1)
    assert (told.missing_files, told.damaged_blocks, told.covered) == (1, 21, True)


def test_without_par2_or_without_volumes_nothing_is_repaired(reach):
    assert reach(range(1, 100)).covered is False


def test_broken_volumes_hold_fewer_blocks_and_do_not_tell_their_size(reach):
    told = reach(range(1, 100), volumes=(10, 20), volume_share=0.5)
    assert (told.blocks, told.block_bytes, told.covered) == (15, None, None)


def test_missing_articles_in_few_words():
    assert gaps([], 3) == [(1, 3)]
    assert gaps([1, 2, 5, 6, 9], 9) == [(3, 4), (7, 8)]
    assert gaps([2], 2) == [(1, 1)]
    assert gaps([1, 2, 3], 2) == []
    assert missing([(1, 1), (3, 5)]) == "1, 3-5"
    assert missing([(n, n) for n in range(1, 20, 2)]) == "1, 3, 5, 7, 9, 11 and 4 more"
