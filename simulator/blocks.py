"""Blocks of 10,000 numbers, made once, kept compressed on disk and in memory, and found again by message-id."""

from __future__ import annotations

import os
import struct
from collections import OrderedDict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import chain
from multiprocessing import get_context
from pathlib import Path
from threading import Lock

import numpy as np
import numpy.typing as npt
import polars as pl

from simulator.history import GroupPlan, History, Mix
from simulator.randomness import Ints, Words, chosen, digest, keyed
from simulator.wire import Fragment, deflate, inflate, overview_text

BLOCK = 10_000
"""Numbers in a block; the usual size of a client's XOVER."""

_HEAD = struct.Struct("<4sIIII")
_MAGIC = b"OSB1"


@dataclass(frozen=True, slots=True)
class Block:
    """The rows of a block as they are sent.

    Attributes:
        numbers: article number of each row, int64.
        ends: offset after each row in the text, uint32.
        ids: 64-bit hash of each row's message-id, without brackets.
        fragment: the text, deflated.
    """

    numbers: Ints
    ends: npt.NDArray[np.uint32]
    ids: Words
    fragment: Fragment

    def pack(self) -> bytes:
        """The block as the bytes of a file."""
        fragment = self.fragment
        head = _HEAD.pack(_MAGIC, len(self.numbers), len(fragment.deflated), fragment.adler, fragment.length)
        return head + self.numbers.tobytes() + self.ids.tobytes() + self.ends.tobytes() + fragment.deflated

    def rows(self, first: int, last: int) -> Fragment:
        """The rows with numbers in `first..last`, in the order they are sent."""
        wanted = (self.numbers >= first) & (self.numbers <= last)
        if wanted.all():
            return self.fragment
        text = np.frombuffer(inflate(self.fragment), dtype=np.uint8)
        lengths = np.diff(self.ends, prepend=np.uint32(0))
        return deflate(text[np.repeat(wanted, lengths)].tobytes())

    def count(self, first: int, last: int) -> int:
        """How many rows have numbers in `first..last`."""
        return int(((self.numbers >= first) & (self.numbers <= last)).sum())


def unpack(data: bytes) -> Block:
    """The block in the bytes of a file. Raises ValueError when they are none."""
    if len(data) < _HEAD.size or data[:4] != _MAGIC:
        raise ValueError("not a block file")
    _, rows, size, adler, length = _HEAD.unpack_from(data)
    at = _HEAD.size
    numbers = np.frombuffer(data, dtype=np.int64, count=rows, offset=at)
    ids = np.frombuffer(data, dtype=np.uint64, count=rows, offset=at + 8 * rows)
    ends = np.frombuffer(data, dtype=np.uint32, count=rows, offset=at + 16 * rows)
    deflated = data[at + 20 * rows :]
    if len(deflated) != size:
        raise ValueError("block file is cut short")
    return Block(numbers, ends, ids, Fragment(deflated, adler, length))


def make_block(history: History, group: str, index: int) -> Block:
    """Block `index` of a group: numbers `index * BLOCK` up to the next; some blocks are sent out of order."""
    rows = history.block(group, index * BLOCK, index * BLOCK + BLOCK - 1)
    if chosen(digest(history.seed, group, "unsorted"), np.array([index]), history.mix.unsorted)[0]:
        rng = keyed(history.seed, group, "unsorted", index)
        rows = rows[np.argsort(np.arange(rows.height) + rng.random(rows.height) * 40, kind="stable")]
    text = overview_text(rows)
    ends = (np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == 10) + 1).astype(np.uint32)
    return Block(rows["number"].to_numpy(), ends, id_hashes(rows["message_id"]), deflate(text))


def id_hashes(ids: pl.Series) -> Words:
    """64-bit hashes of message-ids, with or without brackets."""
    return ids.str.strip_chars("<>").hash(7).to_numpy()


class BlockStore:
    """The blocks of a history: in memory, else on disk, else made and kept. `make` and `find` belong to one thread."""

    def __init__(self, history: History, folder: Path, memory_bytes: int = 400_000_000) -> None:
        self.history = history
        self._folder = folder / history.key
        self._folder.mkdir(parents=True, exist_ok=True)
        self._lock = Lock()
        self._recent: OrderedDict[tuple[str, int], Block] = OrderedDict()
        self._room = memory_bytes
        self._held = 0
        self._ids: OrderedDict[tuple[str, int], Words] = OrderedDict()

    def at_hand(self, group: str, index: int) -> Block | None:
        """The block when it is in memory or on disk; a file that cannot be read counts as not there."""
        place = (group, index)
        with self._lock:
            if (block := self._recent.get(place)) is not None:
                self._recent.move_to_end(place)
                return block
        try:
            block = unpack(self._path(group, index).read_bytes())
        except (OSError, ValueError):
            return None
        self._remember(place, block)
        return block

    def make(self, group: str, index: int) -> Block:
        """Make the block and keep it on disk."""
        if (block := self.at_hand(group, index)) is not None:
            return block
        block = make_block(self.history, group, index)
        path = self._path(group, index)
        path.parent.mkdir(parents=True, exist_ok=True)
        written = path.with_suffix(f".{os.getpid()}")
        written.write_bytes(block.pack())
        written.replace(path)
        self._remember((group, index), block)
        return block

    def find(self, message_id: str) -> tuple[str, int] | None:
        """Group and number of an article whose block was made before, in this run or an earlier one."""
        if not message_id:
            return None
        wanted = id_hashes(pl.Series([message_id]))[0]
        for place in chain(list(self._ids), self._not_read_yet()):
            hits = np.flatnonzero(self._ids[place] == wanted)
            if len(hits) and (block := self.at_hand(*place)) is not None:
                self._ids.move_to_end(place, last=False)
                return place[0], int(block.numbers[hits[0]])
        return None

    def _not_read_yet(self) -> Iterator[tuple[str, int]]:
        """Blocks on disk whose ids were not looked at before; their ids are kept from here on."""
        for path in self._folder.glob("*/*.block"):
            place = (path.parent.name, int(path.stem))
            if place not in self._ids:
                self._ids[place] = _ids_in(path)
                yield place

    def _path(self, group: str, index: int) -> Path:
        return self._folder / group / f"{index:09d}.block"

    def _remember(self, place: tuple[str, int], block: Block) -> None:
        with self._lock:
            if place in self._recent:
                return
            self._recent[place] = block
            self._held += _size(block)
            while self._held > self._room and len(self._recent) > 1:
                _, dropped = self._recent.popitem(last=False)
                self._held -= _size(dropped)


def _ids_in(path: Path) -> Words:
    """The id hashes of a block file, without the rest of it."""
    with path.open("rb") as file:
        _, rows, *_ = _HEAD.unpack(file.read(_HEAD.size))
        file.seek(8 * rows, os.SEEK_CUR)
        return np.frombuffer(file.read(8 * rows), dtype=np.uint64)


def _size(block: Block) -> int:
    return len(block.fragment.deflated) + 20 * len(block.numbers)


# --- all blocks ahead of time --------------------------------------------------------------------


def block_runs(history: History) -> list[tuple[str, int, int]]:
    """All blocks of a history as (group, first index, last index) runs of up to 50, to be made in order."""
    runs: list[tuple[str, int, int]] = []
    for name in history.names:
        bounds = history.group(name)
        low, high = bounds.low // BLOCK, bounds.high // BLOCK
        runs += [(name, at, min(at + 49, high)) for at in range(low, high + 1, 50)]
    return runs


def warm(history: History, folder: Path, processes: int = 1) -> Iterator[tuple[int, int]]:
    """Make all blocks ahead; yields (blocks done, blocks in all) after each run."""
    runs = block_runs(history)
    total = sum(last - first + 1 for _, first, last in runs)
    done = 0
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        for count in pool.map(_warm_run, [(history.seed, history.plans, history.mix, folder, run) for run in runs]):
            done += count
            yield done, total


def _warm_run(work: tuple[int, tuple[GroupPlan, ...], Mix, Path, tuple[str, int, int]]) -> int:
    seed, plans, mix, folder, (group, first, last) = work
    store = BlockStore(History(seed, plans, mix), folder, memory_bytes=1)
    for index in range(first, last + 1):
        store.make(group, index)
    return last - first + 1
