"""Figures of ingest and catalog for Prometheus, read from the catalog when they are asked for, at most every 15 seconds."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping

from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from store.catalog.connection import CatalogUnavailable
from store.catalog.figures import Figures

AGE_SECONDS = 15.0
_LOG = logging.getLogger(__name__)


class CatalogCollector(Collector):
    """Asks `look` for the figures; a catalog that does not answer shows as `overlake_catalog_up 0` and nothing else."""

    def __init__(self, look: Callable[[], Figures]) -> None:
        self._look = look
        self._last: tuple[float, Figures] | None = None

    def describe(self) -> list[Metric]:
        """None ahead, so that registering does not ask the catalog."""
        return []

    def collect(self) -> Iterator[Metric]:
        """The metrics of now."""
        try:
            found = self._figures()
        except CatalogUnavailable as error:
            _LOG.error("%s", error)
            yield _gauge("overlake_catalog_up", "Whether the catalog answers.", 0)
            return
        yield _gauge("overlake_catalog_up", "Whether the catalog answers.", 1)
        yield _by("overlake_ranges", "Ranges by state.", "state", found.ranges)
        yield _by("overlake_ingest_lines_by_fate", "Overview lines by what became of them.", "fate", found.fates)
        yield _gauge("overlake_ingest_lines", "Overview lines fetched, of the ranges as they are.", found.lines)
        yield _gauge("overlake_ingest_wire_bytes", "Bytes these lines took on the wire.", found.wire_bytes)
        if found.fetched_at is not None:
            yield _gauge(
                "overlake_ingest_last_fetch_timestamp_seconds", "When a range was fetched last.", found.fetched_at
            )
        yield _gauge("overlake_catalog_releases", "Releases, as Postgres last estimated them.", found.releases)
        yield _gauge("overlake_catalog_bytes", "Bytes of the catalog database.", found.catalog_bytes)
        yield _gauge("overlake_chunk_files", "Published chunk files.", found.chunk_files)
        yield _gauge("overlake_chunk_bytes", "Bytes of the published chunk files.", found.chunk_bytes)

    def _figures(self) -> Figures:
        now = time.monotonic()
        if self._last is None or now - self._last[0] > AGE_SECONDS:
            self._last = now, self._look()
        return self._last[1]


def _gauge(name: str, meaning: str, value: float) -> Metric:
    return GaugeMetricFamily(name, meaning, value=value)


def _by(name: str, meaning: str, label: str, values: Mapping[str, int]) -> Metric:
    family = GaugeMetricFamily(name, meaning, labels=[label])
    for key, value in values.items():
        family.add_metric([key], value)
    return family
