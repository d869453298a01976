"""Chunk files measured: bytes a segment, message-ids against their entropy and against general compressors, segments per second.

The ids are made here, one generator per posting tool (shapes and entropies: the tools' sources), with fixed seeds.
"""

from __future__ import annotations

import io
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from math import log2

import numpy as np
import polars as pl
import zstandard
from numpy.typing import NDArray

from pipeline import schema
from pipeline.batch import Batch, Counters
from store.chunks import ChunkHeader, encode, read_records
from store.chunks.xorshift import letters

LOWER, UPPER, DIGITS = b"abcdefghijklmnopqrstuvwxyz", b"ABCDEFGHIJKLMNOPQRSTUVWXYZ", b"0123456789"
BASE62 = DIGITS + UPPER + LOWER
HEX = DIGITS + b"abcdef"
SEGMENTS_PER_FILE, FILES_PER_RECORD = 100, 12
_SAMPLE = 1 << 20
_STARTED = datetime(2020, 5, 17, 9, 30, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Profile:
    """One posting tool: how its ids are made, and the bits an id carries that nothing else tells."""

    name: str
    article_bytes: int
    share: float
    bits: float
    make: Callable[[np.random.Generator, Facts], list[str]]


@dataclass(frozen=True, slots=True)
class Facts:
    """What ids may depend on: the file, the segment number, the segments of the file, the ms clock of each article."""

    file: NDArray[np.int64]
    number: NDArray[np.int64]
    total: int
    clock: NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class ProfileFigures:
    """What one profile (or the mix) measured. Sizes in bytes, speeds in segments per second of one core."""

    profile: str
    segments: int
    bytes_per_segment: float
    id_bytes: float
    id_entropy_bytes: float
    ratio: float
    encode_segments_per_s: float
    decode_segments_per_s: float
    zstd_3: float
    zstd_19: float
    parquet_zstd: float


@dataclass(frozen=True, slots=True)
class ChunkFigures:
    """All profiles, and the mix of tools as `share` says."""

    profiles: tuple[ProfileFigures, ...]
    mix: ProfileFigures


def _letters(random: np.random.Generator, count: int, *alphabets: bytes) -> list[str]:
    """`count` strings; position i is uniform over `alphabets[i]`."""
    columns = [np.frombuffer(letters, np.uint8)[random.integers(0, len(letters), count)] for letters in alphabets]
    data = np.column_stack(columns).tobytes().decode()
    width = len(alphabets)
    return [data[at : at + width] for at in range(0, len(data), width)]


def _power_post_at(host: str) -> Callable[[np.random.Generator, Facts], list[str]]:
    def make(random: np.random.Generator, facts: Facts) -> list[str]:
        tokens = _letters(random, int(facts.file[-1]) + 1, *[BASE62 + b"$&"] * 20)
        rows = zip(facts.number.tolist(), facts.file.tolist(), strict=True)
        return [f"part{number}of{facts.total}.{tokens[file]}@{host}" for number, file in rows]

    return make


def _nyuu(random: np.random.Generator, facts: Facts) -> list[str]:
    letters = _letters(random, facts.file.size, *[UPPER, LOWER] * 12)
    return [f"{token}-{clock}@nyuu" for token, clock in zip(letters, facts.clock.tolist(), strict=True)]


def _nyuu_v8(random: np.random.Generator, facts: Facts) -> list[str]:
    """The same letters as V8's generator makes them, one process for each record."""
    state = random.integers(1, 1 << 63, (1, 2), dtype=np.uint64)
    drawn = letters(state, random.integers(0, 64, 1), np.array([facts.file.size])).tobytes().decode()
    rows = zip(range(0, len(drawn), 24), facts.clock.tolist(), strict=True)
    return [f"{drawn[at : at + 24]}-{clock}@nyuu" for at, clock in rows]


def _ng_post(random: np.random.Generator, facts: Facts) -> list[str]:
    uuid = [HEX] * 12 + [b"4"] + [HEX] * 3 + [b"89ab"] + [HEX] * 15
    return [f"{token}@ngPost" for token in _letters(random, facts.file.size, *uuid)]


def _jbin_up(random: np.random.Generator, facts: Facts) -> list[str]:
    tokens = _letters(random, facts.file.size, *[BASE62] * 20)
    rows = zip(tokens, facts.number.tolist(), strict=True)
    return [f"{token}_{number}o{facts.total}@JBinUp.local" for token, number in rows]


def _jbin_down(random: np.random.Generator, facts: Facts) -> list[str]:
    tokens = _letters(random, facts.file.size, *[BASE62] * 32)
    rows = zip(tokens, facts.number.tolist(), strict=True)
    return [f"{token}.{number}-{facts.total}@JBinDown.local" for token, number in rows]


def _pesto(random: np.random.Generator, facts: Facts) -> list[str]:
    """A clock in ns, a counter of the run, 64 random bits, and a domain made up for each article."""
    clock = (facts.clock[0] * 1_000_000 + np.cumsum(random.integers(0, 1 << 21, facts.file.size))).tolist()
    noise = random.integers(0, 1 << 63, facts.file.size, dtype=np.uint64) * 2 + random.integers(
        0, 2, facts.file.size, dtype=np.uint64
    )
    hosts = _letters(random, facts.file.size, *[LOWER] * 15)
    lengths = random.integers(8, 16, facts.file.size).tolist()
    ends = random.choice(["com", "net", "org"], facts.file.size).tolist()
    rows = zip(clock, noise.tolist(), hosts, lengths, ends, strict=True)
    return [f"{ns:x}.{n:x}.{bits:016x}@{host[:size]}.{end}" for n, (ns, bits, host, size, end) in enumerate(rows, 1)]


def _news_up(random: np.random.Generator, facts: Facts) -> list[str]:
    """A clock in us whose digits are not padded, a random number in base 36, and the seconds again, in base 36 and reversed."""
    clock = (facts.clock[0] * 1000 + np.cumsum(random.integers(0, 1 << 20, facts.file.size))).tolist()
    rows = zip(clock, random.integers(0, 1 << 48, facts.file.size).tolist(), strict=True)
    return [
        f"{us // 1_000_000}{us % 1_000_000}.{_base36(value)}@{_base36(us // 1_000_000)[::-1]}.newsup"
        for us, value in rows
    ]


def _base36(value: int) -> str:
    digits = ""
    while value or not digits:
        value, digit = divmod(value, 36)
        digits = (DIGITS + LOWER).decode()[digit] + digits
    return digits


def _giganews(random: np.random.Generator, facts: Facts) -> list[str]:
    return [f"{token}dnZ2d@giganews.com" for token in _letters(random, facts.file.size, *[BASE62 + b"_-"] * 27)]


def _astraweb(random: np.random.Generator, facts: Facts) -> list[str]:
    seconds = facts.clock[0] // 1000 + np.cumsum(random.integers(0, 2, facts.file.size))
    rows = zip(seconds.tolist(), random.integers(0, 30_000, facts.file.size).tolist(), strict=True)
    return [f"{second:08x}$0${value}$c3e8da3@news.example.org" for second, value in rows]


def _postie(random: np.random.Generator, facts: Facts) -> list[str]:
    tokens = _letters(random, facts.file.size, *[BASE62] * 32, b"@", *[BASE62] * 8, b".", *[BASE62] * 3)
    return list(tokens)


def _gopoststuff(random: np.random.Generator, facts: Facts) -> list[str]:
    steps = random.integers(0, 1 << 21, facts.file.size)
    clock = facts.clock[0] * 1_000_000 + np.cumsum(steps)
    return [f"{time_ns}$gps@gopoststuff" for time_ns in clock.tolist()]


def _newsmangler(random: np.random.Generator, facts: Facts) -> list[str]:
    clock = facts.clock[0] * 100 + np.cumsum(random.integers(1, 9, facts.file.size))
    rows = zip((clock // 100_000).tolist(), (clock % 100_000).tolist(), facts.number.tolist(), strict=True)
    return [f"{seconds}.{rest:05d}.{number}@news.example.org" for seconds, rest, number in rows]


def _part_guid(random: np.random.Generator, facts: Facts) -> list[str]:
    upper = DIGITS + b"ABCDEF"
    guid = [upper] * 12 + [b"4"] + [upper] * 3 + [b"89AB"] + [upper] * 15
    tokens = _letters(random, facts.file.size, *guid)
    rows = zip(tokens, facts.number.tolist(), (facts.clock // 1000).tolist(), strict=True)
    return [f"Part{number}of{facts.total}.{token}@{seconds}.local" for token, number, seconds in rows]


def _post2usenet(random: np.random.Generator, facts: Facts) -> list[str]:
    (token,) = _letters(random, 1, *[LOWER + DIGITS] * 16)
    rows = zip(facts.file.tolist(), facts.number.tolist(), strict=True)
    return [f"{token}.{file}.{number - 1}@example.org" for file, number in rows]


def _pan(random: np.random.Generator, facts: Facts) -> list[str]:
    values = random.integers(0, 1 << 32, (facts.file.size, 3)).tolist()
    micros = random.integers(0, 1_000_000, facts.file.size).tolist()
    return [f"pan${micro:x}${a:x}${b:x}${c:x}@example.org" for micro, (a, b, c) in zip(micros, values, strict=True)]


def _nntp_poster(random: np.random.Generator, facts: Facts) -> list[str]:
    letters = BASE62 + b"_-"
    tokens = _letters(random, facts.file.size, *[letters] * 29, *[letters] * 9, *[BASE62] * 3)
    cuts = zip(tokens, random.integers(20, 30, facts.file.size), random.integers(5, 10, facts.file.size), strict=True)
    return [f"{token[:name]}@{token[29 : 29 + host]}.{token[38:]}" for token, name, host in cuts]


def _usenet_sync(random: np.random.Generator, facts: Facts) -> list[str]:
    return [f"{token}@ngPost.com" for token in _letters(random, facts.file.size, *[LOWER + DIGITS] * 16)]


_B62 = log2(62)
PROFILES: tuple[Profile, ...] = (
    Profile("powerpost", 249_600, 0.20, 120 / SEGMENTS_PER_FILE, _power_post_at("powerpost2000AA.local")),
    Profile("camelsystem", 640_000, 0.02, 120 / SEGMENTS_PER_FILE, _power_post_at("camelsystem-powerpost.local")),
    Profile("nyuu", 716_800, 0.29, 24 * log2(26) + log2(14), _nyuu),
    Profile("nyuu_v8", 716_800, 0.0, log2(14), _nyuu_v8),
    Profile("ngpost", 716_800, 0.22, 122, _ng_post),
    Profile("jbinup", 640_000, 0.09, 20 * _B62, _jbin_up),
    Profile("jbindown", 640_000, 0.01, 32 * _B62, _jbin_down),
    Profile("postie", 768_000, 0.04, 43 * _B62, _postie),
    Profile("pesto", 768_000, 0.01, 64 + 21 + 3 + 11.5 * log2(26) + log2(3), _pesto),
    Profile("gopoststuff", 768_000, 0.02, 21, _gopoststuff),
    Profile("newsmangler", 768_000, 0.02, 3, _newsmangler),
    Profile("part_guid", 249_600, 0.02, 122, _part_guid),
    Profile("post2usenet", 640_000, 0.01, 16 * log2(36) / (SEGMENTS_PER_FILE * FILES_PER_RECORD), _post2usenet),
    Profile("pan", 640_000, 0.01, 96 + log2(1_000_000), _pan),
    Profile("nntpposter", 768_000, 0.01, 31.5 * 6 + 3 * _B62 + log2(10) + log2(5), _nntp_poster),
    Profile("newsup", 716_800, 0.005, 48 + 20, _news_up),
    Profile("giganews", 249_600, 0.01, 27 * 6, _giganews),
    Profile("astraweb", 249_600, 0.005, 1 + log2(30_000), _astraweb),
    Profile("usenetsync", 768_000, 0.01, 16 * log2(36), _usenet_sync),
)
"""The tools and, for the mix, their shares of the kept segments of all eras. In the mix no letters of Nyuu follow from a generator."""


def batch_of(profile: Profile, segments: int, seed: int = 1) -> Batch:
    """Releases of `FILES_PER_RECORD` files of `SEGMENTS_PER_FILE` segments posted with one tool."""
    random = np.random.default_rng([seed, *profile.name.encode()])
    per_record = FILES_PER_RECORD * SEGMENTS_PER_FILE
    records = max(1, round(segments / per_record))
    parts = [_record(random, profile, record) for record in range(records)]
    files = pl.concat([part[1] for part in parts]).with_row_index("file").select(schema.RECORD_FILES.names)
    rows = pl.concat([part[2] for part in parts])
    owner = np.repeat(np.arange(records * FILES_PER_RECORD), SEGMENTS_PER_FILE)
    return Batch(
        records=schema.RECORDS.check(pl.concat([part[0] for part in parts])),
        files=schema.RECORD_FILES.check(files.cast(schema.RECORD_FILES.polars)),
        segments=rows.select(pl.Series("file", owner, pl.UInt32), "number", "bytes", "message_id"),
        fragments=schema.FRAGMENTS.empty(),
        fragment_segments=schema.SEGMENTS.empty(),
        probes=schema.PROBES.empty(),
        samples=schema.SAMPLES.empty(),
        verdicts=schema.VERDICTS.empty(),
        counters=Counters(lines=rows.height, kept=rows.height),
        window=0,
    )


def _record(
    random: np.random.Generator, profile: Profile, record: int
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    size = FILES_PER_RECORD * SEGMENTS_PER_FILE
    file = np.repeat(np.arange(FILES_PER_RECORD), SEGMENTS_PER_FILE)
    number = np.tile(np.arange(1, SEGMENTS_PER_FILE + 1), FILES_PER_RECORD)
    start = int(_STARTED.timestamp()) * 1000 + record * 3_600_000
    clock = start + np.cumsum(random.integers(8, 22, size))
    ids = profile.make(random, Facts(file, number, SEGMENTS_PER_FILE, clock))
    sizes = np.round(
        profile.article_bytes * 1.0316 + 700 + random.normal(0, profile.article_bytes**0.5 * 0.15, size)
    ).astype(np.int64)
    last = number == SEGMENTS_PER_FILE
    sizes[last] = random.integers(1_000, profile.article_bytes, int(last.sum()))
    stem = "".join(_letters(random, 1, *[LOWER] * 14))
    names = [f"{stem}-{record}.part{volume:02d}.rar" for volume in range(1, FILES_PER_RECORD + 1)]
    posted = pl.from_epoch(pl.Series(clock // 1000)).dt.replace_time_zone("UTC").dt.cast_time_unit("ms")
    begin = posted.gather(np.flatnonzero(number == 1))
    sums = sizes.reshape(FILES_PER_RECORD, -1).sum(axis=1)
    first = 10_000_000 + record * 4000 + np.arange(FILES_PER_RECORD) * 110
    poster = f"poster{record % 50} <poster{record % 50}@example.org>"
    files = pl.DataFrame(
        {
            "record": pl.repeat(record, FILES_PER_RECORD, dtype=pl.UInt32, eager=True),
            "file_key": [random.bytes(16) for _ in names],
            "subject": [
                f'[{n:02d}/{len(names)}] - "{name}" yEnc (1/{SEGMENTS_PER_FILE})' for n, name in enumerate(names, 1)
            ],
            "name": names,
            "poster": [poster] * len(names),
            "groups": [["alt.binaries.example", "alt.binaries.test"]] * len(names),
            "posted_at": begin,
            "file_number": range(1, len(names) + 1),
            "file_total": [len(names)] * len(names),
            "segments_expected": [SEGMENTS_PER_FILE] * len(names),
            "segments_found": [SEGMENTS_PER_FILE] * len(names),
            "bytes": sums,
            "first_number": first,
            "last_number": first + 104,
        }
    )
    row = {
        "record": record,
        "base_key": random.bytes(16),
        "stem_key": None,
        "pool_key": None,
        "lone_number": None,
        "repost": False,
        "request_id": "",
        "file_marks": b"",
        "name": f"{stem}-{record}",
        "poster": poster,
        "groups": ["alt.binaries.example", "alt.binaries.test"],
        "first_posted": begin[0],
        "last_posted": begin[-1],
        "files": len(names),
        "files_expected": len(names),
        "segments": size,
        "segments_expected": size,
        "bytes": int(sums.sum()),
        "has_par2": False,
        "readable_name": True,
        "category": 8010,
        "tool": profile.name,
        "grouped_by": "stem",
        "named_by": "stem",
        "signature": f"{profile.name} user user",
    }
    segments = pl.DataFrame({"number": pl.Series(number, dtype=pl.Int32), "bytes": sizes, "message_id": ids})
    return pl.DataFrame([row], schema=schema.RECORDS.polars), files, segments


def _measure(profile: Profile, segments: int) -> ProfileFigures:
    """Encode, decode and compress one profile. The id bytes are what the file shrinks by when every id is the same word."""
    batch = batch_of(profile, segments)
    count = batch.segments.height
    header = ChunkHeader("bench", "alt.binaries.example", 0, "range", 1, "bench")
    began = time.process_time()
    chunk = encode(batch, header)
    encoded = time.process_time()
    read_records([chunk.data[place.offset : place.offset + place.length] for place in chunk.places])
    decoded = time.process_time()
    same_ids = batch.segments.with_columns(pl.lit("x").alias("message_id"))
    without = encode(_with_segments(batch, same_ids), header)
    ids = "\n".join(batch.segments["message_id"]).encode()
    id_bytes = (len(chunk.data) - len(without.data)) / count
    entropy = profile.bits / 8
    return ProfileFigures(
        profile=profile.name,
        segments=count,
        bytes_per_segment=round(len(chunk.data) / count, 3),
        id_bytes=round(id_bytes, 3),
        id_entropy_bytes=round(entropy, 3),
        ratio=round(id_bytes / entropy, 4),
        encode_segments_per_s=round(count / (encoded - began)),
        decode_segments_per_s=round(count / (decoded - encoded)),
        zstd_3=round(len(zstandard.compress(ids, 3)) / count, 3),
        zstd_19=round(len(zstandard.compress(ids[:_SAMPLE], 19)) / min(1.0, _SAMPLE / len(ids)) / count, 3),
        parquet_zstd=round(_parquet_size(batch.segments.select("message_id")) / count, 3),
    )


def _with_segments(batch: Batch, segments: pl.DataFrame) -> Batch:
    return Batch(
        batch.records,
        batch.files,
        segments,
        batch.fragments,
        batch.fragment_segments,
        batch.probes,
        batch.samples,
        batch.verdicts,
        batch.counters,
        batch.window,
    )


def _parquet_size(frame: pl.DataFrame) -> int:
    file = io.BytesIO()
    frame.write_parquet(file, compression="zstd")
    return file.tell()


def _mean(figures: tuple[ProfileFigures, ...]) -> ProfileFigures:
    """The mix: every figure a segment, weighted by the profiles' shares."""
    shares = np.array([profile.share for profile in PROFILES])
    shares = shares / shares.sum()

    def mean(of: Callable[[ProfileFigures], float]) -> float:
        return round(float(shares @ np.array([of(figure) for figure in figures])), 3)

    id_bytes, entropy = mean(lambda f: f.id_bytes), mean(lambda f: f.id_entropy_bytes)
    return ProfileFigures(
        profile="mix",
        segments=sum(figure.segments for figure in figures),
        bytes_per_segment=mean(lambda f: f.bytes_per_segment),
        id_bytes=id_bytes,
        id_entropy_bytes=entropy,
        ratio=round(id_bytes / entropy, 4),
        encode_segments_per_s=round(1 / mean(lambda f: 1e6 / f.encode_segments_per_s) * 1e6),
        decode_segments_per_s=round(1 / mean(lambda f: 1e6 / f.decode_segments_per_s) * 1e6),
        zstd_3=mean(lambda f: f.zstd_3),
        zstd_19=mean(lambda f: f.zstd_19),
        parquet_zstd=mean(lambda f: f.parquet_zstd),
    )


def run(segments: int = 60_000) -> ChunkFigures:
    """Measure every profile with about `segments` segments each, and the mix of them.

    zstd -19 is measured on the first MiB of ids. Speeds are CPU time of this process; encoding includes the check by decoding.
    """
    figures = tuple(_measure(profile, segments) for profile in PROFILES)
    return ChunkFigures(figures, _mean(figures))
