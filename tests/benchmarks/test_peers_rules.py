"""The peers' rules do what is known of them, faults included, and the corpus and its scores are to be trusted."""

import datetime as dt

import polars as pl
import pytest

from benchmarks.corpus import CORPUS, GROUPS, corpus, overview_of, shapes
from benchmarks.peers_rules import PEERS, Article, nntmux, nzbidx, nzedb, pynab
from benchmarks.side_by_side import FOUND, by_overlake, by_peer, run, score
from pipeline.schema import OVERVIEW

NOON = dt.datetime(2021, 3, 1, 12, tzinfo=dt.UTC)


def article(subject, poster="Ann <ann@ann.example>", group=GROUPS[0], at=NOON):
    return Article(subject, poster, group, at)


def counters(rule, subject):
    read = rule(article(subject))
    return read and (read.segment, read.segments, read.file, read.files)


def collections(rule, *articles):
    return [read and read.collection for read in map(rule, articles)]


@pytest.fixture(scope="module")
def articles():
    return corpus()


@pytest.fixture(scope="module")
def scores():
    return run().scores


# --- the rules -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("rule", "expected"),
    [(nntmux, (1, 20, None, None)), (nzedb, (3, 66, 1, 20)), (pynab, (3, 66, 1, 20)), (nzbidx, (1, 20, None, None))],
)
def test_a_file_counter_in_parentheses_before_the_segment_counter(rule, expected):
    assert counters(rule, 'Name (01/20) "f.rar" yEnc (3/66)') == expected


@pytest.mark.parametrize("rule", [nntmux, nzedb, pynab])
def test_the_commonest_shape_is_read_right_by_all(rule):
    assert counters(rule, 'Nosferatu - [01/24] - "nosferatu.par2" yEnc (3/66)') == (3, 66, 1, 24)


def test_a_counter_at_the_very_start_does_not_mislead_the_lazy_pattern_but_the_first_pair():
    subject = '(001/101) "654258deb12.rar" yEnc (3/66)'
    assert counters(nntmux, subject)[:2] == (3, 66)
    assert counters(nzbidx, subject)[:2] == (1, 101)


@pytest.mark.parametrize("rule", [nntmux, nzedb])
@pytest.mark.parametrize("subject", ['"f.rar" yEnc', "Re: hello", "Usenet Index Post 17 yEnc (1/66)", '"f.rar" yEnc(3/66)'])  # fmt: skip
def test_what_has_no_pair_after_a_blank_is_dropped_as_no_yenc(rule, subject):
    assert rule(article(subject)) is None


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        (r'a [1/2] "f.rar" (3\66)', (3, 66, 1, 2)),
        ('a [1/2] "f.rar" (0/66)', None),
        ('"f.rar" yEnc (3/66)', None),
        ('a [1/2] "f.rar"(3/66) 52428800', (3, 66, 1, 2)),
    ],
)
def test_pynab_takes_the_last_pair_anywhere_and_drops_part_zero_and_what_no_expression_knows(subject, expected):
    assert counters(pynab, subject) == expected


@pytest.mark.parametrize(
    ("subject", "kept"),
    [
        ('"Name.S05E16.720p.HDTV.part02.rar" (3/66)', False),
        ('"Name.part02.rar" (3/66)', True),
        ('"Name.rar" (3/66)', True),
        ("[ Name ] [1/2] (3/66) .rar", False),
    ],
)  # fmt: skip
def test_nzbidx_takes_the_first_dotted_token_for_the_extension_and_deletes_brackets(subject, kept):
    assert (nzbidx(article(subject)) is not None) is kept


def test_what_is_in_each_key():
    one, other_group, next_day = (
        article('Name [1/2] - "name.rar" yEnc (1/2)', "Ben <ben@ben.example>"),
        article('Name [1/2] - "name.rar" yEnc (1/2)', group=GROUPS[1]),
        article('Name [1/2] - "name.rar" yEnc (1/2)', at=NOON + dt.timedelta(days=1)),
    )
    same = [len({read.collection for read in map(peer.rule, (one, other_group))}) == 1 for peer in PEERS]
    assert dict(zip([peer.name for peer in PEERS], same, strict=True)) == {"NNTmux": True, "nZEDb": False, "pynab": False, "NZBidx": True}  # fmt: skip
    assert [len(set(collections(peer.rule, one, next_day))) for peer in PEERS] == [1, 1, 1, 2]


@pytest.mark.parametrize("rule", [nntmux, nzedb, pynab])
def test_the_files_of_a_plain_post_are_one_collection(rule):
    names = ["name.part1.rar", "name.part2.rar", "name.par2", "name.vol00+1.par2"]
    posts = [article(f'Name [{n}/4] - "{name}" yEnc (1/2)') for n, name in enumerate(names, 1)]
    assert len(set(collections(rule, *posts))) == 1


# --- the corpus ----------------------------------------------------------------------------------


def test_the_corpus_is_the_same_each_time_and_as_declared(articles):
    CORPUS.check(articles)
    assert articles.equals(corpus())
    assert not articles.equals(corpus(2))


def test_every_line_of_a_group_is_an_overview_line(articles):
    for group in GROUPS:
        lines = OVERVIEW.check(overview_of(articles, group))
        assert lines["number"].to_list() == sorted(set(lines["number"].to_list()))
        assert lines["posted_at"].is_sorted()
        assert lines["xref"].str.contains(f"(?:^| ){group}:").all()
        places = lines.select(pl.col("xref").str.extract(rf"{group}:(\d+)").cast(pl.Int64)).to_series()
        assert places.to_list() == lines["number"].to_list()


def test_the_labels_agree_with_each_other(articles):
    posted = articles.filter(pl.col("release").is_not_null())
    assert posted["release"].n_unique() >= 300
    assert posted.filter(~pl.col("segment").is_between(1, pl.col("segments"))).is_empty()
    assert posted.filter(~pl.col("file_number").is_between(0, pl.col("file_total"))).is_empty()
    files = posted.group_by("file").agg(pl.col("release", "segments", "file_number", "file_total", "case").n_unique())
    assert files.select(pl.exclude("file").max()).row(0) == (1, 1, 1, 1, 1)
    assert posted.unique(["file", "segment", "group"]).height == posted.height
    # Two releases share subjects only where the case says so.
    shared = posted.group_by("subject").agg(pl.col("release").n_unique(), pl.col("case").first())
    assert set(shared.filter(pl.col("release") > 1)["case"]) == {
        "repost weeks later",
        "two posters, same names and time",
    }


def test_the_written_counter_stands_in_the_subject(articles):
    posted = articles.filter(pl.col("release").is_not_null())
    pair = pl.concat_str(pl.lit(r"\(0*"), "segment", pl.lit("/0*"), "segments", pl.lit(r"\)"))
    assert posted.filter(~pl.col("subject").str.contains(pair)).is_empty()
    counted = posted.filter(pl.col("file_number").is_not_null())
    file = pl.concat_str(pl.lit(r"\b0*"), "file_number", pl.lit(r"\D{1,5}0*"), "file_total", pl.lit(r"\b"))
    assert counted.filter(~pl.col("subject").str.contains(file)).is_empty()


def test_every_shape_of_the_list_is_in_the_corpus(articles):
    assert {shape["case"] for shape in shapes()} <= set(articles["case"])
    assert set(articles["group"]) == set(GROUPS)


# --- the scores ----------------------------------------------------------------------------------


def posted(articles):
    return articles.filter(pl.col("release").is_not_null())


def truth(articles, **changes):
    """What an indexer that is always right would find; `changes` are columns it gets wrong."""
    found = articles.filter(pl.col("release").is_not_null()).select(
        "group",
        "number",
        "segment",
        "segments",
        "file_number",
        "file_total",
        found=pl.col("release").cast(pl.String),
        found_file=pl.col("file").cast(pl.String),
    )
    return FOUND.check(found.with_columns(**changes))


def test_the_truth_has_no_faults(articles):
    got = score(articles, truth(articles))
    assert (got.wrong_segments, got.wrong_files, got.lost_articles, got.lost_releases) == (0, 0, 0, 0)
    assert (got.split_releases, got.merged_releases, got.noise_kept, got.faults) == (0, 0, 0, {})
    assert (got.split_files, got.merged_files) == (0, 0)
    assert got.exact_releases == articles["release"].drop_nulls().n_unique()


def test_each_fault_is_counted(articles):
    releases = articles["release"].drop_nulls().n_unique()
    merged = score(articles, truth(articles, found=pl.lit("all")))
    assert (merged.merged_releases, merged.split_releases, merged.exact_releases) == (1, 0, 0)
    split = score(articles, truth(articles, found=pl.col("number").cast(pl.String) + pl.col("group")))
    assert (split.split_releases, split.merged_releases, split.exact_releases) == (releases, 0, 0)
    files = posted(articles).group_by("group", "file").agg(pl.len(), pl.col("release").first())
    pieces = score(articles, truth(articles, found_file=pl.col("number").cast(pl.String)))
    assert (pieces.split_files, pieces.merged_files) == (files.filter(pl.col("len") > 1).height, 0)
    lumps = score(articles, truth(articles, found_file=pl.lit("one")))
    several = files.group_by("group", "release").len().filter(pl.col("len") > 1).height
    assert (lumps.split_files, lumps.merged_files) == (0, several)
    off = score(articles, truth(articles, segment=pl.col("segment") + 1, file_total=pl.lit(None, pl.Int32)))
    assert off.wrong_segments == posted(articles).height
    assert off.wrong_files == posted(articles)["file_total"].is_not_null().sum()
    nothing = score(articles, FOUND.empty())
    assert (nothing.lost_releases, nothing.lost_articles) == (releases, posted(articles)["message_id"].n_unique())
    assert nothing.exact_releases == 0


def test_a_crosspost_kept_in_one_group_is_whole(articles):
    once = truth(articles).filter(pl.col("group") == GROUPS[0])
    case = pl.col("case") == "crosspost to three groups"
    got = score(articles.filter(case), once)
    assert (got.lost_articles, got.exact_releases) == (0, articles.filter(case)["release"].n_unique())


def test_what_an_indexer_finds_are_lines_of_the_corpus(articles):
    for found in (by_overlake(articles), *(by_peer(peer, articles) for peer in PEERS)):
        FOUND.check(found)
        assert found.unique(["group", "number"]).height == found.height
        assert found.join(articles, on=["group", "number"], how="anti").is_empty()


def test_the_faults_that_are_known_of_the_peers_show(scores):
    assert scores["nZEDb"].wrong_segments == scores["pynab"].wrong_segments == 0 < scores["NNTmux"].wrong_segments
    assert scores["NZBidx"].wrong_segments > 0
    assert scores["NZBidx"].wrong_files is scores["NZBidx"].split_files is scores["pynab"].merged_files is None
    # From is part of nZEDb's files: drawn for each article it makes a file of each.
    assert scores["nZEDb"].split_files > 0
    assert scores["NZBidx"].lost_articles > scores["NNTmux"].lost_articles
    assert "over UTC midnight" in scores["NZBidx"].faults
    assert "files spread over groups, poster drawn for each" in scores["nZEDb"].faults
    assert "files spread over groups, poster drawn for each" not in scores["NNTmux"].faults
    assert "repost weeks later" in scores["NNTmux"].faults


def test_the_header_rules_read_every_segment_counter_and_lose_nothing(scores):
    ours = scores["Overlake"]
    assert (ours.wrong_segments, ours.lost_articles, ours.noise_kept) == (0, 0, 0)
    assert ours.exact_releases > max(score.exact_releases for name, score in scores.items() if name != "Overlake")
