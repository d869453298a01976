"""Every class of error a user can meet is in `docs/operations.md` with its cure."""

from __future__ import annotations

import ast
import builtins
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
FOLDERS = ("pipeline", "store", "assets", "server", "cli")
ROW = re.compile(r"^\| ((?:`\w+`(?:, )?)+) \| [^|]+ \| [^|]+ \|$", re.MULTILINE)


def errors() -> set[str]:
    """Public classes that are exceptions, by their bases in the code."""
    bases = {
        node.name: [ast.unparse(base).split("[")[0] for base in node.bases]
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ClassDef)
    }

    def is_error(name: str) -> bool:
        known = getattr(builtins, name, None)
        return (isinstance(known, type) and issubclass(known, BaseException)) or any(map(is_error, bases.get(name, ())))

    return {name for name in bases if not name.startswith("_") and is_error(name)}


def test_every_error_has_its_cure() -> None:
    page = (ROOT / "docs" / "operations.md").read_text().split("### By kind")[1]
    documented = {name for cells in ROW.findall(page) for name in re.findall(r"`(\w+)`", cells)}
    assert len(documented) > 30
    assert documented == errors()
