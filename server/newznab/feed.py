"""Releases as an RSS feed in the form all known clients read.

Element order, the literal prefix `newznab:` and attribute order (`name`, then `value`) matter: NZBGet and Medusa match text, and
Headphones takes the second link of an item for its enclosure. A page has some thousand elements, so they are written as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from email.utils import format_datetime
from urllib.parse import quote

from server.newznab import categories
from server.newznab.naming import Naming
from server.newznab.xml import DECLARATION, escaped, legal
from server.units import readable_bytes
from store.catalog.keys import Use
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


def feed(site: Site, page: Page, offset: int, use: Use | None = None, namings: Sequence[Naming] = ()) -> bytes:
    """One page of releases as an RSS document.

    Args:
        site: where links lead.
        page: the releases.
        offset: releases before them.
        use: the call that is answered; limits of its key are told.
        namings: what the names of the releases say, for clients that asked for it: one each, or none.
    """
    url = escaped(site.url)
    items = "".join(
        _item(site, release, naming)
        for release, naming in zip(page.releases, namings or (None,) * len(page.releases), strict=True)
    )
    return (
        DECLARATION
        + (
            f'<rss version="2.0" xmlns:atom="{ATOM}" xmlns:newznab="{NEWZNAB}"><channel><title>{escaped(site.title)}</title>'
            f"<link>{url}/</link><description>{escaped(site.title)}: releases found in the headers of Usenet</description>"
            f'<atom:link rel="self" type="application/rss+xml" href="{url}/api"/>'
            f'<newznab:response offset="{offset}" total="{page.total}"/>{_limits(use)}{items}</channel></rss>'
        ).encode()
    )


def title(release: Release) -> str:
    """The name to show, never empty: a feed item without title stops some clients."""
    return legal(release.name).strip() or release.id.hex


def _limits(use: Use | None) -> str:
    """Uses and limits of the key, in both spellings that clients read; nothing where there is no limit."""
    if use is None:
        return ""
    counts = [("api", use.api, use.key.api_limit), ("grab", use.get, use.key.get_limit)]
    told = "".join(
        f' {kind}Current="{used}" {kind}Max="{most}" {kind}current="{used}" {kind}max="{most}"'
        for kind, used, most in counts
        if most is not None
    )
    return f"<newznab:apilimits{told}/>" if told else ""


def _item(site: Site, release: Release, naming: Naming | None) -> str:
    date, details, nzb = (
        format_datetime(release.first_posted),
        escaped(site.details(release)),
        escaped(site.nzb(release)),
    )
    said = f"Size: {readable_bytes(release.bytes)}, files: {release.files}, segments: {release.segments} of {release.segments_expected}"
    pairs = [("category", str(category.id)) for category in categories.path(release.category)]
    pairs += [("size", str(release.bytes)), ("files", str(release.files)), ("guid", release.id.hex)]
    pairs += [("usenetdate", date), ("poster", release.poster)]
    pairs += [("group", group) for group in release.groups]
    if naming is not None:
        pairs += naming.pairs()
    attributes = "".join(f'<newznab:attr name="{name}" value="{escaped(value)}"/>' for name, value in pairs)
    return (
        f'<item><title>{escaped(title(release))}</title><guid isPermaLink="true">{details}</guid><link>{nzb}</link>'
        f"<comments>{details}#comments</comments><pubDate>{date}</pubDate>"
        f"<category>{escaped(categories.full_name(release.category))}</category><description>{said}</description>"
        f'<enclosure url="{nzb}" length="{release.bytes}" type="{NZB_TYPE}"/>{attributes}</item>'
    )
