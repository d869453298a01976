"""Pure parts of a materialization, computed once: what fails is the disk and the catalog, and the rules cost most of the time."""

from __future__ import annotations

import hashlib
import os
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

from store.catalog import edges, publication

_PURE = (
    (edges, "merge_edge"),
    (edges, "decode_fragments"),
    (publication, "encode"),
    (publication, "encode_fragments"),
    (publication, "_storable"),
)


class Memory:
    """Results by function and arguments, in files that any process adds to and the forking one reads before it forks."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(exist_ok=True)
        self._folder = folder
        self._known: dict[str, Any] = {}
        for module, name in _PURE:
            setattr(module, name, self._remembered(name, getattr(module, name)))

    def refresh(self) -> None:
        for file in self._folder.iterdir():
            if file.name not in self._known and file.suffix != ".part":
                self._known[file.name] = pickle.loads(file.read_bytes())

    def _remembered(self, name: str, pure: Callable[..., Any]) -> Callable[..., Any]:
        def known(*arguments: Any) -> Any:
            key = hashlib.sha256(pickle.dumps((name, arguments))).hexdigest()
            if key not in self._known:
                self._known[key] = pure(*arguments)
                unfinished = self._folder / f"{key}-{os.getpid()}.part"
                unfinished.write_bytes(pickle.dumps(self._known[key]))
                unfinished.rename(self._folder / key)
            return self._known[key]

        return known
