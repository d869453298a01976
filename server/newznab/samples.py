"""Sample items for an index that holds nothing yet.

Sonarr, Radarr and others refuse an indexer whose newest releases of their categories are none. Where `server.sample_items` is set, such an
empty answer holds one item per category, which says what it is and cannot be downloaded.
"""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID

from server.newznab import categories
from server.newznab.categories import UNKNOWN
from store.catalog.search import Page, Release, Search

_IDS = 0x5A3B1E00 << 96
"""Ids of sample items, the category in the last digits: no release has one, so a download finds nothing."""

_BYTES = 700_000_000


def with_samples(wanted: Search, found: Page) -> Page:
    """`found`, or sample items where the newest releases of some categories were asked for and there are none."""
    asked = wanted.categories or (UNKNOWN.id,)
    plain = Search(categories=wanted.categories, limit=wanted.limit)
    if found.total or wanted != plain:
        return found
    samples = tuple(_sample(number) for number in asked)
    return Page(len(samples), samples[: wanted.limit])


def _sample(number: int) -> Release:
    today = datetime.now(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return Release(
        id=UUID(int=_IDS + number),
        name=f"Sample.of.an.empty.index.{categories.full_name(number).replace(' > ', '.').replace(' ', '.')}",
        poster="Overlake <sample@overlake.invalid>",
        groups=("alt.binaries.test",),
        first_posted=today,
        last_posted=today,
        files=1,
        files_expected=1,
        segments=1_000,
        segments_expected=1_000,
        bytes=_BYTES,
        has_par2=False,
        readable_name=True,
        category=number,
        tool="",
        grouped_by="",
        named_by="",
        signature="",
        records=0,
        settled=True,
        completeness=1.0,
        repost_of=None,
        added_at=today,
        changed_at=today,
        repost=False,
        request_id="",
    )
