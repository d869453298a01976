"""The history is the same from every side."""

import numpy as np
import polars as pl
import pytest

from simulator.dirt import KINDS, as_sent, raw
from simulator.history import CLEAN, DEFAULT, HOST, demo_history, planned_history

GROUPS = ("alt.binaries.first", "alt.binaries.second", "alt.binaries.third")


@pytest.fixture(scope="module")
def history():
    return planned_history(7, GROUPS, (60_000,), (2009, 2016, 2024), offset=1_000_000)


@pytest.fixture(scope="module")
def everything(history):
    return pl.concat([history.block(name, 1_000_000, 1_059_999) for name in GROUPS])


def test_any_block_alone_equals_the_slice_of_a_larger_one(history):
    whole = history.block(GROUPS[1], 1_020_000, 1_039_999)
    fresh = planned_history(7, GROUPS, (60_000,), (2009, 2016, 2024), offset=1_000_000)
    for first, last in ((1_031_234, 1_031_234), (1_027_990, 1_032_003), (1_020_000, 1_020_999)):
        part = whole.filter(pl.col("number").is_between(first, last))
        assert fresh.block(GROUPS[1], first, last).equals(part)


def test_the_seed_decides(history):
    other = planned_history(8, GROUPS, (60_000,), (2009, 2016, 2024), offset=1_000_000)
    assert history.key != other.key
    assert not history.block(GROUPS[0], 1_050_000, 1_050_099).equals(other.block(GROUPS[0], 1_050_000, 1_050_099))


def test_truth_has_a_row_for_each_row_sent(history):
    sent = history.block(GROUPS[0], 1_030_000, 1_059_999)
    truth = history.truth(GROUPS[0], 1_030_000, 1_059_999)
    assert truth["number"].equals(sent["number"])
    assert (truth["segment"] >= 1).all()
    assert (truth["segment"] <= truth["segments_expected"]).all()
    segments = truth.filter(pl.col("class") != "duplicate").group_by("file", "segment").len()
    assert (segments["len"] == 1).all()


def test_a_crosspost_is_one_article_with_the_same_xref_in_both_groups(history):
    first = history.block(GROUPS[0], 1_040_000, 1_047_999)
    second = history.block(GROUPS[1], 1_038_000, 1_052_000)
    shared = first.filter(pl.col("xref").str.contains(GROUPS[1])).with_columns(
        copy=pl.col("xref").str.extract(rf"{GROUPS[1]}:(\d+)").cast(pl.Int64)
    )
    assert shared.height > 1_000
    both = shared.join(second, left_on="copy", right_on="number", how="inner")
    assert both.height > shared.height * 0.9
    for column in ("subject", "from", "date", "message_id", "bytes", "xref"):
        assert (both[column] == both[f"{column}_right"]).all()
    assert both["xref"].str.starts_with(f"{HOST} {GROUPS[0]}:").all()


def test_message_ids_are_unique_but_for_crossposts_and_duplicates(history, everything):
    rows = everything
    truth = pl.concat([history.truth(name, 1_000_000, 1_059_999) for name in GROUPS])
    own = truth["class"].is_in(["release", "garbage", "random", "obfuscated", "text"]) & (rows["message_id"] != "")
    ids = rows.filter(own)["message_id"]
    # The time templates of newsmangler can give two streams the same id, as in the wild.
    assert ids.n_unique() > 0.9999 * len(ids)


def test_default_mix_is_near_the_real_proportions():
    history = planned_history(1, GROUPS, (100_000,))
    truth = pl.concat([history.truth(name, *_bounds(history, name)) for name in GROUPS])
    share = {kind: rows / truth.height for kind, rows in truth["class"].value_counts().rows()}
    assert share["crosspost"] == pytest.approx(0.18, abs=0.02)
    assert share["release"] == pytest.approx(0.27, abs=0.04)
    assert set(truth["level"].unique()) >= {0, 1, 3, 4, 5}


def test_a_single_group_has_copies_of_a_group_the_server_does_not_carry():
    history = planned_history(1, GROUPS[:1], (60_000,))
    truth = history.truth(GROUPS[0], *_bounds(history, GROUPS[0]))
    assert (truth["class"] == "crosspost").mean() == pytest.approx(0.18, abs=0.03)


def test_clean_mix_has_every_number_once_and_readable():
    history = planned_history(1, GROUPS[:1], (30_000,), (2016,), CLEAN)
    rows = history.block(GROUPS[0], *_bounds(history, GROUPS[0]))
    assert rows["number"].to_list() == list(range(2_000_000, 2_030_000))
    assert set(history.truth(GROUPS[0], *_bounds(history, GROUPS[0]))["class"]) == {"release"}


def test_numbers_above_32_bits():
    history = planned_history(1, GROUPS[:2], (20_000,), (2024,), offset=5_000_000_000)
    rows = history.block(GROUPS[1], 5_000_000_000, 5_000_000_999)
    assert rows["number"].min() >= 5_000_000_000
    assert rows["xref"].str.contains(r":50000\d{5}\b").all()


def test_demo_has_four_groups_and_three_eras():
    history = demo_history()
    assert len(history.names) == 4
    assert sum(history.group(name).high - history.group(name).low + 1 for name in history.names) >= 4_200_000
    assert {section.start.year for plan in history.plans for section in plan.sections} == {2009, 2016, 2024}


@pytest.mark.parametrize(
    "pattern",
    [
        r"^<(?:[A-Z][a-z]){12}-\d{13}@nyuu>$",
        r"^<[0-9a-f]{12}4[0-9a-f]{3}[89ab][0-9a-f]{15}@ngPost>$",
        r"^<part\d+of\d+\.[0-9a-zA-Z$&]{20}@powerpost2000AA\.local>$",
    ],
)
def test_message_ids_have_the_shape_of_their_tool(everything, pattern):
    assert everything["message_id"].str.contains(pattern).sum() > 50


def test_dirt_is_there_and_becomes_bytes():
    history = planned_history(3, GROUPS[:1], (80_000,), (2016,), DEFAULT)
    rows = history.block(GROUPS[0], *_bounds(history, GROUPS[0]))
    assert (rows["subject"] == "").any()
    assert rows["bytes"].str.starts_with("-").any()
    assert (~rows["message_id"].str.starts_with("<")).any()
    assert len(KINDS) > 20


def test_stand_ins_become_what_they_stand_for():
    text = (
        f"1\ta{raw(0xE9)}b\t\t2\uf8ff\tx\r\n2\tbroken\uf8fd\trest\t\r\n3\té\t4\uf8fe\tx\r\n4\ta\t5\uf8fc\thost g:4\r\n"
    )
    assert as_sent(text.encode()) == b"1\ta\xe9b\t\t2\tx\n2 broken\r\n3\t\xc3\xa9\t4\r\n4\ta\t5\t\r\n"


def test_every_byte_has_a_stand_in():
    assert as_sent("".join(map(raw, range(256))).encode()) == bytes(range(256))


def test_unknown_group_is_a_key_error(history):
    with pytest.raises(KeyError):
        history.block("alt.binaries.none", 1, 2)


def test_outside_the_group_there_is_nothing(history):
    assert history.block(GROUPS[0], 5, 10).height == 0
    assert np.array_equal(
        history.block(GROUPS[0], 5, 10).columns, history.block(GROUPS[0], 1_000_000, 1_000_001).columns
    )


def _bounds(history, name):
    bounds = history.group(name)
    return bounds.low, bounds.high
