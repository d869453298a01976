"""Subjects labelled by hand before the grammar was read, subjects built from the grammar, and any text at all."""

import json
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.explain import EXPLAINED, explain_subjects
from pipeline.setasides import kinds
from pipeline.subjects import PARSED, SPLIT, parse, split

LABELLED = [json.loads(line) for line in Path(__file__).with_name("labelled_subjects.jsonl").read_text("utf-8").splitlines()]  # fmt: skip
KEYS = ("kind", "segment", "segments", "file", "files", "filename", "release", "repost", "request_id")


@pytest.fixture(scope="module")
def explained():
    return explain_subjects([row["subject"] for row in LABELLED]).to_dicts()


@pytest.mark.parametrize("key", KEYS)
def test_labelled_subjects_are_read_as_labelled(key, explained):
    wrong = [
        (row["subject"], row["source"], row[key], got[key])
        for row, got in zip(LABELLED, explained, strict=True)
        if key in row and row[key] != got[key]
    ]
    assert wrong == []


def test_each_label_is_a_column_and_each_subject_stands_once():
    assert {key for row in LABELLED for key in row} == {"subject", "source", *KEYS}
    assert len({row["subject"] for row in LABELLED}) == len(LABELLED)


def test_labelled_subjects_read_the_same_in_other_company(explained):
    backwards = explain_subjects([row["subject"] for row in reversed(LABELLED)]).to_dicts()
    assert backwards[::-1] == explained


WORDS = st.sampled_from(["Nosferatu", "Debian", "Atlas", "Märchen", "Потёмкин", "東京物語", "Sonata", "Open", "Census", "1926", "XviD", "ISO"])  # fmt: skip
TITLES = st.builds(
    lambda first, words, sign: sign.join([first, *words]),
    st.sampled_from(["Lighthouse", "Gutenberg", "Fjällräven", "Броненосец"]),
    st.lists(WORDS, min_size=1, max_size=5),
    st.sampled_from([" ", ".", "_"]),
)
COUNTERS = st.sampled_from(
    [
        "[{n}/{N}]", "({n}/{N})", "[{n}/{N})", "({n}/{N}]", "<<{n}/{N}>>", "{{{n}/{N}}}", "({n}|{N})", "({n}-{N})", "({n} - {N})",
        "[{n} of {N}]", "[{n} von {N}]", "({n} of {N})", "- File {n} of {N}:", "- Datei {n} von {N}:", "- {n} of {N} -", "{n}/{N}]",
    ]
)  # fmt: skip
NAMES = st.sampled_from(['"{}"', '""{}""', "&quot;{}&quot;", '" {} "', "{}"])
SEGMENTS = st.sampled_from([" yEnc ({i}/{P})", " ({i}/{P})", " yEnc ({i}/{P}) 716800", " yEnc ({i}/{P}) {{thanks}}", "yEnc({i}/{P})", " ({i}/{P}) yEnc", " - 4,56 GB - yEnc ({i}/{P})"])  # fmt: skip
SUFFIXES = st.sampled_from([".part01.rar", ".r00", ".7z.001", ".vol000+01.par2", ".PAR2", ".mkv", ".nfo"])


@st.composite
def pairs(draw, lowest, highest):
    """A counter as numbers and as text, padded or not."""
    total = draw(st.integers(max(lowest, 1), highest))
    number = draw(st.integers(lowest, total))
    width = draw(st.sampled_from([0, len(str(total)), 3]))
    return number, total, f"{number:0{width}}", f"{total:0{width}}"


@settings(max_examples=150, deadline=None)
@given(
    title=TITLES | st.just(""),
    stem=st.sampled_from(["nosferatu.1922", "debian-12", "Old Tale", "märchen", "kX92mQz7LpT4vRbW"]),
    suffix=SUFFIXES,
    counter=st.tuples(COUNTERS, pairs(0, 1000)) | st.none(),
    name_form=NAMES,
    segment=st.tuples(SEGMENTS, pairs(1, 10**6 - 1)),
)
def test_what_is_written_by_the_grammar_is_read_back(title, stem, suffix, counter, name_form, segment):
    name = stem + suffix
    if name_form == "{}" and (counter is None or segment[0].startswith("yEnc")):
        name_form = '"{}"'
    parts = [title] if title else []
    if counter is not None:
        form, (number, total, n, big_n) = counter
        parts.append(form.format(n=n, N=big_n))
    parts.append(name_form.format(name))
    written, (i, p, i_text, p_text) = segment
    row = explain_subjects([" ".join(parts) + written.format(i=i_text, P=p_text)]).row(0, named=True)
    assert (row["kind"], row["segment"], row["segments"], row["filename"]) == ("file", i, p, name)
    if counter is None:
        assert (row["file"], row["files"]) == (None, None)
    else:
        assert (row["file"], row["files"]) == (number, total)
    if title and counter is not None and total > 1 and suffix != ".mkv":
        assert row["release"] in {title, stem}


PIECES = st.sampled_from(
    [
        '"', '""', "[", "]", "(", ")", "<<", ">>", "1/2", "[01/02]", "(3/66)", "(0/0)", "[9/1]", "(٣/٦٦)", "[99999999999/99999999999]", "\uff11/\uff12", "of", " ",
        "File 1 of 2", "yEnc", "Re: ", "REPOST", "[123456]-", ".rar", "f.rar", "\x1a", "\x1d", "\0", "\t", "\n", "\r", "=?utf-8?Q?=FF?=", "=?utf-8?B?!?=",
        "&quot;", "&#0;", "&#1114112;", "&#xD800;", "Ã¼", "Ã", "\ud7ff", "\U0010ffff", "\\", "/", "PRiVATE", "[PRiVATE] ", "4,5 GB", "kX92mQz7LpT4vRbW", "東京", "|", "-",
    ]
)  # fmt: skip
ANYTHING = st.lists(PIECES, max_size=12).map("".join) | st.text(max_size=60)


@settings(max_examples=40, deadline=None)
@given(st.lists(ANYTHING, min_size=1, max_size=6))
def test_any_text_is_read_and_no_subject_changes_its_neighbours(texts):
    together = EXPLAINED.check(explain_subjects(texts))
    assert together.height == len(texts)
    alone = pl.concat([explain_subjects([text]) for text in texts])
    assert together.equals(alone)
    assert together.equals(explain_subjects(texts[::-1]).reverse())


@settings(max_examples=40, deadline=None)
@given(st.lists(ANYTHING, max_size=8))
def test_any_text_is_cut_and_parsed_by_the_declared_schemas(texts):
    subjects = pl.Series("subject", texts, dtype=pl.String)
    cut = SPLIT.check(split(subjects))
    PARSED.check(parse(cut["head"]))
    assert set(kinds(subjects)["kind"]) <= {"file", "random", "obfuscated", "text"}
    counted = cut.drop_nulls("segment")
    assert ((counted["segment"] >= 1) & (counted["segment"] <= counted["segments"])).all()
