"""A connection as lines in and bytes out, plain or under COMPRESS DEFLATE (RFC 8054)."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import Callable

from simulator.wire import deflate

_LONGEST_COMMAND = 4_096
_CLOSING_SECONDS = 5.0
"""A client that reads no more, or does not answer TLS's good-bye, is cut off after that."""


class CommandTooLong(Exception):
    """The client sent no line end for too long."""


class Channel:
    """One client."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._waiting = b""
        self._inflate: Callable[[bytes], bytes] | None = None

    @property
    def deflated(self) -> bool:
        """The session is under COMPRESS DEFLATE."""
        return self._inflate is not None

    def start_deflate(self) -> None:
        """From here on both directions are deflated; bytes that were read already belong to the new layer."""
        self._inflate = zlib.decompressobj(-15).decompress
        self._waiting = self._inflate(self._waiting)

    async def line(self, idle_seconds: float) -> str | None:
        """The next command without its line end; None when the client is gone.

        Raises:
            TimeoutError: nothing came for `idle_seconds`.
            CommandTooLong: no line end within 4,096 bytes.
        """
        while b"\n" not in self._waiting:
            if len(self._waiting) > _LONGEST_COMMAND:
                raise CommandTooLong
            data = await asyncio.wait_for(self._reader.read(65_536), idle_seconds)
            if not data:
                return None
            self._waiting += self._inflate(data) if self._inflate else data
        line, self._waiting = self._waiting.split(b"\n", 1)
        return line.rstrip(b"\r").decode("utf-8", "surrogateescape")

    async def say(self, text: str) -> None:
        """Send a status line, or lines."""
        await self.send(f"{text}\r\n".encode("utf-8", "surrogateescape"))

    async def send(self, data: bytes) -> None:
        """Send bytes, deflated where the session is."""
        await self.send_raw(deflate(data).deflated if self.deflated else data)

    async def send_raw(self, data: bytes) -> None:
        """Send bytes as they are: what is under deflate already."""
        self._writer.write(data)
        await self._writer.drain()

    async def close(self) -> None:
        """Close the connection; a client that is gone already is fine."""
        self._writer.close()
        try:
            await asyncio.wait_for(self._writer.wait_closed(), _CLOSING_SECONDS)
        except (TimeoutError, OSError):
            self._writer.transport.abort()

    def abort(self) -> None:
        """Cut the connection without a word."""
        self._writer.transport.abort()
