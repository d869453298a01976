"""What to enter in each client, field by field as the client names them."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True, slots=True)
class Client:
    """A program that uses the index.

    Attributes:
        name: its name.
        where: where in its menus the settings are.
        fields: labels and values, in the order of its form.
        hint: what else to know.
    """

    name: str
    where: str
    fields: tuple[tuple[str, str], ...]
    hint: str


def clients(url: str, title: str, secret: str) -> tuple[Client, ...]:
    """Settings of the clients of an index at `url`, with a key."""
    newznab = (("Name", title), ("URL", url), ("API Path", "/api"), ("API Key", secret))
    feed = f"{url}/rss?{urlencode({'t': '5000', 'dl': '1', 'num': '100', 'apikey': secret})}"
    return (
        Client(
            "Sonarr",
            "Settings > Indexers > + > Newznab",
            (*newznab, ("Categories", "5030,5040,5045,5010,5090"), ("Anime Categories", "5070")),
            "The test wants one release of these categories in the index; server.sample_items helps an empty one.",
        ),
        Client(
            "Radarr",
            "Settings > Indexers > + > Newznab",
            (*newznab, ("Categories", "2000,2010,2020,2030,2040,2045,2050,2060,2070,2080,2090")),
            "The test wants one release of these categories in the index; server.sample_items helps an empty one.",
        ),
        Client(
            "Prowlarr",
            "Indexers > Add Indexer > Generic Newznab",
            newznab,
            "Prowlarr hands the index on to Sonarr, Radarr and the others; there is nothing to enter in them.",
        ),
        Client(
            "NZBHydra2",
            "Config > Indexers > Add new indexer > Newznab",
            (("Name", title), ("Host", url), ("API key", secret)),
            "Check capabilities asks some ten questions at once; they count as calls of the key.",
        ),
        Client(
            "SABnzbd",
            "Config > RSS > Add Feed",
            (("Feed Name", title), ("URL", feed)),
            "t is a list of categories, 0 for all; every filter of a search narrows the feed. The first reading only marks what is there.",
        ),
        Client(
            "NZBGet",
            "Settings > RSS Feeds > Add Feed",
            (("Name", title), ("URL", feed), ("Interval", "15")),
            "Or by configuration file: Feed1.Name, Feed1.URL and Feed1.Interval.",
        ),
    )
