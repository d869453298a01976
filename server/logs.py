"""What processes say: for people on a terminal, else one JSON object a line (time, level, logger, event), for a collector of logs."""

from __future__ import annotations

import logging
import sys
from typing import TextIO

import structlog


def structured(stream: TextIO | None = None) -> None:
    """Send everything that is logged to `stream` (stderr), from INFO up, by one handler of the root logger."""
    target = stream or sys.stderr
    shared: list[structlog.typing.Processor] = [
        structlog.stdlib.add_logger_name,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
    ]
    last: list[structlog.typing.Processor] = (
        [structlog.dev.ConsoleRenderer(colors=True)]
        if target.isatty()
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False)]
    )
    handler = logging.StreamHandler(target)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *last]
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.INFO)
