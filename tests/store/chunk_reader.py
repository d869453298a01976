"""A second reader of chunk files, written from `docs/chunk-format.md` alone: plain loops, nothing of the software it checks."""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass, field
from typing import Any

import xxhash
import zstandard

RECORD_COLUMNS = [
    "base_key",
    "stem_key",
    "pool_key",
    "lone_number",
    "name",
    "poster",
    "groups",
    "first_posted",
    "last_posted",
    "files",
    "files_expected",
    "segments",
    "segments_expected",
    "bytes",
    "has_par2",
    "readable_name",
    "category",
    "tool",
    "grouped_by",
    "named_by",
    "signature",
    "repost",
    "request_id",
    "file_marks",
]
FILE_COLUMNS = [
    "file_key",
    "subject",
    "name",
    "poster",
    "groups",
    "posted_at",
    "file_number",
    "file_total",
    "segments_expected",
    "segments_found",
    "bytes",
    "first_number",
    "last_number",
]
BINARY = {"base_key", "stem_key", "pool_key", "file_marks", "file_key"}
BOOLEAN = {"has_par2", "readable_name", "repost", "at_low", "at_high"}
INTEGER = {
    "lone_number",
    "files",
    "files_expected",
    "segments",
    "segments_expected",
    "bytes",
    "category",
    "file_number",
    "file_total",
    "segments_found",
    "first_number",
    "last_number",
    "first_posted",
    "last_posted",
    "posted_at",
}
_NAMED = [
    *(b"01234567", b"89", b"ab", b"cdef", b"ghijklmnopqrstuv", b"wxyz", b"ABCDEF", b"GHIJKLMNOPQRSTUV", b"WXYZ"),
    *(b"-", b"_", b"$&", b"+/=", b"@."),
]
CLASSES = [*_NAMED, bytes(set(range(128)) - set(b"".join(_NAMED))), bytes(range(128, 256))]
Row = dict[str, Any]


class Bad(ValueError):
    """Not as the document says."""


def need(holds: bool) -> None:
    if not holds:
        raise Bad


def signed64(value: int) -> int:
    value &= (1 << 64) - 1
    return value - (1 << 64) if value >> 63 else value


def unzigzag(value: int) -> int:
    return value >> 1 if value % 2 == 0 else -(value + 1) // 2


@dataclass
class Section:
    data: bytes
    at: int = 0

    def take(self, count: int) -> bytes:
        need(count >= 0 and self.at + count <= len(self.data))
        self.at += count
        return self.data[self.at - count : self.at]

    def varint(self) -> int:
        value = shift = 0
        while True:
            (byte,) = self.take(1)
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value


@dataclass
class Content:
    text: Section
    numbers: Section
    packed: Section

    def unsigned(self, count: int) -> list[int]:
        (width,) = self.numbers.take(1)
        need(width <= 8)
        planes = [self.numbers.take(count) for _ in range(width)]
        return [sum(plane[row] << 8 * j for j, plane in enumerate(planes)) for row in range(count)]

    def signed(self, count: int) -> list[int]:
        return [unzigzag(value) for value in self.unsigned(count)]

    def above(self, count: int) -> list[int]:
        """Signed integers, each less the one above."""
        values: list[int] = []
        for step in self.signed(count):
            values.append(signed64(step + (values[-1] if values else 0)))
        return values

    def strings(self, count: int) -> list[bytes]:
        lengths = self.unsigned(count)
        data = Section(self.text.take(sum(lengths)))
        return [data.take(length) for length in lengths]

    def end(self) -> None:
        for section in (self.text, self.numbers, self.packed):
            need(section.at == len(section.data))


def open_content(frame: bytes, kind: int) -> Content:
    need(frame[:4] == b"\x28\xb5\x2f\xfd" and frame[4] & 4 == 4)
    whole = Section(zstandard.ZstdDecompressor().decompress(frame))
    need(whole.take(2) == bytes([3, kind]))
    text, numbers = whole.varint(), whole.varint()
    return Content(Section(whole.take(text)), Section(whole.take(numbers)), Section(whole.data[whole.at :]))


def table(content: Content, columns: list[str], count: int, predictions: dict[str, list[int]]) -> list[Row]:
    nulls = content.text.varint()
    rows: list[Row] = [{} for _ in range(count)]
    for index, name in enumerate(columns):
        null = content.unsigned(count) if nulls >> index & 1 else [0] * count
        values: list[Any]
        if name == "groups":
            sizes = content.unsigned(count)
            items = iter(content.strings(sum(sizes)))
            values = [[next(items).decode() for _ in range(size)] for size in sizes]
        elif name in INTEGER or name in BOOLEAN:
            values = content.signed(count) if name in predictions else content.above(count)
            if name in predictions:
                values = [signed64(value + guess) for value, guess in zip(values, predictions[name], strict=True)]
            if name in BOOLEAN:
                values = [bool(value) for value in values]
        else:
            values = content.strings(count)
            if name not in BINARY:
                values = [value.decode() for value in values]
        for row, value, empty in zip(rows, values, null, strict=True):
            row[name] = None if empty else value
    return rows


@dataclass
class File:
    row: Row
    segments: list[tuple[int, int, str]] = field(default_factory=list[tuple[int, int, str]])


def read_files(content: Content, columns: list[str]) -> list[File]:
    height, total = content.text.varint(), content.text.varint()
    need(total <= 1 << 24)
    counts, usual, last = content.above(height), content.above(height), content.above(height)
    need(all(count >= 0 for count in counts) and sum(counts) == total)
    owner = [file for file, count in enumerate(counts) for _ in range(count)]
    numbers: list[int] = []
    for row, step in enumerate(content.signed(total)):
        same = row > 0 and owner[row] == owner[row - 1]
        numbers.append(signed64(step + 1 + (numbers[-1] if same else 0)))
    noise = read_noise(content, total)
    ends = {sum(counts[: file + 1]) - 1: file for file, count in enumerate(counts) if count}
    sizes = [
        signed64(usual[owner[row]] + value + (last[ends[row]] if row in ends else 0)) for row, value in enumerate(noise)
    ]
    sums = [signed64(sum(size for size, of in zip(sizes, owner, strict=True) if of == file)) for file in range(height)]
    rows = table(content, columns, height, {"segments_found": counts, "bytes": sums})
    before = [sum(max(row["segments_expected"] or 0, 0) for row in rows[:file]) for file in range(height)]
    ids = read_ids(content, [Place(numbers[i], owner[i], rows[owner[i]], before[owner[i]]) for i in range(total)])
    files = [File(row) for row in rows]
    for of, number, size, name in zip(owner, numbers, sizes, ids, strict=True):
        files[of].segments.append((number, size, name.decode()))
    return files


def read_noise(content: Content, count: int) -> list[int]:
    split = content.text.varint()
    need(split < 2)
    if not split:
        return content.signed(count)
    high, low = content.unsigned(count), content.packed.take((count + 1) // 2)
    return [
        signed64(unzigzag((value << 4 | (low[row // 2] >> 4 if row % 2 == 0 else low[row // 2] & 15)) & (1 << 64) - 1))
        for row, value in enumerate(high)
    ]


@dataclass
class Place:
    number: int
    file: int
    row: Row
    before: int


def read_ids(content: Content, places: list[Place]) -> list[bytes]:
    count = content.text.varint()
    template_of = content.unsigned(len(places))
    need(all(template <= count for template in template_of))
    ids: list[bytes] = [b""] * len(places)
    for template in range(count):
        rows = [row for row, own in enumerate(template_of) if own == template]
        need(bool(rows))
        for row, name in zip(rows, read_template(content, [places[row] for row in rows]), strict=True):
            ids[row] = name
    rows = [row for row, own in enumerate(template_of) if own == count]
    for row, name in zip(rows, content.strings(len(rows)), strict=True):
        ids[row] = name
    return ids


@dataclass
class Field:
    begin: int
    end: int
    kind: int
    absent: list[int] = field(default_factory=list[int])


@dataclass
class Shape:
    form: int
    place: int
    codes: list[int]
    words: list[tuple[int, int]]
    fields: list[Field]


def read_shape(content: Content) -> Shape:
    pattern = Section(content.text.take(content.text.varint()))
    form, place, length = pattern.varint(), pattern.varint(), pattern.varint()
    need(length <= 1000 and place <= length)
    shape = Shape(form, place, [], [], [])
    while len(shape.codes) < length:
        run, code = pattern.varint(), pattern.varint()
        need(0 < run <= length - len(shape.codes))
        if code == 4:
            shape.words.append((len(shape.codes), len(shape.codes) + run))
        shape.codes += [code] * run
    for _ in range(pattern.varint()):
        begin, size, kind = pattern.varint(), pattern.varint(), pattern.varint()
        shape.fields.append(Field(begin, begin + size, kind))
    need(pattern.at == len(pattern.data))
    return shape


def read_template(content: Content, places: list[Place]) -> list[bytes]:
    shape = read_shape(content)
    codes, length = shape.codes, len(shape.codes)
    # One list of characters for each id; None is absent.
    ids: list[list[int | None]] = [[None] * length for _ in places]

    read_constants(content, codes, ids)
    leads = [row for row, own in enumerate(places) if row == 0 or own.file != places[row - 1].file]
    if any(code % 2 and code > 6 for code in codes):
        need(content.text.varint() == len(leads))
    if 5 in codes:
        read_seed(content, [position for position in range(length) if codes[position] == 5], ids, places)
    read_numbers(content, codes, ids)
    for own in shape.fields:
        own.absent = content.unsigned(len(ids)) if own.kind == 1 else []
    read_words(content, shape, ids)
    for code in sorted({code for code in codes if code >= 6}):
        positions = [position for position in range(length) if codes[position] == code]
        read_stream(content, code, positions, shape.fields, ids, leads if code % 2 else list(range(len(ids))), places)
    for own in shape.fields:
        if own.kind == 0:
            for row in ids:
                strip(row, own)
    return [joined(row, shape.form, shape.place, own) for row, own in zip(ids, places, strict=True)]


def read_words(content: Content, shape: Shape, ids: list[list[int | None]]) -> None:
    for begin, end in shape.words:
        words = [content.text.take(content.text.varint()) for _ in range(content.text.varint())]
        for row, word in zip(ids, content.unsigned(len(ids)), strict=True):
            for position, character in zip(range(end - len(words[word]), end), words[word], strict=True):
                need(position >= begin)
                row[position] = character


def read_constants(content: Content, codes: list[int], ids: list[list[int | None]]) -> None:
    constants = content.text.take(codes.count(0))
    for position, character in zip([p for p, code in enumerate(codes) if code == 0], constants, strict=True):
        for row in ids:
            row[position] = character


def strip(row: list[int | None], own: Field) -> None:
    """Leading zeros are absent, the last character never."""
    for position in range(own.begin, own.end - 1):
        if row[position] != ord("0"):
            return
        row[position] = None


def read_seed(content: Content, positions: list[int], ids: list[list[int | None]], places: list[Place]) -> None:
    first, second = struct.unpack("<QQ", content.text.take(16))
    taken = content.text.varint()
    need(taken < 64 and len(positions) == 24)
    articles = [own.before + own.number - places[0].before - places[0].number for own in places]
    numbers: list[float] = []
    while len(numbers) < taken + 24 * (max(articles) + 1):
        block: list[float] = []
        for _ in range(64):
            mixed = (first ^ first << 23) & (1 << 64) - 1
            mixed ^= mixed >> 17
            mixed ^= second ^ second >> 26
            first, second = second, mixed
            block.append((first >> 11) / (1 << 53))
        numbers += reversed(block)
    for row, article in zip(ids, articles, strict=True):
        need(0 <= article < 2 * len(ids) + 64)
        for turn, position in enumerate(positions):
            row[position] = int((65, 97)[turn % 2] + 26 * numbers[taken + 24 * article + turn])


def read_numbers(content: Content, codes: list[int], ids: list[list[int | None]]) -> None:
    numbers: list[tuple[int, list[int]]] = []
    for position, code in enumerate(codes):
        if code in (1, 2):
            numbers.append((code, [position]))
        elif code == 3:
            numbers[-1][1].append(position)
    for code, positions in numbers:
        value, least = content.text.varint(), content.text.varint()
        for index, step in enumerate(content.unsigned(len(ids))):
            if index:
                value += step + least - 1 if least else unzigzag(step)
            digits = f"{value:0{len(positions)}d}" if code == 1 else f"{value:0{len(positions)}x}"
            need(value >= 0 and len(digits) == len(positions))
            for position, digit in zip(positions, digits.encode(), strict=True):
                ids[index][position] = digit


def read_stream(
    content: Content,
    code: int,
    positions: list[int],
    fields: list[Field],
    ids: list[list[int | None]],
    rows: list[int],
    places: list[Place],
) -> None:
    alphabet = sorted(b"".join(members for bit, members in enumerate(CLASSES) if (code - 4) // 2 >> bit & 1))
    need(bool(alphabet))
    cells = [
        (row, position)
        for row in rows
        for position in positions
        if not any(
            own.kind == 1 and own.begin <= position < own.end and position - own.begin < own.absent[row]
            for own in fields
        )
    ]
    for (row, position), rank in zip(cells, unpack(content.packed, len(cells), len(alphabet)), strict=True):
        ids[row][position] = alphabet[rank]
    if code % 2:
        for row in range(1, len(ids)):
            if places[row].file == places[row - 1].file:
                for position in positions:
                    ids[row][position] = ids[row - 1][position]


def unpack(packed: Section, count: int, size: int) -> list[int]:
    if size == 1:
        return [0] * count
    choices = [(k, math.ceil(k * math.log2(size))) for k in range(1, 58)]
    k, w = min(
        ((k, w) for k, w in choices if w <= 57),
        key=lambda choice: (choice[1] / choice[0], choice[1] % 8 != 0, choice[1]),
    )
    units = -(-count // k)
    bits = int.from_bytes(packed.take(-(-units * w // 8)), "little")
    ranks: list[int] = []
    for unit in range(units):
        value = bits >> unit * w & (1 << w) - 1
        ranks += [value // size ** (k - 1 - i) % size for i in range(k)]
    return ranks[:count]


def joined(row: list[int | None], form: int, place: int, own: Place) -> bytes:
    number, total = str(own.number), str(own.row["segments_expected"] or 0)
    texts = [
        "",
        f"part{number}of{total}.",
        f"Part{number}of{total}.",
        f"_{number}o{total}@",
        f".{number}@",
        f".{own.number - 1}@",
        f".{number}-{total}@",
        f"{own.row['subject']}@",
    ]
    before, after = (bytes(c for c in part if c is not None) for part in (row[:place], row[place:]))
    return before + texts[form].encode() + after


@dataclass
class Record:
    row: Row
    files: list[File]


def read_record(frame: bytes) -> Record:
    content = open_content(frame, 0)
    files = read_files(content, FILE_COLUMNS)
    posted = [file.row["posted_at"] for file in files if file.row["posted_at"] is not None]
    guesses = {
        "files": len(files),
        "segments": sum(len(file.segments) for file in files),
        "segments_expected": sum(file.row["segments_expected"] or 0 for file in files),
        "bytes": signed64(sum(file.row["bytes"] or 0 for file in files)),
        "first_posted": min(posted) if posted else (1 << 63) - 1 if files else 0,
        "last_posted": max(posted) if posted else -(1 << 63) if files else 0,
    }
    (row,) = table(content, RECORD_COLUMNS, 1, {name: [guess] for name, guess in guesses.items()})
    content.end()
    return Record(row, files)


def read_fragment(data: bytes) -> File:
    content = open_content(data, 1)
    (file,) = read_files(content, [*FILE_COLUMNS, "at_low", "at_high"])
    content.end()
    return file


@dataclass
class ChunkFile:
    header: Row
    index: list[Row]
    places: list[tuple[int, int]]
    records: list[Record]


def read_file(data: bytes) -> ChunkFile:
    """Everything in a chunk file, all checksums compared."""
    magic, size = struct.unpack_from("<II", data)
    need(magic == 0x184D2A50)
    head = data[: 8 + size]
    name, version, length = struct.unpack_from("<8sHI", head, 8)
    need(name == b"OVERLAKE" and version == 3 and size == 14 + length + 8)
    need(xxhash.xxh3_64_intdigest(head[:-8]) == int.from_bytes(head[-8:], "little"))
    header = json.loads(head[22 : 22 + length])

    total, count, check, name = struct.unpack("<IIQ8s", data[-24:])
    footer = data[-total:]
    need(name == b"OVERLAKE" and struct.unpack_from("<II", footer) == (0x184D2A51, total - 8))
    need(xxhash.xxh3_64_intdigest(footer[:-16]) == check)
    content = open_content(footer[8:-24], 2)
    need(content.text.varint() == count)
    index = table(content, RECORD_COLUMNS, count, {})
    lengths, at = content.unsigned(count), content.text.varint()
    places: list[tuple[int, int]] = []
    records: list[Record] = []
    for length in lengths:
        frame = data[at : at + length]
        need(xxhash.xxh3_64_intdigest(frame) == int.from_bytes(content.packed.take(8), "little"))
        places.append((at, length))
        records.append(read_record(frame))
        at += length
    content.end()
    need(not places or (places[0][0] == len(head) and at == len(data) - total))
    return ChunkFile(header, index, places, records)
