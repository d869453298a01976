"""The documents of the API as JSON, for `o=json`: one rule for all of them, in the shape of newznab+ that NZBHydra2 has too.

The root element falls away, attributes stand under `@attributes`, an element with text is that text, and what may repeat is always a list.
"""

from __future__ import annotations

import json
from typing import Any

from lxml import etree  # pyright: ignore[reportAttributeAccessIssue] - lxml has no types

from server.newznab.xml import Element

_LISTS = frozenset(["item", "attr", "subcat"])
_LEFT_OUT = "{http://www.w3.org/2005/Atom}"
"""Feed readers alone look for it, and its `link` would hide the channel's own."""


def as_json(document: bytes) -> bytes:
    """One of our XML documents as JSON."""
    root = etree.fromstring(document)
    value = {"error": _value(root)} if root.tag == "error" else _value(root)
    return json.dumps(value, ensure_ascii=False).encode()


def _value(element: Element) -> Any:
    if not len(element) and element.text:
        return element.text
    value: dict[str, Any] = {"@attributes": dict(element.attrib)} if element.attrib else {}
    for child in element:
        if child.tag.startswith(_LEFT_OUT):
            continue
        name, own = etree.QName(child).localname, _value(child)
        if name in _LISTS:
            value.setdefault(name, []).append(own)
        elif name not in value:
            value[name] = own
        elif isinstance(value[name], list):
            value[name].append(own)
        else:
            value[name] = [value[name], own]
    if element.tag == "channel":
        value.setdefault("item", [])
    return value or ""
