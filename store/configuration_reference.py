"""The page that lists every key of `overlake.toml`, made from the settings themselves."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args, get_origin

from pydantic import BaseModel, SecretStr

from store.configuration import Settings

_INTRODUCTION = """\
# Configuration

`overlake.toml` and environment variables. A variable wins over the file; its name is that of the key in capitals, with two underscores
between the parts: `OVERLAKE_PROVIDER__PASSWORD` is `password` in `[provider]`. Keys and variables that are not listed here are refused. Relative paths are relative to the
file's folder. This page is made from the code by `make docs`.

Passwords and addresses that hold one belong into the environment, or into a file of mode 0600 where there is a key for one.

| key | default | meaning |
| --- | --- | --- |
"""


@dataclass(frozen=True, slots=True)
class Key:
    """One key: its dotted name, its default as TOML writes it (empty: none), and what it means."""

    name: str
    default: str
    meaning: str


def reference() -> str:
    """The page in Markdown."""
    return _INTRODUCTION + "".join(
        f"| `{key.name}` | {f'`{key.default}`' if key.default else ''} | {key.meaning} |\n"
        for key in reference_keys(Settings)
    )


def reference_keys(model: type[BaseModel], place: str = "") -> Iterator[Key]:
    """Every key of a section and of those inside it, in the order of the code."""
    for name, field in model.model_fields.items():
        section, inside = _section(field.annotation), f"{place}{name}."
        if section is None:
            yield Key(place + name, _as_toml(field.default), field.description or "")
        else:
            yield from reference_keys(section, inside + "NAME." if get_origin(field.annotation) is dict else inside)


def _section(annotation: Any) -> type[BaseModel] | None:
    kinds = [annotation, *(get_args(annotation) if get_origin(annotation) is dict else ())]
    return next((kind for kind in kinds if isinstance(kind, type) and issubclass(kind, BaseModel)), None)


def _as_toml(value: Any) -> str:
    if value is None or isinstance(value, SecretStr):
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return f"[{', '.join(map(_as_toml, value))}]"  # pyright: ignore[reportUnknownArgumentType]
    return str(value) if isinstance(value, int | float) else f'"{value}"'
