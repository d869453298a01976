"""XML that every client reads: UTF-8, double-quoted declaration at byte 0, legal characters only.

All elements are made here, so that no text reaches a document unfiltered.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] - lxml has no types

Element: TypeAlias = Any
"""An lxml element."""

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What is outside `Char` of XML 1.0; one such character makes clients lose the whole feed (Sonarr#1439, Jackett#626)."""


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


def leaves(parent: Element, tag: str, texts: list[str], attributes: list[tuple[str, list[str]]]) -> None:
    """Many last children of `parent` at once: one per text, with attributes given as columns beside the texts.

    An NZB has as many of them as segments, so they are made without the steps of `child`; legality is looked at once for all.
    """
    if _ILLEGAL.search("\n".join(texts)):
        texts = [legal(text) for text in texts]
    names = [name for name, _ in attributes]
    make = etree.SubElement
    for text, *values in zip(texts, *(column for _, column in attributes), strict=True):
        make(parent, tag, dict(zip(names, values, strict=True))).text = text


def document(top: Element, doctype: bytes = b"") -> bytes:
    """The document with this root, as bytes."""
    return DECLARATION + doctype + etree.tostring(top, encoding="UTF-8", xml_declaration=False)


def _legal(attributes: dict[str, str]) -> dict[str, str]:
    return {name: legal(value) for name, value in attributes.items()}
