"""Releases with random names grouped by signature, and what the signature table should drop or keep because of it."""

from typing import Any

import dagster as dg

from pipeline.signatures import DEFAULT_TABLE, DROP
from store.analysis.signatures import SNAPSHOT_TABLES, measure, propose
from store.catalog.signature_review import record_proposals
from store.catalog.snapshot import write_snapshot
from store.catalog.versions import first_signatures
from store.stores import Stores

MEASURED = "analysis/signatures.parquet"
"""Where the groups lie, below the data folder."""
SHOWN = 20


@dg.asset(deps=["release_chunks", "edge_chunks"], group_name="analysis", kinds={"duckdb", "postgres"})
def garbage_signatures(stores: dg.ResourceParam[Stores]) -> dg.MaterializeResult[Any]:
    """Proposals for the garbage signature table with their evidence: what to drop, what to keep. A person accepts or rejects them."""
    data = stores.settings.data
    table = first_signatures(stores.catalog, DEFAULT_TABLE.signatures)
    measured = measure(write_snapshot(stores.catalog, data / "snapshot", SNAPSHOT_TABLES))
    proposed = propose(measured, table)
    record_proposals(stores.catalog, proposed)
    (data / MEASURED).parent.mkdir(parents=True, exist_ok=True)
    measured.groups.write_parquet(data / MEASURED)
    return dg.MaterializeResult(
        metadata={
            "signatures": measured.kept.height + measured.dropped.height,
            "lines": measured.lines,
            "proposed": len(proposed),
            "articles_to_drop": sum(one.articles for one in proposed if one.verdict == DROP),
            "proposals": dg.MetadataValue.text("; ".join(f"{one.verdict} {one.signature}" for one in proposed[:SHOWN])),
        }
    )
