"""Names, main group, signatures and categories, each alone."""

import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.batch import GroupList, Signature, SignatureTable
from pipeline.categories import category
from pipeline.files import stem
from pipeline.maingroup import crossposted_to, in_main_group
from pipeline.posters import shapes, stable
from pipeline.signatures import DEFAULT_TABLE, dropped_by


def test_a_drawn_poster_is_no_identity_and_a_named_one_is():
    posters = pl.Series(
        ["kJ8sDf72hQwLz@ngPost.com", "Ann  Poster <ANN@example.org>", "aB3dE6gH9jK2 <aB3dE6gH9jK2@xYz12.abC>", "nobody"]
    )
    assert stable(posters).to_list() == ["", "annposter<ann@example.org>", "", "nobody"]
    assert shapes(posters).to_list() == ["random@ngPost.com", "named", "random", "none"]


@pytest.mark.parametrize(
    ("xref", "main"),
    [
        ("b:1", True),
        ("a:1 b:2", False),
        ("b:2 a:1", True),
        ("x:3 a:1 b:2", False),
        ("x:3 b:2", True),
        ("x:3", True),
        ("", True),
        ("a:1", False),
        ("bb:1 b:2", True),
    ],
)
def test_the_first_listed_group_of_xref_is_the_main_group(xref, main):
    assert in_main_group(pl.Series([xref]), "b", GroupList(1, ("a", "b"))).to_list() == [main]


@given(st.lists(st.lists(st.sampled_from(["a", "b:", ":1", ":23", " ", "c:7", "d:x"]), max_size=5).map("".join)))
def test_the_groups_of_an_xref_are_what_stands_before_its_numbers(xrefs):
    lists, place = crossposted_to(pl.Series(xrefs, dtype=pl.String))
    assert lists.gather(place).to_list() == [re.sub(r":\d+", "", xref).split() for xref in xrefs]


def test_the_first_line_that_fits_decides():
    table = SignatureTable(
        1, (Signature("a|*|q", "keep", ""), Signature("a|*|*", "drop", ""), Signature("tool:T", "drop", ""))
    )
    signatures = pl.Series(["a|named|q", "a|named|u", "b|named|q", "b|named|q", "a.|x|y"])
    tools = pl.Series(["", "", "", "T", ""])
    assert dropped_by(table, signatures, tools).to_list() == [None, "a|*|*", None, "tool:T", None]


@pytest.mark.parametrize("line", [Signature("a|b", "drop", ""), Signature("a|b|c", "burn", "")])
def test_a_table_line_that_cannot_be_read_is_refused(line):
    with pytest.raises(ValueError, match="signature"):
        dropped_by(SignatureTable(1, (line,)), pl.Series(["a|b|c"]), pl.Series([""]))


def test_every_line_of_the_default_table_has_a_reason():
    assert DEFAULT_TABLE.version == 1
    assert all(line.reason and line.verdict in {"drop", "keep"} for line in DEFAULT_TABLE.signatures)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("deb.part01.rar", "deb"), ("deb.r00", "deb"), ("deb.s07", "deb"), ("deb.7z.001", "deb"), ("deb.001", "deb"), ("deb.par2", "deb"),
        ("deb.vol00+1.PAR2", "deb"), ("deb.vol1781+137.par2", "deb"), ("deb.vol0-1.par2", "deb"), ("Song.mp3.vol0+1.PAR2", "Song"),
        ("deb-sample.mkv", "deb"), ("149277-Subs.par2", "149277"), ("deb.nzb", "deb"), ("x.10", "x"), ("file.xyz", "file"), ("deb", "deb"),
    ],
)  # fmt: skip
def test_the_stem_is_what_the_files_of_a_release_share(name, expected):
    assert stem(pl.Series([name])).item() == expected


@pytest.mark.parametrize(
    ("name", "extensions", "random_name", "expected"),
    [
        ("Series.S01E02.720p.HDTV.x264-GRP", ["rar"], False, 5040),
        ("Series.S01E02.HDTV.XviD-GRP", ["rar"], False, 5030),
        ("Series.S01E02.1080p.WEB-DL.x264", ["mkv"], False, 5010),
        ("Nosferatu.1922.1080p.BluRay.x264-PDM", ["rar"], False, 2050),
        ("Nosferatu.1922.720p.x264-PDM", ["rar"], False, 2040),
        ("Nosferatu.1922.2160p.UHD.BluRay-PDM", ["mkv"], False, 2045),
        ("Nosferatu.1922.DVDRip.XviD-PDM", ["rar"], False, 2030),
        ("Band - Album", ["mp3", "nfo"], False, 3010),
        ("Band - Album", ["flac"], False, 3040),
        ("Author - Work", ["epub"], False, 7020),
        ("Comic 001", ["cbz"], False, 7030),
        ("ubuntu-24.04-desktop-amd64", ["iso", "par2"], False, 4020),
        ("Something", ["rar", "par2"], False, 8010),
        ("8b33bf5960714efb", ["rar"], True, 8020),
    ],
)
def test_a_category_is_right_or_unknown(name, extensions, random_name, expected):
    frame = pl.DataFrame({"name": [name], "extensions": [extensions], "random": [random_name]})
    assert frame.select(category(pl.col("name"), pl.col("extensions"), pl.col("random"))).item() == expected


def test_one_poster_in_several_encodings_is_one_poster() -> None:
    spellings = pl.Series(
        ["José  <jose@example.org>", "JosÃ© <jose@example.org>", "jos <JOSE@example.org>", "üJos <jose@example.org>"]
    )
    assert stable(spellings).n_unique() == 1
    assert stable(pl.Series(["Ann <a@example.org>", "Bob <a@example.org>"])).n_unique() == 2
