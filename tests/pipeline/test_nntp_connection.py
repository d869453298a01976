import zlib

import pytest

from pipeline.nntp.connection import ActiveGroup, Compression, connect
from pipeline.nntp.errors import (
    ConnectionLost,
    LoginRefused,
    NoSuchGroup,
    NotPermitted,
    PassingFault,
    ProtocolError,
    ServerBusy,
    TooManyConnections,
    refusal,
)
from tests.pipeline.scripted_server import overview_line, reader, scripted

LINES = overview_line(1) + overview_line(2)
END = b".\r\n"


@pytest.mark.parametrize(
    ("code", "text", "kind"),
    [
        (400, "host: Idle timeout.", ServerBusy),
        (400, "too many connections", TooManyConnections),
        (403, "cannot now", ServerBusy),
        (411, "no such group", NoSuchGroup),
        (412, "no group selected", ServerBusy),
        (480, "authentication required", LoginRefused),
        (481, "bad login", LoginRefused),
        (481, "Authentication failed: connection limit (50) reached", TooManyConnections),
        (482, "Authentication rejected, max connections exceeded", TooManyConnections),
        (482, "out of sequence", LoginRefused),
        (481, "account expired", LoginRefused),
        (502, "Too many connections", TooManyConnections),
        (502, "download limit exceeded", NotPermitted),
        (502, "no permission", NotPermitted),
        (502, "Access denied", LoginRefused),
        (502, "out of credits", LoginRefused),
        (500, "what?", ProtocolError),
        (503, "not supported", ProtocolError),
    ],
)
def test_refusals_are_told_apart_by_code_and_text(code, text, kind):
    error = refusal(code, text, "asking")
    assert type(error) is kind
    assert text in str(error)
    assert ";" in str(error)  # what to do follows


def test_what_is_worth_a_retry():
    assert issubclass(TooManyConnections, PassingFault)
    assert not issubclass(LoginRefused, PassingFault)
    assert not issubclass(NoSuchGroup, PassingFault)
    assert not issubclass(NotPermitted, PassingFault)


@pytest.mark.parametrize("greeting", [b"400 too many connections\r\n", b"502 connection limit (50) reached\r\n"])
def test_a_refusing_greeting_at_the_limit(greeting):
    with scripted(reader({}, greeting=greeting)) as server, pytest.raises(TooManyConnections):
        connect(server.account())


@pytest.mark.parametrize("greeting", [b"HTTP/1.1 400 Bad Request\r\n", b"22000 five digits\r\n", b"\x00\x01\x02\r\n"])
def test_what_is_no_news_server_is_said(greeting):
    with scripted(reader({}, greeting=greeting)) as server, pytest.raises(ProtocolError, match="news server"):
        connect(server.account())


def test_a_status_without_text_is_fine():
    with (
        scripted(reader({"GROUP": b"211\r\n"}, greeting=b"200\r\n")) as server,
        connect(server.account()) as connection,
    ):
        assert connection.group("a").high == 0


def test_nobody_there():
    with scripted(reader({})) as server:
        account = server.account()
    with pytest.raises(ConnectionLost, match=r"provider\.port"):
        connect(account)


def test_a_stall_ends_by_the_timeout():
    with scripted(lambda visit: list(visit.lines())) as server, pytest.raises(ConnectionLost, match=r"0\.2 s"):
        connect(server.account(timeout=0.2))


LOGIN = {
    "AUTHINFO USER joe": b"381 password\r\n",
    "AUTHINFO PASS right": b"281 welcome\r\n",
    "AUTHINFO PASS": b"481 bad login\r\n",
}


def test_login_with_and_without_password_asked():
    for answers in (LOGIN, {"AUTHINFO USER joe": b"281 welcome\r\n"}):
        with scripted(reader(answers)) as server:
            connect(server.account(username="joe", password="right")).close()


def test_a_wrong_password_is_refused_and_not_shown():
    with scripted(reader(LOGIN)) as server:
        account = server.account(username="joe", password="wrong-secret")
        with pytest.raises(LoginRefused) as caught:
            connect(account)
    assert "wrong-secret" not in str(caught.value)
    assert "wrong-secret" not in repr(account)


def test_a_login_at_the_connection_limit_is_no_wrong_password():
    answers = {"AUTHINFO USER": b"381 go on\r\n", "AUTHINFO PASS": b"502 Too many connections\r\n"}
    with scripted(reader(answers)) as server, pytest.raises(TooManyConnections):
        connect(server.account(username="joe", password="right"))


def test_no_permission_at_login_is_a_refused_login():
    answers = {"AUTHINFO USER": b"502 no\r\n"}
    with scripted(reader(answers)) as server, pytest.raises(LoginRefused):
        connect(server.account(username="joe", password="right"))


def test_a_line_break_cannot_smuggle_a_command():
    with scripted(reader(LOGIN)) as server:
        with pytest.raises(ProtocolError) as caught:
            connect(server.account(username="joe", password="secret\r\nQUIT"))
        assert "secret" not in str(caught.value)
        with connect(server.account()) as connection, pytest.raises(ProtocolError):
            connection.group("a\r\nQUIT")
        with connect(server.account()) as connection, pytest.raises(ProtocolError):
            connection.group("a" * 600)


@pytest.mark.parametrize(
    ("reply", "count", "low", "high"),
    [
        (b"211 10 1 20 alt.binaries.test\r\n", 10, 1, 20),
        (b"211 10 1 20 alt.binaries.test group selected\r\n", 10, 1, 20),
        (b"211 0 1 0 alt.binaries.test\r\n", 0, 1, 0),
        (b"211 0 0 0 alt.binaries.test\r\n", 0, 0, 0),
        (b"211 0 5000000001 5000000000 alt.binaries.test\r\n", 0, 5000000001, 5000000000),
        (b"211 6350000000 0000000001 6350000000 alt.binaries.test\r\n", 6350000000, 1, 6350000000),
        (b"211 alt.binaries.test\r\n", 0, 0, 0),
    ],
)
def test_group_replies(reply, count, low, high):
    with scripted(reader({"GROUP": reply})) as server, connect(server.account()) as connection:
        found = connection.group("alt.binaries.test")
    assert (found.count, found.low, found.high) == (count, low, high)


def test_list_active_takes_only_whole_rows():
    answer = (
        b"215 list\r\nalt.binaries.a 0000000020 0000000001 y\r\nalt.binaries.b 0 1 m\r\nbroken\r\nalt.c x y n\r\n" + END
    )
    with scripted(reader({"LIST ACTIVE": answer})) as server, connect(server.account()) as connection:
        assert connection.list_active() == [ActiveGroup("alt.binaries.a", 1, 20), ActiveGroup("alt.binaries.b", 1, 0)]


@pytest.mark.parametrize(
    "reply", [b"420 none\r\n", b"423 none\r\n", b"224 none\r\n.\r\n", b"224 [COMPRESS=GZIP]\r\n" + zlib.compress(END)]
)
def test_all_ways_to_say_no_article(reply):
    with scripted(reader({"XOVER": reply})) as server, connect(server.account()) as connection:
        assert connection.over(1, 2).text == b""
        assert connection.over(1, 2).text == b""


MARKED = b"224 overview [compress=gzip]\r\n"
WAYS = {
    Compression.TERMINATOR: (
        {"XFEATURE COMPRESS GZIP TERMINATOR": b"290 on\r\n", "XOVER": MARKED + zlib.compress(LINES + END)},
        f"{Compression.TERMINATOR}: zlib",
    ),
    Compression.GZIP: (
        {
            "XFEATURE COMPRESS GZIP TERMINATOR": b"501 syntax\r\n",
            "XFEATURE COMPRESS GZIP": b"290 on\r\n",
            "XOVER": MARKED + zlib.compress(LINES) + END,
        },
        f"{Compression.GZIP}: zlib",
    ),
    Compression.XZVER: (
        {"XZVER 1-1": b"412 no group\r\n", "XZVER": MARKED + zlib.compress(LINES + END)},
        "XZVER: zlib",
    ),
    Compression.PLAIN: ({"XOVER": b"224 overview\r\n" + LINES + END}, "plain: plain"),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_best_compression_a_server_knows_is_used(way):
    answers, form = WAYS[way]
    with scripted(reader(answers)) as server, connect(server.account()) as connection:
        assert connection.compression is way
        block = connection.over(1, 2)
        assert (block.text, block.form) == (LINES, form)
        assert connection.over(1, 2).text == LINES


def test_pipelined_replies_in_one_packet():
    def handle(visit):
        visit.send(b"200 ready\r\n")
        asked = 0
        for line in visit.lines():
            if line.startswith("XOVER"):
                asked += 1
                if asked == 3:
                    visit.send(b"".join(MARKED + zlib.compress(overview_line(n) + END) for n in (1, 2, 3)))
            else:
                visit.send(b"290 on\r\n" if line.endswith("TERMINATOR") else b"500 what?\r\n")

    with scripted(handle) as server, connect(server.account()) as connection:
        for number in (1, 2, 3):
            connection.send_over(number, number)
        assert [connection.read_over(n, n).text for n in (1, 2, 3)] == [overview_line(n) for n in (1, 2, 3)]


def test_compress_deflate_both_ways():
    def handle(visit):
        visit.send(b"200 ready\r\n")
        compressor = None
        for line in visit.lines():
            if line == "CAPABILITIES":
                visit.send(b"101 list\r\nVERSION 2\r\nCOMPRESS DEFLATE\r\n.\r\n")
            elif line == "COMPRESS DEFLATE":
                # The first compressed bytes may travel with the clear reply; here they are an early answer to XOVER.
                compressor = zlib.compressobj(wbits=-15)
                answer = compressor.compress(b"224 ok\r\n" + LINES + END) + compressor.flush(zlib.Z_SYNC_FLUSH)
                visit.send(b"206 active\r\n" + answer)
            elif compressor is None:
                visit.send(b"500 what?\r\n")

    with scripted(handle) as server, connect(server.account()) as connection:
        assert connection.compression is Compression.DEFLATE
        assert connection.over(1, 2).text == LINES


def test_a_remembered_compression_is_asked_for_at_once():
    seen = []

    def handle(visit):
        visit.send(b"200 ready\r\n")
        for line in visit.lines():
            seen.append(line)
            visit.send(b"290 on\r\n" if line.startswith("XFEATURE") else b"200 ok\r\n")

    with scripted(handle) as server:
        connect(server.account(), Compression.GZIP).close()
    assert seen == ["MODE READER", "XFEATURE COMPRESS GZIP"]
