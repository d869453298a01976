"""What is to be done: the groups that are indexed, and their ranges as partitions, oldest era first."""

from datetime import UTC, datetime
from typing import Any

import dagster as dg

from assets.partitions import register
from assets.provider import account_of
from pipeline.nntp.probe import list_groups, plan_groups
from pipeline.planning import choose_groups
from pipeline.signatures import DEFAULT_TABLE
from store.catalog.planning import keys, known_empty, plan, source_number
from store.catalog.versions import current_group_list, first_signatures, record_group_list
from store.stores import Stores


@dg.asset(group_name="planning", kinds={"nntp", "postgres"})
def group_list(stores: dg.ResourceParam[Stores]) -> dg.MaterializeResult[Any]:
    """The groups that are indexed, in order of preference, under a version: chosen from the provider's list."""
    wanted = stores.settings.groups
    active = list_groups(account_of(stores.settings.provider))
    names = choose_groups(active, wanted.names, wanted.include, wanted.exclude, wanted.limit, wanted.min_articles)
    recorded = record_group_list(stores.catalog, names)
    first_signatures(stores.catalog, DEFAULT_TABLE.signatures)
    return dg.MaterializeResult(
        metadata={
            "groups": len(recorded.names),
            "version": recorded.version,
            "first": dg.MetadataValue.text(", ".join(recorded.names[:20])),
        }
    )


@dg.asset(deps=[group_list], group_name="planning", kinds={"nntp", "postgres"})
def range_plan(context: dg.AssetExecutionContext, stores: dg.ResourceParam[Stores]) -> dg.MaterializeResult[Any]:
    """The full ranges of every group with the month they were posted in, registered as partitions, oldest era first."""
    settings = stores.settings
    account, now = account_of(settings.provider), datetime.now(UTC)
    source = source_number(stores.catalog, settings.provider.source)
    planned, empty, without = [], [], []
    groups = current_group_list(stores.catalog).names
    plans = plan_groups(
        account, source, groups, size=settings.range_size, now=now, include_open=settings.plan_open_ranges
    )
    for group, found in zip(groups, plans, strict=True):
        without += [] if found else [group]
        planned += [item for item in found if item.first_posted is not None]
        empty += [item.range for item in found if item.first_posted is None]
    new = plan(stores.catalog, planned)
    known_empty(stores.catalog, empty)
    # The catalog is the truth: what an interrupted run planned but did not register is registered now.
    register(context.instance, keys(stores.catalog, source))
    return dg.MaterializeResult(
        metadata={
            "ranges": len(planned),
            "new": len(new),
            "empty": len(empty),
            **({"groups_without_ranges": ", ".join(without)} if without else {}),
        }
    )
