import random
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pipeline.nntp.errors import ConnectionLost, CorruptBlock, ProtocolError
from pipeline.nntp.wire import Form, Reader, sniff

LINES = b"".join(
    b"%d\tsubject %d\tposter\tdate\t<%d@x.invalid>\t\t%d\t1\r\n" % (n, n * 7, n * 13, n * 99) for n in range(95, 130)
)
END = b".\r\n"
NEXT = b"223 next status\r\n"


def deflated(data, window_bits, level=6):
    compressor = zlib.compressobj(level, wbits=window_bits)
    return compressor.compress(data) + compressor.flush()


def yenc(data, trailer=b"=yend size=-1\r\n"):
    encoded = bytearray()
    for byte in data:
        character = (byte + 42) % 256
        encoded += bytes([ord("="), (character + 64) % 256]) if character in b"\0\r\n=" else bytes([character])
    rows = [bytes(encoded[at : at + 128]) for at in range(0, len(encoded), 128)]
    # An escape pair must stay on one line.
    for at, row in enumerate(rows[:-1]):
        if row.endswith(b"=") and not row.endswith(b"=="):
            rows[at], rows[at + 1] = row[:-1], b"=" + rows[at + 1]
    body = b"".join((b"." + row if row.startswith(b".") else row) + b"\r\n" for row in rows)
    return b"=ybegin line=128 size=-1\r\n" + body + trailer


# Name of the wire form in the field: what follows the status line, whether that is marked, what is seen.
FORMS = {
    "plain": (LINES + END, False, Form.PLAIN),
    "A: zlib, dot after": (deflated(LINES, 15) + END, True, Form.ZLIB),
    "B, C: zlib, dot inside": (deflated(LINES + END, 15), True, Form.ZLIB),
    "B at the fastest level": (deflated(LINES + END, 15, 1), True, Form.ZLIB),
    "gzip, dot inside": (deflated(LINES + END, 31), True, Form.GZIP),
    "raw deflate, dot inside": (deflated(LINES + END, -15), True, Form.RAW),
    "D: yEnc of raw deflate": (yenc(deflated(LINES, -15)) + END, True, Form.YENC),
    "D with the dot inside too": (yenc(deflated(LINES + END, -15)) + END, False, Form.YENC),
    "D': yEnc of zlib": (yenc(deflated(LINES, 15)) + END, False, Form.YENC),
    "D': yEnc of gzip": (yenc(deflated(LINES, 31)) + END, False, Form.YENC),
    "fake marker": (LINES + END, True, Form.PLAIN),
    "compressed without marker": (deflated(LINES + END, 15), False, Form.ZLIB),
    "A without marker": (deflated(LINES, 15) + END, False, Form.ZLIB),
    "double terminator": (deflated(LINES + END, 15) + END, True, Form.ZLIB),
    "A with a blank line before the dot": (deflated(LINES, 15) + b"\r\n" + END, True, Form.ZLIB),
}


def reader_of(*packets):
    waiting = iter([packet for packet in packets if packet])
    return Reader(lambda: next(waiting, b""))


@pytest.mark.parametrize("name", FORMS)
def test_every_form_gives_the_lines_wherever_packets_are_cut(name):
    data, marked, form = FORMS[name]
    stream = data + NEXT
    for cut in range(len(stream) + 1):
        reader = reader_of(stream[:cut], stream[cut:])
        block = reader.block(1 << 20, marked=marked)
        assert (block.text, block.form) == (LINES, form)
        assert reader.status() == NEXT.strip()


@given(st.sampled_from(sorted(FORMS)), st.randoms(use_true_random=False))
def test_replies_in_a_row_are_told_apart_in_any_packets(name, rng):
    data, marked, _ = FORMS[name]
    stream = b"224 one\r\n" + data + b"224 two\r\n" + data + NEXT
    cuts = sorted(rng.sample(range(1, len(stream)), rng.randrange(12)))
    reader = reader_of(*(stream[a:b] for a, b in zip([0, *cuts], [*cuts, len(stream)], strict=True)))
    for status in (b"224 one", b"224 two"):
        assert reader.status() == status
        assert reader.block(1 << 20, marked=marked).text == LINES
    assert reader.status() == NEXT.strip()


@pytest.mark.parametrize("name", FORMS)
def test_one_byte_a_packet(name):
    data, marked, _ = FORMS[name]
    reader = reader_of(*(bytes([byte]) for byte in data + NEXT))
    assert reader.block(1 << 20, marked=marked).text == LINES
    assert reader.status() == NEXT.strip()
    assert reader.wire_bytes == len(data + NEXT)


@pytest.mark.parametrize("name", [name for name in FORMS if "double" not in name])
def test_a_truncated_block_is_never_taken_for_a_whole_one(name):
    data, marked, _ = FORMS[name]
    for length in range(len(data)):
        if name == "plain" and data[:length].endswith(b"\n."):
            continue
        with pytest.raises((ConnectionLost, CorruptBlock)):
            reader_of(data[:length]).block(1 << 20, marked=marked)


@given(st.data())
def test_a_corrupt_checked_stream_is_an_error_or_unharmed(data):
    good = deflated(LINES + END, data.draw(st.sampled_from([15, 31])))
    at = data.draw(st.integers(2, len(good) - 1))
    bad = bytearray(good)
    bad[at] ^= data.draw(st.integers(1, 255))
    try:
        text = reader_of(bytes(bad)).block(1 << 20, marked=True).text
    except (CorruptBlock, ConnectionLost, ProtocolError):
        return
    assert text == LINES  # a bit of the gzip header that means nothing


@pytest.mark.parametrize("sum_over", [deflated(LINES, -15), LINES])
def test_yenc_trailer_sums_over_either_side_are_checked(sum_over):
    raw = deflated(LINES, -15)
    good = yenc(raw, b"=yend crc32=%08x\r\n" % zlib.crc32(sum_over))
    assert reader_of(good + END).block(1 << 20, marked=True).text == LINES
    bad = yenc(raw, b"=yend crc32=%08x\r\n" % (zlib.crc32(sum_over) ^ 1))
    with pytest.raises(CorruptBlock):
        reader_of(bad + END).block(1 << 20, marked=True)


@pytest.mark.parametrize("window_bits", [15, 31, -15])
@pytest.mark.parametrize("wrap", [bytes, lambda data: yenc(data) + END])
def test_a_bomb_is_refused(window_bits, wrap):
    bomb = wrap(deflated(b"1\ta\r\n" * 4_000_000, window_bits))
    with pytest.raises(CorruptBlock):
        reader_of(bomb).block(1 << 20, marked=True)


def test_endless_plain_text_is_refused():
    packets = iter(lambda: b"1\ta\r\n" * 10_000, None)
    with pytest.raises(ProtocolError):
        Reader(lambda: next(packets)).block(1 << 20)


def test_an_endless_status_line_is_refused():
    with pytest.raises(ProtocolError):
        Reader(lambda: b"2" * 1000).status()


@pytest.mark.parametrize("text", [b"", b"\r\n", b"one\n.\n"[:4], b"a\rb\0c\r\n", b"1\ta\n2\tb\n"])
def test_plain_blocks_of_odd_lines_end_at_the_dot(text):
    reader = reader_of(text + END + NEXT)
    assert reader.block(1 << 20).text == text
    assert reader.status() == NEXT.strip()


def test_a_dot_line_with_lf_only_ends_a_block():
    assert reader_of(b"1\ta\n.\n").block(1 << 20).text == b"1\ta\n"


@pytest.mark.parametrize("compressed", [False, True])
def test_unstuffing_drops_exactly_one_dot(compressed):
    data = b"1\ta\r\n..x\r\n...\r\n..\r\n"
    stream = deflated(data + END, 15) if compressed else data + END
    assert reader_of(stream).block(1 << 20, marked=compressed).text == b"1\ta\r\n.x\r\n..\r\n.\r\n"


@pytest.mark.parametrize("form", ["A", "B"])
def test_an_empty_compressed_block(form):
    stream = deflated(b"", 15) + END if form == "A" else deflated(END, 15)
    reader = reader_of(stream + NEXT)
    assert reader.block(1 << 20, marked=True).text == b""
    assert reader.status() == NEXT.strip()


def test_terminator_bytes_inside_compressed_data_end_nothing():
    rng = random.Random(1)
    for _ in range(50):
        text = b"1\t" + rng.randbytes(200).replace(b"\n", b"") + b"\r\n.\r\nx\r\n"
        stored = deflated(text + END, 15, 0)  # level 0 keeps the bytes as they are
        assert b"\r\n.\r\n" in stored
        assert reader_of(stored + NEXT).block(1 << 20, marked=True).text == text


def test_a_clear_stream_followed_by_something_else_is_a_protocol_error():
    with pytest.raises(ProtocolError):
        reader_of(deflated(LINES, 15) + NEXT).block(1 << 20, marked=True)


def test_sniffing_does_not_take_numbers_for_streams():
    # `8` is a legal first byte of a zlib stream, `80` a legal header.
    assert sniff(b"80\tsubject", marked=True) is Form.PLAIN
    assert sniff(b"80", marked=True) is None
    assert sniff(b"5000000000\tsubject", marked=True) is Form.PLAIN
    assert sniff(b"\xef\xbb\xbf1\tsubject", marked=False) is Form.PLAIN
    assert sniff(b"x", marked=False) is None
    assert sniff(b"x\x01", marked=False) is Form.ZLIB


class Session:
    """The server's side of COMPRESS DEFLATE."""

    def __init__(self):
        self.compressor = zlib.compressobj(wbits=-15)

    def sent(self, data):
        return self.compressor.compress(data) + self.compressor.flush(zlib.Z_SYNC_FLUSH)


def test_deflate_is_one_stream_over_the_session_even_when_it_starts_in_the_same_packet():
    session = Session()
    clear, first, second = (
        b"206 active\r\n",
        session.sent(b"224 ok\r\n" + LINES + END),
        session.sent(b"224 ok\r\n" + LINES + END),
    )
    stream = clear + first + second
    assert len(second) < len(first) / 2  # the window is kept
    for cut in range(len(stream)):
        reader = reader_of(stream[:cut], stream[cut:])
        assert reader.status() == b"206 active"
        reader.start_deflate()
        for _ in range(2):
            assert reader.status() == b"224 ok"
            block = reader.block(1 << 20)
            assert (block.text, block.form) == (LINES, Form.PLAIN)


def test_a_deflate_session_bomb_is_refused():
    reader = reader_of(Session().sent(b"1\ta\r\n" * 4_000_000))
    reader.start_deflate()
    with pytest.raises(ProtocolError):
        reader.block(1 << 20)


def test_a_large_block_through_a_deflate_session():
    text = LINES * 3000
    session = Session()
    stream = session.sent(text + END) + session.sent(NEXT)
    reader = reader_of(*(stream[at : at + 1000] for at in range(0, len(stream), 1000)))
    reader.start_deflate()
    assert reader.block(1 << 24).text == text
    assert reader.status() == NEXT.strip()


def test_corrupt_session_is_an_error():
    reader = reader_of(b"\xff" * 50)
    reader.start_deflate()
    with pytest.raises(CorruptBlock):
        reader.status()
