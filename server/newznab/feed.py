"""Releases as an RSS feed in the form all known clients read.

Element order, the literal prefix `newznab:` and attribute order (`name`, then `value`) matter: NZBGet and Medusa match text, and
Headphones takes the second link of an item for its enclosure.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from email.utils import format_datetime
from urllib.parse import quote

from lxml import etree

from server.newznab import categories
from server.newznab.xml import document, legal
from server.units import readable_bytes
from store.catalog.search import Page, Release

NEWZNAB = "http://www.newznab.com/DTD/2010/feeds/attributes/"
ATOM = "http://www.w3.org/2005/Atom"
NZB_TYPE = "application/x-nzb"

_EPISODE = re.compile(r"(?i)\bS([0-9]{1,3})[ ._]?E([0-9]{1,4})")


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
    rss = etree.Element("rss", nsmap={"atom": ATOM, "newznab": NEWZNAB}, version="2.0")
    channel = etree.SubElement(rss, "channel")
    _text(channel, "title", site.title)
    _text(channel, "link", site.url + "/")
    _text(channel, "description", f"{site.title}: newest releases first")
    etree.SubElement(channel, f"{{{ATOM}}}link", rel="self", type="application/rss+xml", href=legal(site.url + "/api"))
    etree.SubElement(channel, f"{{{NEWZNAB}}}response", offset=str(offset), total=str(page.total))
    for release in page.releases:
        _item(channel, site, release)
    return document(rss)


def title(release: Release) -> str:
    """The name to show, never empty: a feed item without title stops some clients."""
    return legal(release.name).strip() or release.id.hex


def _item(channel: etree._Element, site: Site, release: Release) -> None:
    item = etree.SubElement(channel, "item")
    date = format_datetime(release.first_posted)
    _text(item, "title", title(release))
    _text(item, "guid", site.details(release)).set("isPermaLink", "true")
    _text(item, "link", site.nzb(release))
    _text(item, "comments", site.details(release) + "#comments")
    _text(item, "pubDate", date)
    _text(item, "category", categories.full_name(release.category))
    _text(
        item,
        "description",
        f"Size: {readable_bytes(release.bytes)}, files: {release.files}, segments: {release.segments} of {release.segments_expected}",
    )
    etree.SubElement(item, "enclosure", url=legal(site.nzb(release)), length=str(release.bytes), type=NZB_TYPE)
    for name, value in _attributes(release, date):
        etree.SubElement(item, f"{{{NEWZNAB}}}attr", name=name, value=legal(value))


def _attributes(release: Release, date: str) -> list[tuple[str, str]]:
    pairs = [("category", str(category.id)) for category in categories.path(release.category)]
    pairs += [("size", str(release.bytes)), ("files", str(release.files)), ("guid", release.id.hex)]
    pairs += [("usenetdate", date), ("poster", release.poster)]
    pairs += [("group", group) for group in release.groups]
    episode = _EPISODE.search(release.name) if categories.path(release.category)[0].id == 5000 else None
    if episode:
        pairs += [("season", str(int(episode[1]))), ("episode", str(int(episode[2])))]
    return pairs


def _text(parent: etree._Element, tag: str, text: str) -> etree._Element:
    element = etree.SubElement(parent, tag)
    element.text = legal(text)
    return element
