"""One connection to a news server: TLS, login, compression, and the commands an indexer needs."""

from __future__ import annotations

import contextlib
import enum
import re
import socket
import ssl
import zlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, Self

from pipeline.nntp.errors import (
    CertificateRefused,
    ConnectionLost,
    LoginRefused,
    NntpError,
    PassingFault,
    ProtocolError,
    refusal,
)
from pipeline.nntp.wire import Reader

if TYPE_CHECKING:
    from pipeline.nntp.account import Account

_RECEIVE = 1 << 18
_COMMAND_LIMIT = 512
_LIST_LIMIT = 64 << 20
_BYTES_PER_NUMBER = 4096
_SMALLEST_LIMIT = 1 << 20
_MARK = re.compile(r"\[COMPRESS=GZIP\]", re.IGNORECASE)
_STATUS = re.compile(r"(\d{3})(?:[ \t-]\s*(.*))?")
_BREAKS = re.compile(r"[\0\r\n]")
_EMPTY = {420, 423}
_UNKNOWN = {500, 501, 502, 503}


class Deflater(Protocol):
    """A compressor of `zlib`, whose class has no name to import before Python 3.13."""

    def compress(self, data: bytes, /) -> bytes:
        """Take more data."""
        ...

    def flush(self, mode: int, /) -> bytes:
        """Give out what was taken so far."""
        ...


class Compression(enum.StrEnum):
    """How replies are asked to be compressed, in order of preference."""

    DEFLATE = "COMPRESS DEFLATE"
    TERMINATOR = "XFEATURE COMPRESS GZIP TERMINATOR"
    GZIP = "XFEATURE COMPRESS GZIP"
    XZVER = "XZVER"
    PLAIN = "plain"


@dataclass(frozen=True, slots=True)
class GroupReply:
    """What GROUP said. `high < low` means empty. `count` is an estimate; `text` is the reply as sent."""

    count: int
    low: int
    high: int
    text: str


@dataclass(frozen=True, slots=True)
class ActiveGroup:
    """One line of LIST ACTIVE. `high < low` means empty."""

    name: str
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class OverviewBlock:
    """The answer to one XOVER.

    Attributes:
        first: lowest number asked for.
        last: highest number asked for.
        text: the lines as sent, inflated, without terminator; empty when there is no article.
        wire_bytes: bytes received while it was read; with pipelining some may belong to the next block, sums are exact.
        form: `<compression agreed>: <form seen>`, e.g. `XZVER: zlib`; empty when the server said there is no article.
    """

    first: int
    last: int
    text: bytes
    wire_bytes: int
    form: str


@dataclass(frozen=True, slots=True)
class _Status:
    code: int
    text: str

    @property
    def marked(self) -> bool:
        return _MARK.search(self.text) is not None


class Connection:
    """A logged-in connection; see `connect`. Not for several threads, except `close`.

    Attributes:
        compression: what was agreed with the server.
    """

    compression: Compression

    def __init__(self, plain: socket.socket, account: Account) -> None:
        self._account = account
        self._socket = plain
        self._reader = Reader(self._receive)
        self._deflate: Deflater | None = None
        self.compression = Compression.PLAIN

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.quit()

    def group(self, name: str) -> GroupReply:
        """Select a group.

        Raises:
            NoSuchGroup: the provider does not carry it.
        """
        status = self._ask(f"GROUP {name}", {211})
        numbers = [int(word) if word.isdecimal() else 0 for word in status.text.split()[:3]]
        count, low, high = (*numbers, 0, 0, 0)[:3]
        return GroupReply(count, low, high, f"{status.code} {status.text}")

    def list_active(self, wildmat: str = "*") -> list[ActiveGroup]:
        """LIST ACTIVE: groups whose names match `wildmat`, with their low and high marks."""
        status = self._ask(f"LIST ACTIVE {wildmat}", {215})
        text = self._reader.block(_LIST_LIMIT, marked=status.marked).text.decode("utf-8", "replace")
        rows = (line.split() for line in text.splitlines())
        return [
            ActiveGroup(row[0], int(row[2]), int(row[1]))
            for row in rows
            if len(row) >= 3 and row[1].isdecimal() and row[2].isdecimal()
        ]

    def over(self, first: int, last: int) -> OverviewBlock:
        """Overview lines of `first..last` of the selected group."""
        self.send_over(first, last)
        return self.read_over(first, last)

    def send_over(self, first: int, last: int) -> None:
        """Ask for a block without waiting; `read_over` takes the answers in the same order."""
        self._send(f"{self._verb} {first}-{last}")

    def read_over(self, first: int, last: int) -> OverviewBlock:
        """The answer to the oldest `send_over`: empty when the server says 420, 423 or sends no line."""
        before = self._reader.wire_bytes
        status = self._read()
        if status.code in _EMPTY:
            return OverviewBlock(first, last, b"", self._reader.wire_bytes - before, "")
        if status.code != 224:
            raise refusal(status.code, status.text, f"{self._verb} {first}-{last}")
        block = self._reader.block(_limit(first, last), marked=status.marked)
        form = f"{self.compression}: {block.form}"
        return OverviewBlock(first, last, block.text, self._reader.wire_bytes - before, form)

    def date(self) -> str:
        """The server's clock as `YYYYMMDDhhmmss` in UTC."""
        return self._ask("DATE", {111}).text.strip()

    def quit(self) -> None:
        """Say goodbye and close."""
        with contextlib.suppress(NntpError):
            self._send("QUIT")
        self.close()

    def close(self) -> None:
        """Close at once; a thread that waits in this connection gets `ConnectionLost`."""
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()

    def start(self, compression: Compression | None) -> None:
        """Greeting, reader mode, login, then `compression`, or the best the server knows when None."""
        greeting = self._read()
        if greeting.code not in {200, 201}:
            raise refusal(greeting.code, greeting.text, f"connecting to {self._account.host}")
        # RFC 3977 5.3: nothing may be sent before the answer, since the server may hand the connection over.
        mode = self._command("MODE READER")
        if mode.code == 400 or (mode.code == 502 and isinstance(refusal(mode.code, mode.text, ""), PassingFault)):
            raise refusal(mode.code, mode.text, "MODE READER")
        if self._account.username:
            self._login()
        if compression is None:
            self._negotiate()
        elif not self._try(compression):
            raise ProtocolError(f"the server no longer accepts {compression}; try again")

    def _login(self) -> None:
        status = self._command(f"AUTHINFO USER {self._account.username}")
        if status.code == 381:
            status = self._command(f"AUTHINFO PASS {self._account.password}")
        if status.code == 502 and isinstance(error := refusal(502, status.text, "logging in"), PassingFault):
            raise error
        if status.code == 502:
            raise LoginRefused(
                f"logging in: the server answered 502 {status.text}; check provider.username and provider.password"
            )
        if status.code != 281:
            raise refusal(status.code, status.text, "logging in")

    def _negotiate(self) -> None:
        capabilities = self._capabilities()
        for compression in Compression:
            if compression is Compression.DEFLATE and "DEFLATE" not in capabilities.get("COMPRESS", ()):
                continue
            if self._try(compression):
                return

    def _capabilities(self) -> dict[str, list[str]]:
        status = self._command("CAPABILITIES")
        if status.code != 101:
            return {}
        lines = (
            self._reader.block(_SMALLEST_LIMIT, marked=status.marked)
            .text.decode("utf-8", "replace")
            .upper()
            .splitlines()
        )
        return {words[0]: words[1:] for line in lines if (words := line.split())}

    def _try(self, compression: Compression) -> bool:
        accepted = True
        match compression:
            case Compression.DEFLATE:
                accepted = self._command(compression).code == 206
                if accepted:
                    self._reader.start_deflate()
                    self._deflate = zlib.compressobj(wbits=-15)
            case Compression.TERMINATOR | Compression.GZIP:
                accepted = self._command(compression).code == 290
            case Compression.XZVER:
                # No group is selected yet, so a server that knows the command answers 412.
                status = self._command("XZVER 1-1")
                if status.code == 224:
                    self._reader.block(_SMALLEST_LIMIT, marked=status.marked)
                accepted = status.code not in _UNKNOWN and status.code != 400
            case Compression.PLAIN:
                pass
        if accepted:
            self.compression = compression
        return accepted

    @property
    def _verb(self) -> str:
        return "XZVER" if self.compression is Compression.XZVER else "XOVER"

    def _ask(self, command: str, expected: set[int]) -> _Status:
        status = self._command(command)
        if status.code not in expected:
            raise refusal(status.code, status.text, command)
        return status

    def _command(self, command: str) -> _Status:
        self._send(command)
        return self._read()

    def _send(self, command: str) -> None:
        line = command.encode() + b"\r\n"
        if _BREAKS.search(command) or len(line) > _COMMAND_LIMIT:
            word = " ".join(command.split()[:2])
            raise ProtocolError(f"{word[:40]}: an argument has a line break or is too long; check the configuration")
        if self._deflate is not None:
            line = self._deflate.compress(line) + self._deflate.flush(zlib.Z_SYNC_FLUSH)
        try:
            self._socket.sendall(line)
        except OSError as error:
            raise _lost(error, self._account) from error

    def _read(self) -> _Status:
        line = self._reader.status().decode("utf-8", "replace")
        match = _STATUS.fullmatch(line)
        if match is None:
            raise ProtocolError(
                f"{self._account.host} sent {line[:60]!r} instead of a reply; is provider.host a news server?"
            )
        return _Status(int(match[1]), match[2] or "")

    def _receive(self) -> bytes:
        try:
            return self._socket.recv(_RECEIVE)
        except OSError as error:
            raise _lost(error, self._account) from error


def connect(account: Account, compression: Compression | None = None) -> Connection:
    """Open a connection, log in and agree on compression.

    Args:
        account: where and who.
        compression: as agreed on an earlier connection; None tries what the server knows, best first.

    Raises:
        LoginRefused, NotPermitted, CertificateRefused: not worth trying again.
        PassingFault: worth trying again.
    """
    try:
        plain = socket.create_connection((account.host, account.port), timeout=account.timeout)
    except OSError as error:
        raise _lost(error, account) from error
    try:
        connection = Connection(_secured(plain, account), account)
    except BaseException:
        plain.close()
        raise
    try:
        connection.start(compression)
    except BaseException:
        connection.close()
        raise
    return connection


def _secured(plain: socket.socket, account: Account) -> socket.socket:
    plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    if not account.tls:
        return plain
    try:
        context = ssl.create_default_context(cafile=account.ca_file)
    except OSError as error:
        raise CertificateRefused(
            f"provider.ca_file {account.ca_file} cannot be used: {error}; it must hold certificates as PEM"
        ) from error
    try:
        return context.wrap_socket(plain, server_hostname=account.host)
    except ssl.SSLCertVerificationError as error:
        raise CertificateRefused(
            f"the certificate of {account.host} is not valid: {error.verify_message}; check provider.host, or set provider.ca_file"
        ) from error
    except OSError as error:
        raise _lost(error, account) from error


def _lost(error: OSError, account: Account) -> ConnectionLost:
    where = f"{account.host}:{account.port}"
    if isinstance(error, TimeoutError):
        return ConnectionLost(f"{where} sent nothing for {account.timeout:g} s; try again or raise provider.timeout")
    if isinstance(error, (socket.gaierror, ConnectionRefusedError, ssl.SSLError)):
        return ConnectionLost(
            f"cannot connect to {where}: {error}; check provider.host, provider.port and provider.tls"
        )
    return ConnectionLost(f"the connection to {where} broke: {error}; try again")


def _limit(first: int, last: int) -> int:
    return max(_SMALLEST_LIMIT, (last - first + 1) * _BYTES_PER_NUMBER)
