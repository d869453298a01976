"""What assets need from outside: the open stores."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import dagster as dg

from store.configuration import load
from store.stores import Stores, open_stores


class StoresResource(dg.ConfigurableResource[Stores]):
    """Opens the stores of a configuration file for the length of a run. Only the path is in Dagster: no secret."""

    config: str = dg.EnvVar("OVERLAKE_CONFIG")

    @contextmanager
    def yield_for_execution(self, context: dg.InitResourceContext) -> Iterator[Stores]:  # noqa: ARG002 - Dagster's signature
        """The open stores."""
        with open_stores(load(Path(self.config))) as stores:
            yield stores
