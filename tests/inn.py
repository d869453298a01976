"""A real news server, Debian's inn2, on loopback: `with running_inn(folder, port) as inn: ...`.

Needs the installed package (`apt-get install inn2`) and root, to become the user `news` that innd insists on. Nothing of the
system's own configuration is used. Articles come in as a feed (IHAVE-style, nothing is refused for dirt) or as posts.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from pwd import getpwnam

from missing import MissingProgram

PROGRAMS = Path("/usr/lib/news/bin")
HOST = "127.0.0.1"
_PATIENCE = 20.0


class InnMissing(MissingProgram):
    """inn2 is not installed or cannot be run here."""


class InnSilent(RuntimeError):
    """The server was started and does not answer."""


@dataclass(frozen=True, slots=True)
class Inn:
    """A running server.

    Attributes:
        folder: everything it writes, while it runs.
        port: port for feeds, posts and readers.
        tls_port: port of a TLS reader, when a certificate was given.
        groups: groups it carries.
    """

    folder: Path
    port: int
    tls_port: int | None
    groups: tuple[str, ...]
    environment: dict[str, str] = field(repr=False)

    def post(self, article: bytes) -> None:
        """POST one article as a reader would; needs a server without users. Lines may end in LF.

        Raises:
            RuntimeError: the server refuses it; the message holds its reply.
        """
        with _Session(self.port) as session:
            session.ask(b"MODE READER", b"20")
            session.ask(b"POST", b"340")
            session.ask(_wire(article) + b".", b"240")

    def feed(self, articles: Sequence[tuple[str, bytes]]) -> None:
        """TAKETHIS (message-id with `<>`, article) as a peer would: takes also what POST refuses.

        Raises:
            RuntimeError: the server refuses one; the message holds its reply.
        """
        with _Session(self.port) as session:
            session.ask(b"MODE STREAM", b"203")
            for message_id, article in articles:
                session.ask(b"TAKETHIS " + message_id.encode() + b"\r\n" + _wire(article) + b".", b"239")


def article(
    group: str,
    subject: str,
    message_id: str,
    body: bytes = b"text\r\n",
    *,
    poster: str = "Poster <poster@example.org>",
    date: str = "",
) -> bytes:
    """A whole article with the headers a feed needs; `date` defaults to now."""
    date = date or time.strftime("%a, %d %b %Y %H:%M:%S +0000", time.gmtime())
    head = (
        f"Path: feed.invalid!not-for-mail\r\nFrom: {poster}\r\nNewsgroups: {group}\r\nSubject: {subject}\r\n"
        f"Date: {date}\r\nMessage-ID: {message_id}\r\n\r\n"
    )
    return head.encode() + body


@contextmanager
def running_inn(
    folder: Path,
    port: int,
    *,
    groups: Sequence[str] = ("alt.binaries.test",),
    users: dict[str, str] | None = None,
    certificate: tuple[Path, Path] | None = None,
    tls_port: int | None = None,
) -> Iterator[Inn]:
    """Start a server, and stop it at the end.

    Args:
        folder: does not exist yet; gets the server's files at the end. Until then they lie in a folder of their own, since every
            start of pytest closes its temporary folders to other users, and the server runs as `news`.
        port: free port.
        groups: groups to carry.
        users: name to password; None lets everyone in.
        certificate: files of certificate and key in PEM; starts a TLS reader too.
        tls_port: port of the TLS reader.

    Raises:
        InnMissing: inn2 is not installed, or this is not root.
    """
    _check_installed()
    home = Path(tempfile.mkdtemp(prefix="inn-"))
    inn = Inn(home, port, tls_port, tuple(groups), {"INNCONF": str(home / "etc/inn.conf"), "PATH": os.environ["PATH"]})
    _write(inn, users, certificate)
    _as_news(inn, [PROGRAMS / "makedbz", "-i", "-o", "-s", "20000"], cwd=inn.folder / "db")
    processes = [_start(inn, [PROGRAMS / "innd", "-f", "-P", str(port), "-4", HOST, "-6", "::1"])]
    try:
        _wait_for(port, processes[0])
        if certificate is not None:
            processes.append(_start(inn, [PROGRAMS / "nnrpd", "-D", "-f", "-S", "-p", str(tls_port), "-b", HOST]))
            _wait_for(tls_port or 0, processes[1])
        yield inn
    finally:
        with suppress(subprocess.SubprocessError):
            _as_news(inn, [PROGRAMS / "ctlinnd", "-t", "10", "shutdown", "done"])
        for process in reversed(processes):
            _end(process)
        shutil.move(home, folder)


@contextmanager
def running_reader(inn: Inn, port: int) -> Iterator[None]:
    """A plain reader on a port of its own, for clients that do not say MODE READER (nzbget)."""
    process = _start(inn, [PROGRAMS / "nnrpd", "-D", "-f", "-p", str(port), "-b", HOST])
    try:
        _wait_for(port, process)
        yield
    finally:
        _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _check_installed() -> None:
    missing = [name for name in ("innd", "nnrpd", "makedbz", "ctlinnd") if not (PROGRAMS / name).exists()]
    if missing:
        raise InnMissing(f"{PROGRAMS} has no {', '.join(missing)}; run: apt-get install inn2")
    if os.geteuid() != 0:
        raise InnMissing("innd runs as user news, so this test must be started by root")


def _write(inn: Inn, users: dict[str, str] | None, certificate: tuple[Path, Path] | None) -> None:
    base = inn.folder
    spool = base / "spool"
    folders = [base / name for name in ("etc", "db", "run", "log", "tmp", "filter", "http")]
    folders += [
        spool / name for name in ("articles", "overview", "incoming/bad", "incoming/tmp", "outgoing", "archive")
    ]
    for path in folders:
        path.mkdir(parents=True)
    settings = {
        "mta": '"/bin/true %s"', "mailcmd": "/bin/true", "ovmethod": "tradindexed", "hismethod": "hisv6", "enableoverview": "true",
        "pathhost": "lab.invalid", "domain": "lab.invalid", "runasuser": "news", "runasgroup": "news", "pgpverify": "false",
        "doinnwatch": "false", "nnrpdloadlimit": "0", "maxartsize": "0", "localmaxartsize": "0", "artcutoff": "0",
        "syntaxchecks": "[ no-laxmid ]", "xrefslave": "false", "port": str(inn.port), "pathnews": str(PROGRAMS.parent),
        "pathbin": str(PROGRAMS), "pathcontrol": str(PROGRAMS / "control"), "pathfilter": str(base / "filter"),
        "pathetc": str(base / "etc"), "pathdb": str(base / "db"), "pathrun": str(base / "run"), "pathlog": str(base / "log"),
        "pathtmp": str(base / "tmp"), "pathhttp": str(base / "http"), "pathspool": str(spool),
        "patharticles": str(spool / "articles"), "pathoverview": str(spool / "overview"), "pathincoming": str(spool / "incoming"),
        "pathoutgoing": str(spool / "outgoing"), "patharchive": str(spool / "archive"),
    }  # fmt: skip
    if certificate is not None:
        for name, path in zip(("tlscertfile", "tlskeyfile"), certificate, strict=True):
            copy = base / "etc" / name
            copy.write_bytes(path.read_bytes())
            settings[name] = str(copy)
    etc, db = base / "etc", base / "db"
    (etc / "inn.conf").write_text("".join(f"{key}: {value}\n" for key, value in settings.items()))
    (etc / "storage.conf").write_text("method tradspool {\n newsgroups: *\n class: 0\n}\n")
    (etc / "newsfeeds").write_text("ME:*::\n")
    (etc / "incoming.conf").write_text(
        'streaming: true\nmax-connections: 8\npeer ME {\n hostname: "localhost, 127.0.0.1, ::1"\n}\n'
    )
    (etc / "expire.ctl").write_text("/remember/:11\n*:A:never:never:never\n")
    (etc / "readers.conf").write_text(_readers(db, open_to_all=users is None))
    for name in ("moderators", "control.ctl", "distrib.pats", "nntpsend.ctl", "passwd.nntp", "inn-secrets.conf"):
        (etc / name).touch()
    for name in ("newsgroups", "active.times", "history"):
        (db / name).touch()
    (db / "newsusers").write_text("".join(f"{name}:{_hashed(password)}\n" for name, password in (users or {}).items()))
    marks = [
        f"{name} 0000000000 0000000001 {'n' if name in inn.groups else 'y'}"
        for name in ("control", "control.cancel", "junk")
    ]
    (db / "active").write_text("\n".join([*marks, *(f"{name} 0000000000 0000000001 y" for name in inn.groups)]) + "\n")
    news = getpwnam("news")
    for path in [base, *base.rglob("*")]:
        os.chown(path, news.pw_uid, news.pw_gid)
        path.chmod(0o750 if path.is_dir() else 0o640)


def _readers(db: Path, *, open_to_all: bool) -> str:
    hosts = 'hosts: "127.0.0.1, ::1, localhost"'
    how = 'default: "<all>"' if open_to_all else f'auth: "ckpasswd -f {db / "newsusers"}"'
    who = "<all>" if open_to_all else "*"
    return (
        f'auth "all" {{\n {hosts}\n {how}\n}}\naccess "all" {{\n users: "{who}"\n newsgroups: "*"\n access: RPA\n}}\n'
    )


def _hashed(password: str) -> str:
    return subprocess.run(
        ["openssl", "passwd", "-6", "-stdin"], input=password, capture_output=True, text=True, check=True
    ).stdout.strip()


def _start(inn: Inn, command: Sequence[str | Path]) -> subprocess.Popen[bytes]:
    with (inn.folder / "log" / "output").open("ab") as output:
        return subprocess.Popen(
            [*_NEWS, *command], env=inn.environment, stdin=subprocess.DEVNULL, stdout=output, stderr=output
        )


def _as_news(inn: Inn, command: Sequence[str | Path], cwd: Path | None = None) -> None:
    subprocess.run(
        [*_NEWS, *command],
        env=inn.environment,
        cwd=cwd or inn.folder,
        check=True,
        capture_output=True,
        timeout=_PATIENCE,
    )


_NEWS = ("setpriv", "--reuid=news", "--regid=news", "--clear-groups")


def _wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        with suppress(OSError), socket.create_connection((HOST, port), timeout=1):
            return
        time.sleep(0.02)
    raise InnSilent(f"the news server does not answer on port {port}; see log/output and syslog")


def _wire(article: bytes) -> bytes:
    """The article with CRLF and stuffed dots."""
    lines = article.replace(b"\r\n", b"\n").removesuffix(b"\n").split(b"\n")
    return b"".join((b"." + line if line.startswith(b".") else line) + b"\r\n" for line in lines)


class _Session:
    """Just enough of NNTP to put articles in."""

    def __init__(self, port: int) -> None:
        self._socket = socket.create_connection((HOST, port), timeout=_PATIENCE)
        self._lines = self._socket.makefile("rb")
        self._lines.readline()

    def __enter__(self) -> _Session:
        return self

    def __exit__(self, *_: object) -> None:
        self._lines.close()
        self._socket.close()

    def ask(self, command: bytes, expected: bytes) -> None:
        self._socket.sendall(command + b"\r\n")
        answer = self._lines.readline()
        if not answer.startswith(expected):
            raise RuntimeError(f"{command[:60]!r}: {answer!r}")
