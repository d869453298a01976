from datetime import UTC, datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.overview import LINE_LIMIT, parse
from pipeline.schema import OVERVIEW, REJECTED

NOW = datetime(2026, 12, 2, tzinfo=UTC)
POSTED = datetime(2018, 6, 28, 15, 25, 10, tzinfo=UTC)
DATE = b"Thu, 28 Jun 2018 15:25:10 +0000"


def line(number=b"5", subject=b"debian.iso (1/2)", poster=b"p <p@example.org>", date=DATE, message_id=b"<a@x.invalid>",
         references=b"", size=b"740000", lines=b"5700", xref=b"Xref: news.invalid alt.binaries.test:5", end=b"\r\n"):  # fmt: skip
    return b"\t".join((number, subject, poster, date, message_id, references, size, lines, xref)) + end


def read(text, first=1, last=100):
    """The parsed block, after what must hold for every block."""
    parsed = parse(text, first, last, NOW)
    OVERVIEW.check(parsed.overview)
    REJECTED.check(parsed.rejected)
    assert parsed.lines == parsed.overview.height + parsed.rejected.height
    assert parsed.lines == len(text.removesuffix(b"\n").split(b"\n")) * bool(text)
    numbers = parsed.overview["number"]
    assert numbers.to_list() == sorted(set(numbers.to_list()))
    assert numbers.is_between(first, last).all()
    return parsed


def row(text, **changes):
    parsed = read(text)
    assert parsed.rejected.rows() == []
    return parsed.overview.row(0, named=True)


def reasons(text):
    return read(text).rejected["reason"].to_list()


def test_a_line_as_it_should_be():
    assert row(line()) == {
        "number": 5,
        "subject": "debian.iso (1/2)",
        "poster": "p <p@example.org>",
        "posted_at": POSTED,
        "message_id": "a@x.invalid",
        "references": "",
        "bytes": 740000,
        "xref": "alt.binaries.test:5",
    }


@pytest.mark.parametrize("text", [b"", b"\r\n", b"\n\n", b"x", b"1\ta\r\n", b"1\ta\tb\tc\r\nx"])
def test_few_or_no_fields(text):
    assert set(reasons(text)) <= {"fields"}


def test_a_rejected_line_is_kept_as_it_came():
    parsed = read(line() + b"caf\xe9 \x00 \r no tabs\r\n" + line(b"6"))
    assert parsed.rejected.rows() == [(b"caf\xe9 \x00 \r no tabs", "fields")]
    assert parsed.overview["number"].to_list() == [5, 6]


@pytest.mark.parametrize("number", [b"", b"x", b"-5", b"0x5", b"5 6", b"9" * 19, b"1e3", b"5.0"])
def test_bad_numbers(number):
    assert reasons(line(number)) == ["number"]


@pytest.mark.parametrize("number", [b"0000000005", b"5"])
def test_leading_zeros_are_legal(number):
    assert row(line(number))["number"] == 5


def test_numbers_above_2_to_the_32():
    assert read(line(b"5000000123"), 5_000_000_000, 5_000_009_999).overview["number"].to_list() == [5_000_000_123]


@pytest.mark.parametrize("message_id", [b"", b"a@x.invalid", b"<>", b"<a@x.invalid", b"a@x.invalid>"])
def test_missing_or_naked_message_ids(message_id):
    assert reasons(line(message_id=message_id)) == ["message_id"]


@pytest.mark.parametrize(
    "message_id", [b"<a b@x>", b"<" + b"a" * 300 + b"@x>", b"<$&*%!=?{}|~^`'>", b"<<a>>", b"<no-at>"]
)
def test_odd_message_ids_are_kept(message_id):
    assert row(line(message_id=message_id))["message_id"] == message_id[1:-1].decode()


def test_a_nul_becomes_a_space():
    found = row(line(subject=b"a\0b", message_id=b"<a\0b@x>"))
    assert (found["subject"], found["message_id"]) == ("a b", "a b@x")


def test_a_lone_cr_becomes_a_space_and_ends_nothing():
    found = row(line(subject=b"a\rb", xref=b"Xref: h g:5\r", end=b"\r\n"))
    assert (found["subject"], found["xref"]) == ("a b", "g:5")


def test_lf_only_lines():
    assert read(line(end=b"\n") + line(b"6", end=b"\n") + line(b"7", end=b"")).overview["number"].to_list() == [5, 6, 7]


def test_a_newline_inside_a_line_loses_nothing():
    assert reasons(line(subject=b"a\nb")) == ["fields", "number"]


@pytest.mark.parametrize(("size", "expected"), [(b"", 0), (b"-5", 0), (b"0", 0), (b"5000000000", 5_000_000_000)])
def test_sizes(size, expected):
    assert row(line(size=size))["bytes"] == expected


@pytest.mark.parametrize("kept", [4, 5, 6, 7])
def test_trailing_tabs_may_be_missing(kept):
    short = b"\t".join(line().split(b"\t")[: kept + 1]) + b"\r\n"
    found = row(short)
    assert found["message_id"] == "a@x.invalid"
    assert found["xref"] == ""
    assert found["bytes"] == (740000 if kept >= 6 else 0)


@pytest.mark.parametrize(
    ("xref", "expected"),
    [
        (b"Xref: news.invalid alt.binaries.test:5", "alt.binaries.test:5"),
        (b"xref: news.invalid a.b:5 c.d:6", "a.b:5 c.d:6"),
        (b"XREF:news.invalid a.b:5", "a.b:5"),
        (b"news.invalid a.b:5 c.d:6", "a.b:5 c.d:6"),
        (b"Xref: a.b:5 c.d:6", "a.b:5 c.d:6"),
        (b"", ""),
        (b"Xref:", ""),
        (b"Xref: ", ""),
        (b"Xref: news.invalid", ""),
    ],
)
def test_xref_with_and_without_name_and_server(xref, expected):
    assert row(line(xref=xref))["xref"] == expected


def test_xref_is_found_after_other_extra_fields():
    assert row(line(xref=b"Distribution: world\tXref: h a.b:5"))["xref"] == "a.b:5"
    assert row(line(xref=b"Xref: h a.b:5\tDistribution: world"))["xref"] == "a.b:5"
    assert row(line(xref=b"Distribution: world"))["xref"] == ""


@pytest.mark.parametrize("references", [b"(null)", b"null"])
def test_null_references(references):
    assert row(line(references=references))["references"] == ""


@pytest.mark.parametrize(
    ("dirty", "subject", "poster", "references"),
    [
        ({"subject": b"two\tparts"}, "two parts", "p <p@example.org>", ""),
        ({"subject": b"\t\tthree"}, "  three", "p <p@example.org>", ""),
        ({"poster": b"p\t<p@example.org>"}, "debian.iso (1/2) p", "<p@example.org>", ""),
        ({"subject": b"<a@b>\tx"}, "<a@b> x", "p <p@example.org>", ""),
        ({"references": b"<r@x>\t<s@x>"}, "debian.iso (1/2)", "p <p@example.org>", "<r@x> <s@x>"),
        ({"subject": b"a\tb", "references": b"<r@x>\t<s@x>\t<t@x>"}, "a b", "p <p@example.org>", "<r@x> <s@x> <t@x>"),
    ],
)
def test_raw_tabs_in_a_field(dirty, subject, poster, references):
    found = row(line(**dirty))
    assert (found["subject"], found["poster"], found["references"]) == (subject, poster, references)
    assert (found["posted_at"], found["message_id"], found["bytes"]) == (POSTED, "a@x.invalid", 740000)
    assert found["xref"] == "alt.binaries.test:5"


def test_an_empty_subject_is_legal():
    assert row(line(subject=b""))["subject"] == ""


def test_quotes_mean_nothing():
    parsed = read(line(subject=b'"open') + line(b"6", subject=b'clo"sed"'))
    assert parsed.overview["subject"].to_list() == ['"open', 'clo"sed"']


def test_text_that_is_not_utf_8_is_western():
    parsed = read(
        line(b"5", subject="Käse".encode("latin-1"))
        + line(b"6", subject="Käse €".encode())
        + line(b"7", subject="price €".encode("cp1252"))
        + line(b"8", subject=b"\x81 has no character in cp1252")
    )
    assert parsed.overview["subject"].to_list() == ["Käse", "Käse €", "price €", "\x81 has no character in cp1252"]


def test_a_byte_order_mark_costs_at_most_its_line():
    parsed = read(b"\xef\xbb\xbf" + line(b"5") + line(b"6"))
    assert 6 in parsed.overview["number"].to_list()


def test_very_long_lines():
    assert len(row(line(subject=b"x" * 20_000))["subject"]) == 20_000
    assert reasons(line(subject=b"x" * LINE_LIMIT)) == ["fields"]
    assert reasons(line(message_id=b"<" + b"x" * LINE_LIMIT + b">")) == ["fields"]


def test_unsorted_rows_duplicates_and_rows_not_asked_for():
    text = (
        line(b"9")
        + line(b"7", subject=b"first")
        + line(b"101")
        + line(b"7", subject=b"second")
        + line(b"0")
        + line(b"8")
    )
    parsed = read(text)
    assert parsed.overview["number"].to_list() == [7, 8, 9]
    assert parsed.overview["subject"][0] == "first"
    assert sorted(parsed.rejected["reason"].to_list()) == ["duplicate", "outside_range", "outside_range"]
    assert line(b"7", subject=b"second", end=b"") in parsed.rejected["raw"].to_list()


def test_dates_not_believed_are_null():
    parsed = read(
        line(date=b"Thu, 01 Jan 1970 00:00:00 GMT")
        + line(b"6", date=b"Thu, 28 Jun 18 15:25:10 UTC")
        + line(b"7", date=b"")
    )
    assert parsed.overview["posted_at"].to_list() == [None, POSTED, None]


good = st.builds(line, number=st.integers(1, 100).map(lambda n: b"%d" % n))
field = st.binary(max_size=20).map(lambda data: data.replace(b"\n", b""))
dirty = st.builds(
    line, number=st.integers(-5, 105).map(lambda n: b"%d" % n) | field, subject=field, poster=field, date=field | st.just(DATE),
    message_id=field | st.just(b"<a@b>"), references=field, size=field | st.just(b"5"), xref=field, end=st.sampled_from([b"\n", b"\r\n"]),
)  # fmt: skip
junk = st.binary(max_size=60).map(lambda data: data.replace(b"\n", b" ") + b"\n")


@given(st.lists(good | dirty | junk, max_size=30))
def test_every_line_is_a_row_or_rejected(lines):
    read(b"".join(lines))


@given(st.binary(max_size=300))
def test_no_bytes_break_it(text):
    read(text)


@given(st.lists(good | dirty | junk, max_size=20))
def test_a_bad_line_does_not_change_its_neighbours(lines):
    clean = [line(b"%d" % number) for number in range(201, 204)]
    parsed = parse(b"".join([*lines, *clean]), 1, 300, NOW)
    kept = parsed.overview.filter(pl.col("number").is_between(201, 203) & (pl.col("message_id") == "a@x.invalid"))
    assert kept["number"].to_list() == [201, 202, 203]
