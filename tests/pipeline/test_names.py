"""What must hold of random and readable names; the labelled names are those of the benchmark."""

import random
import string
import uuid

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.names import Half, labelled, run
from pipeline.names import ONE_WORD, SHORTEST, are_random, are_random_by_patterns, are_tokens, is_generic_program

BASE62 = string.ascii_letters + string.digits
HEX = "0123456789abcdef"

READABLE = [
    "Nosferatu.1922.720p.PDM", "nosferatu", "debian125", "metropolis", "Faust.1926", "Ulysses", "Arch.2024.05.01",
    "654258deb12", "faust-s", "Series.S01E01.Pilot", "Age.of.Sail", "Rising.Sun.1937.PDM", "ABC-123",
    "ubuntu-24.04-desktop-amd64", "CamelCaseName", "MI-S01E09", "Fjällräven",
    "Abenteuer.im.Schwarzwald.German.DVDRip.XviD", "Przygody.w.Krakowie", "openSUSE-Leap-15.5-DVD-x86_64", "Kubuntu2404",
    "Slackware15", "wikidata-20240101-all.json", "Großstadtsinfonie", "Thunderbird.115.6.0.x64", "Band_Album_FLAC",
    "OpenStreetMap", "PostgreSQL16", "FreeBSD-14.0", "DasCabinetDesDrCaligari", "TheGeneral1926", "archlinux-x86_64",
    "Броненосец.Потёмкин", "メトロポリス", "ΗΟδύσσεια", "linuxmint-21.3-cinnamon",
]  # fmt: skip


def said(*names):
    return are_random(pl.Series(names, dtype=pl.String)).to_list()


def drawn(alphabet, length, count=5000):
    draw = random.Random(7)
    return pl.Series(["".join(draw.choices(alphabet, k=length)) for _ in range(count)])


def test_readable_names_are_not_random():
    names = pl.Series(READABLE)
    assert names.filter(are_random(names)).to_list() == []


@pytest.mark.parametrize(
    ("alphabet", "length", "least"),
    [
        (HEX, 16, 0.998),
        (HEX, 32, 1.0),
        (HEX.upper(), 40, 1.0),
        (HEX, 128, 1.0),
        (BASE62, 12, 0.97),
        (BASE62, 14, 0.98),
        (BASE62, 20, 0.99),
        (BASE62 + "-_", 22, 0.98),
        (string.ascii_letters, 20, 0.99),
        (string.ascii_lowercase + string.digits, 16, 0.97),
        (string.ascii_uppercase + string.digits, 20, 0.98),
        (string.ascii_lowercase, 20, 0.95),
        (string.ascii_uppercase, 20, 0.95),
        (string.digits, 24, 1.0),
    ],
)
def test_generated_names_are_random(alphabet, length, least):
    assert are_random(drawn(alphabet, length)).mean() >= least


@pytest.mark.parametrize("held_out", [False, True])
def test_of_a_thousand_readable_names_at_most_one_is_called_random(held_out):
    names = labelled().filter(~pl.col("random") & (pl.col("held_out") == held_out))["name"]
    assert len(names) > 3000
    assert are_random(names).sum() <= len(names) / 1000


def test_what_is_called_random_among_readable_names_is_known():
    names = labelled().filter(~pl.col("random"))["name"]
    assert set(names.filter(are_random(names))) <= {
        "1q2w3e4r5t", "DE102012345678A1", "Haxan-1922-7215ee9c7d9dc229d2921a40e899ec5f", "Llanfairpwllgwyngyll",
        "XMLHttpRequest", "libstdc++-6b9c1e7f2a3d",
    }  # fmt: skip


@given(st.uuids(version=4), st.sampled_from([str, "{{{}}}".format, lambda it: it.hex, lambda it: str(it).upper()]))
def test_every_uuid_is_random(value, spelling):
    assert said(spelling(value)) == [True]


@given(st.binary(min_size=16, max_size=64).map(bytes.hex).filter(lambda it: not it.isdigit() and not it.isalpha()))
def test_every_hash_is_random_in_either_case_and_as_a_subject(value):
    assert said(value, value.upper()) == [True, True]
    assert are_tokens(pl.Series([value])).to_list() == [True]


@given(st.text(max_size=SHORTEST - 1))
def test_a_short_name_is_never_random(name):
    assert said(name) == [False]


@given(st.text(st.characters(min_codepoint=0x370, max_codepoint=0xD7FF), min_size=3))
def test_a_name_in_another_script_is_never_random(name):
    assert said(name) == [False]


@given(st.integers(0, 2**64 - 1))
def test_a_number_of_64_bits_is_never_random(number):
    assert said(str(number), f"{number:020}") == [False, False]


@given(st.text(string.ascii_uppercase + string.digits, min_size=1, max_size=13).filter(lambda it: not it.isalpha()))
def test_a_code_of_a_product_is_never_random(code):
    assert said(code) == [False]


@given(st.lists(st.text(), max_size=20))
def test_a_name_is_judged_alone(names):
    assert said(*names) == [said(name)[0] for name in names]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("d41d8cd98f00b204e9800998ecf8427e", True),
        ("d41d8cd98f00b204", True),
        ("d41d8cd9", False),
        ("deadbeefcafebabe", False),
        ("DEADBEEFDEADBEEF", False),
        ("0123456789abcdef", False),
        ("20240501deadbeef", False),
        ("20240501123456789012", False),
        ("314159265358979323846", True),
        ("000000000000000000000001", False),
        ("20240501T123456Z", False),
        ("d41d8cd98f00b204e9800998ecf8427e-sample", True),
        ("d41d8cd98f00b204e9800998ecf8427e.vol03", True),
        ("d41d8cd98f00b204::d41d8cd98f00b204", True),
        ("kQ7xZp2LmV9tRw4s_cover", True),
        ("metropolis_d41d8cd98f00b204e9800998ecf8427e", False),
        ("deadbeef-dead-4bad-8bad-deadbeefcafe", True),
        ("STM32F103C8T6", False),
        ("S2A_MSIL1C_20170105T013442_N0204_R031_T53NMJ_20170105T013443", False),
        ("LC08_L1TP_044034_20130330_20170310_01_T1", False),
        ("strcprstskrzkrk", False),
        ("qwertyuiop", False),
    ],
)
def test_kinds(name, expected):
    assert said(name) == [expected]


def test_no_names_no_answers():
    assert are_random(pl.Series([], dtype=pl.String)).to_list() == []
    assert are_tokens(pl.Series([], dtype=pl.String)).to_list() == []


@pytest.mark.parametrize(
    ("subject", "expected"),
    [
        ("d41d8cd98f00b204e9800998ecf8427e", True),
        ("{3F2504E0-4F89-41D3-9A0C-0305E82C3301}", True),
        ("kQ7xZp2LmV9tRw4sYb1n", True),
        ("kQ7x.Zp2LmV9tRw4sYb1n", False),
        ("kQ7xZp2LmV9tRw4s Yb1nkQ7xZp2LmV9tRw4s", False),
        ("metropolis_d41d8cd98f00b204e9800998ecf8427e", False),
        ("1234567890123456", False),
        ("deadbeefcafebabe", False),
        ("a1b2c3d", False),
        ("nosferatu", False),
        ("ff" + "0a" * 63, True),
        ("ff" + "0a" * 64, False),
    ],
)
def test_a_token_is_one_random_word_of_8_to_128_characters(subject, expected):
    assert are_tokens(pl.Series([subject])).to_list() == [expected]


def test_tokens_are_the_random_ones_of_single_words():
    names = labelled()["name"]
    words = names.filter(names.str.contains(r"^\{?[A-Za-z0-9_-]{8,128}\}?$"))
    assert are_tokens(words).to_list() == are_random(words).to_list()
    assert 0 < are_tokens(names).sum() <= are_random(names).sum()


def test_a_program_that_names_itself_is_not_generic():
    names = pl.DataFrame({"name": ["setup.exe", "codec-x7k.exe", "debian-installer.exe", "setup.pdf"]})
    assert names.select(is_generic_program(pl.col("name"))).to_series().to_list() == [True, True, False, False]


def test_the_benchmark_counts_every_name_once_and_keeps_the_halves_apart():
    names = labelled()
    assert names["name"].is_unique().all()
    figures = run(unique=1000)
    assert {half.readable + half.random for half in (figures.held_out, figures.tuning)} == {
        names["held_out"].sum(),
        (~names["held_out"]).sum(),
    }
    assert sum(kind.names for kind in figures.kinds) == names["held_out"].sum()
    for half in (figures.held_out, figures.tuning):
        assert isinstance(half, Half)
        assert half.false_positives <= 0.001
        assert half.recall_long >= 0.98
        assert half.precision >= 0.995


def test_uuids_in_every_version_of_the_label_file_parse():
    names = labelled().filter(pl.col("class").str.starts_with("uuid"))["name"]
    assert len({uuid.UUID(name) for name in names}) == len(names)


ALPHABETS = (
    BASE62,
    HEX,
    HEX.upper(),
    string.ascii_lowercase,
    string.ascii_uppercase + string.digits,
    string.digits,
    "abcdefABCDEF",
    "01",
    "1",
    "etaoin",
    BASE62 + "-_.é {}",
)
LENGTHS = (0, 1, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17, 20, 31, 32, 40, 127, 128, 129)
MEANT = ("0123456789abcdef", "1234567890ABCDEF", "20231005deadbeef", "19991231aabbccdd", "deadbeefcafebabe", "18446744073709551615")  # fmt: skip


def words(seed: int) -> list[str]:
    draw = random.Random(seed)
    return [*MEANT, *("".join(draw.choices(draw.choice(ALPHABETS), k=draw.choice(LENGTHS))) for _ in range(2_000))]


@given(st.integers(0, 2**32))
def test_what_is_told_at_once_is_what_the_patterns_say(seed: int):
    names = pl.Series(words(seed))
    told, said = are_random(names), are_random_by_patterns(names)
    assert told.any()
    assert not told.all()
    assert names.filter(told != said).to_list() == []
    assert names.filter(are_tokens(names) != (said & names.str.contains(ONE_WORD))).to_list() == []
