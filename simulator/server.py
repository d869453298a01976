"""The NNTP server process in front of a history."""

from __future__ import annotations

import asyncio
import signal
import ssl
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from simulator.blocks import BlockStore
from simulator.channel import Channel
from simulator.distance import streams
from simulator.faults import Fault, FaultPlan
from simulator.history import History
from simulator.session import Desk, Session
from simulator.wire import WireForm

_WRITE_BUFFER = 4_000_000


@dataclass(frozen=True, slots=True)
class Listen:
    """One port and the wire form it speaks: `plain`, `A`, `B`, `C`, `D`, `D'` or `E` (nntp.md section 4). Port 0 takes a free one."""

    port: int = 0
    wire: WireForm = "plain"


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """How the server listens, who may log in, and how it misbehaves.

    Attributes:
        host: address to listen on.
        listen: ports and their forms.
        tls_certificate, tls_key: PEM files; with them all ports speak TLS from the first byte.
        username, password: the login; none is asked for when `username` is empty.
        connection_limit: connections open at once; further ones get 502.
        latency_ms: what a command takes to the server and its answer back.
        faults: what goes wrong.
        cache_dir: where blocks are kept; a folder that ends with the server when None.
        idle_seconds: silence after which a client is sent away with 400.
    """

    host: str = "127.0.0.1"
    listen: tuple[Listen, ...] = (Listen(),)
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    username: str = ""
    password: str = ""
    connection_limit: int = 50
    latency_ms: float = 0.0
    faults: tuple[Fault, ...] = ()
    cache_dir: Path | None = None
    idle_seconds: float = 1800.0


def serve(
    history: History, options: ServerOptions, when_listening: Callable[[tuple[int, ...]], None] = lambda _ports: None
) -> None:
    """Serve until SIGTERM or SIGINT; `when_listening` gets the ports, in the order of `options.listen`.

    Raises:
        OSError: a port is taken, or the cache folder cannot be written.
    """
    asyncio.run(_serve_until_signal(history, options, when_listening))


async def _serve_until_signal(
    history: History, options: ServerOptions, when_listening: Callable[[tuple[int, ...]], None]
) -> None:
    stop = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    with tempfile.TemporaryDirectory(prefix="simulator-") as folder:
        server = Provider(history, options, options.cache_dir or Path(folder))
        when_listening(await server.start())
        await stop.wait()
        await server.stop()


class Provider:
    """The server inside a running event loop."""

    def __init__(self, history: History, options: ServerOptions, cache: Path) -> None:
        self._options = options
        self._maker = ThreadPoolExecutor(1, "blocks")
        self._servers: list[asyncio.Server] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._desk = Desk(
            store=BlockStore(history, cache),
            maker=self._maker,
            faults=FaultPlan(history.seed, options.faults),
            username=options.username,
            password=options.password,
            idle_seconds=options.idle_seconds,
        )

    async def start(self) -> tuple[int, ...]:
        """Listen; returns the ports."""
        tls = _tls(self._options)
        for listen in self._options.listen:
            server = await asyncio.get_running_loop().create_server(
                streams(self._greeter(listen.wire), self._options.latency_ms / 1000),
                self._options.host,
                listen.port,
                ssl=tls,
                backlog=200,
            )
            self._servers.append(server)
        return tuple(server.sockets[0].getsockname()[1] for server in self._servers)

    async def stop(self) -> None:
        """Close all ports and connections."""
        for server in self._servers:
            server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._maker.shutdown(wait=True, cancel_futures=True)

    def _greeter(self, form: WireForm) -> Callable[[asyncio.StreamReader, asyncio.StreamWriter], None]:
        def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            writer.transport.set_write_buffer_limits(_WRITE_BUFFER)
            task = asyncio.get_running_loop().create_task(self._talk(Channel(reader, writer), form))
            self._tasks.add(task)
            task.add_done_callback(self._tasks.discard)

        return connected

    async def _talk(self, channel: Channel, form: WireForm) -> None:
        desk = self._desk
        desk.open_sessions += 1
        try:
            if await self._greet(channel):
                await Session(desk, channel, form).run()
        except (ConnectionError, ssl.SSLError):
            return
        except asyncio.CancelledError:
            channel.abort()
            raise
        finally:
            desk.open_sessions -= 1
            await channel.close()

    async def _greet(self, channel: Channel) -> bool:
        """Welcome the client, or say why not."""
        desk, limit = self._desk, self._options.connection_limit
        desk.greeted += 1
        fault = desk.faults.of_greeting(desk.greeted)
        if desk.open_sessions > limit:
            await channel.say(f"502 Too many connections: connection limit ({limit}) reached")
        elif fault == "greeting_400":
            await channel.say("400 Service temporarily unavailable")
        elif fault == "greeting_502":
            await channel.say("502 Too many connections")
        else:
            await channel.say("200 provider.example ready")
            return True
        return False


def _tls(options: ServerOptions) -> ssl.SSLContext | None:
    if options.tls_certificate is None:
        return None
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(options.tls_certificate, options.tls_key)
    return context
