"""Every subject shape that posting tools and people are known to write, with the value that must be read from it."""

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.explain import EXPLAINED, explain_lines, explain_subjects
from pipeline.schema import OVERVIEW
from pipeline.setasides import RANDOM, kinds, kinds_by_patterns
from pipeline.subjects import parse, parse_by_patterns, split, split_by_patterns

HASH = "8b33bf5960714efb93cc6d8a41e0f7b2"

# subject without ` (3/66)`, file, files, file name, release
SHAPES = [
    ('Nosferatu.1922.720p.PDM - [01/24] - "nosferatu.1922.par2" yEnc', 1, 24, "nosferatu.1922.par2", "Nosferatu.1922.720p.PDM"),
    ('Debian.12.5.amd64 [05/06] - "debian125.rar" yEnc', 5, 6, "debian125.rar", "Debian.12.5.amd64"),
    ('(001/101) "654258deb12.par2" - 9,74 GB - yEnc', 1, 101, "654258deb12.par2", "654258deb12"),
    ('"metropolis.r83" yEnc', None, None, "metropolis.r83", "metropolis"),
    ('t2EI3CdW[08/52] - "t2EI3CdW.part07.rar" yEnc', 8, 52, "t2EI3CdW.part07.rar", "t2EI3CdW"),
    ('[02/12] - "Faust.1926.rar" yEnc', 2, 12, "Faust.1926.rar", "Faust.1926"),
    ('(001/105) - Description - "oH291TB0.par2" - 4,56 GB - yEnc', 1, 105, "oH291TB0.par2", "oH291TB0"),
    ('(????) [12/19] - "Ulysses.part10.rar" yEnc', 12, 19, "Ulysses.part10.rar", "Ulysses"),
    ('Arch.2024.05.01 [2 of 50] "arch.sfv" yEnc', 2, 50, "arch.sfv", "Arch.2024.05.01"),
    ('(08/25) "Wild 5 of 6 Forest.part06.rar" - 47.68 MB - 771.18 MB - yEnc', 8, 25, "Wild 5 of 6 Forest.part06.rar", "Wild 5 of 6 Forest"),
    ('[278997]-[FULL]-[#a.b.test@EFNet]-[ Faust.1926.PDM ]-[06/51] - "faust-s.mp4" yEnc', 6, 51, "faust-s.mp4", "Faust.1926.PDM"),
    ('Re: [278997]-[FULL]-[#a.b.test]-[ Faust.1926.PDM ]-[11/59] - "faust.r00" yEnc', 11, 59, "faust.r00", "Faust.1926.PDM"),
    ('[169018]-[FULL]-[a.b.test]-[ Series.S01.1080p ]-[04/32] - "Series.S01E01.Pilot.par2" yEnc', 4, 32, "Series.S01E01.Pilot.par2", "Series.S01.1080p"),
    ('[134824]-[001/117] - "134824-0.0" yEnc', 1, 117, "134824-0.0", "134824-0"),
    ('[27575]-[#altbin@EFNet]-[Full]-[CD1]-[01/58] - "CD1.par2" yEnc', 1, 58, "CD1.par2", "27575"),
    ('[ TOWN ]-[ www.site.test ]-[ partner of www.ad.test ]-[ TV ] [01/16] - "Faust.S02E14.par2" - 198,25 MB yEnc', 1, 16, "Faust.S02E14.par2", "Faust.S02E14"),
    ('site.test/.net <<<Partner von ad.test>>> - [01/19] - "Age.of.Sail.par2" yEnc', 1, 19, "Age.of.Sail.par2", "Age.of.Sail"),
    ('http://site.test - Rising.Sun.1937.PDM - [00/48] - "Rising.Sun.par2" yEnc', 0, 48, "Rising.Sun.par2", "Rising.Sun.1937.PDM"),
    ('>>> site.test <<<  "The Shoe.par2" DVD5  [001/158] - 4,29 GB yEnc', 1, 158, "The Shoe.par2", "The Shoe"),
    ('"Faust_PDM__www.site.test__.r00" (03/78) 3,32 GB yEnc', 3, 78, "Faust_PDM__www.site.test__.r00", "Faust_PDM"),
    ('Old Tale XviD German 01/43] - "Old Tale.par2" yEnc', 1, 43, "Old Tale.par2", "Old Tale XviD German"),
    ('[3/3 Karl Band - Song.mp3 Karl Band - Song.mp3.vol0+1.PAR2" yEnc', 3, 3, "Karl Band - Song.mp3.vol0+1.PAR2", "Karl Band - Song"),
    ('Uploader.Presents-Debian[10/94]"deb.r07" yEnc', 10, 94, "deb.r07", "Debian"),
    ('Uploader.Presents-Debian(02/92]"deb.nfo"', 2, 92, "deb.nfo", "Debian"),
    ('Series HQ rips "Series - 3x26.part10.rar" [13/22] yEnc', 13, 22, "Series - 3x26.part10.rar", "Series HQ rips"),
    ('05VANmA80D "05VANmA80D.part07.rar"08/94 yEnc', 8, 94, "05VANmA80D.part07.rar", "05VANmA80D"),
    ("'X' Season 1 \"Files101.par2\" 004/387", 4, 387, "Files101.par2", "'X' Season 1"),
    ('Series - 1x09 - NTSC - 28 of 48 - "MI-S01E09.r23" yEnc', 28, 48, "MI-S01E09.r23", "Series - 1x09 - NTSC"),
    ("Asia Forecast (NHK, July) - 'limits' - (05|14) - \"ABF.part3.rar\" yEnc", 5, 14, "ABF.part3.rar", "Asia Forecast (NHK, July) - 'limits'"),
    ('Forecast - (02-17) - "ABF.part3.rar" yEnc', 2, 17, "ABF.part3.rar", "Forecast"),
    ('Forecast - (42 - 50) - "ABF.part3.rar" yEnc', 42, 50, "ABF.part3.rar", "Forecast"),
    ('<<OBLIVION - Untouched>><<TLR>><<www.ad.test>><<13/14>> "xx.vol421+98.par2" - 2,54 GB - yEnc', 13, 14, "xx.vol421+98.par2", "OBLIVION - Untouched TLR"),
    ('ugMBqtZw - File 01 of 98: "1vJ7.par2" yEnc', 1, 98, "1vJ7.par2", "ugMBqtZw"),
    ('ugMBqtZw - Datei 1 von 98: "1vJ7.par2" yEnc', 1, 98, "1vJ7.par2", "ugMBqtZw"),
    ("[1977] Band - Album - File 15 of 20: 06 Band - Song.flac yEnc", 15, 20, "06 Band - Song.flac", "[1977] Band - Album"),
    ("Series - 1x05 - (DVD).part04.rar", None, None, "Series - 1x05 - (DVD).part04.rar", "Series - 1x05 - (DVD)"),
    ("[2/4] Author - Work.mobi", 2, 4, "Author - Work.mobi", "Author - Work"),
    ("Silent.S15E02.par2 [01/44] - yEnc", 1, 44, "Silent.S15E02.par2", "Silent.S15E02"),
    ('[ABPEA] Title [BB] - 005 of 229 - yEnc "Title-005.jpg"', 5, 229, "Title-005.jpg", "[ABPEA] Title [BB]"),
    (f'{HASH} - (01/55) - "{HASH}.par2" yEnc', 1, 55, f"{HASH}.par2", HASH),
    ('- - [001/242] - "C65JuogI92.par2" yEnc', 1, 242, "C65JuogI92.par2", "C65JuogI92"),
    ('- "JH2U.part12.rar" yEnc', None, None, "JH2U.part12.rar", "JH2U"),
    ('[f3a54349bc] - name01 [10/25] - "name01.part08.rar" yEnc', 10, 25, "name01.part08.rar", "name01"),
    ('"Film.1982.EA"(15/56) "Film.1982.EA.part13.rar" - 2.1 GB yEnc', 15, 56, "Film.1982.EA.part13.rar", "Film.1982.EA"),
    ('"Band - Album" [00/14] - "x.nzb" yEnc', 0, 14, "x.nzb", "Band - Album"),
    ('*FULL REPOST* New eBooks - "A - B (mobi).rar"', None, None, "A - B (mobi).rar", "A - B (mobi)"),
    ('[REPOST][ Name ] [35/61] - "name.r20" yEnc', 35, 61, "name.r20", "Name"),
    ('[01/10] - "file.xyz" yEnc - [001/107] - "f.rar" yEnc', 1, 107, "f.rar", None),
    ('[01/12] - ""f.rar"" yEnc', 1, 12, "f.rar", "f"),
    ("[01/12] - &quot;f.rar&quot; yEnc", 1, 12, "f.rar", "f"),
    ('[1/12] "Debian/iso/f.iso" - yEnc', 1, 12, "f.iso", "Debian"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("subject", "file", "files", "name", "release"), SHAPES, ids=[shape[0][:40] for shape in SHAPES]
)
def test_a_known_shape_reads_right(subject, file, files, name, release):
    row = explain_subjects([f"{subject} (3/66)"]).row(0, named=True)
    assert (row["kind"], row["segment"], row["segments"]) == ("file", 3, 66)
    assert (row["file"], row["files"], row["filename"]) == (file, files, name)
    if release is not None:
        assert row["release"] == release


SEGMENTS = [
    ('[1/8] - "Deb.part01.rar" yEnc (12/400) 123456789', 12, 400),
    ('"D. F. Author - 03 - Work.epub" (1/3)', 1, 3),
    ('[10/1083] "x.10" yEnc (1/1083)', 1, 1083),
    ('"Art Trio.NFO" - 1 of 6 (1/1) (1/1)', 1, 1),
    ('Name (01/20) "f.rar" yEnc (3/66)', 3, 66),
    ('"f.rar" yEnc (3/66) 52428800 {thanks}', 3, 66),
    ('"f.rar" (003/066) yEnc', 3, 66),
    ('"f.rar" yEnc (3\\66)', 3, 66),
    ('"big.mkv" yEnc (1999/2012)', 1999, 2012),
]


@pytest.mark.parametrize(("subject", "segment", "segments"), SEGMENTS)
def test_the_last_pair_is_the_segment_counter(subject, segment, segments):
    row = explain_subjects([subject]).row(0, named=True)
    assert (row["kind"], row["segment"], row["segments"]) == ("file", segment, segments)


def test_a_doubled_segment_counter_is_not_the_file_counter():
    row = explain_subjects(['"Art Trio.NFO" - 1 of 6 (1/1) (1/1)']).row(0, named=True)
    assert (row["file"], row["files"]) == (1, 6)


@pytest.mark.parametrize(
    "text",
    [
        "Re: hello", "REQ: x (see titles inside)", "Usenet Index Post 17 yEnc (1/66)", "Films of the year (1999/2012)", "open 24/7",
        "M/F", "5.1", "20x04", "CD 2 of 2", "[1080p]", "[E18CFA59]", "nothing (0/0)", "score (5/3)", "none (1/0)",
    ],
)  # fmt: skip
def test_a_text_stays_a_text(text):
    assert explain_subjects([text])["kind"].to_list() == ["text"]


@pytest.mark.parametrize(
    "title", ["Films (1999/2012)", "open 24/7", "20x04", "Album CD 2 of 2", "x [1080p]", "[E18CFA59]", "(0/0)", "(5/3)", "(1/0)", "[ 0270/2688 ]", "[02/ 50]"]
)  # fmt: skip
def test_what_looks_like_a_file_counter_is_none(title):
    row = explain_subjects([f'{title} "f.rar" yEnc (3/66)']).row(0, named=True)
    assert (row["file"], row["files"]) == (None, None)


@pytest.mark.parametrize("subject", [HASH, "c0ffee12-3456-4abc-8def-0123456789ab", "{c0ffee12-3456-4abc-8def-0123456789ab}", "qWx9Kd72mZpLr4TbVn81", "xkqjwzvbhgtrfdlpwqnz"])  # fmt: skip
def test_a_random_word_is_set_aside_as_random(subject):
    row = explain_subjects([subject]).row(0, named=True)
    assert row["kind"] == "random"
    assert row["rule"] == "set_aside_random"


@pytest.mark.parametrize(
    "subject",
    [
        "yEnc (3/50)",
        f"{HASH} (1/1)",
        "kX92mQz7LpT4vRbW (3/50)",
        "kX92mQz7LpT4vRbW [3/50]",
        "kX92mQz7LpT4vRbW [36/38] (36/38)",
        " - yEnc (1/1) 5071",
    ],
)
def test_nothing_to_group_on_is_obfuscated(subject):
    assert explain_subjects([subject])["kind"].to_list() == ["obfuscated"]


@pytest.mark.parametrize("mark", ["REPOST", "Repost", "REUP", "*FULL REPOST*", "reupload"])
def test_a_repost_is_marked_and_keeps_its_name(mark):
    row = explain_subjects([f'[{mark}] Faust.1926 [35/61] - "faust.r20" yEnc (3/66)']).row(0, named=True)
    assert (row["repost"], row["release"]) == (True, "Faust.1926")


def test_request_ids_are_read():
    subjects = ['[278997]-[FULL]-[#a.b.x@EFNet]-[ Faust ]-[06/51] - "f.mp4" yEnc (1/2)', '[134824]-[001/117] - "134824-0.0" yEnc (1/2)', "[1977] Band - File 15 of 20: 06 Band.flac (1/2)"]  # fmt: skip
    assert explain_subjects(subjects)["request_id"].to_list() == ["278997", "134824", None]


def test_words_of_rfc_2047_and_mojibake_are_put_right():
    clear = 'Fjällräven [01/12] - "fjäll.rar" yEnc (1/2)'
    mojibake = clear.encode().decode("cp1252")
    encoded = "=?utf-8?B?RmrDpGxscsOkdmVuIFswMS8xMl0gLSAiZmrDpGxsLnJhciIgeUVuYw==?= (1/2)"
    assert explain_subjects([clear, mojibake, encoded])["release"].to_list() == ["Fjällräven"] * 3


def test_a_subject_encoded_as_a_whole_is_read():
    row = explain_subjects(["=?UTF-8?Q?Fj=C3=A4ll_=5B1/2=5D_=22f=2Erar=22_yEnc_=281/3=29?="]).row(0, named=True)
    assert (row["segment"], row["segments"], row["file"], row["files"], row["release"]) == (1, 3, 1, 2, "Fjäll")


def test_subjects_given_are_left_as_they_are():
    subjects = pl.Series(['"f.rar" yEnc (1/2)', HASH, "=?utf-8?Q?f=2Erar?="])
    before = subjects.to_list()
    explain_subjects(subjects)
    assert subjects.to_list() == before


MORE = [
    ('[1/3] - "01 - Kyrie.flac" yEnc (1/2)', 1, 3, "01 - Kyrie.flac", "01 - Kyrie"),
    ('[Part 1 of 12] Brahms "b.rar" yEnc (1/2)', 1, 12, "b.rar", "b"),
    ('Brahms [Teil 1/12] "b.rar" yEnc (1/2)', 1, 12, "b.rar", "Brahms"),
    ('Brahms [#1/12] "b.rar" yEnc (1/2)', 1, 12, "b.rar", "Brahms"),
    ('Daily News [20240501] [1/2] - "dn0501.rar" yEnc (1/2)', 1, 2, "dn0501.rar", "Daily News [20240501]"),
    ("[Group] Cabiria - 01 [1080p][E18CFA59].mkv (3/66)", None, None, "[Group] Cabiria - 01 [1080p][E18CFA59].mkv", None),
    ('"AC/DC tribute.mp3" yEnc (3/66)', None, None, "AC/DC tribute.mp3", "AC/DC tribute"),
    ('[N3wZ] \\3UwF\\::[PRiVATE]-[WtFnZb]-[Video_(2001).mkv]-[1/3] - "" yEnc (1/2)', 1, 3, "Video_(2001).mkv", "Video_(2001)"),
    ('[PRiVATE]-[WtFnZb]-[3]-[1/series.s01e01.mkv] - "" yEnc (1/2)', 1, 3, "series.s01e01.mkv", "series.s01e01"),
    ('Bach Mass - "01.mp3" yEnc (1/2)', None, None, "01.mp3", "Bach Mass"),
    (r"[PRiVATE] \\i3u4Oj77xtin5XIZ\\::qlKaXqrg2fTPDPP1.r39::/i3u4Oj77xtin5XIZ/ [newzNZB] [3/3] - yEnc (1/1) 5071", 3, 3, "qlKaXqrg2fTPDPP1.r39", "qlKaXqrg2fTPDPP1"),
    ('(1/9)<<<www.site.test>>>"deb.rar" yEnc (1/2)', 1, 9, "deb.rar", "deb"),
    ('A.Trip.to.the.Moon.1902 [3/4] - "a.trip.r00" yEnc (1/2)', 3, 4, "a.trip.r00", "A.Trip.to.the.Moon.1902"),
    ('PAR File 1 of 4: "f.par2" yEnc (03/50)', 1, 4, "f.par2", "f"),
    ('Metropolis (1927) [12/34] "m.part12.rar" yEnc (01/99)', 12, 34, "m.part12.rar", "Metropolis (1927)"),
    ('20,36 MB "f.rar" 552 B yEnc (1/2)', None, None, "f.rar", "f"),
    ('"Debian 12" "deb.rar" yEnc (1/2)', None, None, "deb.rar", "Debian 12"),
    ("text - f.rar (03/50)", None, None, "text - f.rar", "text - f"),
]  # fmt: skip


@pytest.mark.parametrize(("subject", "file", "files", "name", "release"), MORE)
def test_more_shapes_of_tools_and_people(subject, file, files, name, release):
    row = explain_subjects([subject.replace("\\\\", "\\")]).row(0, named=True)
    assert (row["file"], row["files"], row["filename"]) == (file, files, name)
    if release is not None:
        assert row["release"] == release


PROFILES = [
    ("Nyuu", '[01/12] - "name.part01.rar" yEnc (3/50) 52428800', "QwErTyUiOpAsDfGhJkLzXcVb-1700000000123@nyuu"),
    ("ngPost", '[01/12] "name.part01.rar" (3/50)', "0123456789abcdef0123456789abcdef@ngPost"),
    ("PowerPost", '(????) [01/12] - "name.part01.rar" yEnc (003/050)', "part3of50.aB3$&xYz01aB3$&xYz01@powerpost2000AA.local"),
    ("Camelsystem", '[01/12] - "name.part01.rar" yEnc (003/050)', "part3of50.aB3$&xYz01aB3$&xYz01@camelsystem-powerpost.local"),
    ("JBinUp", '[01/12] - "name.part01.rar" yEnc (3/50)', "aB3dE6gH9jK2mN5pQ8sT_3o50@JBinUp.local"),
    ("newsmangler", 't [01/12] - "name.part01.rar" yEnc (03/50)', "1452088368.57488.3@news.example.org"),
    ("GoPostStuff", 't [1/12] - "name.part01.rar" yEnc (3/50)', "1452088368574881234$gps@gopoststuff"),
    ("post2usenet", 't [1/12] - "name.part01.rar" yEnc (3/50)', "a1b2c3d4e5f6g7h8.0.2@example.org"),
    ("nntpPoster", 't [1/12] "name.part01.rar" yEnc (3/50)', "aB3-E6gH9_K2mN5pQ8sTv@aB3dE6.gHj"),
    ("NewsUP", '[1/12] - "name.part01.rar" (3/50)', "1452088368574881.1a2b3c@1z2y3x.newsup"),
    ("Postie", '[1/12] "name.part01.rar" - yEnc (3/50)', "aB3dE6gH9jK2mN5pQ8sTaB3dE6gH9jK2@aB3dE6gH.xY1"),
    ("pesto", '[1/12] - "name.part01.rar" yEnc (3/50)', "17f0a1b2c3d4e5f6.3.0123456789abcdef@abcdefghij.com"),
    ("Pan", 't [1/12] - "name.part01.rar" yEnc (003/050)', "pan$1a2b3$c4d5e6f7$1a2b3c4d$e5f60718@example.org"),
    ("Forte Agent", "t [1/12] - name.part01.rar (03/50)", "0123456789abcdefghijklmnopqrstuv01@4ax.com"),
    (None, '[1/12] - "name.part01.rar" yEnc (3/50)', "someone@nyuu"),
]  # fmt: skip


def test_every_tool_profile_is_read_and_recognised():
    frame = pl.DataFrame(
        {"subject": [row[1] for row in PROFILES], "message_id": [row[2] for row in PROFILES]}
    ).with_columns(poster=pl.lit("user <user@host.example>"), posted_at=pl.lit(None, OVERVIEW.polars["posted_at"]))
    told = explain_lines(frame)
    assert told["tool"].to_list() == [row[0] for row in PROFILES]
    assert told.select("segment", "segments", "file", "files", "filename").unique().rows() == [
        (3, 50, 1, 12, "name.part01.rar")
    ]


LIES = [
    ("", '[01/12] - "name.part01.rar" yEnc (3/50)', "0123456789abcdef0123456789abcdef@ngPost", "user <user@host.example>"),
    ("", '[1/12] - "name.part01.rar" (3/50)', "QwErTyUiOpAsDfGhJkLzXcVb-1700000000123@nyuu", "user <user@host.example>"),
    ("", '[1/12] - "name.part01.rar" (3/50)', "part3of50.aB3$&xYz01aB3$&xYz01@powerpost2000AA.local", "user <user@host.example>"),
    ("NewsUP", '[1/12] - "name.part01.rar" (3/50)', "n6j67r$mrr$1@news.example.org", "NewsUP <NewsUP@somewhere.cbr>"),
    ("PowerPost", '(????) [01/12] - "n.part01.rar" yEnc (003/050)', "n6j67r$mrr$1@news.example.org", "Yenc@power-post.org (Yenc-PP-A&A)"),
    ("newspost", 't - File 01 of 12: "n.part01.rar" yEnc (03/50)', "n6j67r$mrr$1@news.example.org", "user <user@host.example>"),
    ("ngPost", '[01/12] "name.part01.rar" (3/50)', "n6j67r$mrr$1@news.example.org", "aB3dE6gH9jK2m@ngPost.com"),
    ("Nyuu", "aB3dE6gH9jK2mN5pQ8sT", "QwErTyUiOpAsDfGhJkLzXcVb-1700000000123@nyuu", "aB3dE6gH9j@aB3dE.xY1"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "subject", "message_id", "poster"), LIES)
def test_a_tool_is_named_only_where_id_subject_and_poster_agree(tool, subject, message_id, poster):
    line = {"subject": subject, "message_id": message_id, "poster": poster, "posted_at": None}
    frame = pl.DataFrame([line], schema={name: OVERVIEW.polars[name] for name in line})
    assert explain_lines(frame)["tool"].to_list() == [tool or None]


def test_a_head_of_any_length_is_read():
    row = explain_subjects([f'{"a" * 400_000} [1/2] - "deb.rar" yEnc (1/2)']).row(0, named=True)
    assert (row["segment"], row["segments"]) == (1, 2)


def test_no_subjects_give_no_rows():
    assert EXPLAINED.check(explain_subjects([])).is_empty()


PIECES = (
    "(", ")", "/", "\\", "1", "12", "2003", "2004", "0", "999999", "1234567", '"', "yEnc", " ", "\t", "é", "\u2003", "\x1c", "a.rar", "[1/3]", "(3/66)",
    "(66/3)", "(3\\66)", "(2001/2004)", '"f.rar"',
)  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(PIECES), max_size=8).map("".join), min_size=1, max_size=200))
def test_a_counter_told_at_once_is_the_one_the_patterns_find(subjects: list[str]):
    column = pl.Series([*subjects, "debian (3/66) 5", "debian"])
    assert split(column).to_dicts() == split_by_patterns(column).to_dicts()


HEAD_PIECES = (
    '"', '"debian.rar" yEnc', '"', "[1/3]", "[03/12] - ", "[1999/2005] ", "[7/3]", " - ", "-", "a", ".", ".iso", "yEnc", ' yEnc"', "REPOST", "re-up", "&amp;",
    "=?", "700MB", "1yEnc", "4b81c07d ", "REPOST1", "presents2", "1de2", "2of3", "/", "\\", "é", "\t", " ", "[12345/123456]", "Debian 12", "(1/2)",
)  # fmt: skip


@given(st.lists(st.lists(st.sampled_from(HEAD_PIECES), max_size=6).map("".join), min_size=1, max_size=200))
def test_a_head_told_at_once_says_what_the_patterns_say(heads: list[str]):
    column = pl.Series([*heads, '[5/6] - "debian.rar" yEnc', "", '"debian"', '"yenc debian"', f'"{"x" * 5000}"'])
    assert parse(column).to_dicts() == parse_by_patterns(column).to_dicts()


@given(st.lists(st.lists(st.sampled_from(PIECES + HEAD_PIECES), max_size=8).map("".join), min_size=1, max_size=200))
def test_a_file_told_at_once_is_one_by_the_patterns(subjects: list[str]):
    column = pl.Series([*subjects, 'usenet index post "a" (1/2)', 'REQ: "debian" (1/2)', '" yEnc" (3/66)'])
    told = kinds(column)
    others = told.filter(pl.col("kind") != RANDOM)
    assert others["kind"].to_list() == kinds_by_patterns(others).to_list()
