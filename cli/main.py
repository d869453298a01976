"""The command's entry: its subcommands, and the one place where an error becomes a sentence and an exit status."""

from __future__ import annotations

import sys
from importlib.metadata import version

import stamina
from cyclopts import App

from cli.console import fail

OWN = {"pipeline", "store", "assets", "server", "simulator", "cli"}

app = App(
    name="overlake",
    help="A header-first Usenet indexer: overview lines in, NZBs out. `overlake init` starts a new index, `make demo` shows one.",
    version=version("overlake"),
    help_format="markdown",
)
# By name, so that one command does not wait for the libraries of the others.
app.command("cli.project:init")
app.command("cli.project:check")
app.command("cli.project:env")
app.command("cli.work:plan")
app.command("cli.work:backfill")
app.command("cli.work:upkeep")
app.command("cli.work:status")
app.command("cli.work:reconcile")
app.command("cli.running:up")
app.command("cli.running:serve")
app.command("cli.keys:app", name="keys")
app.command("cli.shell:shell")
app.command("cli.explain:explain")
app.command("cli.bench:app", name="bench")
app.command("simulator.command_line:simulate")
app.command("cli.demo:demo")


def main() -> None:
    """Run the command line; end with status 1 and one sentence on stderr where the cause is known."""
    # Retries show in Dagster's logs; here the last failure says enough.
    stamina.instrumentation.set_on_retry_hooks([])
    try:
        app()
    except KeyboardInterrupt:
        sys.exit(130)
    except BrokenPipeError:
        sys.exit(141)
    except Exception as error:
        if type(error).__module__.split(".")[0] in OWN or isinstance(error, OSError):
            fail(str(error))
        raise
