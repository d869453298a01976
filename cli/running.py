"""Running the index: everything together, or the web server alone."""

from __future__ import annotations

import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from assets.pools import RANGE_POOL, places
from cli.console import err, out
from cli.dagster_client import DagsterClient
from cli.environment import dagster_environment, enter
from cli.options import DEFAULT_CONFIG, Config
from cli.services import (
    Running,
    Service,
    ServiceFailed,
    only_one,
    own_command,
    running,
    stop_on_sigterm,
    wait_until_interrupted,
)
from store.catalog.connection import Catalog
from store.configuration import Settings, load
from store.postgres import EmbeddedPostgres

READY_SECONDS = 180.0


@contextmanager
def everything(config: Path, settings: Settings, *, server: bool = True) -> Iterator[tuple[Running, ...]]:
    """Postgres (if embedded), Dagster and the web server, started and answering; all stopped on leaving."""
    settings.data.mkdir(parents=True, exist_ok=True)
    with only_one(settings.data / "up.lock"), _postgres_for(settings):
        with Catalog.open(settings) as catalog:
            environment = dagster_environment(config, settings, catalog)
        enter(environment)
        _bound_runs(RANGE_POOL, places(settings))
        code_port = free_port()
        # One process loads the code for all of Dagster's; the others find it there.
        first_services = [*([_server(config, settings)] if server else []), _code(settings, code_port)]
        with running(first_services, environment) as first:
            _wait_until_listening(code_port, first)
            if settings.dagster.broker is None:
                _end_lost_runs()
            with running(_dagster(settings, _workspace(settings, code_port)), environment) as second:
                _wait_until_ready(settings, first + second, server=server)
                yield first + second


@contextmanager
def _postgres_for(settings: Settings) -> Iterator[None]:
    """Stop the embedded server on leaving; whoever opens the catalog starts it."""
    try:
        yield
    finally:
        if settings.catalog.dsn is None:
            EmbeddedPostgres(settings.data / "postgres").stop()


def up(*, config: Config = DEFAULT_CONFIG) -> None:
    """Run Postgres (if embedded), Dagster and the web server together until Ctrl-C, then stop them cleanly."""
    settings = load(config)
    stop_on_sigterm()
    with err.status("Starting Postgres, Dagster and the web server"), everything(config, settings) as processes:
        out.print(f"Dagster    http://{settings.dagster.host}:{settings.dagster.port}")
        out.print(f"Search     http://{settings.server.host}:{settings.server.port}")
        out.print(f"Newznab    http://{settings.server.host}:{settings.server.port}/api")
        out.print(f"Logs       {settings.data / 'logs'}; stop with Ctrl-C")
        wait_until_interrupted(processes)


def dagster(*, config: Config = DEFAULT_CONFIG) -> None:
    """Run Dagster alone until Ctrl-C: its web page, daemon and code server, where `overlake serve` runs elsewhere."""
    settings = load(config)
    stop_on_sigterm()
    with err.status("Starting Dagster"), everything(config, settings, server=False) as processes:
        out.print(f"Dagster    http://{settings.dagster.host}:{settings.dagster.port}")
        wait_until_interrupted(processes)


def serve(
    *,
    config: Config = DEFAULT_CONFIG,
    host: Annotated[str, Parameter(help="Address to listen on instead of server.host.")] = "",
    port: Annotated[int, Parameter(help="Port to listen on instead of server.port.")] = 0,
) -> None:
    """Serve the Newznab endpoint and the web pages."""
    from server.serve import serve as serve_http

    settings = load(config)
    changed = {key: value for key, value in (("host", host), ("port", port)) if value}
    serve_http(settings.model_copy(update={"server": settings.server.model_copy(update=changed)}))


def free_port(preferred: int = 0) -> int:
    """A TCP port nobody listens on: `preferred` when it is free."""
    for port in (preferred, 0):
        with socket.socket() as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind(("127.0.0.1", port))
            except OSError:
                continue
            return int(probe.getsockname()[1])
    raise ServiceFailed("no TCP port is free on 127.0.0.1")


def _tool(name: str) -> str:
    return str(Path(sys.executable).parent / name)


def _server(config: Path, settings: Settings) -> Service:
    log = settings.data / "logs" / "server.log"
    return Service("server", own_command("serve", "--config", str(config.resolve())), log)


def _code(settings: Settings, port: int) -> Service:
    loaded = ("-m", "assets.definitions", "--location-name", "overlake")
    command = (_tool("dagster"), "api", "grpc", *loaded, "-h", "127.0.0.1", "-p", str(port))
    return Service("dagster-code", command, settings.data / "logs" / "dagster-code.log")


def _workspace(settings: Settings, code_port: int) -> Path:
    path = settings.data / "dagster" / "workspace.yaml"
    path.write_text(f"load_from:\n  - grpc_server: {{host: 127.0.0.1, port: {code_port}, location_name: overlake}}\n")
    return path


def _dagster(settings: Settings, workspace: Path) -> list[Service]:
    logs, dagster = settings.data / "logs", settings.dagster
    web = (_tool("dagster-webserver"), "-w", str(workspace), "-h", dagster.host, "-p", str(dagster.port))
    # Of a database server that was started again it would find each old connection dead with an error 500; a new one costs milliseconds.
    web += ("--db-pool-recycle", "1")
    return [
        Service("dagster-webserver", web, logs / "dagster-webserver.log"),
        Service("dagster-daemon", (_tool("dagster-daemon"), "run", "-w", str(workspace)), logs / "dagster-daemon.log"),
    ]


def _wait_until_listening(port: int, processes: tuple[Running, ...]) -> None:
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        for process in processes:
            process.check()
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1.0):
            return
        time.sleep(0.2)
    raise ServiceFailed(f"Dagster's code server does not listen after {READY_SECONDS:.0f} s; see its log")


def _bound_runs(pool: str, runs: int) -> None:
    """Let so many runs of the pool be at work, unless it is paused."""
    import dagster as dg

    with dg.DagsterInstance.get() as instance:
        if not any(limit.name == pool and limit.limit == 0 for limit in instance.event_log_storage.get_pool_limits()):
            instance.event_log_storage.set_concurrency_slots(pool, runs)


def _end_lost_runs() -> None:
    """Report the runs whose processes died with a killed predecessor: Dagster launches them again.

    Its own monitoring cannot ask a local process that is gone, and would count them among the runs at work for a day.
    """
    import dagster as dg

    with dg.DagsterInstance.get() as instance:
        lost = dg.RunsFilter(
            statuses=[dg.DagsterRunStatus.STARTING, dg.DagsterRunStatus.STARTED, dg.DagsterRunStatus.CANCELING]
        )
        for run in instance.get_runs(lost):
            # A run without an origin is that of a command, such as `overlake plan`, which is at work itself.
            if run.remote_job_origin is None:
                continue
            if run.status == dg.DagsterRunStatus.CANCELING:
                instance.report_run_canceled(run)
            else:
                instance.report_run_failed(run, "Its process ended without a word.")


def _wait_until_ready(settings: Settings, processes: tuple[Running, ...], *, server: bool) -> None:
    import httpx

    dagster = DagsterClient(f"http://{settings.dagster.host}:{settings.dagster.port}")
    health = f"http://{settings.server.host}:{settings.server.port}/health"
    deadline = time.monotonic() + READY_SECONDS
    while time.monotonic() < deadline:
        for process in processes:
            process.check()
        try:
            if (not server or httpx.get(health, timeout=5.0).is_success) and dagster.alive():
                return
        except httpx.HTTPError:
            pass
        time.sleep(0.3)
    raise ServiceFailed(f"not ready after {READY_SECONDS:.0f} s; look into the logs in {settings.data / 'logs'}")
