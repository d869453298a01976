"""What the server says: one method a command (RFC 3977, RFC 2980, RFC 4643, RFC 8054 and the compressions in the wild)."""

from __future__ import annotations

import asyncio
import fnmatch
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime

from simulator.blocks import BLOCK, Block, BlockStore
from simulator.bodies import body, headers
from simulator.channel import Channel, CommandTooLong
from simulator.faults import FaultKind, FaultPlan
from simulator.history import GroupRange
from simulator.wire import END, Fragment, WireForm, data_block, deflate, inflate, overview_text

_RANGE_LIMIT = 1_000_000
"""Numbers an XOVER answers at most; a longer range is cut, as providers do."""

_FEW = 300
"""Numbers that are not worth a whole block: a planner's probes for the posting date."""

_HELP = "100 Help\r\n  AUTHINFO CAPABILITIES COMPRESS DATE GROUP LIST OVER STAT HEAD BODY ARTICLE XOVER XZVER QUIT\r\n."
_OVERVIEW_FMT = "215 Order of fields\r\nSubject:\r\nFrom:\r\nDate:\r\nMessage-ID:\r\nReferences:\r\n:bytes\r\n:lines\r\nXref:full\r\n."
_MAKERS_OF_COMPRESSION: dict[WireForm, str] = {
    "A": "XFEATURE-COMPRESS GZIP",
    "B": "XFEATURE-COMPRESS GZIP TERMINATOR",
    "C": "XZVER XZHDR",
    "D": "XZVER XZHDR",
    "D'": "XZVER XZHDR",
    "E": "COMPRESS DEFLATE",
}


class Hangup(Exception):
    """The session ends now."""


@dataclass(slots=True)
class Desk:
    """What all sessions share.

    Attributes:
        store: the blocks.
        maker: the thread that makes blocks and looks into the history.
        faults: what goes wrong.
        username, password: the login; no login is asked for when `username` is empty.
        idle_seconds: silence after which a client is sent away.
        alone: blocks of which only a few rows were served.
    """

    store: BlockStore
    maker: ThreadPoolExecutor
    faults: FaultPlan
    username: str
    password: str
    idle_seconds: float
    open_sessions: int = 0
    alone: set[tuple[str, int]] = field(default_factory=set[tuple[str, int]])
    greeted: int = 0

    async def block(self, group: str, index: int) -> Block:
        """A block, made in the maker's thread when it is not at hand."""
        at_hand = self.store.at_hand(group, index)
        if at_hand is not None:
            return at_hand
        return await asyncio.get_running_loop().run_in_executor(self.maker, self.store.make, group, index)

    async def find(self, message_id: str) -> tuple[str, int] | None:
        """Group and number of an article that was served, by its message-id without brackets."""
        loop = asyncio.get_running_loop()
        place = await loop.run_in_executor(self.maker, self.store.find, message_id)
        if place is None and self.alone:
            for group, index in sorted(self.alone):
                await self.block(group, index)
            self.alone.clear()
            place = await loop.run_in_executor(self.maker, self.store.find, message_id)
        return place

    async def rows(self, group: str, first: int, last: int) -> list[Fragment]:
        """The rows of `first..last`, without empty fragments. A few rows are made alone rather than their whole block."""
        if first > last:
            return []
        if (
            last - first < _FEW
            and first // BLOCK == last // BLOCK
            and self.store.at_hand(group, first // BLOCK) is None
        ):
            loop = asyncio.get_running_loop()
            self.alone.add((group, first // BLOCK))
            frame = await loop.run_in_executor(self.maker, self.store.history.block, group, first, last)
            return [deflate(overview_text(frame))] if frame.height else []
        fragments: list[Fragment] = []
        for index in range(first // BLOCK, last // BLOCK + 1):
            block = await self.block(group, index)
            if block.count(first, last):
                fragments.append(block.rows(first, last))
        return fragments


@dataclass(slots=True)
class Session:
    """One client's session."""

    desk: Desk
    channel: Channel
    form: WireForm
    group: str = ""
    current: int = 0
    user: str = ""
    logged_in: bool = False
    gzip: bool = False
    bounds: GroupRange = field(default_factory=lambda: GroupRange(0, -1))

    async def run(self) -> None:
        """Answer commands until the client or a fault ends the session."""
        try:
            while (line := await self.channel.line(self.desk.idle_seconds)) is not None:
                await self._answer(line)
        except Hangup:
            return
        except TimeoutError:
            await self.channel.say("400 provider.example: Idle timeout.")
        except CommandTooLong:
            await self.channel.say("501 Line too long")

    async def _answer(self, line: str) -> None:
        words = line.split()
        if not words:
            await self.channel.say("500 What?")
            return
        command = _COMMANDS.get(words[0].upper())
        if command is None:
            await self.channel.say("500 What?")
        elif self.desk.username and not self.logged_in and words[0].upper() not in _WITHOUT_LOGIN:
            await self.channel.say("480 Authentication required")
        else:
            await command(self, words[1:])

    # --- session ----------------------------------------------------------------------------------

    async def capabilities(self, _words: list[str]) -> None:
        """CAPABILITIES: what this port speaks."""
        lines = ["101 Capability list:", "VERSION 2", "READER", "OVER", "LIST ACTIVE COUNTS NEWSGROUPS OVERVIEW.FMT"]
        if self.desk.username and not self.logged_in:
            lines.append("AUTHINFO USER")
        if self.form in _MAKERS_OF_COMPRESSION and not self.channel.deflated:
            lines.append(_MAKERS_OF_COMPRESSION[self.form])
        await self.channel.say("\r\n".join([*lines, "."]))

    async def mode(self, words: list[str]) -> None:
        """MODE READER."""
        if [word.upper() for word in words] != ["READER"]:
            await self.channel.say("501 Unknown mode")
        elif self.channel.deflated:
            await self.channel.say("502 Not after COMPRESS")
        else:
            await self.channel.say("201 Posting prohibited")

    async def authinfo(self, words: list[str]) -> None:
        """AUTHINFO USER and PASS (RFC 4643)."""
        match [words[0].upper() if words else "", *words[1:]]:
            case _ if self.logged_in or self.channel.deflated:
                await self.channel.say("502 Already authenticated")
            case ["USER", user]:
                self.user = user
                await self.channel.say("381 Enter password")
            case ["PASS", *_] if not self.user:
                await self.channel.say("482 Authentication commands issued out of sequence")
            case ["PASS", password]:
                self.logged_in = (self.user, password) == (self.desk.username, self.desk.password)
                self.user = ""
                await self.channel.say("281 Ok" if self.logged_in else "481 Invalid username or password")
            case _:
                await self.channel.say("501 Bad AUTHINFO")

    async def xfeature(self, words: list[str]) -> None:
        """XFEATURE COMPRESS GZIP [TERMINATOR]."""
        if self.form not in {"A", "B"}:
            await self.channel.say("500 What?")
        elif [word.upper() for word in words[:2]] != ["COMPRESS", "GZIP"]:
            await self.channel.say("501 Unknown feature")
        else:
            self.gzip = True
            await self.channel.say("290 Feature enabled")

    async def compress(self, words: list[str]) -> None:
        """COMPRESS DEFLATE (RFC 8054)."""
        if self.form != "E":
            await self.channel.say("500 What?")
        elif self.channel.deflated:
            await self.channel.say("502 Compression is active already")
        elif [word.upper() for word in words] != ["DEFLATE"]:
            await self.channel.say("503 Unknown algorithm" if words else "501 Name an algorithm")
        else:
            await self.channel.say("206 Compression active")
            self.channel.start_deflate()

    async def date(self, _words: list[str]) -> None:
        """DATE."""
        await self.channel.say(f"111 {datetime.now(UTC):%Y%m%d%H%M%S}")

    async def help(self, _words: list[str]) -> None:
        """HELP."""
        await self.channel.say(_HELP)

    async def quit(self, _words: list[str]) -> None:
        """QUIT."""
        await self.channel.say("205 Bye")
        raise Hangup

    # --- groups -----------------------------------------------------------------------------------

    async def list(self, words: list[str]) -> None:
        """LIST [ACTIVE | COUNTS | NEWSGROUPS | OVERVIEW.FMT] [wildmat]."""
        what = words[0].upper() if words else "ACTIVE"
        if what == "OVERVIEW.FMT":
            await self.channel.say(_OVERVIEW_FMT)
            return
        lines: list[str] = []
        for name in sorted(self.desk.store.history.names):
            bounds = self.desk.store.history.group(name)
            if len(words) > 1 and not _wildmat(name, words[1]):
                continue
            match what:
                case "ACTIVE":
                    lines.append(f"{name} {bounds.high:010d} {bounds.low:010d} n")
                case "COUNTS":
                    lines.append(f"{name} {bounds.high} {bounds.low} {bounds.high - bounds.low + 1} n")
                case "NEWSGROUPS":
                    lines.append(f"{name}\tSynthetic articles")
                case _:
                    await self.channel.say("501 Unknown LIST")
                    return
        await self.channel.say("\r\n".join(["215 List follows", *lines, "."]))

    async def select(self, words: list[str]) -> None:
        """GROUP."""
        if len(words) != 1:
            await self.channel.say("501 Name a group")
        elif words[0] not in self.desk.store.history.names:
            await self.channel.say("411 No such group")
        else:
            self.group = words[0]
            self.bounds = self.desk.store.history.group(self.group)
            low, high = self.bounds.low, self.bounds.high
            self.current = low
            await self.channel.say(f"211 {high - low + 1} {low} {high} {self.group}")

    # --- overview ---------------------------------------------------------------------------------

    async def xover(self, words: list[str]) -> None:
        """XOVER and OVER; compressed on ports A and B after XFEATURE, and under E."""
        form: WireForm = self.form if self.gzip or self.channel.deflated else "plain"
        await self._overview(words, form)

    async def xzver(self, words: list[str]) -> None:
        """XZVER: compressed on ports C and D."""
        if self.form in {"C", "D", "D'"}:
            await self._overview(words, self.form)
        else:
            await self.channel.say("500 What?")

    async def _overview(self, words: list[str], form: WireForm) -> None:
        if not self.group:
            await self.channel.say("412 No group selected")
            return
        asked = _range(words[0], self.bounds.high) if words else (self.current, self.current)
        if asked is None:
            await self.channel.say("501 Bad range")
            return
        first, last = max(asked[0], self.bounds.low), min(asked[1], self.bounds.high)
        last = min(last, first + _RANGE_LIMIT - 1)
        fragments = await self.desk.rows(self.group, first, last)
        fault = self.desk.faults.of_block(self.group, first // BLOCK)
        if fault is not None:
            fragments = await self._go_wrong(fault, fragments, last)
        elif not fragments:
            await self.channel.say("423 No articles in that range")
            return
        marker = "" if form in {"plain", "E"} else " [COMPRESS=GZIP]"
        status = f"224 Overview Information Follows{marker}\r\n".encode()
        if form == "E":
            data = deflate(status).deflated + data_block(form, fragments)
        else:
            data = status + data_block(form, fragments)
        await self._send_overview(fault, data, len(status))

    async def _go_wrong(self, fault: FaultKind, fragments: list[Fragment], last: int) -> list[Fragment]:
        """Faults that change the answer before it is sent."""
        match fault:
            case "400":
                await self.channel.say("400 Service temporarily unavailable")
                raise Hangup
            case "502" | "420" | "423":
                await self.channel.say(_STATUS[fault])
                raise _Answered
            case "garbage_status":
                await self.channel.send(b"\x00\xfflorem ipsum 22\r\n")
                raise Hangup
            case "drop":
                raise Hangup
            case "empty":
                return []
            case "outside":
                text = b"".join(map(inflate, fragments))
                line = text[: text.find(b"\n") + 1].split(b"\t")
                line[0] = b"%d" % (last + 1_000)
                return [*fragments, deflate(b"\t".join(line))]
            case "unsorted":
                lines = b"".join(map(inflate, fragments)).split(b"\n")[:-1]
                return [deflate(b"\n".join(reversed(lines)) + b"\n")]
            case _:
                return fragments

    async def _send_overview(self, fault: FaultKind | None, data: bytes, head: int) -> None:
        """Send an answer; some faults are in the sending."""
        half = head + (len(data) - head) // 2
        match fault:
            case "stall":
                await self.channel.send_raw(data[:half])
                await asyncio.sleep(self.desk.idle_seconds)
                raise Hangup
            case "truncate":
                await self.channel.send_raw(data[:half])
                raise Hangup
            case "corrupt":
                changed = bytes(byte ^ 0x5A for byte in data[half : half + 64])
                await self.channel.send_raw(data[:half] + changed + data[half + 64 :])
            case _:
                await self.channel.send_raw(data)

    # --- articles ---------------------------------------------------------------------------------

    async def stat(self, words: list[str]) -> None:
        """STAT."""
        await self._article(words, 223, with_headers=False, with_body=False)

    async def head(self, words: list[str]) -> None:
        """HEAD."""
        await self._article(words, 221, with_headers=True, with_body=False)

    async def body(self, words: list[str]) -> None:
        """BODY."""
        await self._article(words, 222, with_headers=False, with_body=True)

    async def article(self, words: list[str]) -> None:
        """ARTICLE."""
        await self._article(words, 220, with_headers=True, with_body=True)

    async def _article(self, words: list[str], status: int, with_headers: bool, with_body: bool) -> None:
        by_id = bool(words) and words[0].startswith("<")
        loop = asyncio.get_running_loop()
        if by_id:
            place = await self.desk.find(words[0].strip("<>"))
        elif not self.group:
            await self.channel.say("412 No group selected")
            return
        elif words and not words[0].isdigit():
            await self.channel.say("501 Bad article number")
            return
        else:
            place = (self.group, int(words[0]) if words else self.current)
        found = place and await loop.run_in_executor(self.desk.maker, self.desk.store.history.article, *place)
        if place is None or found is None:
            await self.channel.say("430 No such article" if by_id else "423 No such article number")
            return
        group, number = place
        row, article = found
        if not by_id:
            self.current = number
        message_id = words[0] if by_id else row["message_id"][0]
        line = f"{status} {0 if by_id else number} {message_id}"
        if status == 223:
            await self.channel.say(line)
            return
        encoded = await loop.run_in_executor(None, body, article)
        data = f"{line}\r\n".encode()
        if with_headers:
            data += headers(group, row, len(encoded))
        if with_headers and with_body:
            data += b"\r\n"
        await self.channel.send(data + (encoded if with_body else b"") + END)


class _Answered(Exception):
    """The fault was the answer."""


_STATUS = {
    "502": "502 Too many connections",
    "420": "420 No article(s) selected",
    "423": "423 No articles in that range",
}


def _range(text: str, high: int) -> tuple[int, int] | None:
    """`n`, `n-` or `n-m` as first and last number."""
    first, dash, last = text.partition("-")
    if not first.isdigit() or (last and not last.isdigit()):
        return None
    if not dash:
        return int(first), int(first)
    return int(first), int(last) if last else high


def _wildmat(name: str, patterns: str) -> bool:
    """RFC 3977 section 4: the last pattern that fits decides, `!` says no."""
    fits = False
    for pattern in patterns.split(","):
        if fnmatch.fnmatchcase(name, pattern.removeprefix("!")):
            fits = not pattern.startswith("!")
    return fits


def _unless_answered(
    command: Callable[[Session, list[str]], Awaitable[None]],
) -> Callable[[Session, list[str]], Awaitable[None]]:
    async def run(session: Session, words: list[str]) -> None:
        try:
            await command(session, words)
        except _Answered:
            return

    return run


_WITHOUT_LOGIN = {"AUTHINFO", "CAPABILITIES", "MODE", "QUIT", "HELP", "DATE"}
_COMMANDS: dict[str, Callable[[Session, list[str]], Awaitable[None]]] = {
    "CAPABILITIES": Session.capabilities,
    "MODE": Session.mode,
    "AUTHINFO": Session.authinfo,
    "XFEATURE": Session.xfeature,
    "COMPRESS": Session.compress,
    "DATE": Session.date,
    "HELP": Session.help,
    "QUIT": Session.quit,
    "LIST": Session.list,
    "GROUP": Session.select,
    "XOVER": _unless_answered(Session.xover),
    "OVER": _unless_answered(Session.xover),
    "XZVER": _unless_answered(Session.xzver),
    "STAT": Session.stat,
    "HEAD": Session.head,
    "BODY": Session.body,
    "ARTICLE": Session.article,
}
