"""Review of proposed garbage signatures: what each would drop or keep, on which evidence, and the decision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from litestar import Response, get, post

from pipeline.signatures import DEFAULT_TABLE
from server.access import AnyRequest, TheLibrary, TheSettings, parameters
from server.library import Library
from server.pages.frame import Form, TheVisitor, Visitor, check_form, failure, need_admin, need_key, onward, page, text
from store.catalog import signature_review
from store.catalog.signature_review import OPEN, STATES, Proposal, UnknownProposal, list_proposals
from store.catalog.signatures import dropped_by_line
from store.catalog.versions import current_signatures

_SHOWN = 25
_LINES = 100
_LONGEST_REASON = 300


@get("/signatures", sync_to_thread=True, include_in_schema=False)
def signatures_page(request: AnyRequest, visitor: TheVisitor, library: TheLibrary) -> Response[Any]:
    """The proposals, open ones unless another state is asked for, and the table in force with what its lines dropped."""
    need_key(visitor)
    state = parameters(request).text("state")
    state = state if state in STATES else OPEN
    proposals = list_proposals(library.catalog, (state,))
    table = current_signatures(library.catalog)
    table = table if table.version else DEFAULT_TABLE
    return page(
        "signatures.html",
        visitor,
        state=state,
        states=STATES,
        proposals=proposals[:_SHOWN],
        more=max(0, len(proposals) - _SHOWN),
        table=table,
        lines=table.signatures[:_LINES],
        more_lines=max(0, len(table.signatures) - _LINES),
        dropped=dropped_by_line(library.catalog),
    )


@post("/signatures/decide", sync_to_thread=True, include_in_schema=False)
def decide(
    request: AnyRequest, data: Form, visitor: TheVisitor, library: TheLibrary, settings: TheSettings
) -> Response[Any]:
    """Accept or reject one proposal; the reason in the form goes with it, into the table where it is accepted."""
    check_form(request, visitor, settings, data)
    need_admin(visitor)
    number, reason = text(data, "proposal"), " ".join(text(data, "reason").split())
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        return _gone(visitor)
    if not reason or len(reason) > _LONGEST_REASON:
        return failure(
            400, f"Say why in 1 to {_LONGEST_REASON} characters: the next person who looks will ask.", visitor
        )
    try:
        return _decided(library, visitor, text(data, "do"), int(number), reason)
    except UnknownProposal:
        return _gone(visitor)


def _decided(library: Library, visitor: Visitor, decision: str, number: int, reason: str) -> Response[Any]:
    proposal = _open(library, number)
    if decision not in ("accept", "reject"):
        return failure(400, "The form names nothing to do.", visitor)
    if reason != proposal.reason:
        signature_review.edit(library.catalog, number, replace(proposal.line, reason=reason))
    if decision == "accept":
        signature_review.accept(library.catalog, [number])
    else:
        signature_review.reject(library.catalog, [number])
    return onward("/signatures")


def _open(library: Library, number: int) -> Proposal:
    for proposal in list_proposals(library.catalog):
        if proposal.proposal_id == number:
            return proposal
    raise UnknownProposal


def _gone(visitor: Visitor) -> Response[Any]:
    return failure(404, "There is no such open proposal: it was decided, or the analysis ran again.", visitor)
