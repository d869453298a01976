"""`t=caps`: what this server answers, made from the table of its functions."""

from __future__ import annotations

from server.newznab.categories import CATEGORIES, children
from server.newznab.functions import PAGE, SEARCHES
from server.newznab.xml import child, document, root


def capabilities(title: str, url: str) -> bytes:
    """The capabilities of the server called `title`, reached at `url`, as an XML document with root `caps`."""
    caps = root("caps")
    child(caps, "server", version="1.3", title=title, strapline="A header-first Usenet index", url=url)
    child(caps, "limits", max=str(PAGE), default=str(PAGE))
    child(caps, "registration", available="no", open="no")
    searching = child(caps, "searching")
    for function in SEARCHES:
        child(searching, function.element, available="yes", supportedParams=",".join(function.parameters))
    categories = child(caps, "categories")
    for parent in CATEGORIES.values():
        if parent.parent is None:
            element = child(categories, "category", id=str(parent.id), name=parent.name)
            for sub in children(parent.id):
                child(element, "subcat", id=str(sub.id), name=sub.name)
    return document(caps)
