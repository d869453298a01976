"""`python -m simulator`: the simulator without the `overlake` command."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from simulator.command import BadPlan, HistoryOptions, history_of, make_ahead, parse_listen, simulate, write_truth
from simulator.faults import UnknownFault, parse_fault
from simulator.server import ServerOptions


def main(arguments: list[str] | None = None) -> int:
    """Run the command line; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m simulator", description="A synthetic Usenet provider.")
    add = parser.add_argument
    add("--mix", default="demo", help="demo, default or clean")
    add("--seed", type=int, default=1)
    add("--groups", nargs="+", default=["3"], help="group names, or how many")
    add("--sizes", nargs="+", type=int, default=[2_000_000], help="article numbers of each group")
    add("--eras", nargs="+", type=int, default=[2009, 2013, 2017, 2021, 2025], help="years, oldest first")
    add("--offset", type=int, default=0, help="lowest article number")
    add("--host", default="127.0.0.1")
    add("--listen", nargs="+", default=["0"], metavar="PORT[:FORM]", help="forms: plain A B C D D' E")
    add("--user", default="")
    add("--password", default="")
    add("--tls-certificate", type=Path)
    add("--tls-key", type=Path)
    add("--connections", type=int, default=50)
    add("--latency-ms", type=float, default=0.0)
    add("--idle-seconds", type=float, default=1800.0)
    add("--fault", nargs="*", default=[], metavar="KIND[:PROBABILITY[:TIMES]]")
    add("--cache", type=Path, help="folder for the made blocks")
    add("--ready-file", type=Path, help="gets host and ports as JSON when listening")
    add("--truth", type=Path, help="write the truth as Parquet and end")
    add("--warm", type=int, default=0, metavar="PROCESSES", help="make all blocks into --cache and end")
    asked = parser.parse_args(arguments)
    plan = HistoryOptions(
        asked.mix, asked.seed, tuple(asked.groups), tuple(asked.sizes), tuple(asked.eras), asked.offset
    )
    try:
        if asked.truth:
            write_truth(history_of(plan), asked.truth)
        if asked.warm:
            make_ahead(history_of(plan), asked.cache or Path("simulator-cache"), asked.warm)
        if asked.truth or asked.warm:
            return 0
        options = ServerOptions(
            host=asked.host,
            listen=tuple(map(parse_listen, asked.listen)),
            tls_certificate=asked.tls_certificate,
            tls_key=asked.tls_key,
            username=asked.user,
            password=asked.password,
            connection_limit=asked.connections,
            latency_ms=asked.latency_ms,
            faults=tuple(map(parse_fault, asked.fault)),
            cache_dir=asked.cache,
            idle_seconds=asked.idle_seconds,
        )
        simulate(plan, options, asked.ready_file)
    except (BadPlan, UnknownFault, OSError) as error:
        sys.stderr.write(f"simulator: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
