"""A worker: takes runs from the broker and does them on this machine."""

from __future__ import annotations

import os
import socket
from typing import Annotated, Literal

from cyclopts import Parameter, validators

from cli.console import fail
from cli.environment import dagster_environment, enter
from cli.options import DEFAULT_CONFIG, Config
from store.catalog.connection import Catalog
from store.configuration import load

Queue = Literal["fetch", "transform"]


def worker(
    *,
    config: Config = DEFAULT_CONFIG,
    queue: Annotated[
        tuple[Queue, ...],
        Parameter(
            negative="",
            consume_multiple=True,
            help="What this machine does: `fetch` asks the provider, `transform` only derives and needs no account.",
        ),
    ] = ("fetch", "transform"),
    processes: Annotated[
        int, Parameter(help="Runs at once; 0: one for each core.", validator=validators.Number(gte=0))
    ] = 0,
    name: Annotated[str, Parameter(help="Name of this worker, unique on this machine.")] = "overlake",
) -> None:
    """Take runs from the broker and do them, until Ctrl-C or SIGTERM; runs under way are finished first.

    Postgres (`catalog.dsn`), the lake and the chunks (`[storage]`) must be those of the machine with `overlake up`.
    """
    from celery.signals import setup_logging

    from assets.provider import shares
    from assets.workers import celery_app

    settings = load(config)
    if settings.dagster.broker is None:
        fail("dagster.broker is not set; name the Redis server that hands out the runs: redis://host:6379/0")
    if settings.catalog.dsn is None:
        fail(
            "catalog.dsn is not set; a worker needs the Postgres of the machine with `overlake up`, not one of its own"
        )
    if "fetch" in queue:
        shares(settings.provider)
    with Catalog.open(settings) as catalog:
        enter(dagster_environment(config, settings, catalog))
    # Where somebody listens for this signal, Celery leaves logging alone.
    setup_logging.connect(_log, weak=False)
    app = celery_app(settings.dagster.broker.get_secret_value())
    app.worker_main(
        [
            "worker",
            "--pool=prefork",
            f"--concurrency={processes or os.cpu_count()}",
            f"--queues={','.join(queue)}",
            f"--hostname={name}@{socket.gethostname()}",
            "--without-gossip",
            "--without-mingle",
            "--loglevel=INFO",
        ]
    )


def _log(**_: object) -> None:
    from server.logs import structured

    structured()
