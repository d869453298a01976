"""What the server reads: releases and keys from the catalog, segment lists from the chunk files."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from uuid import UUID

from server.newznab.errors import DAMAGED, MISSING_PARAMETER, NO_ITEM, Refused
from store.catalog import keys, search
from store.catalog.connection import Catalog
from store.catalog.figures import Figures, figures
from store.catalog.keys import ApiKey, Use
from store.catalog.search import Page, RecordPlace, Release, Search
from store.chunks import ChunkDamaged, Place, RecordContent, fetch_record
from store.disk import Disk, DiskError

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Library:
    """The catalog and the disk of the chunk files, as one place to look things up."""

    catalog: Catalog
    disk: Disk

    def search(self, wanted: Search) -> Page:
        """The matching releases, in the order that is wanted."""
        return search.search(self.catalog, wanted)

    def release(self, release_id: UUID) -> Release:
        """The release under this id.

        Raises:
            Refused: there is none (Newznab error 300).
        """
        found = search.release(self.catalog, release_id)
        if found is None:
            raise Refused(NO_ITEM)
        return found

    def content(self, release_id: UUID) -> list[RecordContent]:
        """The records of the release, in an order that is the same at every call.

        Raises:
            Refused: it has no records (Newznab error 300), or their chunk files are damaged (900).
        """
        try:
            return self._read(release_id)
        except FileNotFoundError:
            _LOG.info(
                "a chunk file of release %s was collected while it was read; looking its records up again", release_id
            )
        try:
            return self._read(release_id)
        except FileNotFoundError as error:
            _LOG.error("release %s: a chunk file is missing: %s", release_id, error)
            raise Refused(DAMAGED) from error

    def key(self, secret: str) -> ApiKey | None:
        """The API key with this secret; null when there is none or it is revoked."""
        return keys.verify(self.catalog, secret) if secret else None

    def use(self, secret: str, kind: str, times: int = 1) -> Use | None:
        """Verify a key and count its uses of kind `api` or `get`; null when there is no such key or it is revoked."""
        return keys.use(self.catalog, secret, kind, times) if secret else None

    def check(self) -> None:
        """Return when the catalog answers.

        Raises:
            CatalogUnavailable: it does not.
        """
        with self.catalog.transaction() as connection:
            connection.execute("SELECT 1")

    def figures(self) -> Figures:
        """What monitoring wants to know.

        Raises:
            CatalogUnavailable: the catalog does not answer.
        """
        return figures(self.catalog)

    def _read(self, release_id: UUID) -> list[RecordContent]:
        places = search.places(self.catalog, release_id)
        if not places:
            raise Refused(NO_ITEM)
        return [self._record(release_id, place) for place in places]

    def _record(self, release_id: UUID, place: RecordPlace) -> RecordContent:
        try:
            return fetch_record(self.disk, place.path, Place(place.offset, place.length, place.checksum))
        except (ChunkDamaged, DiskError) as error:
            _LOG.error("release %s, record at %s+%d: %s", release_id, place.path, place.offset, error)
            raise Refused(DAMAGED) from error


def release_id(text: str) -> UUID:
    """The id of a release, as our own feeds write it.

    Raises:
        Refused: it is missing (Newznab error 200) or no id of ours (300).
    """
    if not text:
        raise Refused(MISSING_PARAMETER.because("Missing parameter: id"))
    try:
        return UUID(text)
    except ValueError as error:
        raise Refused(NO_ITEM) from error
