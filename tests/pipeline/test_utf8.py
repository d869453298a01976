"""Octets that no server should send are still read."""

from __future__ import annotations

import codecs

from hypothesis import example, given
from hypothesis import strategies as st

from pipeline.utf8 import as_utf8

PIECES = st.sampled_from(
    [b"Se\xf1orita", "Señorita".encode(), b"\x93Faust\x94", "Фауст".encode("cp1251"), "ファウスト".encode("shift_jis"), b"\xf0\x9f\x8e\xac",
     b"\xed\xa0\x80", b"\xe0\x80\x80", b"\xf4\x90\x80\x80", b"\xc0\xaf", b"\xe2\x82", b"\x80", b"\x81", b"\n"]
)  # fmt: skip


def western(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    octets = error.object[error.start : error.end]
    return "".join(bytes([octet]).decode("cp1252", "ignore") or chr(octet) for octet in octets), error.end


codecs.register_error("western", western)


@given(st.binary() | st.lists(PIECES | st.binary(max_size=4)).map(b"".join))
@example(b"\xe2\x82A")
def test_what_is_not_utf8_is_read_as_the_west_writes_it(text: bytes):
    assert as_utf8(text).tobytes() == text.decode("utf-8", "western").encode()


@given(st.text())
def test_utf8_stays_as_it_is(text: str):
    assert as_utf8(text.encode()).tobytes() == text.encode()
