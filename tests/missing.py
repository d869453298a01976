"""Programs that tests start and that do not come from PyPI."""

from __future__ import annotations


class MissingProgram(RuntimeError):
    """A program is not installed or cannot be run by this user; the message says what to do."""
