import socket
import threading
import zlib
from itertools import count

import pytest
import stamina

from pipeline.nntp.errors import ConnectionLost, CorruptBlock, LoginRefused, NoSuchGroup, ServerBusy, TooManyConnections
from pipeline.nntp.fetch import IN_FLIGHT, fetch_range
from pipeline.ranges import Range
from tests.pipeline.scripted_server import overview_line, reader, scripted

GROUP = "alt.binaries.test"
END = b".\r\n"


@pytest.fixture(autouse=True)
def without_waits():
    with stamina.set_testing(True, attempts=4):
        yield


@pytest.fixture
def most_open(monkeypatch):
    """Most sockets the client had open at a time, seen from its side: a server notices later that one was closed."""
    sockets, most, lock = set(), [0], threading.Lock()

    class Counted(socket.socket):
        def close(self):
            with lock:
                sockets.discard(self)
            super().close()

    def create(address, timeout):
        connection = Counted()
        connection.settimeout(timeout)
        connection.connect(address)
        with lock:
            sockets.add(connection)
            most[0] = max(most[0], len(sockets))
        return connection

    monkeypatch.setattr("pipeline.nntp.connection.socket.create_connection", create)
    return lambda: most[0]


def span(line):
    first, last = line.split()[1].split("-")
    return range(int(first), int(last) + 1)


def lines(line):
    return b"".join(map(overview_line, span(line)))


def plain(line):
    return [b"224 overview\r\n" + lines(line) + END]


def answers(over=plain, low=1, high=99):
    return {"GROUP": b"211 %d %d %d group\r\n" % (high - low + 1, low, high), "XOVER": over}


def fetched(server, range_=None, **changes):
    settings = {"numbers_per_request": 10, "connections": 3, **changes}
    with fetch_range(server.account(**settings), range_ or Range(1, GROUP, 0, 100)) as blocks:
        return b"".join(block.text for block in blocks)


ALL = b"".join(map(overview_line, range(1, 100)))


@pytest.mark.parametrize("connections", [1, 2, 3, 50])
def test_blocks_come_in_order(connections, most_open):
    with scripted(reader(answers())) as server:
        assert fetched(server, connections=connections) == ALL
    assert most_open() <= connections


def test_only_numbers_the_group_has_are_asked_for():
    asked = []

    def over(line):
        asked.append(line)
        return plain(line)

    with scripted(reader(answers(over, low=33, high=55))) as server:
        fetched(server, connections=1)
        assert asked == ["XOVER 33-42", "XOVER 43-52", "XOVER 53-55"]
        asked.clear()
        with fetch_range(server.account(numbers_per_request=100), Range(1, GROUP, 0, 100), low=20, high=60) as blocks:
            list(blocks)
        assert asked == ["XOVER 20-60"]
        asked.clear()
        assert fetched(server, Range(1, GROUP, 5, 100)) == b""
        assert asked == []


def test_nothing_to_fetch_leaves_no_connection_open():
    with scripted(reader(answers(low=1, high=0))) as server:
        with fetch_range(server.account(), Range(1, GROUP, 0)) as blocks:
            assert list(blocks) == []
        threading.Event().wait(0.1)
        assert server.open == 0


def test_numbers_above_2_to_the_32():
    first = 5_000_000_000
    with scripted(reader(answers(low=1, high=first + 1_000_000))) as server:
        text = fetched(server, Range(1, GROUP, first // 100, 100))
    assert text == b"".join(map(overview_line, range(first, first + 100)))


def test_progress_and_what_is_known_of_the_wire():
    seen = []
    with scripted(reader(answers())) as server:
        account = server.account(numbers_per_request=40)
        with fetch_range(account, Range(1, GROUP, 0, 100), progress=seen.append) as blocks:
            texts = [block.text for block in blocks]
        assert [(step.numbers_done, step.numbers_total) for step in seen] == [(40, 99), (80, 99), (99, 99)]
        assert blocks.form == "plain: plain"
        assert blocks.wire_bytes == sum(map(len, texts)) + 3 * len(b"224 overview\r\n" + END)
        assert blocks.reply.high == 99


def test_reading_ahead_is_bounded():
    asked = []

    def over(line):
        asked.append(line)
        return plain(line)

    with scripted(reader(answers(over, high=9_999))) as server:
        account = server.account(numbers_per_request=10, connections=2)
        with fetch_range(account, Range(1, GROUP, 0, 10_000)) as blocks:
            first = next(blocks)
            threading.Event().wait(0.3)
            assert len(asked) <= 1 + (IN_FLIGHT + 1) * 2
            assert first.first == 1
        threading.Event().wait(0.05)
        assert server.open == 0


@pytest.mark.parametrize("answer", [b"420 none\r\n", b"423 none\r\n", b"224 none\r\n.\r\n"])
def test_holes_are_empty_blocks(answer):
    def over(line):
        return [answer] if 30 in span(line) else plain(line)

    with scripted(reader(answers(over))) as server:
        assert fetched(server) == b"".join(overview_line(n) for n in range(1, 100) if not 21 <= n <= 30)


def cut_off(line):
    raise OSError


BROKEN = {
    "hangs up before answering": cut_off,
    "400 in the middle": lambda line: [b"400 idle timeout\r\n"],
    "group forgotten": lambda line: [b"412 no group selected\r\n"],
    "garbage": lambda line: [b"\xff\xfe garbage\r\n"],
    "corrupt stream": lambda line: [b"224 [COMPRESS=GZIP]\r\n" + zlib.compress(lines(line) + END)[:-4] + b"1234"],
}


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("connections", [1, 3])
def test_passing_faults_lose_and_repeat_nothing(fault, connections, most_open):
    asked = count(1)

    def over(line):
        return BROKEN[fault](line) if next(asked) % 4 == 3 else plain(line)

    with scripted(reader(answers(over))) as server:
        assert fetched(server, connections=connections, timeout=0.5) == ALL
    assert most_open() <= connections


def test_a_truncated_block_is_fetched_again():
    done = set()

    def handle(visit):
        visit.send(b"200 ready\r\n")
        for line in visit.lines():
            if line.startswith("XOVER"):
                whole = b"224 overview\r\n" + lines(line) + END
                if line not in done and 50 in span(line):
                    done.add(line)
                    visit.send(whole[:-20])
                    return
                visit.send(whole)
            else:
                visit.send(b"211 99 1 99 g\r\n" if line.startswith("GROUP") else b"500 what?\r\n")

    with scripted(handle) as server:
        assert fetched(server) == ALL
    assert done


def test_a_stalled_server_is_left():
    stalled = threading.Event()

    def over(line):
        if 50 in span(line) and not stalled.is_set():
            stalled.set()
            threading.Event().wait(1)
        return plain(line)

    with scripted(reader(answers(over))) as server:
        assert fetched(server, timeout=0.3) == ALL


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (b"400 too bad\r\n", ServerBusy),
        (b"224 [COMPRESS=GZIP]\r\n" + zlib.compress(b"x\r\n")[:-1] + b"\0", CorruptBlock),
    ],
)
def test_a_block_that_never_comes_fails_the_range(answer, kind):
    def over(line):
        return [answer] if 55 in span(line) else plain(line)

    with scripted(reader(answers(over))) as server:
        with pytest.raises(kind):
            fetched(server)
        threading.Event().wait(0.1)
        assert server.open == 0


def test_a_server_that_breaks_its_own_compression_is_asked_for_plain_text():
    def handle(visit):
        compressed = False
        visit.send(b"200 ready\r\n")
        for line in visit.lines():
            if line.startswith("XFEATURE"):
                compressed = True
                visit.send(b"290 on\r\n")
            elif line.startswith("XOVER"):
                visit.send(b"224 [COMPRESS=GZIP]\r\nx\x9cjunk junk junk\r\n" if compressed else plain(line)[0])
            else:
                visit.send(b"211 99 1 99 g\r\n" if line.startswith("GROUP") else b"500 what?\r\n")

    with scripted(handle) as server:
        assert fetched(server) == ALL


def test_fewer_connections_are_used_when_the_account_allows_fewer():
    open_now = threading.BoundedSemaphore(2)

    def handle(visit):
        if not open_now.acquire(blocking=False):
            visit.send(b"502 Too many connections\r\n")
            return
        try:
            reader(answers())(visit)
        finally:
            open_now.release()

    with scripted(handle) as server:
        assert fetched(server, connections=8) == ALL


def test_no_connection_allowed_is_an_error_that_says_so():
    with scripted(reader({}, greeting=b"502 connection limit (50) reached\r\n")) as server:
        with pytest.raises(TooManyConnections, match=r"provider\.connections"):
            fetched(server)
        assert server.visits == 4


def test_a_refused_login_is_tried_once():
    with scripted(reader({"AUTHINFO USER": b"381 go on\r\n", "AUTHINFO PASS": b"481 no\r\n"})) as server:
        with pytest.raises(LoginRefused):
            fetched(server, username="joe", password="wrong")
        assert server.visits == 1


def test_a_login_refused_later_fails_the_range():
    refused = threading.Event()

    def login(line):
        refused.set()
        return [b"481 no\r\n"]

    def after_the_refusal(line):
        refused.wait(5)
        return plain(line)

    def handle(visit):
        first = visit.number == 0
        reader({**answers(after_the_refusal), "AUTHINFO USER": b"281 ok\r\n" if first else login})(visit)

    with scripted(handle) as server, pytest.raises(LoginRefused):
        fetched(server, username="joe", password="right")


def test_an_unknown_group_is_tried_once():
    with scripted(reader({"GROUP": b"411 no such group\r\n"})) as server:
        with pytest.raises(NoSuchGroup, match=GROUP):
            fetched(server)
        assert server.visits == 1


def test_nobody_there():
    with scripted(reader({})) as server:
        account = server.account()
    with pytest.raises(ConnectionLost):
        fetch_range(account, Range(1, GROUP, 0))
