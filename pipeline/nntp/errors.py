"""What can go wrong with a news server, sorted by what to do about it.

`PassingFault` and its kinds are worth a new connection; every other error is not and must not be retried. The codes are
those of RFC 3977 and RFC 4643. Providers use 400, 481, 482 and 502 for several things, so the text decides; the clues are SABnzbd's.
"""

from __future__ import annotations


class NntpError(Exception):
    """A news server did not do what was asked."""


class PassingFault(NntpError):
    """May be gone on the next attempt."""


class ConnectionLost(PassingFault):
    """The connection broke, stalled, or never came up."""


class ServerBusy(PassingFault):
    """The server gives up for now."""


class TooManyConnections(PassingFault):
    """The account's connection limit is reached: use fewer, or wait for dead ones to be noticed."""


class ProtocolError(PassingFault):
    """The server sent something that is not NNTP."""


class CorruptBlock(ProtocolError):
    """A compressed reply does not inflate."""


class LoginRefused(NntpError):
    """Wrong user name or password, or an account that has ended. Trying again can get the account locked."""


class NotPermitted(NntpError):
    """The account may not do this."""


class NoSuchGroup(NntpError):
    """The provider does not carry the group."""


class CertificateRefused(NntpError):
    """The server's TLS certificate is not valid for its name."""


_TOO_MANY = ("exceed", "connections", "too many", "threads", "limit")
_NOT_TOO_MANY = ("download", "byte")
_LOGIN = ("username", "password", "invalid", "authen", "access denied")
_ENDED = ("credits", "paym", "expired")


def refusal(code: int, text: str, asked: str) -> NntpError:
    """The error a reply stands for.

    Args:
        code: reply code, 400..599.
        text: the rest of the status line.
        asked: what was asked, without secrets, e.g. `GROUP alt.binaries.test`.
    """
    said = f"{asked}: the server answered {code} {text}"
    clue = text.lower()
    if code in {400, 481, 482, 502} and _has(clue, _TOO_MANY) and not _has(clue, _NOT_TOO_MANY):
        return TooManyConnections(
            f"{said}; lower provider.connections or wait until the server has dropped dead connections"
        )
    if _has(clue, _ENDED):
        return LoginRefused(f"{said}; renew the account with the provider")
    if code in {481, 482} or (code == 502 and _has(clue, _LOGIN)):
        return LoginRefused(f"{said}; check provider.username and provider.password")
    if code == 480:
        return LoginRefused(f"{said}; set provider.username and provider.password")
    if code == 411:
        return NoSuchGroup(f"{said}; the provider does not carry this group, remove it from groups.names")
    if code == 502:
        return NotPermitted(f"{said}; ask the provider whether the account may do this")
    if code == 412 or code // 100 == 4:
        return ServerBusy(f"{said}; try again later")
    return ProtocolError(f"{said}; is provider.host a news server for readers?")


def _has(text: str, clues: tuple[str, ...]) -> bool:
    return any(clue in text for clue in clues)
