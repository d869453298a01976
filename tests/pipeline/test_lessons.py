"""What users of other indexers hit, each with the right behaviour and, where a report stands for a kind, the whole kind.

The comments name the reports: NNTmux, nZEDb, pynab, NZBidx, GoNZB, Nyuu and others, by issue or commit.
"""

import datetime as dt
import itertools
import random
import string
from dataclasses import dataclass

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pipeline import schema
from pipeline.batch import GroupList, Signature, SignatureTable
from pipeline.dates import EARLIEST, parse_dates
from pipeline.dictionary import ALL as ALL_SCHEMAS
from pipeline.explain import explain_subjects
from pipeline.files import extension
from pipeline.fragments import decide
from pipeline.islands import ISLAND_GAP, releases_of
from pipeline.materialize import materialize, merge_edge
from pipeline.overview import parse
from pipeline.ranges import Range
from pipeline.signatures import DEFAULT_TABLE, dropped_by

GROUPS = ("alt.binaries.first", "alt.binaries.second", "alt.binaries.third")
LISTED = GroupList(1, GROUPS)
ANN, BEN = "Ann <ann@ann.example>", "Ben <ben@ben.example>"
START = dt.datetime(2021, 3, 1, 12, tzinfo=dt.UTC)
NOW = dt.datetime(2026, 12, 1, tzinfo=dt.UTC)
MIDDLE = 500_000


@dataclass(frozen=True)
class Line:
    """One article as a group shows it."""

    subject: str
    poster: str = ANN
    at: dt.datetime | None = START
    group: str = GROUPS[0]
    xref: str = ""


def overview(lines, first=MIDDLE):
    """The frame of some lines; message-ids are their ordinals."""
    rows = [
        (first + n, line.subject, line.poster, line.at, f"{n}@posts.example", "", 700_000, line.xref)
        for n, line in enumerate(lines)
    ]
    return pl.DataFrame(rows, schema=schema.OVERVIEW.polars, orient="row")


def batch_of(frame, group=GROUPS[0], index=0, size=2_000_000):
    return materialize(frame, Range(1, group, index, size), LISTED, DEFAULT_TABLE, lines=frame.height, malformed=0, duplicate=0)  # fmt: skip


def batches_of(lines):
    frame = overview(lines).with_columns(group=pl.Series([line.group for line in lines]))
    return [batch_of(part.drop("group"), group) for (group,), part in sorted(frame.partition_by("group", as_dict=True).items())]  # fmt: skip


def releases(lines):
    """The ordinals of the lines of each release, over all groups, in order."""
    batches = batches_of(lines)
    records = pl.concat([batch.records.with_columns(batch=pl.lit(at)) for at, batch in enumerate(batches)])
    records = records.hstack(releases_of(records))
    held = {}
    for at, batch in enumerate(batches):
        rows = batch.segments.join(batch.files.select("file", "record"), on="file").join(
            records.filter(pl.col("batch") == at).select("record", "release_key", "island"), on="record"
        )
        for message_id, key, island in rows.select("message_id", "release_key", "island").iter_rows():
            held.setdefault((key, island), []).append(int(message_id.split("@")[0]))
    return sorted(sorted(ordinals) for ordinals in held.values())


def record_of(lines):
    """The only record of some lines of one group."""
    records = batch_of(overview(lines)).records
    assert records.height == 1, records["name"].to_list()
    return records.row(0, named=True)


def read(subject):
    return explain_subjects([subject]).row(0, named=True)


def counters(subject):
    row = read(subject)
    return row["segment"], row["segments"], row["file"], row["files"]


def a_post(title="Nosferatu.1922.PDM", files=4, parts=3, stem="nosferatu.1922", form='{title} [{n}/{files}] - "{name}" yEnc ({i}/{parts})'):  # fmt: skip
    """The subjects of a post: rar volumes and a par2 index."""
    names = [f"{stem}.part{n}.rar" for n in range(1, files)] + [f"{stem}.par2"]
    return [
        form.format(title=title, n=n, files=files, name=name, i=i, parts=parts)
        for n, name in enumerate(names, 1)
        for i in range(1, parts + 1)
    ]


def drawn(seed, length=13, letters=string.ascii_letters + string.digits):
    return "".join(random.Random(seed).choices(letters, k=length))


def drawn_poster(seed):
    return f"{drawn(seed)}@ngPost.com"


ALL_OF = lambda lines: [list(range(len(lines)))]  # noqa: E731


# --- which pair is the segment counter -------------------------------------------------------------

TWO_PAIRS = (
    '{t} ({n:02}/{N:02}) "{t}.rar" yEnc ({i}/{P})', '({n}/{N}) - "{t}.rar" yEnc ({i:03}/{P:03})', '"{t}.rar" ({n}/{N}) 3,32 GB yEnc ({i}/{P})',
    '{t} ({n}/{N}) "{t}.rar" ({i}/{P}) 52428800', "{t} ({n} of {N}) {t}.part1.rar ({i}/{P})", '{t} ({n}/{N}) "{t}.rar" yEnc ({i}/{P}) (thanks)',
)  # fmt: skip
FILE_COUNTERS = ("[{n}/{N}]", "[{n:03}/{N:03}]", "[{n} of {N}]", "- File {n} of {N}:", "- Datei {n} von {N}:", "({n}|{N})", "({n} - {N})", "({n}-{N})", "<<{n}/{N}>>", "- {n} of {N} -")  # fmt: skip


def counted(seed, forms):
    """Subjects of these forms with drawn counters, each with what must be read."""
    draw = random.Random(seed)
    for form, _ in itertools.product(forms, range(25)):
        title = ".".join(
            draw.choices(["Nosferatu", "Golden", "Harbour", "Trip", "to", "the", "Moon", "1902", "720p"], k=3)
        )
        files, parts = draw.randrange(2, 1200), draw.randrange(1, 1200)
        n, i = draw.randrange(1, files + 1), draw.randrange(1, parts + 1)
        yield form.format(t=f"A.{title}.x", n=n, N=files, i=i, P=parts), (i, parts, n, files)


# NNTmux 3792c9b67: a greedy pattern made lazy took the file counter for the segment counter.
def test_the_last_pair_in_parentheses_is_the_segment_counter():
    assert counters('Name (01/20) "f.rar" yEnc (3/66)') == (3, 66, 1, 20)


@pytest.mark.parametrize(
    "forms",
    [TWO_PAIRS, [f'{{t}} {form} "{{t}}.rar" yEnc ({{i}}/{{P}})' for form in FILE_COUNTERS]],
    ids=["two pairs in parentheses", "each way to count files"],
)
def test_of_all_pairs_the_last_in_parentheses_counts_segments_and_the_other_files(forms):
    subjects, expected = zip(*counted(1, forms), strict=True)
    told = explain_subjects(subjects).select("segment", "segments", "file", "files").rows()
    assert dict(zip(subjects, told, strict=True)) == dict(zip(subjects, expected, strict=True))


# Shapes of tools that glue the counter to the title, whatever the title ends in.
@pytest.mark.parametrize("title", ["Debian", "h27DRNHNs9", "Debian.12", "Deb 2024", "Debian)", "x264"])
@pytest.mark.parametrize("form", ["{t}[01/12]", "{t}[1 of 12]", "{t} [01/12]"])
def test_a_counter_glued_to_the_title_is_read(title, form):
    assert counters(form.format(t=title) + ' - "deb.rar" yEnc (3/66)') == (3, 66, 1, 12)


# A poster wrote the segment counter twice: it is no file counter.
@pytest.mark.parametrize(("i", "p"), [(1, 1), (1, 4), (3, 4), (66, 66)])
@pytest.mark.parametrize("form", ['"art.nfo" - 1 of 6 ({i}/{p}) ({i}/{p})', 'Art [1/6] "art.nfo" yEnc ({i}/{p}) ({i}/{p})', 'Art <<1/6>> "art.nfo" ({i}/{p}) ({i}/{p})'])  # fmt: skip
def test_a_doubled_segment_counter_counts_no_files(form, i, p):
    assert counters(form.format(i=i, p=p)) == (i, p, 1, 6)


# --- what belongs together -------------------------------------------------------------------------


# nZEDb 1647
def test_subtitles_inside_a_request_are_of_its_release():
    lines = [Line(s) for s in ('[149277]-[035/122] - "149277.r16" yEnc (1/1)', '[149277]-[013/122] - "149277-Subs.par2" yEnc (1/1)')]  # fmt: skip
    assert releases(lines) == ALL_OF(lines)


@pytest.mark.parametrize("companion", ["-Subs.par2", "-subs.rar", ".Subs.idx", "-sample.mkv", ".vol0+1.PAR2", ".nfo", ".sfv", ".NZB"])  # fmt: skip
@pytest.mark.parametrize("form", ['[149277]-[{n}/3] - "{name}" yEnc (1/1)', '[{n}/3] - "{name}" yEnc (1/1)', '"{name}" yEnc (1/1)'])  # fmt: skip
def test_what_stands_beside_a_set_is_of_its_release(companion, form):
    stem = "149277" if "149277" in form else "nosferatu.1922"
    names = [f"{stem}.rar", f"{stem}.r00", f"{stem}{companion}"]
    lines = [Line(form.format(n=n, name=name)) for n, name in enumerate(names, 1)]
    assert releases(lines) == ALL_OF(lines)


# nZEDb 1579: a pack under one request id, with names and totals of its own for each set.
def test_sets_of_one_request_with_other_names_are_apart_and_linked_by_their_request_id():
    forms = ('[27575]-[FULL]-[#a.b.test]-[ Faust.1926 ]-[{n}/9] - "faust.r0{n}" yEnc (1/1)', '[27575]-[FULL]-[#a.b.test]-[ Golem.1920 ]-[{n:02}/58] - "golem.r0{n}" yEnc (1/1)')  # fmt: skip
    lines = [Line(form.format(n=n)) for form in forms for n in (1, 2, 3)]
    assert releases(lines) == [[0, 1, 2], [3, 4, 5]]
    assert batch_of(overview(lines)).records["request_id"].to_list() == ["27575", "27575"]


# nZEDb 2538: each volume in another group, From drawn for each file.
@given(st.permutations(range(12)), st.lists(st.sampled_from(GROUPS), min_size=4, max_size=4))
@settings(max_examples=5)
def test_a_post_spread_over_groups_with_posters_drawn_for_each_file_is_one_release(order, groups):
    subjects = a_post()
    lines = [Line(subjects[n], drawn_poster(n // 3), START + dt.timedelta(seconds=n), groups[n // 3]) for n in order]
    assert releases(lines) == ALL_OF(lines)


# nZEDb 2575: with a mode for spread posts turned on nothing was released.
def test_spread_posts_and_plain_ones_are_found_beside_each_other_as_alone():
    spread = [Line(s, drawn_poster(n), group=GROUPS[n % 3]) for n, s in enumerate(a_post())]
    plain = [Line(s, BEN) for s in a_post("Metropolis.1927.PDM", stem="metropolis.1927")]
    assert releases(spread + plain) == sorted([*releases(spread), [n + len(spread) for n in range(len(plain))]])


# newznab-tmux 43: a range walked again made a release a second time under another name.
@given(st.sets(st.integers(0, 3), min_size=1), st.sets(st.integers(0, 3), min_size=1))
@settings(max_examples=5)
def test_the_identity_of_a_release_does_not_depend_on_which_files_a_walk_sees(some, others):
    subjects = a_post(parts=1)
    keys = {record_of([Line(subjects[n]) for n in sorted(seen)])["base_key"] for seen in (some, others)}
    assert len(keys) == 1


@pytest.mark.parametrize("spelling", ["nosferatu.1922.pdm", "Nosferatu 1922 PDM", "Nosferatu_1922_PDM", "NOSFERATU.1922.PDM"])  # fmt: skip
def test_nor_on_how_its_name_is_spelled(spelling):
    lines = [Line(s) for s in a_post()[:6] + a_post(spelling)[6:]]
    assert releases(lines) == ALL_OF(lines)


# GoNZB: 4,882 segments of one file became as many files, since From was drawn for each article.
@pytest.mark.parametrize("form", ['{title} [{n}/{files}] - "{name}" yEnc ({i}/{parts})', '[{n}/{files}] "{name}" ({i}/{parts})', '"{name}" yEnc ({i}/{parts})'])  # fmt: skip
def test_full_coordinates_in_the_subject_outrank_the_poster(form):
    lines = [Line(s, drawn_poster(n)) for n, s in enumerate(a_post(parts=40, form=form))]
    assert releases(lines) == ALL_OF(lines)
    assert batch_of(overview(lines)).files["segments_found"].to_list() == [40] * 4


# pesto 68: a bare .par2 was not grouped with its volumes.
@pytest.mark.parametrize("volumes", [["vol0+1.par2", "vol1+2.par2"], ["vol000+01.PAR2", "vol001+02.PAR2"], ["vol0-1.par2"]])  # fmt: skip
@pytest.mark.parametrize("title", ["", "Nosferatu.1922.PDM - "])
@pytest.mark.parametrize("stem", ["nosferatu.1922", "Karl Band - Song.mp3", "t2EI3CdWq9XzR4", "8b33bf5960714efb93cc6d8a41e0f7b2"])  # fmt: skip
def test_the_index_par2_joins_its_volumes(volumes, title, stem):
    names = [f"{stem}.par2", *(f"{stem}.{volume}" for volume in volumes)]
    total = len(names)
    lines = [Line(f'{title}[{n}/{total}] - "{name}" yEnc (1/1)') for n, name in enumerate(names, 1)]
    assert releases(lines) == ALL_OF(lines)


# NZBidx: the day in the key made two releases of a post over midnight.
@given(st.integers(1_230_768_000, 1_767_225_600), st.integers(0, 3 * 3600))
@settings(max_examples=6)
def test_no_time_of_day_or_end_of_month_or_year_cuts_a_post(start, step):
    start = dt.datetime.fromtimestamp(start, dt.UTC)
    lines = [Line(s, at=start + dt.timedelta(seconds=n * step)) for n, s in enumerate(a_post())]
    assert releases(lines) == ALL_OF(lines)


@pytest.mark.parametrize("around", ["2020-12-31T23:59:00", "2021-02-28T23:59:00", "2024-02-29T23:59:00", "2021-03-28T00:59:00"])  # fmt: skip
def test_a_post_over_midnight_of_random_names_is_one_release(around):
    start = dt.datetime.fromisoformat(around).replace(tzinfo=dt.UTC)
    lines = [Line(f'[{n}/6] - "{drawn(n, 20)}" yEnc (1/2)', at=start + dt.timedelta(seconds=30 * n)) for n in range(1, 7)]  # fmt: skip
    assert releases(lines) == ALL_OF(lines)


# nZEDb import 79 and pynab: the same subject is not the same post.
def test_the_same_subjects_of_two_posters_are_two_releases():
    lines = [Line(s, poster) for poster in (ANN, BEN) for s in a_post()]
    assert releases(lines) == [list(range(12)), list(range(12, 24))]


@given(st.timedeltas(ISLAND_GAP + dt.timedelta(hours=1), dt.timedelta(days=4000)))
@settings(max_examples=5)
def test_a_repost_after_a_long_silence_is_a_release_of_its_own(later):
    again = (START + later).replace(microsecond=0)
    lines = [Line(s, at=at) for at in (START, again) for s in a_post()]
    assert releases(lines) == [list(range(12)), list(range(12, 24))]


# --- file names ------------------------------------------------------------------------------------


# NZBidx: `Name.S05E16.720p.HDTV.part02.rar` had the extension 720p.
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Series.S05E16.720p.HDTV.x264.part02.rar", "rar"), ("Nosferatu.1922.par2", "par2"), ("v1.2.3.tar.gz", "gz"), ("deb.7z.001", "001"),
        ("a.b.c.d.vol003+04.PAR2", "par2"), ("Debian.12.5.iso", "iso"), ("x.10", "10"), ("README", ""),
    ],
)  # fmt: skip
def test_the_extension_is_the_last_dotted_token_of_the_name(name, expected):
    row = read(f'Series 5.1 v2.0 [1/2] - "{name}" yEnc (1/2)')
    assert row["filename"] == name
    assert pl.DataFrame({"name": [row["filename"]]}).select(extension(pl.col("name"))).item() == expected


NAMES = st.tuples(st.lists(st.from_regex(r"\A[A-Za-z0-9]{1,6}\Z"), min_size=1, max_size=7), st.sampled_from(["rar", "part02.rar", "mkv", "par2", "nfo", "r00", "vol0+1.par2"]))  # fmt: skip


@given(st.lists(NAMES, min_size=10, max_size=30))
@settings(max_examples=6)
def test_dots_in_a_title_never_lose_a_file(drawn_names):
    names = [f"{'.'.join(words)}.{end}" for words, end in drawn_names]
    told = explain_subjects([f'[1/2] - "{name}" yEnc (1/2)' for name in names])
    assert told.select("kind", "filename").rows() == [("file", name) for name in names]


# --- nothing disappears ----------------------------------------------------------------------------


# nZEDb 1793, 1580: a poster's junk kept collections incomplete for ever.
def test_incomplete_files_far_from_an_edge_wait_for_nothing():
    lines = [Line(f'junk [{n}/90] - "junk.{drawn(n)}.r{n:02}" yEnc (2/50)') for n in range(1, 60)]
    batch = batch_of(overview(lines))
    assert batch.fragments.is_empty()
    assert batch.counters.kept + batch.counters.garbage == len(lines)


@pytest.mark.parametrize("index", [0, 3])
def test_those_at_an_edge_wait_for_their_neighbours_alone(index):
    lines = [Line(f'junk - "junk.{drawn(n)}.r{n:02}" yEnc (2/50)') for n in range(1, 30)]
    batch = batch_of(overview(lines, first=index * 2_000_000 + 1), index=index)
    assert batch.fragments.height == len(lines)
    pending = batch.fragments.with_columns(range_index=pl.lit(index))
    assert not decide(pending, lambda _: False)["decided"].any()
    assert decide(pending, lambda neighbour: neighbour in (index - 1, index + 1))["decided"].all()
    edge = merge_edge(batch.fragments, batch.fragment_segments, DEFAULT_TABLE)
    assert edge.counters.kept + edge.counters.garbage == len(lines)


# nZEDb 1635, 2341: what is complete was visible hours later.
@pytest.mark.parametrize("first", [1, MIDDLE, 2_000_000 - 12])
def test_a_complete_post_is_a_record_at_once_wherever_it_lies(first):
    batch = batch_of(overview([Line(s) for s in a_post()], first=first))
    assert batch.fragments.is_empty()
    assert batch.records.select("files", "files_expected", "segments", "segments_expected").rows() == [(4, 4, 12, 12)]


NOISE = st.sampled_from(
    ["Re: hello", drawn(7, 32, "0123456789abcdef"), "yEnc (1/9)", 'a "b.rar" (1/2)', f'"{drawn(5, 24)}.bin" yEnc (1/1)', "", "(1/1)", '[1/9] "x"', "\x1a\x1d"]
)  # fmt: skip


# nZEDb 2307: 223,685 collections dropped and 106 kept, and nobody could see why.
@given(st.lists(NOISE, max_size=30), st.integers(0, 4), st.integers(0, 4))
@settings(max_examples=8)
def test_every_line_is_kept_or_counted_under_a_reason(subjects, malformed, duplicate):
    frame = overview([Line(s) for s in subjects])
    batch = materialize(frame, Range(1, GROUPS[0], 0, 2_000_000), LISTED, DEFAULT_TABLE, lines=frame.height + malformed + duplicate, malformed=malformed, duplicate=duplicate)  # fmt: skip
    assert batch.counters.balance == 0
    dropped = batch.verdicts.filter(pl.col("dropped_by").is_not_null())
    assert dropped["segments"].sum() == batch.counters.garbage
    assert set(batch.verdicts["dropped_by"].drop_nulls()) <= {line.signature for line in DEFAULT_TABLE.signatures}
    for kind in ("random", "obfuscated", "text"):
        counted = getattr(batch.counters, f"set_aside_{kind}")
        assert (batch.samples["kind"] == f"set_aside_{kind}").sum() == min(counted, 20)


# Newznab-Blacklist 2, 16: an unescaped `[X]` blacklisted everything.
@pytest.mark.parametrize("line", ["*|*|[]qy1", "*|*|()q", "a.b|named|t[]qy", "*|random@x.y|/u"])
@given(st.text("abtqhuy1[]()<>/.@x", max_size=8))
@settings(max_examples=20)
def test_a_line_of_the_signature_table_drops_what_it_spells_and_nothing_else(line, shape):
    table = SignatureTable(1, (Signature(line, "drop", "test"),))
    template, poster, spelled = line.replace("*", "any").split("|")
    signatures = pl.Series([f"{template}|{poster}|{spelled}", f"{template}|{poster}|{shape}"])
    expected = [line, line if shape == spelled else None]
    assert dropped_by(table, signatures, pl.Series(["", ""])).to_list() == expected


# NNTmux 943: of a crosspost one copy was deleted at each run until none was left.
@given(st.permutations(GROUPS), st.integers(1, 3), st.booleans())
@settings(max_examples=8)
def test_a_crosspost_is_kept_once_however_often_and_in_whatever_order_its_groups_are_walked(order, copies, unlisted):
    places = order[:copies]
    xref = " ".join([*(["alt.unlisted:9"] if unlisted else []), *(f"{group}:{MIDDLE}" for group in places)])
    batches = [batch_of(overview([Line('Deb - "deb.rar" yEnc (1/1)', xref=xref)]), group) for group in places]
    assert [batch.counters.kept for batch in batches] == [1] + [0] * (copies - 1)
    assert [batch.counters.outside_main for batch in batches] == [0] + [1] * (copies - 1)
    assert set(places) <= set(batches[0].records["groups"].item())


@given(st.integers(1, 5))
@settings(max_examples=3)
def test_of_an_article_posted_several_times_one_is_kept(times):
    lines = [Line(s) for s in a_post() * times]
    batch = batch_of(overview(lines))
    assert (batch.counters.kept, batch.counters.repeated) == (12, 12 * (times - 1))
    assert releases(lines) == [list(range(12))]


# newznab-tmux 120: a position was taken from the number that an article has in another group.
def test_the_numbers_of_files_are_those_of_the_group_that_was_asked():
    xref = f"{GROUPS[1]}:9000000000 {GROUPS[0]}:{MIDDLE}"
    line = f"{MIDDLE}\tDeb [1/1] deb.rar (1/2)\t{ANN}\tMon, 01 Mar 2021 12:00:00 +0000\t<a@posts.example>\t\t9\t1\tXref: news.example {xref}\r\n"  # fmt: skip
    parsed = parse(line.encode(), MIDDLE, MIDDLE + 9, NOW)
    assert parsed.overview["number"].to_list() == [MIDDLE]
    batch = materialize(parsed.overview, Range(1, GROUPS[0], 0, 2_000_000), GroupList(1, GROUPS[:1]), DEFAULT_TABLE, lines=1, malformed=0, duplicate=0)  # fmt: skip
    assert batch.files.select("first_number", "last_number").rows() == [(MIDDLE, MIDDLE)]


# nzbhydra 416: a made-up poster breaks what clients tell apart by it.
@pytest.mark.parametrize("poster", [ANN, drawn_poster(3), "nobody", "José <jose@jose.example>"])
def test_the_poster_of_a_release_is_the_one_who_posted_it(poster):
    assert record_of([Line(s, poster) for s in a_post()])["poster"] == poster


# --- completeness ----------------------------------------------------------------------------------


# newznab-tmux 144: never measured is not nothing there.
@pytest.mark.parametrize("form", ['"{name}" yEnc ({i}/{parts})', '{title} - "{name}" yEnc ({i}/{parts})', "{name} ({i}/{parts})"])  # fmt: skip
def test_how_many_files_there_should_be_is_null_where_no_counter_says_so(form):
    record = record_of([Line(s) for s in a_post(form=form)])
    assert (record["files"], record["files_expected"]) == (4, None)


def test_discs_that_count_for_themselves_tell_no_total():
    lines = [Line(f'[27575]-[FULL]-[CD{disc}]-[{n}/{total}] - "CD{disc}.r0{n}" yEnc (1/1)') for disc, total in ((1, 3), (2, 4)) for n in (1, 2, 3)]  # fmt: skip
    record = record_of(lines)
    assert (record["files"], record["files_expected"]) == (6, None)


@given(st.sets(st.tuples(st.integers(1, 6), st.integers(1, 5)), min_size=1), st.integers(1, 3))
@settings(max_examples=8)
def test_what_is_there_is_never_more_than_what_should_be(present, times):
    lines = [Line(f'Deb [{n}/6] - "deb.r0{n}" yEnc ({i}/5)') for _ in range(times) for n, i in sorted(present)]
    record = record_of(lines)
    files = {n for n, _ in present}
    assert (record["files"], record["files_expected"]) == (len(files), 6)
    assert (record["segments"], record["segments_expected"]) == (len(present), 5 * len(files))


@pytest.mark.parametrize("names", [("a", "b", "c"), ("a", "a", "b", "b", "c")])
def test_more_files_than_the_counter_tells_of_are_no_more_than_all(names):
    lines = [Line(f'Deb [{n % 2 + 1}/2] - "deb.{name}{n}.rar" yEnc (1/1)') for n, name in enumerate(names)]
    record = record_of(lines)
    assert record["files"] == len(names)
    assert record["files_expected"] is None or record["files_expected"] >= record["files"]


@pytest.mark.parametrize("numbers", [range(7), range(1, 7)])
def test_counted_from_zero_or_from_one_a_whole_post_is_whole(numbers):
    record = record_of([Line(f'Deb [{n}/6] - "deb.r0{n}" yEnc (1/1)') for n in numbers])
    assert record["files"] == record["files_expected"] == len(numbers)


# NNTmux and others read such posts as 0.4 % complete: one article a file, with the file total as its segment total.
@given(st.integers(10, 200), st.data())
@settings(max_examples=5)
def test_the_one_segment_style_is_measured_in_files(total, data):
    present = data.draw(st.sets(st.integers(1, total), min_size=1))
    record = record_of([Line(f'[{n}/{total}] "x.{n}" yEnc (1/{total})') for n in sorted(present)])
    assert (record["files"], record["files_expected"]) == (len(present), total)
    assert record["segments"] == record["segments_expected"] == len(present)


# newznab-tmux 155: totals that do not agree say nothing of the kind.
@given(st.integers(10, 60), st.integers(10, 60))
@settings(max_examples=5)
def test_one_segment_of_each_file_is_not_all_of_them_where_the_totals_differ(files, parts):
    assume(files != parts)
    record = record_of([Line(f'Deb [{n}/{files}] - "deb.r{n:02}" yEnc (1/{parts})') for n in range(1, files + 1)])
    assert (record["segments"], record["segments_expected"]) == (files, files * parts)


def test_a_set_of_one_segment_each_is_whole():
    lines = [Line(f'Deb [{n}/12] - "deb.r{n:02}" yEnc (1/1)') for n in range(1, 13)]
    record = record_of(lines)
    assert (record["files"], record["files_expected"], record["segments"], record["segments_expected"]) == (12, 12, 12, 12)  # fmt: skip


# nzb-monkey 33: 99 % is not broken where par2 is there.
@pytest.mark.parametrize("par2", [True, False])
def test_an_incomplete_release_is_there_with_its_counts_and_says_whether_it_has_par2(par2):
    subjects = [s for s in a_post()[1:] if par2 or ".par2" not in s]
    record = record_of([Line(s) for s in subjects])
    assert record["has_par2"] is par2
    assert record["segments_expected"] - record["segments"] == 1


# --- text ------------------------------------------------------------------------------------------

ACCENTED = ["é", "ü", "ß", "ñ", "Å", "ö", "ç", "à"]


def a_wire_line(number, subject, poster=b"Ann <ann@ann.example>"):
    fields = (str(number).encode(), subject, poster, b"Mon, 01 Mar 2021 12:00:00 +0000", b"<%d@posts.example>" % number, b"", b"700000", b"9")  # fmt: skip
    return b"\t".join(fields) + b"\r\n"


# Nyuu 100: servers and readers take for latin-1 what posters send as UTF-8, and the reverse.
@pytest.mark.parametrize("letter", ACCENTED)
@pytest.mark.parametrize("where", ["title", "name", "poster"])
@pytest.mark.parametrize("other", ["latin-1", "cp1252", "read as cp1252"])
def test_two_spellings_of_a_letter_in_one_post_are_one_release(letter, where, other):
    def spelled(text, twisted):
        if not twisted:
            return text.encode()
        return text.encode().decode("cp1252").encode() if other == "read as cp1252" else text.encode(other)

    if other == "read as cp1252" and len(letter.encode().decode("cp1252", "ignore")) != 2:
        pytest.skip("cp1252 has no character for one of its bytes")
    word = f"Etern{letter}tel"
    text = b""
    for n in range(1, 7):
        title = word if where == "title" else "Nosferatu.1922"
        name = f"{word if where == 'name' else 'nosferatu.1922'}.part{n}.rar"
        poster = f"{word if where == 'poster' else 'Ann'} <ann@ann.example>"
        twisted = n % 2 == 0
        text += a_wire_line(MIDDLE + n, spelled(f'{title} [{n}/6] - "{name}" yEnc (1/1)', twisted), spelled(poster, twisted))  # fmt: skip
    parsed = parse(text, MIDDLE, MIDDLE + 9, NOW)
    batch = batch_of(parsed.overview)
    assert batch.records.select("files", "files_expected").rows() == [(6, 6)]
    if where == "title":
        assert batch.records["name"].to_list() == [word]


# pynab 189: binary junk for a line raised in the logger itself.
@given(st.lists(st.binary(max_size=40), max_size=8))
@settings(max_examples=12)
def test_no_bytes_raise_and_each_line_is_read_or_rejected(junk):
    text = b"".join(a_wire_line(MIDDLE + n, one.replace(b"\n", b"")) for n, one in enumerate(junk)) + b"\r\n".join(junk)
    parsed = parse(text, MIDDLE, MIDDLE + 99, NOW)
    assert parsed.overview.height + parsed.rejected.height == parsed.lines
    assert batch_of(parsed.overview).counters.balance == 0


@given(st.lists(st.text(max_size=60), max_size=10))
@settings(max_examples=25)
def test_no_text_raises_and_its_counters_are_possible_ones(subjects):
    for row in explain_subjects(subjects).iter_rows(named=True):
        if row["segments"] is not None:
            assert 1 <= row["segment"] <= row["segments"]
        if row["files"] is not None:
            assert 0 <= row["file"] <= row["files"]


# nzbget 699, sabnzbd 143 and 482: entities and raw signs of XML in subjects.
@pytest.mark.parametrize(("written", "meant"), [("&quot;", '"'), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">")])
def test_a_sign_written_as_an_entity_is_that_sign(written, meant):
    pair = [f'Tom {sign} Ann 1922 [1/2] - "tom.ann.rar" yEnc (1/2)' for sign in (written, meant)]
    rows = explain_subjects(pair).to_dicts()
    assert rows[0]["release"] == rows[1]["release"]
    assert rows[0]["filename"] == rows[1]["filename"] == "tom.ann.rar"


# --- dates -----------------------------------------------------------------------------------------


def dates(*texts):
    return parse_dates(pl.Series("date", texts, dtype=pl.String), NOW).to_list()


# nZEDb 1886: a date 46 years off, and retention purged what it stood on.
@pytest.mark.parametrize(
    "text",
    [
        "", None, "0", "0000-00-00 00:00:00", "Thu, 01 Jan 1970 00:00:00 +0000", "Thu, 01 Jan 70 00:00:00 GMT", "Wed, 31 Dec 1969 19:00:00 -0500",
        "Fri, 00 Jan 1900 00:00:00 +0000", "not a date", "Mon, 01 Mar 1975 12:00:00 +0000",
    ],
)  # fmt: skip
def test_a_date_that_cannot_be_is_null_and_never_1970(text):
    assert dates(text) == [None]


@given(st.integers(0, 2**31 - 1), st.sampled_from(["%a, %d %b %Y %H:%M:%S +0000", "%d %b %Y %H:%M:%S GMT", "%a, %d %b %y %H:%M:%S GMT", "%A, %d-%b-%y %H:%M:%S GMT"]))  # fmt: skip
@settings(max_examples=150)
def test_a_date_is_read_as_what_it_says_or_not_at_all(seconds, form):
    at = dt.datetime.fromtimestamp(seconds, dt.UTC)
    [got] = dates(at.strftime(form))
    if EARLIEST <= at <= NOW:
        assert got == at
    else:
        assert got is None


def test_an_article_without_a_date_has_that_of_its_neighbours():
    lines = [Line(s, at=None if n % 2 else START) for n, s in enumerate(a_post())]
    record = record_of(lines)
    assert (record["first_posted"], record["last_posted"]) == (START, START)


def test_without_any_date_there_is_none_and_the_post_is_still_one_release():
    lines = [Line(s, at=None) for s in a_post()]
    record = record_of(lines)
    assert (record["first_posted"], record["last_posted"]) == (None, None)
    assert releases(lines) == ALL_OF(lines)


# usntssearch 75, 172: when it was added was shown for when it was posted; a wrong weekday broke clients.
@given(st.permutations(range(12)), st.integers(1, 600))
@settings(max_examples=5)
def test_a_release_is_dated_by_its_first_file_whatever_the_order(order, step):
    subjects = a_post()
    lines = [Line(subjects[n], at=START + dt.timedelta(seconds=step * n)) for n in order]
    record = record_of(lines)
    assert record["first_posted"] == START
    assert record["last_posted"] == START + dt.timedelta(seconds=step * 9)


@pytest.mark.parametrize("weekday", ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"])
def test_a_wrong_weekday_changes_no_date(weekday):
    assert dates(f"{weekday}, 01 Mar 2021 12:00:00 +0000") == [START]


# newznab-tmux 95: clocks of database and application in two zones, and rows hours in the future.
@given(st.integers(-12 * 4, 14 * 4))
@settings(max_examples=40)
def test_every_zone_gives_the_same_instant(quarters):
    zone = dt.timezone(dt.timedelta(minutes=15 * quarters))
    assert dates(START.astimezone(zone).strftime("%a, %d %b %Y %H:%M:%S %z")) == [START]


def test_every_column_of_times_is_in_utc():
    times = [
        column.dtype
        for one in ALL_SCHEMAS
        for column in one.columns
        if column.dtype.is_temporal() and column.dtype != pl.Date
    ]
    assert times
    assert all(time == schema.UTC_TIME for time in times)


@pytest.mark.parametrize(
    "form",
    [
        '"art.rar" - 1 of 6 ({i}/9) ({i}/9)',
        'Art [1/6] "art.rar" yEnc ({i}/9) ({i}/9)',
        '"art.rar" yEnc ({i}/9) ({i}/9)',
    ],
)
def test_the_segments_of_a_file_with_doubled_counters_are_one_file(form):
    record = record_of([Line(form.format(i=i)) for i in range(1, 10)])
    assert (record["files"], record["segments"], record["segments_expected"]) == (1, 9, 9)


@pytest.mark.parametrize("word", ["the", "and", "der", "von", "part"])
def test_words_that_say_nothing_do_not_make_a_prefix_a_title(word):
    stems = [f"{word}.navigator.1924.restored", f"{word}.freshman.1925.restored"]
    lines = [
        Line(f'Best posts of {word} week - [{n}/3] - "{stem}.part{n}.rar" yEnc (1/1)')
        for stem in stems
        for n in (1, 2, 3)
    ]
    assert releases(lines) == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize(
    "names",
    [
        ["Karl Band - Song.mp3", "Karl Band - Song.mp3.par2", "Karl Band - Song.mp3.vol0+1.PAR2"],
        ["05 - Karl Band - Song.flac", "05 - Karl Band - Song.flac.par2"],
        ["Author - Work 1922.epub", "Author - Work 1922.nfo"],
    ],
)
def test_a_track_and_its_par2_are_one_release(names):
    lines = [Line(f'[{n}/3] - "{name}" yEnc (1/1)') for n, name in enumerate(names, 1)]
    assert releases(lines) == ALL_OF(lines)


@pytest.mark.parametrize("companion", ["-proof.jpg", ".jpg", "-cover.png", "-screens.jpg"])
def test_a_picture_beside_a_set_is_of_its_release(companion):
    names = ["nosferatu.1922.rar", "nosferatu.1922.r00", f"nosferatu.1922{companion}"]
    lines = [Line(f'[{n}/3] - "{name}" yEnc (1/1)') for n, name in enumerate(names, 1)]
    assert releases(lines) == ALL_OF(lines)


def test_a_later_segment_alone_is_not_the_one_segment_style():
    record = record_of([Line(f'Deb [{n}/12] - "deb.r{n:02}" yEnc (5/12)') for n in range(1, 13)])
    assert (record["segments"], record["segments_expected"]) == (12, 144)


def test_a_first_segment_alone_beside_a_later_one_is_not_the_one_segment_style():
    record = record_of([Line('Deb [1/12] - "deb.r01" yEnc (1/12)'), Line('Deb [2/12] - "deb.r02" yEnc (5/12)')])
    assert (record["segments"], record["segments_expected"]) == (2, 24)


def test_one_file_with_one_segment_beside_whole_ones_is_incomplete():
    lines = [
        Line(f'Deb [{n}/12] - "deb.r{n:02}" yEnc ({i}/12)') for n in range(1, 13) for i in range(1, 2 if n == 3 else 13)
    ]
    record = record_of(lines)
    assert (record["segments"], record["segments_expected"]) == (133, 144)


@pytest.mark.parametrize("shape", ["t<>h", "<>qy1", "t<>qy"])
def test_a_line_with_angle_signs_drops_what_it_spells(shape):
    table = SignatureTable(1, (Signature(f"*|*|{shape}", "drop", "test"),))
    assert dropped_by(table, pl.Series([f"other|named|{shape}"]), pl.Series([""])).to_list() == [f"*|*|{shape}"]


@pytest.mark.parametrize(
    "text", ["Sun, 06 Nov 0000 08:49:37 GMT", "Sun, 06 Nov 0016 08:49:37 +0000", "06 Nov 0000 08:49:37"]
)
def test_a_year_of_four_digits_is_not_one_of_two(text):
    assert dates(text) == [None]


def test_par2_with_a_total_of_its_own_joins_its_data():
    data = [f'Deb.12 [{n}/4] - "deb.12.part{n}.rar" yEnc (1/1)' for n in range(1, 5)]
    par2 = [f'Deb.12 [{n}/2] - "deb.12.{end}" yEnc (1/1)' for n, end in ((1, "par2"), (2, "vol0+1.par2"))]
    lines = [Line(s) for s in data + par2]
    assert releases(lines) == ALL_OF(lines)
