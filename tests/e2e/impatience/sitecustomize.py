"""What every Python with this folder in its `PYTHONPATH` does first: Dagster's daemon then looks for backfills every 2 seconds, not every 30.

Dagster has no setting for it, and a test that waits for a backfill would wait for its turn most of the time.
"""

import sys
from pathlib import Path

if any(Path(argument).name == "dagster-daemon" for argument in sys.orig_argv[:2]):
    import dagster._daemon.controller

    dagster._daemon.controller.DEFAULT_DAEMON_INTERVAL_SECONDS = 2
