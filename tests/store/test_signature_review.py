"""Proposals: made, made again, edited, accepted and rejected."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pipeline.batch import Signature
from pipeline.signatures import DEFAULT_TABLE
from store.catalog.connection import Catalog
from store.catalog.signature_review import (
    ACCEPTED,
    OPEN,
    REJECTED,
    STATES,
    Evidence,
    UnknownProposal,
    accept,
    edit,
    list_proposals,
    record_proposals,
    reject,
    with_lines,
)
from store.catalog.versions import current_signatures, first_signatures, record_signatures

FLOOD = Evidence(
    signature="jbinup|named|t[]hy", verdict="drop", reason="a flood", cost="nothing is lost", articles=900, bytes=9_000, releases=30,
    random_share=1.0, completeness=1.0, lifetime_days=2.5, posters=1, crossposted=0.0, article_bytes=300_000, groups=["alt.binaries.test"],
    tools=["JBinUp"], members=["jbinup|named|t[]hy"], examples=["9f5c34f99c4a3471"],
)  # fmt: skip
LONE = replace(FLOOD, signature="*|*|qy1", verdict="keep", reason="too few", articles=5, completeness=None)


def numbers(catalog: Catalog) -> dict[str, int]:
    return {proposal.signature: proposal.proposal_id for proposal in list_proposals(catalog, STATES)}


def test_proposals_are_listed_with_their_evidence_most_articles_first(catalog: Catalog):
    record_proposals(catalog, [LONE, FLOOD])
    first, second = list_proposals(catalog)
    assert [getattr(first, name) for name in FLOOD.__slots__] == [getattr(FLOOD, name) for name in FLOOD.__slots__]
    assert (second.signature, second.state, second.completeness) == (LONE.signature, OPEN, None)


def test_accepted_ones_become_one_new_version_in_front_of_the_table(catalog: Catalog):
    before = first_signatures(catalog, DEFAULT_TABLE.signatures)
    record_proposals(catalog, [FLOOD, LONE])
    table = accept(catalog, numbers(catalog).values())
    assert table == current_signatures(catalog)
    assert table.version == before.version + 1
    assert [line.signature for line in table.signatures[:2]] == [FLOOD.signature, LONE.signature]
    kept = [line for line in DEFAULT_TABLE.signatures if line.signature != LONE.signature]
    assert list(table.signatures[2:]) == kept, "the line for the same signature is replaced, the others stay"
    assert {(one.state, one.signature_table) for one in list_proposals(catalog, STATES)} == {(ACCEPTED, table.version)}


def test_where_no_table_was_recorded_the_shipped_one_is_added_to(catalog: Catalog):
    record_proposals(catalog, [FLOOD])
    table = accept(catalog, numbers(catalog).values())
    assert table.signatures[1:] == DEFAULT_TABLE.signatures


def test_what_was_rejected_is_not_proposed_again(catalog: Catalog):
    record_proposals(catalog, [FLOOD, LONE])
    reject(catalog, [numbers(catalog)[FLOOD.signature]])
    record_proposals(catalog, [replace(FLOOD, articles=1_000), LONE])
    assert [one.signature for one in list_proposals(catalog)] == [LONE.signature]
    assert [(one.signature, one.articles) for one in list_proposals(catalog, [REJECTED])] == [(FLOOD.signature, 1_000)]


def test_open_ones_go_when_the_evidence_no_longer_makes_them_and_accepted_ones_come_back_when_it_does(catalog: Catalog):
    record_proposals(catalog, [FLOOD, LONE])
    accept(catalog, [numbers(catalog)[FLOOD.signature]])
    record_proposals(catalog, [])
    assert [one.state for one in list_proposals(catalog, STATES)] == [ACCEPTED]
    record_signatures(catalog, DEFAULT_TABLE.signatures)
    record_proposals(catalog, [FLOOD])
    assert [one.signature for one in list_proposals(catalog)] == [FLOOD.signature]


def test_an_edited_line_is_what_is_accepted(catalog: Catalog):
    record_proposals(catalog, [FLOOD, LONE])
    line = Signature("jbinup|*|t[]hy", "drop", "a flood under several names")
    edit(catalog, numbers(catalog)[FLOOD.signature], line)
    assert accept(catalog, [numbers(catalog)[line.signature]]).signatures[0] == line
    with pytest.raises(ValueError, match="must be template"):
        edit(catalog, numbers(catalog)[LONE.signature], Signature("qy1", "keep", "x"))


def test_a_line_that_another_proposal_says_is_refused(catalog: Catalog):
    record_proposals(catalog, [FLOOD, replace(LONE, verdict="drop")])
    with pytest.raises(ValueError, match="already"):
        edit(catalog, numbers(catalog)[LONE.signature], Signature(FLOOD.signature, "drop", "x"))


def test_only_open_proposals_can_be_decided_and_then_all_or_none(catalog: Catalog):
    record_proposals(catalog, [FLOOD, LONE])
    known = numbers(catalog)[FLOOD.signature]
    for decide in (accept, reject):
        with pytest.raises(UnknownProposal, match="9999"):
            decide(catalog, [known, 9999])
    assert len(list_proposals(catalog)) == 2
    reject(catalog, [known])
    with pytest.raises(UnknownProposal):
        accept(catalog, [known])


def test_lines_that_name_fewer_signatures_go_first():
    wide, narrow = Signature("*|*|t[]hy", "drop", "x"), Signature("jbinup|*|t[]hy", "keep", "x")
    assert with_lines([Signature("tool:nxg", "drop", "x")], [wide, narrow])[:2] == (narrow, wide)
