"""Options that several subcommands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from store.configuration import FILE_NAME

Config = Annotated[Path, Parameter(name=["--config", "-c"], env_var="OVERLAKE_CONFIG", help="The configuration file.")]
Json = Annotated[bool, Parameter(name="--json", negative="", help="Print one JSON document, for machines.")]

DEFAULT_CONFIG = Path(FILE_NAME)
