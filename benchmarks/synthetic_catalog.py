"""A catalog of any size without its chunk files: rows as commits would leave them, copied straight into the tables.

What a release is like follows design.md section 1 (11 files, two records) and the simulator's mix: names, shares of random names, of
groups and of probes. Only numbers are made up, so sizes and plans are those of a true catalog.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
import numpy.typing as npt
import polars as pl
import psycopg
from psycopg import Connection, sql

from catalog_sql import query
from pipeline import schema
from pipeline.batch import Batch, Counters
from simulator.names import random_name, release_name
from store.catalog.connection import Catalog, Row

FIRST_DAY, DAYS = datetime(2008, 8, 1, tzinfo=UTC), 6_500
RECORDS_A_FILE = 870
"""About 230 million records in the chunk files of 264,000 ranges."""
OPEN = 0.03
"""Share of releases that still may grow: the newest ones."""
_BATCH = 200_000
_RANDOM_NAMES = 0.4
_FILMS, _EPISODES = 0.15, 0.15
_FORMS = ("1080p", "720p", "DVDRip", "2160p")
_WORDS = 150_000
_POSTERS = 60_000
_OWN_POSTER = 0.15
_GROUPS, _GROUP_SETS = 1_000, 20_000
_KINDS = 800
_CATEGORIES = (2030, 2040, 2045, 2050, 2080, 3010, 3040, 4010, 4020, 5030, 5040, 7020, 7050, 8010, 8020)
_PROBED, _PROBED_LATER = 0.65, 0.1
"""Share of first and of other records with the first volume of an archive or a par2 index."""
_UNCOUNTED = 0.35
_SYLLABLES = (
    "an", "ber", "cor", "del", "el", "fa", "gor", "hi", "in", "ja", "kel", "lo", "mar", "no", "os", "per", "qua", "ri", "sol", "ta",
)  # fmt: skip

_NUMBERS_GIVEN = (
    "SELECT setval(pg_get_serial_sequence('chunk_files', 'file_id'), max(file_id)) FROM chunk_files",
    "SELECT setval(pg_get_serial_sequence('posters', 'poster_id'), max(poster_id)) FROM posters",
)

Bits = npt.NDArray[np.uint64]
Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def mixed(numbers: npt.NDArray[np.integer]) -> Bits:
    """Numbers as hashes (splitmix64): the keys of releases 0, 1, 2, ..."""
    bits = numbers.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        bits = (bits ^ bits >> np.uint64(shift)) * np.uint64(factor)
    return bits ^ bits >> np.uint64(31)


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of some releases by table, columns in the order of `COLUMNS`."""

    posters: pl.DataFrame
    records: pl.DataFrame
    releases: pl.DataFrame
    open_releases: pl.DataFrame
    probes: pl.DataFrame


def fill(catalog: Catalog, total: int, done: Callable[[int], None]) -> None:
    """Add `total` releases in order of posting; indexes are made afterwards, at once. `done` is told how many there are."""
    with catalog.transaction() as connection:
        _labels(connection)
        indexes = _indexes(connection)
        for drop, _ in indexes:
            connection.execute(drop)
    file_id = 1
    for start in range(0, total, _BATCH):
        rows = releases(start, min(start + _BATCH, total), total, file_id)
        file_id = int(rows.records["file_id"].to_numpy()[-1]) + 1
        with catalog.transaction() as connection:
            connection.execute("SET LOCAL synchronous_commit = off")
            for table in Rows.__slots__:
                _copy(connection, table, getattr(rows, table))
            _chunk_files(connection, rows.records["file_id"].unique(maintain_order=True).to_list())
        done(min(start + _BATCH, total))
    with catalog.transaction() as connection:
        connection.execute("SET LOCAL maintenance_work_mem = '1GB'")
        for _, create in indexes:
            connection.execute(create)
        for statement in _NUMBERS_GIVEN:
            connection.execute(statement)
    vacuum(catalog)


def held_names(total: int, count: int) -> list[str]:
    """Names that a catalog of `total` releases holds: some of its first batch, random ones last."""
    random = np.random.default_rng(0)
    size = min(_BATCH, total)
    names, readable = _drawn_of(random, size)[2]
    shown = [name for name, is_readable in zip(names, readable.tolist(), strict=True) if is_readable]
    drawn = [name for name, is_readable in zip(names, readable.tolist(), strict=True) if not is_readable]
    return shown[:count] + drawn[:count]


def vacuum(catalog: Catalog) -> None:
    """What autovacuum does in its own time."""
    with psycopg.connect(catalog.dsn, autocommit=True) as connection:
        for table in Rows.__slots__:
            connection.execute(sql.SQL("VACUUM (ANALYZE) {}").format(sql.Identifier(table)))


def releases(first: int, last: int, total: int, file_id: int) -> Rows:
    """Rows of the releases `first` to `last` - 1 of `total`; their records lie in chunk files from `file_id` on."""
    random = np.random.default_rng(first)
    count = last - first
    records, files, (names, readable) = _drawn_of(random, count)
    posted = int(FIRST_DAY.timestamp()) + np.arange(first, last) * (DAYS * 86_400) // total
    owner = np.repeat(np.arange(count), records)
    nth = np.arange(len(owner)) - np.repeat(np.cumsum(records) - records, records)
    own = random.random(count) < _OWN_POSTER
    poster = np.where(
        own, _POSTERS + 1 + np.arange(first, last), 1 + (random.pareto(1.1, count) * 30).astype(np.int64) % _POSTERS
    )
    expected = np.where(random.random(count) < _UNCOUNTED, -1, files)
    facts = pl.DataFrame(
        {
            "number": np.arange(count), "base_key": mixed(np.arange(first, last)).view(np.int64), "posted": posted, "lasting": random.exponential(1500, count).astype(np.int64),
            "records": records, "files": files, "files_expected": expected, "kind_id": 1 + (random.pareto(1.2, count) * 5).astype(np.int64) % _KINDS,
            "poster_id": poster, "set_id": 1 + (random.pareto(1.0, count) * 8).astype(np.int64) % _GROUP_SETS,
            "category": np.array(_CATEGORIES)[(random.random(count) ** 2 * len(_CATEGORIES)).astype(np.int64)], "readable_name": readable, "name": names,
            "segments": files * random.integers(1, 90, count), "tail": mixed(np.arange(first, last) + 2**40),
        }
    ).with_columns(
        pl.col("files_expected").replace(-1, None), has_par2=pl.col("files") > 2, repost=pl.lit(value=False), by_pool=pl.lit(value=False), request_id=pl.lit(""),
        first_posted=_stamp("posted"), last_posted=_stamp(pl.col("posted") + pl.col("lasting")), bytes=pl.col("segments") * 740_123,
        release_id=pl.concat_str(_hex("base_key"), _hex("tail")), segments_expected=pl.col("segments"), added_at=_stamp("posted"), changed_at=_stamp("posted"),
        repost_of=pl.lit(None, pl.String),
    )  # fmt: skip
    # Records of one release lie in the chunk files of neighbouring ranges.
    later = np.minimum(owner + nth * 400, count - 1)
    order = np.argsort(later, kind="stable")
    parts = (files // records)[owner]
    parts += nth < (files % records)[owner]
    alone = (records == 1) & (expected >= 0)
    rows = facts[owner].with_columns(
        files=pl.Series(parts), segments=pl.col("segments") // pl.col("records"), segments_expected=pl.col("segments") // pl.col("records"),
        bytes=pl.col("bytes") // pl.col("records"), file_marks=pl.Series(_marks(random, parts, alone[owner])),
        stem_key=pl.lit(None, pl.Int64), pool_key=pl.lit(None, pl.Int64), lone_number=pl.lit(None, pl.Int64), nth=nth,
    )[order]  # fmt: skip
    places = np.arange(rows.height)
    rows = rows.with_columns(
        file_id=file_id + places // RECORDS_A_FILE, ordinal=places % RECORDS_A_FILE, byte_offset=places % RECORDS_A_FILE * 10_000, byte_length=9_000,
        checksum=mixed(places + 2**41).view(np.int64),
    )  # fmt: skip
    probed = rows.filter(
        pl.Series(random.random(rows.height) < np.where(rows["nth"].to_numpy() == 0, _PROBED, _PROBED_LATER))
    )
    probes = probed.select(
        "file_id",
        "ordinal",
        priority=pl.when("readable_name").then(10).otherwise(20),
        attempt=0,
        settled=pl.lit(value=first < (1 - OPEN) * total),
    )
    is_open = facts.filter(pl.col("number") + first >= int((1 - OPEN) * total))
    return Rows(
        posters=_posters(first, last, own),
        records=rows, releases=facts, open_releases=is_open, probes=probes,
    )  # fmt: skip


def _drawn_of(random: np.random.Generator, count: int) -> tuple[Numbers, Numbers, tuple[list[str], Flags]]:
    """Records, files and names of some releases."""
    records = np.minimum(random.geometric(0.5, count), 12)
    files = np.maximum(np.exp(random.normal(1.6, 1.25, count)).astype(np.int64) + 1, records)
    return records, files, names_of(random, count)


def _hex(column: str) -> pl.Expr:
    return pl.col(column).map_batches(
        lambda numbers: pl.Series([f"{number & (2**64 - 1):016x}" for number in numbers]), pl.String
    )


def _stamp(seconds: str | pl.Expr) -> pl.Expr:
    column = pl.col(seconds) if isinstance(seconds, str) else seconds
    return pl.from_epoch(column, "s").dt.strftime("%Y-%m-%d %H:%M:%S+00")


def names_of(random: np.random.Generator, count: int) -> tuple[list[str], Flags]:
    """Names of releases, and which of them are readable: random ones, films and episodes of Zipf's words, and the simulator's."""
    kind = random.random(count)
    words = _words()
    picked = (random.zipf(1.15, (count, 3)) % len(words)).tolist()
    numbers = random.integers(0, 1_000_000, (count, 2)).tolist()
    names = [
        random_name(random) if share < _RANDOM_NAMES
        else _film(words, *title, *drawn) if share < _RANDOM_NAMES + _FILMS
        else _episode(words, *title, *drawn) if share < _RANDOM_NAMES + _FILMS + _EPISODES
        else release_name(random)
        for share, title, drawn in zip(kind.tolist(), picked, numbers, strict=True)
    ]  # fmt: skip
    return names, kind >= _RANDOM_NAMES


def _film(words: list[str], a: int, b: int, c: int, year: int, team: int) -> str:
    return f"{words[a]}.{words[b]}.{words[c]}.{1920 + year % 106}.{_FORMS[team % 4]}.x264-{words[team % 900]}"


def _episode(words: list[str], a: int, b: int, _: int, at: int, team: int) -> str:
    return (
        f"{words[a]}.{words[b]}.S{1 + at % 12:02d}E{1 + at // 12 % 24:02d}.{_FORMS[team % 4]}.h264-{words[team % 900]}"
    )


def _words() -> list[str]:
    base = len(_SYLLABLES)
    return ["".join(_SYLLABLES[n // base**at % base] for at in range(4)).capitalize() for n in range(_WORDS)]


def _marks(random: np.random.Generator, files: npt.NDArray[np.int64], whole: npt.NDArray[np.bool_]) -> list[str]:
    digits = random.bytes(4 * int(files.sum())).hex()
    ends = np.cumsum(files * 8)
    return [
        r"\x" if none else rf"\x01{count:06x}{digits[end - 8 * count : end]}"
        for none, count, end in zip(whole.tolist(), files.tolist(), ends.tolist(), strict=True)
    ]


def _posters(first: int, last: int, own: Flags) -> pl.DataFrame:
    numbers = _POSTERS + 1 + np.arange(first, last)[own]
    if first == 0:
        numbers = np.concatenate([np.arange(1, _POSTERS + 1), numbers])
    shown = mixed(numbers).tolist()
    names = [
        f"collector{number} <collector{number}@x{bits >> 40:x}.example>"
        for number, bits in zip(numbers.tolist(), shown, strict=True)
    ]
    return pl.DataFrame({"poster_id": numbers, "poster": names})


COLUMNS = {
    "posters": ("poster_id", "poster"),
    "records": (
        "checksum", "base_key", "first_posted", "last_posted", "bytes", "stem_key", "pool_key", "lone_number", "file_id", "ordinal", "byte_offset",
        "byte_length", "segments", "segments_expected", "files", "files_expected", "kind_id", "poster_id", "set_id", "name", "request_id", "file_marks",
    ),
    "releases": (
        "release_id", "base_key", "first_posted", "last_posted", "added_at", "changed_at", "bytes", "repost_of", "segments", "segments_expected", "records",
        "files", "files_expected", "kind_id", "poster_id", "set_id", "category", "has_par2", "readable_name", "repost", "by_pool", "name", "request_id",
    ),
    "open_releases": ("release_id", "changed_at"),
    "probes": ("file_id", "ordinal", "priority", "attempt", "settled"),
}  # fmt: skip


def _copy(connection: Connection[Row], table: str, rows: pl.DataFrame) -> None:
    columns = COLUMNS[table]
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT csv)").format(
        sql.Identifier(table), sql.SQL(", ").join(map(sql.Identifier, columns))
    )
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        copy.write(_csv(rows.select(columns)))


def _csv(rows: pl.DataFrame) -> bytes:
    # An empty text is quoted, a null is not.
    return rows.write_csv(include_header=False, quote_style="non_numeric").encode()


def _indexes(connection: Connection[Row]) -> Sequence[tuple[bytes, bytes]]:
    """The statements that drop and make each index of the filled tables."""
    found = connection.execute(query("indexes_of"), {"tables": list(Rows.__slots__)}).fetchall()
    return [(drop.encode(), make.encode()) for drop, make in found]


def _labels(connection: Connection[Row]) -> None:
    """Groups, labels, sets and origins, few enough to be made one by one."""
    random = np.random.default_rng(1)
    connection.execute(
        "INSERT INTO groups (name) SELECT 'alt.binaries.g' || n FROM generate_series(1, %s) AS n", [_GROUPS]
    )
    connection.execute("INSERT INTO labels (label) SELECT 'label ' || n FROM generate_series(1, %s) AS n", [_KINDS])
    connection.execute(query("add_synthetic_kinds"), {"count": _KINDS})
    sets = {
        tuple(sorted(set((random.zipf(1.3, size) % _GROUPS + 1).tolist())))
        for size in random.integers(1, 5, 3 * _GROUP_SETS).tolist()
    }
    for groups in sorted(sets)[:_GROUP_SETS]:
        connection.execute("INSERT INTO group_sets (groups) VALUES (%s)", [list(groups)])
    missing = _GROUP_SETS - len(sorted(sets)[:_GROUP_SETS])
    connection.execute(
        "INSERT INTO group_sets (groups) SELECT ARRAY[2000 + n, 5000] FROM generate_series(1, %s) AS n", [missing]
    )


def _chunk_files(connection: Connection[Row], file_ids: list[int]) -> None:
    connection.execute(query("add_synthetic_chunk_files"), {"groups": _GROUPS, "ids": file_ids})


def batch(first: int, total: int, count: int, seed: int) -> Batch:
    """A range's batch of `count` records: half of them belong to the releases from `first` on of the `total` there are, half to new ones.

    In its chunk file a record has one file of two segments, so that what is measured is the catalog.
    """
    random = np.random.default_rng([seed, first])
    known = count // 2
    order = random.permutation(count)
    near = first + np.arange(count) % known
    numbers = np.where(np.arange(count) < known, near, total + seed * count + np.arange(count))[order]
    posted = (int(FIRST_DAY.timestamp()) + near * (DAYS * 86_400) // total)[order]
    names, readable = names_of(random, count)
    files = np.minimum(np.exp(random.normal(0.9, 1.25, count)).astype(np.int64) + 1, 2_000)
    poster = random.integers(0, _POSTERS // 20, count)
    keys = [key.to_bytes(8) + bytes(8) for key in mixed(numbers).tolist()]
    facts = pl.DataFrame(
        {
            "record": np.arange(count), "base_key": keys, "name": names, "readable_name": readable, "files": files, "segments": files * 40,
            "poster": [f"archive{number} <archive{number}@x.example>" for number in poster.tolist()],
            "groups": [[f"alt.binaries.g{1 + number % 40}"] for number in poster.tolist()],
            "category": np.array(_CATEGORIES)[random.integers(0, len(_CATEGORIES), count)],
            "file_marks": _whole_marks(random, files),
        }
    ).with_columns(
        stem_key=None, pool_key=None, lone_number=None, files_expected="files", segments_expected="segments", bytes=pl.col("segments") * 740_123,
        first_posted=pl.from_epoch(pl.Series(posted), "s"), has_par2=pl.col("files") > 2, repost=False, request_id=pl.lit(""), tool=pl.lit("label 1"),
        grouped_by=pl.lit("label 2"), named_by=pl.lit("label 3"), signature=pl.lit("label 4"),
    ).with_columns(last_posted=pl.col("first_posted").dt.offset_by("20m"))  # fmt: skip
    chunk = facts.select(
        "record", "poster", "groups", file="record", file_key="base_key", subject=pl.format('"{}" yEnc (1/2)', "name"), posted_at="first_posted",
        name="name", file_number=1, file_total=1, segments_expected=2, segments_found=2, bytes=1_400_000, first_number=1, last_number=2,
    )  # fmt: skip
    segments = pl.DataFrame({"file": np.repeat(np.arange(count), 2), "number": np.tile([1, 2], count)}).with_columns(
        bytes=700_000, message_id=pl.format("{}.{}@posting.example", "file", "number")
    )
    probed = facts.filter(pl.Series(random.random(count) < (_PROBED + _PROBED_LATER) / 2))
    probes = probed.select("record", file_key="base_key", kind=pl.lit("archive"), message_id="name", priority=10)
    return Batch(
        records=_as(schema.RECORDS, facts), files=_as(schema.RECORD_FILES, chunk), segments=_as(schema.SEGMENTS, segments),
        fragments=schema.FRAGMENTS.empty(), fragment_segments=schema.SEGMENTS.empty(), probes=_as(schema.PROBES, probes),
        samples=schema.SAMPLES.empty(), verdicts=schema.VERDICTS.empty(), counters=Counters(lines=2 * count, kept=2 * count), window=0,
    )  # fmt: skip


def _whole_marks(random: np.random.Generator, files: Numbers) -> list[bytes]:
    """Marks of complete files of up to 255 segments, as the pipeline writes them."""
    keys, counts = random.integers(0, 2**24, int(files.sum())), random.integers(1, 256, int(files.sum()))
    data, ends = (keys << 40 | counts << 20 | counts).astype(">u8").tobytes(), np.cumsum(8 * files)
    return [data[end - 8 * count : end] for count, end in zip(files.tolist(), ends.tolist(), strict=True)]


def _as(of: schema.Schema, frame: pl.DataFrame) -> pl.DataFrame:
    zoned = [name for name, dtype in of.polars.items() if isinstance(dtype, pl.Datetime) and name in frame.columns]
    frame = frame.with_columns(pl.col(name).dt.replace_time_zone("UTC") for name in zoned)
    return of.check(frame.select(of.names).cast(of.polars))  # pyright: ignore[reportArgumentType] - a schema is such a mapping


def nothing() -> Batch:
    """A batch without records."""
    return Batch(
        schema.RECORDS.empty(), schema.RECORD_FILES.empty(), schema.SEGMENTS.empty(), schema.FRAGMENTS.empty(), schema.SEGMENTS.empty(),
        schema.PROBES.empty(), schema.SAMPLES.empty(), schema.VERDICTS.empty(), Counters(), 0,
    )  # fmt: skip
