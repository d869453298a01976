"""Batches: every line is accounted for, order does not matter, and cutting a history into ranges changes no release."""

import datetime as dt
import random
from collections import Counter, defaultdict

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from pipeline import records, schema
from pipeline.batch import GroupList
from pipeline.filetable import segments_of
from pipeline.fragments import decide
from pipeline.islands import islands, releases_of
from pipeline.materialize import materialize, merge_edge
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE

GROUP, OTHER = "alt.binaries.test", "alt.binaries.other"
GROUPS = GroupList(1, (OTHER, GROUP))
START = dt.datetime(2023, 3, 1, tzinfo=dt.UTC)
LETTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"


def word(draw, length, letters=LETTERS):
    return "".join(draw.choices(letters, k=length))


def release_lines(
    draw,
    title,
    files,
    parts,
    poster,
    *,
    names=None,
    lose=0.0,
    form='{title} [{n}/{files}] - "{name}" yEnc ({i}/{parts})',
):
    """Lines of one release in posting order, each (subject, poster, message-id)."""
    names = names or [f"{title.lower()}.part{n:02}.rar" for n in range(1, files + 1)]
    return [
        (
            form.format(title=title, n=n, files=files, name=name, i=i, parts=parts),
            poster,
            f"{word(draw, 24)}@example.org",
        )
        for n, name in enumerate(names, 1)
        for i in range(1, parts + 1)
        if draw.random() >= lose
    ]


def history(seed, first=0, noise=True):
    """A frame of the overview of some interleaved posts."""
    draw = random.Random(seed)
    bot = "Robot <robot@example.org>"
    hashes = [word(draw, 16, "0123456789abcdef") for _ in range(4)]
    posts = [
        release_lines(draw, "Debian.12.5", 5, 40, "Ann <ann@example.org>"),
        release_lines(draw, "Nosferatu.1922", 3, 30, "Ben <ben@example.org>", lose=0.05),
        release_lines(draw, "Metropolis", 1, 200, "Cleo <cleo@example.org>", names=["metropolis.mkv"]),
        release_lines(draw, "Faust", 12, 3, "Dora <dora@example.org>"),
        release_lines(draw, hashes[0], 4, 12, bot, form='{title} [{n}/{files}] - "{name}" yEnc ({i}/{parts})'),
        release_lines(draw, "", 5, 8, "Ed <ed@example.org>", names=[word(draw, 20) for _ in range(5)], form='[{n}/{files}] - "{name}" yEnc ({i}/{parts})'),
        [(word(draw, 20), f"{word(draw, 12)}@example.org", f"{word(draw, 24)}@nyuu") for _ in range(60)],
        [("Re: hello", "Flo <flo@example.org>", f"{word(draw, 24)}@news") for _ in range(20)],
        [(f'"{word(draw, 24)}.bin" yEnc (1/1)', bot, f"{word(draw, 32, '0123456789abcdef')}@flood") for _ in range(60)],
        [("yEnc (3/50)", bot, f"{word(draw, 24)}@news") for _ in range(10)],
    ]  # fmt: skip
    if noise:
        again = draw.sample(posts[0], 10)
        posts.append([(subject, poster, f"{word(draw, 24)}@example.org") for subject, poster, _ in again])
    lines = []
    starts = [draw.randrange(500) for _ in posts]
    for start, post in zip(starts, posts, strict=True):
        lines += [(start + 2.5 * place + draw.random() * 8, line) for place, line in enumerate(post)]
    lines.sort()
    number, rows = first, []
    for at, (subject, poster, message_id) in lines:
        number += 1 + (draw.random() < 0.02)
        xref = draw.choices(
            [
                f"{GROUP}:{number}",
                f"{OTHER}:7 {GROUP}:{number}",
                f"{GROUP}:{number} {OTHER}:9 alt.unlisted:3",
                "",
                f"alt.unlisted:3 {GROUP}:{number}",
            ],
            [75, 10 if noise else 0, 10, 3, 2],
        )[0]
        posted_at = None if draw.random() < 0.02 else START + dt.timedelta(seconds=int(at))
        rows.append((number, subject, poster, posted_at, message_id, "", draw.randrange(1000, 750_000), xref))
    return pl.DataFrame(rows, schema=schema.OVERVIEW.polars, orient="row")


def batch_of(frame, index=0, size=2_000_000, malformed=0, duplicate=0):
    return materialize(frame, Range(1, GROUP, index, size), GROUPS, DEFAULT_TABLE, lines=frame.height + malformed + duplicate, malformed=malformed, duplicate=duplicate)  # fmt: skip


def assert_equal_batches(left, right):
    for name in ("records", "files", "segments", "fragments", "fragment_segments", "probes", "samples", "verdicts"):
        assert_frame_equal(getattr(left, name), getattr(right, name))
    assert (left.counters, left.window) == (right.counters, right.window)


def assert_declared(batch):
    schema.RECORDS.check(batch.records)
    schema.RECORD_FILES.check(batch.files)
    schema.SEGMENTS.check(batch.segments)
    schema.FRAGMENTS.check(batch.fragments)
    schema.SEGMENTS.check(batch.fragment_segments)
    schema.PROBES.check(batch.probes)
    schema.SAMPLES.check(batch.samples)
    schema.VERDICTS.check(batch.verdicts)
    assert batch.verdicts.filter(pl.col("dropped_by").is_not_null())["segments"].sum() == batch.counters.garbage


def releases(batches):
    """What the catalog makes of records: for each release its name and its files with their segments."""
    records = pl.concat([batch.records.with_columns(batch=pl.lit(at)) for at, batch in enumerate(batches)])
    records = records.hstack(releases_of(records))
    of = {
        (at, record): (key, island)
        for at, record, key, island in records.select("batch", "record", "release_key", "island").iter_rows()
    }
    told = defaultdict(list)
    for at, batch in enumerate(batches):
        ids = batch.segments.group_by("file", maintain_order=True).agg("number", "message_id")
        for row in batch.files.join(ids, on="file").iter_rows(named=True):
            segments = tuple(zip(row["number"], row["message_id"], strict=True))
            facts = row["file_key"], row["segments_found"], row["segments_expected"], row["bytes"], segments
            told[of[at, row["record"]]].append(facts)
    names = {
        release: min((-len(row["name"]), row["name"]) for row in part.iter_rows(named=True))
        for release, part in records.partition_by("release_key", "island", as_dict=True).items()
    }
    return Counter((names[release][1], tuple(sorted(files))) for release, files in told.items())


@given(seed=st.integers(0, 10**6), malformed=st.integers(0, 5), duplicate=st.integers(0, 5))
@settings(max_examples=6, deadline=None)
def test_every_line_is_accounted_for(seed, malformed, duplicate):
    batch = batch_of(history(seed), malformed=malformed, duplicate=duplicate)
    assert batch.counters.balance == 0
    assert (
        batch.counters.kept
        == batch.segments.height
        == batch.files["segments_found"].sum()
        == batch.records["segments"].sum()
    )
    assert batch.counters.in_fragments == batch.fragment_segments.height
    assert_declared(batch)


@given(seed=st.integers(0, 10**6), shuffle=st.integers(0, 10**6))
@settings(max_examples=5, deadline=None)
def test_the_order_of_lines_does_not_matter(seed, shuffle):
    frame = history(seed)
    assert_equal_batches(batch_of(frame), batch_of(frame.sample(fraction=1.0, shuffle=True, seed=shuffle)))


@given(seed=st.integers(0, 10**6), size=st.sampled_from([60, 150, 333, 800]), order=st.randoms(use_true_random=False))
@settings(max_examples=6, deadline=None)
def test_cutting_a_history_into_ranges_changes_no_release(seed, size, order):
    frame = history(seed, first=1000, noise=False)
    whole = batch_of(frame, 0, 1_000_000)
    assert whole.fragments.is_empty() or whole.window == 20_000
    low, high = frame["number"].min() // size, frame["number"].max() // size
    indexes = list(range(low, high + 1))
    order.shuffle(indexes)
    batches = {}
    for index in indexes:
        part = frame.filter(pl.col("number") // size == index)
        batch = batch_of(part, index, size)
        assert batch.counters.balance == 0
        batches[index] = batch
    fragments = [batches[index].fragments.with_columns(range_index=pl.lit(index)) for index in indexes]
    edges = merged(indexes, batches, fragments, lambda index: True)
    one = merge_all_of(whole)
    assert releases([*batches.values(), *edges]) == releases([whole, *one])


def merged(indexes, batches, fragments, is_closed):
    """The edge batches of all decided chains, as a caller over the catalog makes them."""
    offset, frames, segments = 0, [], []
    for index, frame in zip(indexes, fragments, strict=True):
        frames.append(frame.with_columns(pl.col("file") + offset))
        segments.append(batches[index].fragment_segments.with_columns(pl.col("file") + offset))
        offset += frame.height
    frame = pl.concat(frames).with_columns(pl.col("file").cast(pl.UInt32))
    if frame.is_empty():
        return []
    segment = pl.concat(segments).with_columns(pl.col("file").cast(pl.UInt32))
    chains = decide(frame, is_closed)
    frame = frame.hstack(chains).filter("decided")
    out = []
    for edge in frame["low_index"].unique().sort():
        rows = frame.filter(pl.col("low_index") == edge).select(schema.FRAGMENTS.names)
        batch = merge_edge(rows, segment.filter(pl.col("file").is_in(rows["file"].implode())), DEFAULT_TABLE)
        assert batch.counters.balance == 0
        assert batch.window == 0
        assert_declared(batch)
        out.append(batch)
    return out


def merge_all_of(batch):
    if batch.fragments.is_empty():
        return []
    return [merge_edge(batch.fragments, batch.fragment_segments, DEFAULT_TABLE)]


def test_names_and_rules_of_a_history():
    batch = batch_of(history(1, first=100_000, noise=False))
    told = {row["name"]: row for row in batch.records.iter_rows(named=True)}
    assert told["Debian.12.5"]["files"] == told["Debian.12.5"]["files_expected"] == 5
    assert (told["Debian.12.5"]["grouped_by"], told["Debian.12.5"]["named_by"]) == ("title", "title")
    assert told["Metropolis"]["segments"] == 200
    assert told["Faust"]["readable_name"]
    counted = [row for row in told.values() if row["grouped_by"] == "counter"]
    assert [(row["files"], row["files_expected"], row["readable_name"]) for row in counted] == [(5, 5, False)]
    counters = batch.counters
    assert (counters.set_aside_random, counters.set_aside_text, counters.set_aside_obfuscated) == (60, 20, 10)
    assert 57 <= counters.garbage <= 60


def test_a_crosspost_counts_in_the_first_listed_group_alone():
    xrefs = [f"{GROUP}:1", f"{OTHER}:5 {GROUP}:2", f"{GROUP}:3 {OTHER}:6", f"alt.no:1 {OTHER}:1 {GROUP}:4", f"alt.no:1 {GROUP}:5", "", "alt.no:9"]  # fmt: skip
    frame = lines_of([(f'"deb.part01.rar" yEnc ({i}/7)', xref) for i, xref in enumerate(xrefs, 1)])
    batch = batch_of(frame, size=1000_000)
    assert batch.counters.outside_main == 2
    found = batch.segments if batch.segments.height else batch.fragment_segments
    assert found["number"].to_list() == [1, 3, 5, 6, 7]
    groups = (batch.files if batch.files.height else batch.fragments)["groups"].to_list()
    assert groups == [["alt.binaries.other", "alt.binaries.test", "alt.no"]]


def lines_of(rows, first=500_000, days=0):
    """An overview of (subject, xref) rows."""
    return pl.DataFrame(
        [(first + n, subject, "Ann <ann@example.org>", START + dt.timedelta(days=days, seconds=n), f"{first + n}.x@example.org", "", 100, xref) for n, (subject, xref) in enumerate(rows)],
        schema=schema.OVERVIEW.polars,
        orient="row",
    )  # fmt: skip


def test_the_first_of_two_equal_parts_counts():
    frame = lines_of([('"deb.rar" yEnc (1/2)', ""), ('"deb.rar" yEnc (2/2)', ""), ('"deb.rar" yEnc (1/2)', "")])
    batch = batch_of(frame)
    assert batch.segments["message_id"].to_list() == ["500000.x@example.org", "500001.x@example.org"]
    assert (batch.counters.repeated, batch.counters.kept) == (1, 2)


@given(st.lists(st.integers(0, 4), max_size=5), st.permutations(range(5)))
def test_segments_of_files_keep_their_order_under_new_ordinals(counts, order):
    held = [(file, number) for file, count in enumerate(counts) for number in range(count)]
    segments = pl.DataFrame(held, schema={"file": pl.UInt32, "number": pl.Int32}, orient="row")
    wanted = [file for file in order if file < len(counts)]
    told = segments_of(pl.Series(wanted, dtype=pl.UInt32), segments)
    assert told.schema == segments.schema
    assert told.rows() == [(new, number) for new, file in enumerate(wanted) for number in range(counts[file])]


def test_a_repost_weeks_later_is_another_record():
    rows = [('Debian [1/1] - "deb.rar" yEnc (1/2)', ""), ('Debian [1/1] - "deb.rar" yEnc (2/2)', "")]
    batch = batch_of(pl.concat([lines_of(rows), lines_of(rows, first=500_100, days=30)]))
    assert batch.records["files"].to_list() == [1, 1]
    assert batch.records["base_key"].n_unique() == 1
    assert batch.counters.repeated == 0


def test_posters_that_change_with_each_article_do_not_split_a_file():
    draw = random.Random(4)
    frame = lines_of([(f'Debian [1/1] - "deb.rar" yEnc ({i}/9)', "") for i in range(1, 10)])
    frame = frame.with_columns(poster=pl.Series([f"{word(draw, 13)}@ngPost.com" for _ in range(9)]))
    assert batch_of(frame).records["segments"].to_list() == [9]


def test_a_single_article_with_a_name_and_no_counter_is_a_file_of_one_segment():
    batch = batch_of(lines_of([('Debian - "debian.nfo" yEnc', "")]))
    assert batch.files.select("name", "segments_found", "segments_expected").rows() == [("debian.nfo", 1, 1)]


def test_one_segment_a_file_with_the_file_total_repeated_is_complete():
    batch = batch_of(lines_of([(f'[{n}/20] "x.{n:02}" yEnc (1/20)', "") for n in range(1, 21)], first=1_000_000))
    assert batch.records.select("files", "files_expected", "segments", "segments_expected").rows() == [(20, 20, 20, 20)]


def test_files_stand_in_nzb_order_data_before_par2():
    names = ["deb.vol0+1.par2", "deb.part2.rar", "deb.par2", "deb.part1.rar", "deb.nfo"]
    batch = batch_of(lines_of([(f'Deb [{n}/5] - "{name}" yEnc (1/1)', "") for n, name in enumerate(names, 1)]))
    assert batch.files["name"].to_list() == ["deb.part2.rar", "deb.part1.rar", "deb.nfo", "deb.vol0+1.par2", "deb.par2"]
    assert batch.records["has_par2"].to_list() == [True]


def test_probes_are_the_first_volume_and_the_smallest_par2():
    names = ["deb.part01.rar", "deb.part02.rar", "deb.par2", "deb.vol0+1.par2"]
    frame = lines_of([(f'Deb [{n}/4] - "{name}" yEnc (1/1)', "") for n, name in enumerate(names, 1)])
    frame = frame.with_columns(bytes=pl.Series([900, 900, 50, 400]))
    told = batch_of(frame).probes.select("kind", "message_id").rows()
    assert told == [("archive", "500000.x@example.org"), ("par2", "500002.x@example.org")]


def test_a_seven_zip_set_is_probed_at_its_end_too():
    frame = lines_of([(f'Deb [{n}/2] - "deb.7z.00{n}" yEnc ({i}/2)', "") for n in (1, 2) for i in (1, 2)])
    assert batch_of(frame).probes.select("kind", "message_id").rows() == [
        ("archive", "500000.x@example.org"),
        ("seven_zip_end", "500003.x@example.org"),
    ]


def test_a_lone_random_file_is_probed_first():
    batch = batch_of(lines_of([(f'[1/1] - "qWx9Kd72mZpLr4TbVn81" yEnc ({i}/2)', "") for i in (1, 2)]))
    assert batch.probes.select("kind", "priority").rows() == [("lone", 20)]


def test_an_empty_range_is_an_empty_batch():
    batch = batch_of(schema.OVERVIEW.empty(), malformed=2)
    assert batch.counters.balance == 0
    assert batch.records.is_empty()
    assert_declared(batch)


def test_incomplete_files_near_an_edge_are_fragments_and_those_of_one_segment_never():
    rows = [('"a.rar" yEnc (1/3)', ""), ('"b.rar" yEnc (1/1)', "")]
    batch = batch_of(lines_of(rows, first=2_000_000), index=1)
    assert batch.fragments.select("name", "at_low", "at_high").rows() == [("a.rar", True, False)]
    assert batch.files["name"].to_list() == ["b.rar"]


FRAGMENT = {"file_key": pl.Binary, "range_index": pl.Int64, "at_low": pl.Boolean, "at_high": pl.Boolean, "segments_found": pl.Int32, "segments_expected": pl.Int32}  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "done", "told"),
    [
        ([(b"a", 1, False, True, 3, 9), (b"a", 2, True, False, 6, 9)], set(), [(0, 1, True), (0, 1, True)]),
        ([(b"a", 1, False, True, 3, 9), (b"a", 2, True, False, 5, 9)], set(), [(0, 1, True), (0, 1, True)]),
        ([(b"a", 1, True, True, 3, 9), (b"a", 2, True, True, 5, 9)], {0}, [(0, 1, False), (0, 1, False)]),
        ([(b"a", 1, True, True, 3, 9), (b"a", 2, True, True, 5, 9)], {0, 3}, [(0, 1, True), (0, 1, True)]),
        ([(b"a", 5, True, False, 3, 9)], set(), [(0, 4, False)]),
        ([(b"a", 5, True, False, 3, 9)], {4}, [(0, 4, True)]),
        ([(b"a", 5, False, True, 3, 9)], {4}, [(0, 5, False)]),
        ([(b"a", 5, True, True, 3, 9)], {4, 6}, [(0, 5, True)]),
        ([(b"a", 2, False, True, 1, 9), (b"a", 1, False, True, 1, 9)], {3}, [(0, 2, True), (1, 1, False)]),
        ([(b"a", 1, False, True, 1, 9), (b"b", 2, True, False, 1, 9)], {1, 2}, [(0, 1, True), (1, 1, True)]),
        ([(b"a", 1, False, True, 1, 9), (b"a", 2, True, False, 1, 9), (b"a", 2, False, True, 1, 9), (b"a", 3, True, False, 1, 9)], set(), [(0, 1, True), (0, 1, True), (1, 2, True), (1, 2, True)]),
        ([(b"a", 1, False, True, 1, 9), (b"a", 2, True, True, 1, 9), (b"a", 3, True, True, 1, 9)], {4}, [(0, 1, True)] * 3),
    ],
)  # fmt: skip
def test_chains_are_decided_and_owned(rows, done, told):
    frame = pl.DataFrame(rows, schema=FRAGMENT, orient="row")
    assert decide(frame, lambda index: index in done).rows() == told


def test_no_fragments_no_chains():
    assert decide(pl.DataFrame(schema=FRAGMENT), lambda index: True).is_empty()


def test_islands_are_cut_by_a_long_silence():
    days = [0, 30, 3, 9, None, 17, 31]
    frame = pl.DataFrame(
        {"key": [1] * 7, "at": [None if day is None else START + dt.timedelta(days=day) for day in days]}
    )
    assert frame.select(islands("key", "at")).to_series().to_list() == [0, 2, 0, 0, 0, 1, 2]


def records_of(subjects, posters=None):
    frame = lines_of([(f"{subject} (1/1)", "") for subject in subjects])
    if posters:
        frame = frame.with_columns(poster=pl.Series(posters))
    return batch_of(frame).records.sort("name")


HASHES = [f"{word(random.Random(n), 32, '0123456789abcdef')}" for n in range(8)]

TOGETHER = {
    "subtitles beside their set": ['[149277]-[035/122] - "149277.r16" yEnc', '[149277]-[013/122] - "149277-Subs.par2" yEnc'],
    "index par2 and its volumes": ['[1/3] - "deb.part1.rar" yEnc', '[2/3] - "deb.par2" yEnc', '[3/3] - "deb.vol0+1.PAR2" yEnc'],
    "padding and case of one post": ['Deb [01/3] - "deb.R00" yEnc', 'Deb [2/3] - "deb.r01" yEnc', 'DEB [003/3] - "deb.sfv" yEnc'],
    "short scene names below a title": ['Metropolis.1927 [1/2] - "mtr-27.rar" yEnc', 'Metropolis.1927 [2/2] - "sample-mtr.mkv" yEnc'],
    "discs of one request": ['[27575]-[#altbin@EFNet]-[Full]-[CD1]-[01/58] - "CD1.par2" yEnc', '[27575]-[#altbin@EFNet]-[Full]-[CD2]-[01/60] - "CD2.par2" yEnc'],
    "names drawn for each file": [f'[{n}/8] - "{name}.part{n}.rar" yEnc' for n, name in enumerate(HASHES, 1)],
    "tracks of an album": [f'[{n}/3] - "0{n} - Band - Song {n}.mp3" yEnc' for n in (1, 2, 3)],
    "a folder in the name": ['[1/2] "Debian/a.iso" - yEnc', '[2/2] "Debian/b.iso" - yEnc'],
    "a title without a counter": ['Some.Long.Title - "01-Some.Long.Title.mp3" yEnc', 'Some.Long.Title - "Some.Long.Title.nfo" yEnc'],
}  # fmt: skip

TOGETHER |= {
    "a folder posted without a title": [f'[{n}/3] - "{name}" yEnc' for n, name in enumerate(["01 - Kyrie.flac", "02 - Gloria.flac", "cover.jpg"], 1)],
    "tracks below a title without a counter": ['Bach Mass - "01.mp3" yEnc', 'Bach Mass - "02.mp3" yEnc'],
}  # fmt: skip

APART = {
    "sets below one advertisement": ['Best posts ever - [01/19] - "Age.of.Sail.part1.rar" yEnc', 'Best posts ever - [01/19] - "Rising.Sun.part1.rar" yEnc'],
    "sets of one request with other titles": ['[278997]-[FULL]-[#a.b.x@EFNet]-[ Faust ]-[3/9] - "f.r00" yEnc', '[278997]-[FULL]-[#a.b.x@EFNet]-[ Golem ]-[01/58] - "g.r00" yEnc'],
    "tracks of one number below two titles": ['Bach Mass - "01.mp3" yEnc', 'Bach Passion - "01.mp3" yEnc'],
    "days of one paper": ['Daily News [20240501] [1/2] - "dn0501.part1.rar" yEnc', 'Daily News [20240502] [1/2] - "dn0502.part1.rar" yEnc'],
    "single files below one heading": ['New eBooks - "Ann Author - Work.epub" yEnc', 'New eBooks - "Ben Writer - Opus.epub" yEnc'],
}  # fmt: skip


@pytest.mark.parametrize("subjects", TOGETHER.values(), ids=TOGETHER)
def test_files_of_one_release_stay_together(subjects):
    assert records_of(subjects)["files"].to_list() == [len(subjects)]


@pytest.mark.parametrize("subjects", APART.values(), ids=APART)
def test_files_of_two_releases_stay_apart(subjects):
    assert records_of(subjects)["files"].to_list() == [1, 1]


def test_a_poster_drawn_for_each_file_does_not_split_a_release():
    posters = [f"{word(random.Random(n), 13)}@ngPost.com" for n in range(3)]
    records = records_of([f'Debian.12 [{n}/3] - "{HASHES[0]}.part{n}.rar" yEnc' for n in (1, 2, 3)], posters)
    assert records["files"].to_list() == [3]


def test_posts_of_two_posters_are_two_releases():
    records = records_of(
        ['Deb [1/2] - "d.rar" yEnc', 'Deb [1/2] - "d.rar" yEnc'], ["Ann <a@example.org>", "Ben <b@example.org>"]
    )
    assert records["files"].to_list() == [1, 1]


def test_counting_from_zero_expects_one_more_file():
    records = records_of([f'Deb [{n}/2] - "d.r0{n}" yEnc' for n in (0, 1, 2)])
    assert records.select("files", "files_expected").rows() == [(3, 3)]


def test_hash_floods_are_dropped_and_random_names_of_a_named_poster_are_kept():
    flood = lines_of([(f'9f5c34f99c4a3471 [{n}/8] - "{name[:16]}" yEnc (1/2)', "") for n, name in enumerate(HASHES, 1)])
    batch = batch_of(flood)
    assert (batch.counters.garbage, batch.counters.kept) == (8, 0)
    assert batch.samples["kind"].unique().to_list() == ["garbage"]
    kept = records_of(['kX92mQz7LpT4vRbW[08/52] - "kX92mQz7LpT4vRbW.part07.rar" yEnc'])
    assert kept.select("readable_name", "category").rows() == [(False, 8020)]


def test_what_is_dropped_at_once_is_what_all_rules_drop(monkeypatch):
    draw = random.Random(1)
    forms = (
        '"{}.bin" yEnc (1/1)', '[1/1] - "{}" yEnc (1/1)', '"01 - {}.mp3" yEnc (1/1)', '"{} www.site.test.bin" yEnc (1/1)', '"setup {:.3}.exe" (1/2)',
        '"{}.par2" yEnc (1/1)', '[1/2] - "{}" yEnc (1/1)', '"Debian {:.4}.iso" yEnc (1/1)', '{0} - "{0}" yEnc (1/1)', '".{:.1}" yEnc (1/1)',
        '{0} [1/2] - "{0}" yEnc (1/1)', 'a{0:.3}1 [1/2] - "{0}" yEnc (1/1)', '{0} [2/3] - "a.rar" (1/1)',
    )  # fmt: skip
    rows = [
        (number, draw.choice(forms).format(word(draw, draw.choice([3, 9, 20]))), "Robot <robot@example.org>", START, f"{word(draw, 20)}@flood", "", 9, "")
        for number in range(500)
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=schema.OVERVIEW.polars, orient="row")
    at_once = batch_of(frame)
    assert at_once.counters.garbage
    monkeypatch.setattr(records, "_of_floods", lambda files: pl.repeat(value=False, n=files.height, eager=True))
    assert_equal_batches(at_once, batch_of(frame))


def test_a_readable_title_above_a_random_name_names_the_release():
    records = records_of([f'Debian.Live.Image [1/1] - "{HASHES[0]}.rar" yEnc'])
    assert records.select("name", "readable_name").rows() == [("Debian.Live.Image", True)]


def test_the_one_part_companion_of_a_random_set_does_not_make_it_a_flood():
    records = records_of([f'{HASHES[0]} - "{HASHES[0]}.{end}" yEnc' for end in ("nfo", "r00", "r01")])
    assert records["files"].to_list() == [3]


@pytest.mark.parametrize("name", ["setup-QXV.exe", "Install_k2.scr", "codec.exe", "update 77.msi"])
def test_a_lone_program_whose_name_says_nothing_is_garbage(name):
    batch = batch_of(lines_of([(f'great offer inside "{name}" yEnc (1/1)', "")]))
    assert (batch.counters.garbage, batch.counters.kept) == (1, 0)


@pytest.mark.parametrize(
    "name", ["debian-setup-12.7.exe", "LibreOffice_install.exe", "setup-QXV.rar", "installation-guide.exe"]
)
def test_a_program_with_a_name_of_its_own_is_kept(name):
    batch = batch_of(lines_of([(f'an open program "{name}" yEnc (1/1)', "")]))
    assert (batch.counters.garbage, batch.counters.kept) == (0, 1)


def test_a_program_among_other_files_is_kept_with_them():
    rows = [
        (f'Tools for Debian [{n}/2] - "{name}" yEnc (1/1)', "") for n, name in enumerate(["setup.exe", "tools.nfo"], 1)
    ]
    batch = batch_of(lines_of(rows))
    assert (batch.counters.garbage, batch.counters.kept) == (0, 2)
