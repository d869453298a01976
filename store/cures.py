"""What can end the run of a range, by kind: whether time alone may help, and what a person does. `docs/operations.md` has the same table."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Cure:
    """About one kind of failure.

    Attributes:
        kind: name of the error's class.
        cause: what has happened.
        cure: what to do.
        passing: it may be gone later, so the range is tried again by itself, later each time.
    """

    kind: str
    cause: str
    cure: str
    passing: bool = False


CURES = (
    Cure(
        "LoginRefused",
        "the provider refuses user name or password, or the account has ended",
        "correct provider.username and provider.password or renew the account, then: overlake backfill",
    ),
    Cure(
        "NotPermitted",
        "the account may not read this",
        "ask the provider what the account includes, then: overlake backfill",
    ),
    Cure(
        "NoSuchGroup",
        "the provider does not carry the group",
        "take it out of the group list (groups.names or groups.exclude), then: overlake plan",
    ),
    Cure(
        "CertificateRefused",
        "the server's TLS certificate is not valid for its name",
        "correct provider.host, or name the right provider.ca_file",
    ),
    Cure("BadConfiguration", "a setting is missing or cannot be used", "correct overlake.toml as the message says"),
    Cure(
        "ConnectionLost",
        "the connection to the provider broke or never came up",
        "nothing if it passes; else check the network, provider.host, port and tls with: overlake check",
        passing=True,
    ),
    Cure("ServerBusy", "the provider gives up for now", "nothing, it is tried again", passing=True),
    Cure(
        "TooManyConnections",
        "the account's connection limit is reached",
        "lower provider.connections if it stays; dead connections are dropped after some minutes",
        passing=True,
    ),
    Cure(
        "ProtocolError",
        "the server sent something that is not NNTP",
        "check that provider.host is a news server for readers, if it stays",
        passing=True,
    ),
    Cure("CorruptBlock", "a compressed reply does not inflate", "nothing, it is fetched again", passing=True),
    Cure(
        "CatalogUnavailable",
        "Postgres does not answer, its disk is full, or it ended a transaction of a process that was stopped or asleep",
        "start it, check catalog.dsn, free some disk space",
        passing=True,
    ),
    Cure("DiskFull", "the disk of the lake or of the chunks is full", "free some space", passing=True),
    Cure(
        "DiskFailed",
        "the disk or the object storage fails",
        "check the disk (kernel log), or [storage] and the service's state",
        passing=True,
    ),
    Cure(
        "DiskError",
        "a file could not be read or written",
        "check the folder's permissions, or [storage] and the credentials, then: overlake backfill",
    ),
    Cure(
        "OverviewMissing",
        "the overview file was never fetched, or was deleted",
        "fetch it: overlake backfill --range KEY, without --chunks-only",
    ),
    Cure(
        "OverviewDamaged",
        "the overview file is not as it was written",
        "fetch it again: overlake backfill --range KEY, without --chunks-only",
    ),
    Cure("MemoryError", "a range needs more memory than there is", "lower dagster.concurrent_runs"),
)

UNKNOWN = Cure(
    "other", "something unforeseen", "see the log of the run in Dagster; then: overlake backfill --range KEY"
)

_BY_KIND = {cure.kind: cure for cure in CURES}


def cure_of(kind: str | None) -> Cure:
    """The entry of a kind; `UNKNOWN` where there is none."""
    return _BY_KIND.get(kind or "", UNKNOWN)


def kind_of(error: BaseException) -> str:
    """The kind of `error`: the class nearest to it that has an entry, else its own."""
    return next((name for base in type(error).__mro__ if (name := base.__name__) in _BY_KIND), type(error).__name__)


def markdown() -> str:
    """The table of the documentation."""
    rows = [
        f"| `{cure.kind}` | {cure.cause} | {cure.cure} | {'yes' if cure.passing else 'no'} |"
        for cure in (*CURES, UNKNOWN)
    ]
    return "\n".join(["| kind | cause | cure | tried again by itself |", "| --- | --- | --- | --- |", *rows])
