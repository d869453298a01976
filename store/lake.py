"""The lake of overview files: one Parquet file per range, replaced only as a whole."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields, replace
from datetime import datetime
from typing import Any

import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from pipeline import schema
from pipeline.ranges import Range, check_group
from store.disk import Disk, Replacement, writing

ROW_GROUP = 250_000
"""Rows buffered before they are written: enough for the encodings to pay, small beside a range's memory."""

_PREFIX = "overlake."
_TAIL = 8
"""Bytes a Parquet file ends with: the length of its footer, and `PAR1`."""

LEVEL = 1
"""Of zstd: most of what is left is random; level 3 saves a hundredth, level 9 a twentieth for four times the CPU."""
DICTIONARIES = ["poster", "references", "posted_at"]
# Chosen by measurement (`overlake bench layouts`): columns of unique values gain nothing from a dictionary, numbers ascend; sizes in a form
# every DuckDB reads. Rows stay in order of number: files of another order are smaller, but then a range cannot be streamed into its file.
ENCODINGS = {
    "number": "DELTA_BINARY_PACKED",
    "bytes": "DELTA_BINARY_PACKED",
    "subject": "DELTA_LENGTH_BYTE_ARRAY",
    "message_id": "DELTA_LENGTH_BYTE_ARRAY",
    "xref": "DELTA_LENGTH_BYTE_ARRAY",
}


class OverviewDamaged(ValueError):
    """An overview file is not a whole one; the message names it and says what to do."""


@dataclass(frozen=True, slots=True)
class OverviewMeta:
    """What an overview file says about itself, besides its rows.

    Attributes:
        source: name of the provider's numbering.
        group: group name.
        first: lowest number of the range.
        last: highest number of the range.
        fetched_at: when the lines were fetched (UTC).
        group_reply: the GROUP reply as sent.
        wire_form: how the lines came, e.g. `xfeature-gzip`, `compress-deflate`, `plain`.
        wire_bytes: bytes received, as compressed.
        software: version that wrote the file.
        lines: lines received, the malformed and duplicate ones included.
        malformed: lines that could not be read.
        duplicate: lines whose number had come already.
    """

    source: str
    group: str
    first: int
    last: int
    fetched_at: datetime
    group_reply: str
    wire_form: str
    wire_bytes: int
    software: str = ""
    lines: int = 0
    malformed: int = 0
    duplicate: int = 0


@dataclass(frozen=True, slots=True)
class WrittenOverview:
    """One overview file as committed; `lines` are those received, `lines - malformed - duplicate` rows are in the file."""

    path: str
    bytes: int
    lines: int
    malformed: int
    duplicate: int


class OverviewWriter:
    """An overview file being written: blocks in order of number, then one `commit`."""

    def __init__(self, disk: Disk, path: str) -> None:
        self._disk = disk
        self._path = path
        self._overview = _ParquetFile(disk.replace(path), path, schema.OVERVIEW, DICTIONARIES, ENCODINGS)
        self._rejected: _ParquetFile | None = None
        self._last = -1
        self._lines = self._malformed = self._duplicate = 0

    def append(self, overview: pl.DataFrame) -> None:
        """Append rows (`schema.OVERVIEW`, ascending). A row whose number is not above all before it goes to the sidecar as `duplicate`.

        Raises:
            DiskFull: no space is left.
        """
        schema.OVERVIEW.check(overview)
        highest = pl.col("number").cum_max().shift(1).fill_null(self._last).clip(lower_bound=self._last)
        is_new = overview.select(pl.col("number") > highest).to_series()
        if not is_new.all():
            self.reject(_as_rejected(overview.filter(~is_new)))
            overview = overview.filter(is_new)
        if overview.height:
            self._last = overview["number"][-1]
            self._lines += overview.height
            self._overview.append(overview)

    def append_table(self, table: Any) -> None:
        """`append` for the same columns as a `pyarrow.Table`, which are not copied where every number is above all before it.

        Raises:
            DiskFull: no space is left.
        """
        numbers = table["number"].to_numpy()
        if not len(numbers) or numbers[0] <= self._last or not (numbers[1:] > numbers[:-1]).all():
            self.append(schema.OVERVIEW.check(pl.DataFrame(table)))
            return
        self._last = int(numbers[-1])
        self._lines += table.num_rows
        self._overview.append_table(table)

    def reject(self, rejected: pl.DataFrame) -> None:
        """Keep lines that are not rows (`schema.REJECTED`) in the sidecar `range=000123.rejected.parquet`.

        Raises:
            DiskFull: no space is left.
        """
        schema.REJECTED.check(rejected)
        if not rejected.height:
            return
        if self._rejected is None:
            path = rejected_path(self._path)
            self._rejected = _ParquetFile(self._disk.replace(path), path, schema.REJECTED, ["reason"], {})
        duplicate = int((rejected["reason"] == "duplicate").sum())
        self._lines += rejected.height
        self._duplicate += duplicate
        self._malformed += rejected.height - duplicate
        self._rejected.append(rejected)

    def commit(self, meta: OverviewMeta) -> WrittenOverview:
        """Put the file in the old one's place. The line counters written into it are the writer's own, not those of `meta`.

        Raises:
            DiskFull: no space is left; the old file is untouched.
            DiskFailed: the disk failed; the old file is untouched.
        """
        counted = replace(meta, lines=self._lines, malformed=self._malformed, duplicate=self._duplicate)
        facts = {(_PREFIX + key).encode(): _as_text(value) for key, value in asdict(counted).items()}
        size = self._overview.finish(facts)
        if self._rejected is not None:
            self._rejected.finish(facts)
            self._rejected.replacement.commit()
        self._overview.replacement.commit()
        if self._rejected is None:
            self._disk.delete(rejected_path(self._path))
        return WrittenOverview(self._path, size, self._lines, self._malformed, self._duplicate)

    def discard(self) -> None:
        """Forget what was not committed."""
        self._overview.discard()
        if self._rejected is not None:
            self._rejected.discard()


class Lake:
    """The overview files on a disk: `overview/source=S/group=G/range=000123.parquet`."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk

    def overview_path(self, source: str, range_: Range) -> str:
        """Path of a range's overview file.

        Raises:
            BadGroupName: source or group must not become a path.
        """
        folder = f"overview/source={check_group(source)}/group={check_group(range_.group)}"
        return f"{folder}/range={range_.index:06d}.parquet"

    @contextmanager
    def writer(self, source: str, range_: Range) -> Iterator[OverviewWriter]:
        """Write a range's overview file; leaving without `commit` leaves the old file as it was, and nothing else.

        Raises:
            DiskFull: no space is left.
        """
        writer = OverviewWriter(self.disk, self.overview_path(source, range_))
        try:
            yield writer
        finally:
            writer.discard()

    def read(self, source: str, range_: Range) -> tuple[pl.DataFrame, OverviewMeta]:
        """All rows (`schema.OVERVIEW`) and what the file says about itself.

        Raises:
            FileNotFoundError: the range was never fetched.
            OverviewDamaged: the file is not a whole overview file.
        """
        path = self.overview_path(source, range_)
        with _whole(path):
            file = self.disk.source(path)
            meta = _meta_of(pl.read_parquet_metadata(file))
            return schema.OVERVIEW.check(pl.read_parquet(file)), meta

    def facts(self, source: str, range_: Range) -> tuple[OverviewMeta, datetime | None, datetime | None]:
        """What the file says about itself, and its earliest and latest date, from its footer alone.

        Raises:
            FileNotFoundError: the range was never fetched.
            OverviewDamaged: the file is not a whole overview file.
        """
        path = self.overview_path(source, range_)
        with _whole(path):
            size = self.disk.size(path)
            length = int.from_bytes(self.disk.read(path, max(0, size - _TAIL), 4), "little")
            if length + _TAIL > size:
                raise ValueError("its footer is cut")
            footer = self.disk.read(path, size - _TAIL - length)
            described = pq.read_metadata(pa.BufferReader(footer))
            texts = {
                key.decode(): value.decode()
                for key, value in (described.metadata or {}).items()
                if key.startswith(_PREFIX.encode())
            }
            return _meta_of(texts), *_span(described)

    def scan(self, source: str, range_: Range) -> pl.LazyFrame:
        """The rows, lazily."""
        return pl.scan_parquet(self.disk.source(self.overview_path(source, range_)))


def rejected_path(overview_path: str) -> str:
    """Path of the sidecar with the lines that are not rows of an overview file."""
    return overview_path.removesuffix(".parquet") + ".rejected.parquet"


class _ParquetFile:
    """One Parquet file streamed into the place of an old one, a row group at a time."""

    def __init__(
        self,
        replacement: Replacement,
        path: str,
        declared: schema.Schema,
        dictionaries: list[str],
        encodings: dict[str, str],
    ) -> None:
        self.replacement = replacement
        self._path = path
        self._declared = declared
        self._waiting: list[Any] = []
        self._rows = 0
        self._schema = _arrow_schema(declared)
        self._writer = pq.ParquetWriter(
            pa.PythonFile(replacement.file, mode="w"),
            self._schema,
            compression="zstd",
            compression_level=LEVEL,
            use_dictionary=dictionaries,  # pyright: ignore[reportArgumentType]
            column_encoding=encodings or None,
        )

    def append(self, frame: pl.DataFrame) -> None:
        """Append rows, written when a row group is full."""
        self.append_table(frame.to_arrow(compat_level=pl.CompatLevel.oldest()))

    def append_table(self, table: Any) -> None:
        """The same for a `pyarrow.Table`."""
        self._waiting.append(table.cast(self._schema))
        self._rows += table.num_rows
        if self._rows >= ROW_GROUP:
            self._flush()

    def finish(self, facts: dict[bytes, bytes]) -> int:
        """Write what waits and the footer with `facts`; returns the bytes of the file."""
        self._flush()
        with writing(self._path):
            self._writer.add_key_value_metadata(facts)
            self._writer.close()
            return self.replacement.file.tell()

    def discard(self) -> None:
        """Forget the file unless it is in place already."""
        with suppress(OSError, pa.ArrowException):
            self._writer.close()
        self.replacement.discard()

    def _flush(self) -> None:
        if self._rows:
            with writing(self._path):
                self._writer.write_table(pa.concat_tables(self._waiting), row_group_size=self._rows)
        self._waiting, self._rows = [], 0


def _arrow_schema(declared: schema.Schema) -> Any:
    """The Arrow schema of a declared frame, each column with its description."""
    plain = declared.empty().to_arrow(compat_level=pl.CompatLevel.oldest()).schema
    described = [
        plain.field(column.name).with_metadata({"description": column.meaning}).with_nullable(True)
        for column in declared.columns
    ]
    return pa.schema(described)


def _as_rejected(rows: pl.DataFrame) -> pl.DataFrame:
    """Rows with a number that had come already, their fields joined by tabs again."""
    line = pl.concat_str(pl.all().cast(pl.String), separator="\t", ignore_nulls=True)
    return rows.select(raw=line.cast(pl.Binary), reason=pl.lit("duplicate"))


def _as_text(value: Any) -> bytes:
    return (value.isoformat() if isinstance(value, datetime) else str(value)).encode()


def _meta_of(facts: dict[str, str]) -> OverviewMeta:
    """The facts in a file's key-value metadata, each as its field's type says."""
    read: dict[str, Any] = {}
    for one in fields(OverviewMeta):
        text = facts[_PREFIX + one.name]
        read[one.name] = (
            int(text) if one.type == "int" else datetime.fromisoformat(text) if one.type == "datetime" else text
        )
    return OverviewMeta(**read)


def _span(described: Any) -> tuple[datetime | None, datetime | None]:
    """Earliest and latest `posted_at` by the statistics of the row groups."""
    place = schema.OVERVIEW.names.index("posted_at")
    groups = [described.row_group(number).column(place).statistics for number in range(described.num_row_groups)]
    known = [group for group in groups if group is not None and group.has_min_max]
    return min((group.min for group in known), default=None), max((group.max for group in known), default=None)


@contextmanager
def _whole(path: str) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise
    except (
        pl.exceptions.PolarsError,
        pa.ArrowException,
        schema.SchemaMismatch,
        KeyError,
        ValueError,
        OSError,
    ) as error:
        raise OverviewDamaged(
            f"{path} is not a whole overview file ({error}); fetch its range again: overlake backfill --range"
        ) from error
