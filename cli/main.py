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
app.command("cli.project:init", help="Write a commented overlake.toml.")
app.command(
    "cli.project:check", help="Log in to the provider, say which compression it speaks, measure lines a second."
)
app.command("cli.doctor:doctor", help="Check everything an index needs, and say what to do.")
app.command("cli.project:env", help="Print shell lines that let plain `dagster` commands find this index.")
app.command("cli.work:plan", help="Find the groups' full ranges with their eras and register them in Dagster.")
app.command("cli.work:backfill", help="Backfill what is missing, stale or named, oldest era first over all groups.")
app.command("cli.steering:pause", help="Start no further run of ranges until resumed.")
app.command("cli.steering:resume", help="Go on where a pause stopped.")
app.command("cli.steering:cancel", help="Cancel backfills with their runs.")
app.command("cli.work:upkeep", help="Settle what is final and delete chunk files nobody needs any more.")
app.command("cli.coverage:status", help="How far the index is, per group and era, and what went wrong.")
app.command("cli.work:reconcile", help="Make Dagster's view equal to the catalog.")
app.command("cli.running:up", help="Run Postgres (if embedded), Dagster and the web server together.")
app.command("cli.running:dagster", help="Run Dagster alone: web page, daemon, code server.")
app.command("cli.worker:worker", help="Take runs from the broker and do them on this machine.")
app.command("cli.running:serve", help="Serve the Newznab endpoint and the web pages.")
app.command("cli.keys:app", name="keys", help="Create, list and revoke API keys.")
app.command("cli.signatures:app", name="signatures", help="Show and change the garbage signature table.")
app.command("cli.estimate:estimate", help="Estimate the whole target from a small sample of its ranges.")
app.command("cli.shell:shell", help="Open DuckDB with views over the lake and the catalog.")
app.command("cli.sql:sql", help="Answer one SQL statement over the lake and the catalog.")
app.command("cli.report:report", help="Write a page of figures about the index.")
app.command(
    "cli.explain:app",
    name="explain",
    help="Say how subjects or overview lines on stdin are read, or why a release is as it is.",
)
app.command(
    "cli.chunks:app",
    name="chunks",
    help="Verify the chunk files, look into them, decode them for analyses, rebuild the catalog from them.",
)
app.command("cli.backup:backup", help="Back up the catalog and the chunk files it names, of one moment.")
app.command("cli.backup:restore", help="Restore a backup into an empty catalog.")
app.command("cli.bench:app", name="bench", help="Measure: ratios inside one run.")
app.command("simulator.command_line:simulate", help="Run a synthetic Usenet provider.")
app.command("cli.demo:demo", help="Index a synthetic provider and leave it running to look at.")


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
        if type(error).__name__ == "DagsterExecutionInterruptedError":
            sys.exit(130)
        if type(error).__module__.split(".")[0] in {"psycopg", "sqlalchemy"}:
            # Dagster's database, in process: the driver's first line says what, the rest is the statement.
            fail(
                f"Postgres refused: {str(error).splitlines()[0]}; free some disk space or look into its log, then run again"
            )
        if type(error).__module__.split(".")[0] in OWN or isinstance(error, OSError):
            fail(str(error))
        raise
