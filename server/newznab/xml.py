"""XML that every client reads: UTF-8, double-quoted declaration at byte 0, legal characters only."""

from __future__ import annotations

import re

from lxml import etree

DECLARATION = b'<?xml version="1.0" encoding="UTF-8"?>\n'

_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""What is outside `Char` of XML 1.0; one such character makes clients lose the whole feed (Sonarr#1439, Jackett#626)."""


def legal(text: str) -> str:
    """`text` without the characters that XML 1.0 cannot hold."""
    return _ILLEGAL.sub("", text)


def document(root: etree._Element, doctype: bytes = b"") -> bytes:
    """The document with this root, as bytes."""
    return DECLARATION + doctype + etree.tostring(root, encoding="UTF-8", xml_declaration=False)
