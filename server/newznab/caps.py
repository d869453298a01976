"""`t=caps`: what this server answers, made from the table of its functions."""

from __future__ import annotations

from lxml import etree

from server.newznab.categories import CATEGORIES, children
from server.newznab.functions import PAGE, SEARCHES
from server.newznab.xml import document, legal


def capabilities(title: str, url: str) -> bytes:
    """The capabilities of the server called `title`, reached at `url`, as an XML document with root `caps`."""
    caps = etree.Element("caps")
    etree.SubElement(
        caps, "server", version="1.3", title=legal(title), strapline="A header-first Usenet index", url=legal(url)
    )
    etree.SubElement(caps, "limits", max=str(PAGE), default=str(PAGE))
    etree.SubElement(caps, "registration", available="no", open="no")
    searching = etree.SubElement(caps, "searching")
    for function in SEARCHES:
        etree.SubElement(searching, function.element, available="yes", supportedParams=",".join(function.parameters))
    categories = etree.SubElement(caps, "categories")
    for parent in CATEGORIES.values():
        if parent.parent is None:
            element = etree.SubElement(categories, "category", id=str(parent.id), name=parent.name)
            for child in children(parent.id):
                etree.SubElement(element, "subcat", id=str(child.id), name=child.name)
    return document(caps)
