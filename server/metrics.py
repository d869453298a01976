"""Counts and times of answers, for Prometheus."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.multiprocess import MultiProcessCollector

from server.catalog_metrics import CatalogCollector
from store.catalog.figures import Figures

SHARED_METRICS = "PROMETHEUS_MULTIPROC_DIR"
"""Environment variable by which prometheus_client keeps the counts of several processes in one folder."""

_KINDS = {
    "api": "api",
    "rss": "rss",
    "getnzb": "nzb",
    "": "search",
    "details": "details",
    "health": "health",
    "metrics": "metrics",
}
"""First part of a path to the `kind` label; everything else is `other`, so that a client cannot make labels."""


@dataclass(frozen=True, slots=True)
class Metrics:
    """The metrics of one application."""

    registry: CollectorRegistry
    answers: Counter
    seconds: Histogram
    catalog: CatalogCollector

    @classmethod
    def new(cls, look: Callable[[], Figures]) -> Metrics:
        """Fresh metrics in a registry of their own; `look` reads the figures of the catalog."""
        registry = CollectorRegistry()
        catalog = CatalogCollector(look)
        registry.register(catalog)
        return cls(
            registry,
            Counter(
                "overlake_answers", "Answers sent, by kind and HTTP status.", ("kind", "status"), registry=registry
            ),
            Histogram(
                "overlake_answer_seconds",
                "Seconds from request to the end of the answer, by kind.",
                ("kind",),
                registry=registry,
            ),
            catalog,
        )

    def text(self) -> bytes:
        """The metrics of all workers in Prometheus' text format."""
        if SHARED_METRICS not in os.environ:
            return generate_latest(self.registry)
        registry = CollectorRegistry()
        registry.register(self.catalog)
        MultiProcessCollector(registry)  # pyright: ignore[reportUnknownArgumentType] - it has no types
        return generate_latest(registry)

    def measured(self, app: ASGIApp) -> ASGIApp:
        """The application with its answers counted and timed."""

        async def call(scope: Scope, receive: Receive, send: Send) -> None:
            kind = _KINDS.get(scope["path"].strip("/").split("/")[0], "other")
            started = time.perf_counter()

            async def counted(message: Message) -> None:
                if message["type"] == "http.response.start":
                    status: Any = message["status"]
                    self.answers.labels(kind, str(status)).inc()
                await send(message)

            await app(scope, receive, counted)
            self.seconds.labels(kind).observe(time.perf_counter() - started)

        return call
