"""What follows from all ranges together: releases that are final, and chunk files nobody needs any more."""

from datetime import UTC, datetime, timedelta
from typing import Any

import dagster as dg

from store.catalog.collect import collect
from store.catalog.settle import settle
from store.retention import expire_overviews
from store.stores import Stores

ORPHAN_GRACE = timedelta(days=1)
"""A chunk file without a catalog row may belong to a commit that is under way; none takes a day."""


@dg.asset(deps=["release_chunks", "edge_chunks"], group_name="releases", kinds={"postgres"})
def settled_releases(stores: dg.ResourceParam[Stores]) -> dg.MaterializeResult[Any]:
    """Releases that no range or edge can still add to, with their completeness."""
    wanted = stores.settings.settle
    settled = settle(
        stores.catalog, datetime.now(UTC), timedelta(hours=wanted.quiet_hours), timedelta(hours=wanted.margin_hours)
    )
    return dg.MaterializeResult(metadata={"settled": settled})


@dg.asset(deps=["release_chunks", "edge_chunks"], group_name="releases", kinds={"postgres"})
def collected_chunks(stores: dg.ResourceParam[Stores]) -> dg.MaterializeResult[Any]:
    """Chunk files that were replaced and whose readers are gone, deleted; and files no commit ever published."""
    grace = timedelta(hours=stores.settings.collect_grace_hours)
    gone = collect(stores.catalog, stores.disk, datetime.now(UTC), grace, ORPHAN_GRACE)
    return dg.MaterializeResult(metadata={"retired": gone.retired, "orphans": gone.orphans, "bytes": gone.bytes})


@dg.asset(deps=["overview", "release_chunks"], group_name="releases", kinds={"parquet"})
def expired_overviews(stores: dg.ResourceParam[Stores]) -> dg.MaterializeResult[Any]:
    """Overview files that were kept as long as `[retention]` says, deleted; chunk files and catalog stay."""
    gone = expire_overviews(stores.catalog, stores.lake, stores.settings.retention, datetime.now(UTC))
    return dg.MaterializeResult(metadata={"files": gone.files, "bytes": gone.bytes, "sampled": gone.sampled})
