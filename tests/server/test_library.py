"""Segment lists from real chunk files on a real disk, whole and damaged."""

from __future__ import annotations

import logging

import polars as pl
import pytest

from pipeline import schema
from pipeline.batch import Batch, Counters
from server import library as module
from server.library import Library
from server.newznab.errors import DAMAGED, NO_ITEM, Refused
from server.nzb import merge, nzb
from store.catalog.search import RecordPlace
from store.chunks import ChunkHeader, encode
from store.disk import LocalDisk


@pytest.fixture
def chunk(tmp_path, content_of, file_of, release_of):
    """A chunk file with one record of two files: the disk, the place of the record, and the release."""
    release = release_of(1)
    content = content_of(file_of("debian.iso", 4), file_of("debian.par2", 1))
    record = {
        "record": 0, "base_key": b"k" * 16, "name": release.name, "poster": release.poster, "groups": list(release.groups),
        "first_posted": release.first_posted, "last_posted": release.last_posted, "files": 2, "files_expected": 2, "segments": 5,
        "segments_expected": 5, "bytes": 5000, "has_par2": True, "readable_name": True, "category": 4020, "tool": "",
        "grouped_by": "stem", "named_by": "stem", "signature": "",
    }  # fmt: skip
    batch = Batch(
        records=pl.DataFrame([record], schema=schema.RECORDS.polars),
        files=content.files,
        segments=content.segments,
        fragments=schema.FRAGMENTS.empty(),
        fragment_segments=schema.SEGMENTS.empty(),
        probes=schema.PROBES.empty(),
        samples=schema.SAMPLES.empty(),
        counters=Counters(lines=5, kept=5),
        window=0,
    )
    header = ChunkHeader("main", "alt.binaries.linux", 7, "range", 1, "test")
    encoded = encode(batch, header)
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
