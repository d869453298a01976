"""XML that every client reads: UTF-8, double-quoted declaration at byte 0, legal characters only.

All elements are made here, so that no text reaches a document unfiltered.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

import polars as pl
from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] - lxml has no types

Element: TypeAlias = Any
"""An lxml element."""

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What is outside `Char` of XML 1.0; one such character makes clients lose the whole feed (Sonarr#1439, Jackett#626)."""

_SPECIAL = re.compile('[&<>"\t\n\r]')
_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)
_TO_CHANGE = r"[^\x{20}-\x{d7ff}\x{e000}-\x{fffd}\x{10000}-\x{10ffff}]|[&<>\"]"
"""What `escaped` changes, as Polars writes it."""


def legal(text: str) -> str:
    """`text` without the characters that XML 1.0 cannot hold."""
    return _ILLEGAL.sub("", text)


def root(tag: str, namespaces: dict[str | None, str] | None = None, **attributes: str) -> Element:
    """The root of a new document; `namespaces` maps the literal prefixes, null being the default namespace."""
    return etree.Element(tag, _legal(attributes), nsmap=namespaces)


def child(parent: Element, tag: str, /, text: str = "", **attributes: str) -> Element:
    """A new last child of `parent`, its attributes in the order given."""
    element = etree.SubElement(parent, tag, _legal(attributes))
    element.text = legal(text) or None
    return element


def escaped(text: str) -> str:
    """`text` as it stands in a document, within an element or within double quotes."""
    kept = legal(text)
    return kept.translate(_ESCAPES) if _SPECIAL.search(kept) else kept


def escaped_column(texts: pl.Series) -> pl.Series:
    """The same of a column, by `_ILLEGAL` and `_ESCAPES` too; a column that holds nothing special comes back as it is."""
    if not texts.str.contains(_TO_CHANGE).any():
        return texts
    return pl.Series(texts.name, [escaped(text) for text in texts], dtype=pl.String)


def document(top: Element, doctype: bytes = b"") -> bytes:
    """The document with this root, as bytes."""
    return DECLARATION + doctype + etree.tostring(top, encoding="UTF-8", xml_declaration=False)


def _legal(attributes: dict[str, str]) -> dict[str, str]:
    return {name: legal(value) for name, value in attributes.items()}
