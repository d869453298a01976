"""Query parameters, read by hand: clients send empty values, odd case and repeated separators, and must never see a 400 for it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Self
from urllib.parse import parse_qsl

from server.newznab.errors import INCORRECT_PARAMETER, Refused

_NUMBER = re.compile(r"[0-9]{1,18}")
_LIST = re.compile(r"[0-9]{1,18}(,[0-9]{1,18})*")
_CONTROL = re.compile("[\x00-\x1f\x7f]")


@dataclass(frozen=True, slots=True)
class Parameters:
    """The parameters of a request: names in lower case, values stripped, empty ones absent; the first of a repeated name counts."""

    values: dict[str, str]

    @classmethod
    def parse(cls, query: bytes) -> Self:
        """Read a query string. Bytes that are not UTF-8 become U+FFFD, control characters blanks."""
        values: dict[str, str] = {}
        for name, value in parse_qsl(query.decode("utf-8", "replace"), errors="replace"):
            clean = _CONTROL.sub(" ", value).strip()
            if clean:
                values.setdefault(name.strip().lower(), clean)
        return cls(values)

    def text(self, *names: str) -> str:
        """The value under the first of `names` that is there, else empty."""
        return next((self.values[name] for name in names if name in self.values), "")

    def number(self, name: str) -> int | None:
        """A whole number of at most 18 digits, null when absent.

        Raises:
            Refused: the value is something else (Newznab error 201).
        """
        value = self.text(name)
        if not value:
            return None
        if not _NUMBER.fullmatch(value):
            raise incorrect(name, "a whole number")
        return int(value)

    def numbers(self, name: str) -> tuple[int, ...] | None:
        """Whole numbers with commas between them, null when absent.

        Raises:
            Refused: the value is something else (Newznab error 201).
        """
        value = self.text(name)
        if not value:
            return None
        if not _LIST.fullmatch(value):
            raise incorrect(name, "whole numbers with commas between them")
        return tuple(int(number) for number in value.split(","))


def wants_more(parameters: Parameters) -> bool:
    """Whether the client asks for what names say, beside what it gets anyway: `extended=1`, or `attrs`."""
    return parameters.text("extended").lower() in ("1", "true", "yes") or bool(parameters.text("attrs"))


def incorrect(name: str, expected: str) -> Refused:
    """The error for a parameter that cannot be read."""
    return Refused(INCORRECT_PARAMETER.because(f"Incorrect parameter: {name} must be {expected}"))
