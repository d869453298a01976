"""Releases as an RSS feed in the form all known clients read.

Element order, the literal prefix `newznab:` and attribute order (`name`, then `value`) matter: NZBGet and Medusa match text, and
Headphones takes the second link of an item for its enclosure.
"""

from __future__ import annotations

from dataclasses import dataclass
from email.utils import format_datetime
from urllib.parse import quote

from server.newznab import categories
from server.newznab.naming import Naming, namings
from server.newznab.xml import Element, child, document, legal, root
from server.units import readable_bytes
from store.catalog.search import Page, Release

NEWZNAB = "http://www.newznab.com/DTD/2010/feeds/attributes/"
ATOM = "http://www.w3.org/2005/Atom"
NZB_TYPE = "application/x-nzb"


@dataclass(frozen=True, slots=True)
class Site:
    """Where links lead: name of the server, its address without a slash at the end, and the key to download with."""

    title: str
    url: str
    apikey: str = ""

    def nzb(self, release: Release) -> str:
        """Address of the release's NZB; the key in it is the client's own."""
        return f"{self.url}/getnzb/{release.id.hex}.nzb" + (
            f"?apikey={quote(self.apikey, safe='')}" if self.apikey else ""
        )

    def details(self, release: Release) -> str:
        """Address of the release's page."""
        return f"{self.url}/details/{release.id.hex}"


def feed(site: Site, page: Page, offset: int) -> bytes:
    """One page of releases as an RSS document."""
    rss = root("rss", {"atom": ATOM, "newznab": NEWZNAB}, version="2.0")
    channel = child(rss, "channel")
    child(channel, "title", site.title)
    child(channel, "link", site.url + "/")
    child(channel, "description", f"{site.title}: newest releases first")
    child(channel, f"{{{ATOM}}}link", rel="self", type="application/rss+xml", href=site.url + "/api")
    child(channel, f"{{{NEWZNAB}}}response", offset=str(offset), total=str(page.total))
    for release, naming in zip(page.releases, namings(page.releases), strict=True):
        _item(channel, site, release, naming)
    return document(rss)


def title(release: Release) -> str:
    """The name to show, never empty: a feed item without title stops some clients."""
    return legal(release.name).strip() or release.id.hex


def _item(channel: Element, site: Site, release: Release, naming: Naming) -> None:
    item = child(channel, "item")
    date = format_datetime(release.first_posted)
    child(item, "title", title(release))
    child(item, "guid", site.details(release), isPermaLink="true")
    child(item, "link", site.nzb(release))
    child(item, "comments", site.details(release) + "#comments")
    child(item, "pubDate", date)
    child(item, "category", categories.full_name(release.category))
    child(
        item,
        "description",
        f"Size: {readable_bytes(release.bytes)}, files: {release.files}, segments: {release.segments} of {release.segments_expected}",
    )
    child(item, "enclosure", url=site.nzb(release), length=str(release.bytes), type=NZB_TYPE)
    for name, value in _attributes(release, date) + naming.pairs():
        child(item, f"{{{NEWZNAB}}}attr", name=name, value=value)


def _attributes(release: Release, date: str) -> list[tuple[str, str]]:
    pairs = [("category", str(category.id)) for category in categories.path(release.category)]
    pairs += [("size", str(release.bytes)), ("files", str(release.files)), ("guid", release.id.hex)]
    pairs += [("usenetdate", date), ("poster", release.poster)]
    pairs += [("group", group) for group in release.groups]
    return pairs
