"""Asset checks: what must hold of the data, shown in Dagster beside the asset."""

import dagster as dg

from store.catalog.conservation import unbalanced
from store.stores import Stores

SHOWN = 20

LINES_ACCOUNTED_FOR = dg.AssetCheckSpec(
    "lines_accounted_for",
    asset="release_chunks",
    description="In every range and edge, each line fetched is counted exactly once.",
)


def lines_accounted_for(stores: Stores) -> dg.AssetCheckResult:
    """Fails when the counters of a range or edge do not add up to its lines."""
    found = unbalanced(stores.catalog)
    return dg.AssetCheckResult(
        asset_key=LINES_ACCOUNTED_FOR.asset_key,
        check_name=LINES_ACCOUNTED_FOR.name,
        passed=not found.places,
        metadata={
            "ranges": found.ranges,
            "edges": found.edges,
            "unbalanced": len(found.places),
            "examples": dg.MetadataValue.text(", ".join(found.places[:SHOWN])),
        },
    )
