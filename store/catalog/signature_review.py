"""Proposed garbage signatures and what a person decides about them; accepted ones become a new version of the table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime

import psycopg
from psycopg.rows import class_row

from catalog_sql import query
from pipeline.batch import Signature, SignatureTable
from pipeline.signatures import DEFAULT_TABLE, check_line
from store.catalog.connection import Catalog
from store.catalog.versions import current_signatures, record_signatures

OPEN, ACCEPTED, REJECTED = "open", "accepted", "rejected"
STATES = (OPEN, ACCEPTED, REJECTED)


class UnknownProposal(LookupError):
    """No open proposal has that number."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a proposed line would decide, and why it is proposed.

    Attributes:
        signature, verdict, reason: the line of the table.
        cost: one sentence: what is lost if the verdict is wrong.
        articles, bytes, releases: what has this signature. Of what the table in force drops, files stand for releases.
        random_share: share of those releases whose name is random.
        completeness: mean share of the expected files and segments that are there; null where nothing tells.
        lifetime_days: from the first to the last of them; null where nothing tells.
        posters: different From; a lower bound where only samples tell.
        crossposted: share of the releases in several groups; null where nothing tells.
        article_bytes: mean size of an article.
        groups, tools: where, and by what they were posted.
        members: the signatures that were merged into this one.
        examples: names or subjects.
    """

    signature: str
    verdict: str
    reason: str
    cost: str
    articles: int
    bytes: int
    releases: int
    random_share: float
    completeness: float | None
    lifetime_days: float | None
    posters: int
    crossposted: float | None
    article_bytes: int
    groups: list[str]
    tools: list[str]
    members: list[str]
    examples: list[str]


@dataclass(frozen=True, slots=True)
class Proposal(Evidence):
    """A proposal under its number. `state` is `open`, `accepted` or `rejected`; `signature_table` the version that took it in."""

    proposal_id: int
    state: str
    proposed_at: datetime
    decided_at: datetime | None
    signature_table: int | None

    @property
    def line(self) -> Signature:
        """The line of the table it proposes."""
        return Signature(self.signature, self.verdict, self.reason)


def record_proposals(catalog: Catalog, proposed: Sequence[Evidence]) -> None:
    """Put `proposed` in place of the open proposals. What was rejected stays rejected.

    Raises:
        ValueError: a line cannot be read.
    """
    for evidence in proposed:
        check_line(Signature(evidence.signature, evidence.verdict, evidence.reason))
    named = {"signatures": [one.signature for one in proposed], "verdicts": [one.verdict for one in proposed]}
    with catalog.transaction() as connection, connection.cursor() as cursor:
        cursor.execute(query("forget_open_proposals"), named)
        cursor.executemany(query("add_proposal"), [asdict(evidence) for evidence in proposed])


def list_proposals(catalog: Catalog, states: Collection[str] = (OPEN,)) -> list[Proposal]:
    """The proposals in these states, most articles first."""
    return _proposals(catalog, states, None)


def edit(catalog: Catalog, proposal_id: int, line: Signature) -> None:
    """Change the line an open proposal proposes.

    Raises:
        UnknownProposal: no open proposal has that number.
        ValueError: the line cannot be read, or is proposed already.
    """
    check_line(line)
    values = {**asdict(line), "proposal": proposal_id}
    try:
        with catalog.transaction() as connection:
            if not connection.execute(query("edit_proposal"), values).rowcount:
                raise _unknown([proposal_id])
    except psycopg.errors.UniqueViolation as error:
        raise ValueError(f"another proposal says {line.verdict} for {line.signature!r} already") from error


def accept(catalog: Catalog, proposals: Collection[int], otherwise: SignatureTable = DEFAULT_TABLE) -> SignatureTable:
    """Put the lines of open proposals before those of the table in force, as one new version, which is returned.

    Args:
        catalog: the catalog.
        proposals: their numbers.
        otherwise: the table they are added to where none was ever recorded.

    Raises:
        UnknownProposal: one of them is not an open proposal; none is accepted.
    """
    chosen = _open(catalog, proposals)
    current = current_signatures(catalog)
    before = current.signatures if current.version else otherwise.signatures
    table = record_signatures(catalog, with_lines(before, [proposal.line for proposal in chosen]))
    _decide(catalog, proposals, ACCEPTED, table.version)
    return table


def reject(catalog: Catalog, proposals: Collection[int]) -> None:
    """Reject open proposals; they are not made again.

    Raises:
        UnknownProposal: one of them is not an open proposal; none is rejected.
    """
    _open(catalog, proposals)
    _decide(catalog, proposals, REJECTED, None)


def with_lines(table: Sequence[Signature], lines: Sequence[Signature]) -> tuple[Signature, ...]:
    """The table with new lines in front, in place of older ones for the same signatures: what names fewer signatures goes first."""
    new = {line.signature: line for line in lines}
    ordered = sorted(new.values(), key=lambda line: (line.signature.count("*"), line.signature))
    return (*ordered, *(line for line in table if line.signature not in new))


def _open(catalog: Catalog, proposals: Collection[int]) -> list[Proposal]:
    found = _proposals(catalog, (OPEN,), proposals)
    if absent := set(proposals) - {proposal.proposal_id for proposal in found}:
        raise _unknown(sorted(absent))
    return found


def _unknown(proposals: Sequence[int]) -> UnknownProposal:
    numbers = ", ".join(map(str, proposals))
    return UnknownProposal(f"no open proposal has the number {numbers}; see: overlake signatures proposals")


def _proposals(catalog: Catalog, states: Collection[str], proposals: Collection[int] | None) -> list[Proposal]:
    wanted = {"states": list(states), "proposals": None if proposals is None else list(proposals)}
    with catalog.transaction() as connection, connection.cursor(row_factory=class_row(Proposal)) as cursor:
        return cursor.execute(query("signature_proposals"), wanted).fetchall()


def _decide(catalog: Catalog, proposals: Collection[int], state: str, table: int | None) -> None:
    values = {"proposals": list(proposals), "state": state, "table": table}
    with catalog.transaction() as connection:
        connection.execute(query("decide_proposals"), values)
