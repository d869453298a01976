from __future__ import annotations

from catalog_batches import VERSIONS, Piece, at, batch_of, planned

from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.figures import figures
from store.disk import LocalDisk

KINDS = {
    *("malformed", "duplicate", "outside_main", "repeated", "garbage", "kept", "in_fragments"),
    *("set_aside_random", "set_aside_obfuscated", "set_aside_text"),
}


def test_an_empty_catalog_has_figures(catalog: Catalog):
    found = figures(catalog)
    assert (found.ranges, found.lines, found.fetched_at, found.chunk_files) == ({}, 0, None, 0)
    assert found.fates == dict.fromkeys(KINDS, 0)
    assert found.catalog_bytes > 0


def test_figures_follow_what_is_committed(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 3)
    committed = commit_range(catalog, disk, at(0), batch_of([Piece("debian"), Piece("fedora")]), VERSIONS)
    found = figures(catalog)
    assert found.ranges == {"done": 1, "planned": 2}
    assert found.fates == dict.fromkeys(KINDS, 0) | {"kept": 4}
    assert (found.chunk_files, found.chunk_bytes) == (1, committed.bytes)
    # One that is made again counts once.
    again = commit_range(catalog, disk, at(0), batch_of([Piece("debian")]), VERSIONS)
    found = figures(catalog)
    assert (found.fates["kept"], found.chunk_files, found.chunk_bytes) == (2, 1, again.bytes)
