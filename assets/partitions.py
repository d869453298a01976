"""One partition a range, in one dynamic definition, in the order in which they were planned: oldest era first."""

import dagster as dg

RANGES = "ranges"
"""Name of the dynamic partitions definition."""

ranges = dg.DynamicPartitionsDefinition(name=RANGES)

KEYS_A_CALL = 10_000
"""Each call that adds keys invalidates Dagster's cached statuses, so keys are added many at a time."""


def register(instance: dg.DagsterInstance, keys: list[str]) -> None:
    """Add partition `keys` (oldest era first) to Dagster; keys it has already are left as they are."""
    for start in range(0, len(keys), KEYS_A_CALL):
        instance.add_dynamic_partitions(RANGES, keys[start : start + KEYS_A_CALL])
