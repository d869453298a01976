"""`python -m simulator`: the simulator without the `overlake` command."""

from __future__ import annotations

import sys

from cyclopts import App

from simulator.command import BadPlan
from simulator.command_line import simulate
from simulator.faults import UnknownFault


def main() -> int:
    """Run the command line; returns the exit status."""
    app = App(name="python -m simulator")
    app.default(simulate)
    try:
        app()
    except (BadPlan, UnknownFault, OSError) as error:
        sys.stderr.write(f"simulator: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
