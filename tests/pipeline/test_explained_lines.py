"""Lines given to be explained: subjects and overview lines in any mixture, and lines that are neither."""

import pytest

from pipeline.explain import READ, explain_lines, read_lines

LINE = b'%d\tDebian [1/2] - "d.rar" yEnc (%d/3)\tu <u@h.example>\tTue, 05 May 2009 10:00:00 GMT\t<QwErTyUiOpAsDfGhJkLzXcVb-1700000000123@nyuu>\t\t1000\t10\tXref: s a.b.test:5'  # fmt: skip


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_subjects_and_overview_lines_keep_their_order(end):
    text = end.join([b'"f.rar" yEnc (1/2)', LINE % (9, 1), b"", LINE % (5, 2), LINE % (5, 2), b"Re: hello"]) + end
    lines, unreadable = read_lines(text)
    assert unreadable == []
    told = explain_lines(READ.check(lines))
    assert told["segment"].to_list() == [1, 1, 2, 2, None]
    assert told["tool"].to_list() == [None, "Nyuu", "Nyuu", "Nyuu", None]


def test_a_line_that_is_neither_is_named_and_the_others_are_read():
    lines, unreadable = read_lines(
        b"hello\n12\tcut off\tu@h.example\nno number\tx\tu@h.example\tdate\t<a@b>\n\nhello\n"
    )
    assert lines["subject"].to_list() == ["hello", "hello"]
    assert [(line.place, line.raw, line.reason) for line in unreadable] == [
        (2, b"12\tcut off\tu@h.example", "fields"),
        (3, b"no number\tx\tu@h.example\tdate\t<a@b>", "number"),
    ]


@pytest.mark.parametrize("text", [b"", b"\n", b"\r\n \n", b"\xef\xbb\xbf"])
def test_nothing_is_nothing(text):
    lines, unreadable = read_lines(text)
    assert (lines.height, unreadable) == (0, [])


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("Märchen".encode(), "Märchen"),
        ("Märchen".encode("latin-1"), "Märchen"),
        (b"M\x84rchen\x81 \x93x\x94", "M\u201erchen\x81 \u201cx\u201d"),
        (b"\xef\xbb\xbfFaust", "Faust"),
    ],
)
def test_no_byte_is_dropped(written, read):
    assert read_lines(written)[0]["subject"].to_list() == [read]
