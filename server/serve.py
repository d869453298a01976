"""Run the web server until it is told to stop."""

from __future__ import annotations

import logging
import os
import re
import signal
from contextlib import ExitStack, suppress
from functools import partial
from tempfile import TemporaryDirectory
from urllib.parse import unquote

import uvicorn
from litestar import Litestar
from uvicorn.supervisors import Multiprocess

from server.app import create_app
from server.logs import structured
from server.metrics import SHARED_METRICS
from store.configuration import Settings
from store.stores import open_stores

_STOP_SECONDS = 10
_SECRET = re.compile(r"(?i)([?&;](?:apikey|api_key|key|r)=)[^&;#\s]*")


def serve(settings: Settings) -> None:
    """Answer on `settings.server.host` and `port` until SIGINT or SIGTERM, then finish the requests under way.

    h11 keeps the case of header names and answers HTTP/1.0 with a plain body: NZBGet needs both.

    Raises:
        CatalogUnavailable: Postgres cannot be started or reached.
        SystemExit: the port is taken.
    """
    structured()
    if settings.server.workers > 1:
        _serve_by_workers(settings)
        return
    # uvicorn repeats the signal once it has stopped: as an exception it lets the stores be closed, and the process end well.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with open_stores(settings) as stores, suppress(KeyboardInterrupt):
        app = create_app(stores.catalog, stores.disk, settings)
        uvicorn.Server(configuration(app, settings)).run()


def _serve_by_workers(settings: Settings) -> None:
    """Processes that share the port, each with stores of its own; one that dies is replaced."""
    with open_stores(settings), TemporaryDirectory(prefix="overlake-metrics-") as metrics:
        # Workers write their counts here, and each tells those of all.
        os.environ[SHARED_METRICS] = metrics
        shared = configuration(partial(worker, settings), settings, settings.server.workers)
        Multiprocess(shared, [shared.bind_socket()]).run()


def worker(settings: Settings) -> Litestar:
    """The application of one of several workers; its stores stay open as long as it runs."""
    structured()
    stack = ExitStack()
    stores = stack.enter_context(open_stores(settings))
    logging.getLogger("uvicorn.access").addFilter(without_secrets)
    app = create_app(stores.catalog, stores.disk, settings)
    app.on_shutdown.append(stack.close)
    return app


def configuration(app: object, settings: Settings, workers: int = 1) -> uvicorn.Config:
    """How uvicorn runs the application, or what makes it in each of several workers; its access log shows no keys."""
    running = uvicorn.Config(
        app,  # pyright: ignore[reportArgumentType] - Litestar's ASGI types and uvicorn's differ in name only
        host=settings.server.host,
        port=settings.server.port,
        http="h11",
        ws="none",
        workers=workers,
        factory=workers > 1,
        lifespan="on",
        # Who a reverse proxy speaks for is read by server.access, as far as it is trusted.
        proxy_headers=False,
        server_header=False,
        log_level="info",
        # By the one handler of server.logs.
        log_config=None,
        timeout_graceful_shutdown=_STOP_SECONDS,
    )
    logging.getLogger("uvicorn.access").addFilter(without_secrets)
    return running


def without_secrets(record: logging.LogRecord) -> bool:
    """Rewrite an access log line so that it shows no API key and stays one line; every line is kept."""
    if isinstance(record.args, tuple) and len(record.args) > 2:
        shown = _SECRET.sub(r"\1***", unquote(str(record.args[2])))
        printable = "".join(character if character.isprintable() else "?" for character in shown)
        record.args = (*record.args[:2], printable, *record.args[3:])
    return True
