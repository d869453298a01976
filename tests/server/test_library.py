"""Segment lists from real chunk files on a real disk, whole and damaged."""

from __future__ import annotations

import logging

import pytest

from server import library as module
from server.library import Library
from server.newznab.errors import DAMAGED, NO_ITEM, Refused
from server.nzb import merge, nzb
from store.catalog.search import RecordPlace
from store.chunks import ChunkHeader, encode
from store.disk import LocalDisk


@pytest.fixture
def chunk(tmp_path, content_of, file_of, release_of, batch_of):
    """A chunk file with one record of two files: the disk, the place of the record, and the release."""
    release = release_of(1)
    content = content_of(file_of("debian.iso", 4), file_of("debian.par2", 1))
    header = ChunkHeader("main", "alt.binaries.linux", 7, "range", 1, "test")
    encoded = encode(batch_of(release, content), header)
    disk = LocalDisk(tmp_path)
    disk.create(header.path, encoded.data)
    place = encoded.places[0]
    return disk, RecordPlace(header.path, place.offset, place.length, place.checksum), release


@pytest.fixture
def places(monkeypatch):
    """What the catalog says about places: set it to a list of answers, one per question."""
    answers: list[tuple[RecordPlace, ...]] = []
    monkeypatch.setattr(module.search, "places", lambda *_: answers.pop(0))
    return answers


def test_an_nzb_from_a_chunk_file(chunk, places):
    disk, place, release = chunk
    places += [(place,), (place,)]
    library = Library(None, disk)
    documents = {nzb(release, merge(library.content(release.id))) for _ in range(2)}
    assert len(documents) == 1
    assert b"debian.iso.4@example.org" in documents.pop()


def test_a_damaged_record_is_refused_and_logged(chunk, places, caplog):
    disk, place, release = chunk
    file = disk.root / place.path
    data = bytearray(file.read_bytes())
    data[place.offset + place.length // 2] ^= 1
    file.write_bytes(data)
    places += [(place,)]
    with pytest.raises(Refused) as refused:
        Library(None, disk).content(release.id)
    assert refused.value.fault == DAMAGED
    assert place.path in caplog.text


def test_a_chunk_file_that_was_just_collected_is_looked_up_again(chunk, places, caplog):
    disk, place, release = chunk
    gone = RecordPlace("chunks/gone.zst", 0, 10, 0)
    caplog.set_level(logging.INFO)
    places += [(gone,), (place,)]
    assert Library(None, disk).content(release.id)
    places += [(gone,), (gone,)]
    with pytest.raises(Refused) as refused:
        Library(None, disk).content(release.id)
    assert refused.value.fault == DAMAGED


def test_a_release_without_records_is_no_item(chunk, places):
    disk, _, release = chunk
    places += [()]
    with pytest.raises(Refused) as refused:
        Library(None, disk).content(release.id)
    assert refused.value.fault == NO_ITEM
