"""A news server that says exactly what a test wants, on loopback: `with scripted(handler) as server: ...`."""

from __future__ import annotations

import re
import socket
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from pipeline.nntp.account import Account


class Visit:
    """One connection of a client: its number (0, 1, ...), the lines it sends, and a way to answer."""

    def __init__(self, number: int, connection: socket.socket) -> None:
        self.number = number
        self._socket = connection
        self._lines = connection.makefile("rb")

    def lines(self) -> Iterator[str]:
        for line in self._lines:
            yield line.decode().rstrip("\r\n")

    def send(self, *packets: bytes) -> None:
        for packet in packets:
            self._socket.sendall(packet)
            if len(packets) > 1:
                time.sleep(0.002)

    def hang_up(self) -> None:
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


class Server:
    """What a test sees of it."""

    def __init__(self, listener: socket.socket) -> None:
        self.port: int = listener.getsockname()[1]
        self.visits = 0
        self.open = 0

    def account(self, **changes: object) -> Account:
        settings = {"host": "127.0.0.1", "port": self.port, "tls": False, "timeout": 5.0, "connections": 1, **changes}
        return Account(**settings)  # type: ignore[arg-type]


@contextmanager
def scripted(handler: Callable[[Visit], None]) -> Iterator[Server]:
    """Serve every connection in a thread by `handler`; the connection closes when it returns."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(listener)
    lock = threading.Lock()

    def visit(connection: socket.socket, number: int) -> None:
        with lock:
            server.open += 1
        one = Visit(number, connection)
        with suppress(OSError, ValueError):
            handler(one)
        with lock:
            server.open -= 1
        one.hang_up()

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                server.visits += 1
                threading.Thread(target=visit, args=(connection, server.visits - 1), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield server
    finally:
        with suppress(OSError):
            listener.shutdown(socket.SHUT_RDWR)
        listener.close()


Answers = dict[str, bytes | Callable[[str], Iterable[bytes]]]


def reader(answers: Answers, *, greeting: bytes = b"200 ready\r\n") -> Callable[[Visit], None]:
    """A handler that answers commands by the first pattern that matches; unknown commands get 500."""

    def handle(visit: Visit) -> None:
        visit.send(greeting)
        for line in visit.lines():
            for pattern, answer in answers.items():
                if re.match(pattern, line):
                    visit.send(*([answer] if isinstance(answer, bytes) else answer(line)))
                    break
            else:
                visit.send({"MODE READER": b"200 reader\r\n", "QUIT": b"205 bye\r\n"}.get(line, b"500 what?\r\n"))

    return handle


def overview_line(number: int) -> bytes:
    """One well-formed line for article `number`, with CRLF."""
    return (
        f'{number}\t"debian-{number}.iso" yEnc (1/1)\tposter@example.org\tThu, 28 Jun 2018 15:25:10 +0000\t<{number}@x.invalid>'
        f"\t\t740000\t5700\tXref: news.invalid alt.binaries.test:{number}\r\n"
    ).encode()
