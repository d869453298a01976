"""Files that hold a garbage signature table: TOML with `[[signature]]` entries, or CSV. Docs: docs/operations.md, "Garbage signatures"."""

from __future__ import annotations

import csv
import io
import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import asdict, fields
from pathlib import Path

from pipeline.batch import Signature
from pipeline.signatures import check_line

COLUMNS = tuple(field.name for field in fields(Signature))
_ENTRY = re.compile(r"\s*\[\[\s*signature\s*\]\]")


class BadSignatureFile(ValueError):
    """A file that is no signature table; the message names the file, the line and the reason."""


def read(path: Path) -> tuple[Signature, ...]:
    """The lines of the table in `path`: CSV when its name ends in `.csv`, else TOML.

    Raises:
        BadSignatureFile: it cannot be read or decoded, is empty, or a line is not `signature`, `verdict` and `reason`, cannot be read
            as such, or names a signature again that an earlier line decides.
    """
    try:
        # Spreadsheets begin their files with a byte order mark.
        text = path.read_text("utf-8-sig")
        entries = list(_csv(text) if path.suffix.lower() == ".csv" else _toml(text))
    except OSError as error:
        raise BadSignatureFile(f"{path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise BadSignatureFile(f"{path} is not UTF-8 text") from error
    except (tomllib.TOMLDecodeError, csv.Error) as error:
        raise BadSignatureFile(f"{path} cannot be read: {error}") from error
    except ValueError as error:
        raise BadSignatureFile(f"{path}: {error}") from error
    seen: dict[str, str] = {}
    for place, line in entries:
        try:
            check_line(line)
        except ValueError as error:
            raise BadSignatureFile(f"{path}: {place}: {error}") from error
        if line.signature in seen:
            raise BadSignatureFile(f"{path}: {place}: {seen[line.signature]} decides {line.signature!r} already")
        seen[line.signature] = place
    if not entries:
        raise BadSignatureFile(f"{path} has no entry; `overlake signatures show --toml` shows the form")
    return tuple(line for _, line in entries)


def toml(signatures: Sequence[Signature]) -> str:
    """The table as the TOML text that `read` reads back unchanged."""
    # TOML's basic strings are written as JSON's are, but never with surrogates.
    entries = (
        "[[signature]]\n"
        + "".join(f"{name} = {json.dumps(text, ensure_ascii=False)}\n" for name, text in asdict(line).items())
        for line in signatures
    )
    return "\n".join(entries)


def _toml(text: str) -> Iterator[tuple[str, Signature]]:
    document = tomllib.loads(text)
    entries = document.get("signature", [])
    if document.keys() - {"signature"} or not isinstance(entries, list):
        raise ValueError("a table has [[signature]] entries, and no other keys")
    # The parser does not say where an entry begins; their headers do, unless the entries are written in another way.
    begins = [number for number, line in enumerate(text.split("\n"), 1) if _ENTRY.match(line)]
    for nth, entry in enumerate(entries):
        place = f"line {begins[nth]}" if len(begins) == len(entries) else f"entry {nth + 1}"
        if not isinstance(entry, dict) or set(entry) != set(COLUMNS):
            raise ValueError(f"{place}: an entry has signature, verdict and reason, and nothing else")
        if not all(isinstance(value, str) for value in entry.values()):
            raise ValueError(f"{place}: signature, verdict and reason must be texts in quotes")
        yield place, Signature(**entry)


def _csv(text: str) -> Iterator[tuple[str, Signature]]:
    rows = csv.reader(io.StringIO(text, newline=""), strict=True)
    if (header := next(rows, None)) is not None and tuple(header) != COLUMNS:
        raise ValueError(f"line 1: the columns must be {','.join(COLUMNS)}")
    for row in rows:
        if len(row) not in (0, len(COLUMNS)):
            raise ValueError(f"line {rows.line_num}: {len(row)} fields instead of {len(COLUMNS)}")
        if row:
            yield f"line {rows.line_num}", Signature(*row)
