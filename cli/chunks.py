"""The chunk files: verify them, look into them, and rebuild the catalog from them."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from uuid import UUID

from cyclopts import App, Parameter
from rich.table import Table

from cli.console import err, fail, out, print_json, progress
from cli.options import DEFAULT_CONFIG, Config, Json

if TYPE_CHECKING:
    import polars as pl

    from store.chunks import ChunkIndex, RecordContent
    from store.disk import Disk
    from store.verify import Fault

app = App(name="chunks", help="Verify the chunk files, show what is in them, or rebuild the catalog from them.")


@app.command
def verify(
    *,
    group: Annotated[str, Parameter(help="Only files of groups of this name or shell pattern.")] = "*",
    range_: Annotated[
        tuple[str, ...],
        Parameter(
            name="--range", help="Only files of these partition keys, with the edges above them; may be repeated."
        ),
    ] = (),
    after: Annotated[str, Parameter(help="Go on after this file, where an earlier run ended.")] = "",
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Read every byte of the published chunk files, decode every record, and compare them with the catalog.

    Exit status 1 when anything is wrong. Files no catalog row names are counted, but are nothing wrong: a day later they are deleted.
    """
    from store.catalog.collect import orphans
    from store.catalog.connection import Catalog
    from store.configuration import load
    from store.stores import chunk_disk
    from store.verify import published_files, verify_file

    settings = load(config)
    disk = chunk_disk(settings)
    faults: list[Fault] = []
    records = size = done = 0
    with Catalog.open(settings) as catalog:
        files = published_files(catalog, group, range_, after)
        if range_ and (unknown := set(range_) - {file.key for file in files}):
            err.print(f"no published chunk file is of {', '.join(sorted(unknown))}; see: overlake status")
        try:
            with progress() as display:
                for file in display.track(files, description="chunk files"):
                    verified = verify_file(catalog, disk, file)
                    for fault in verified.faults:
                        display.console.print(_sentence(fault), soft_wrap=True)
                    faults += verified.faults
                    records, size, done = records + verified.records, size + file.bytes, done + 1
        except KeyboardInterrupt:
            err.print(f"stopped after {done} of {len(files)} files" + _resume(files[done - 1].path if done else after))
            raise
        whole = group == "*" and not range_ and not after
        unknown_files = list(orphans(catalog, disk, datetime.now(UTC))) if whole else []
    result = {
        "files": len(files),
        "records": records,
        "bytes": size,
        "faults": [asdict(fault) for fault in faults],
        "orphans": [asdict(file) for file in unknown_files],
    }
    if json:
        print_json(result)
    else:
        out.print(f"{len(files):,} chunk files with {records:,} records, {size:,} bytes: {len(faults)} faults")
        if unknown_files:
            out.print(f"{len(unknown_files)} files that no catalog row names; upkeep deletes those older than a day")
    if faults:
        fail(f"{len({fault.path for fault in faults})} chunk files are not as they were written; {_cure(faults)}")


def _sentence(fault: Fault) -> str:
    record = "" if fault.record is None else f", record {fault.record}"
    return f"{fault.path}{record} (range {fault.key or 'not planned'}) {fault.kind}: {fault.message}"


def _resume(path: str) -> str:
    return f"; go on with: overlake chunks verify --after {path}" if path else ""


def _cure(faults: list[Fault]) -> str:
    keys = sorted({fault.key for fault in faults if fault.key})
    shown = " ".join(f"--range {key}" for key in keys[:10]) + (" ..." if len(keys) > 10 else "")
    if not keys:
        return "plan their ranges (overlake plan), then materialize them again"
    return f"with `overlake up` running, write them anew: overlake backfill --chunks-only {shown}"


@app.command
def export(
    *,
    group: Annotated[str, Parameter(help="Only files of groups of this name or shell pattern.")] = "*",
    range_: Annotated[
        tuple[str, ...],
        Parameter(
            name="--range", help="Only files of these partition keys, with the edges above them; may be repeated."
        ),
    ] = (),
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Decode the published chunk files to Parquet, which the views `files` and `chunks` of `overlake shell` and `overlake sql` read.

    A file that was exported before is not decoded again; exports of files that are not published any more are deleted.
    """
    from store.chunk_export import delete_stale, export_file
    from store.configuration import load
    from store.stores import open_stores
    from store.verify import published_files

    with open_stores(load(config)) as stores, progress() as display:
        deleted = delete_stale(stores.settings, published_files(stores.catalog))
        files = published_files(stores.catalog, group, range_)
        exported = [export_file(stores, file.path) for file in display.track(files, description="chunk files")]
    result = {"files": len(files), "decoded": sum(rows is not None for rows in exported), "deleted": deleted}
    if json:
        print_json(result)
    else:
        out.print(
            f"{result['files']:,} chunk files, {result['decoded']:,} of them decoded now; {deleted:,} old ones deleted"
        )


@app.command
def show(
    what: Annotated[str, Parameter(help="A release id, a chunk file (in the store, or any path), or FILE:RECORD.")],
    *,
    segments: Annotated[bool, Parameter(negative="", help="List every segment, not only how many there are.")] = False,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Show the records of a release, the index of a chunk file, or one record in readable form.

    As JSON, records have all columns of docs/data-dictionary.md, segments included.
    """
    from store.chunks import Place, fetch_record, read_index

    release_id = _uuid(what)
    if release_id is not None:
        _show_release(release_id, config, segments, json)
        return
    disk, path, ordinal = _located(what, config)
    try:
        index = read_index(disk, path)
    except FileNotFoundError:
        fail(f"there is no chunk file {path}; `overlake shell` lists them in the view chunk_files")
    if ordinal is None:
        _show_index(path, index, json)
        return
    if ordinal >= len(index.places):
        fail(f"{path} has {len(index.places)} records, counted from 0")
    place: Place = index.places[ordinal]
    _show_records([(f"{path}, record {ordinal}", fetch_record(disk, path, place))], segments, json)


def _uuid(text: str) -> UUID | None:
    try:
        return UUID(text)
    except ValueError:
        return None


def _located(what: str, config: Path) -> tuple[Disk, str, int | None]:
    """The disk, the path on it, and the record that `FILE[:RECORD]` names; a file outside the store needs no configuration."""
    from store.configuration import load
    from store.disk import LocalDisk, checked
    from store.stores import chunk_disk

    name, _, number = what.rpartition(":")
    path, ordinal = (name, int(number)) if name and number.isdecimal() and number.isascii() else (what, None)
    local = Path(path)
    if local.is_file():
        return LocalDisk(local.absolute().parent), local.name, ordinal
    return chunk_disk(load(config)), str(checked(path)), ordinal


def _show_release(release_id: UUID, config: Path, segments: bool, json: bool) -> None:
    from store.catalog.connection import Catalog
    from store.catalog.search import places
    from store.chunks import Place, fetch_record
    from store.configuration import load
    from store.stores import chunk_disk

    settings = load(config)
    disk = chunk_disk(settings)
    with Catalog.open(settings) as catalog:
        lying = places(catalog, release_id)
    if not lying:
        fail(f"there is no release {release_id}; the id stands in its page's address and in feeds as guid")
    records = [
        (f"{at.path} at byte {at.offset}", fetch_record(disk, at.path, Place(at.offset, at.length, at.checksum)))
        for at in lying
    ]
    _show_records(records, segments, json)


def _show_index(path: str, index: ChunkIndex, json: bool) -> None:
    rows = _readable(index.records)
    if json:
        print_json(
            {
                "path": path,
                "header": asdict(index.header),
                "records": [{**row, **asdict(place)} for row, place in zip(rows, index.places, strict=True)],
            }
        )
        return
    header = index.header
    where = "edge above range" if header.kind == "edge" else "range"
    out.print(f"{path}: {where} {header.range_index} of {header.group}, source {header.source}", soft_wrap=True)
    out.print(f"generation {header.generation}, written by Overlake {header.software}, {len(rows)} records")
    table = Table("record", "name", "files", "segments", "bytes", "at byte", "length")
    for row, place in zip(rows, index.places, strict=True):
        counts = f"{row['segments']}/{row['segments_expected']}"
        table.add_row(
            *map(str, (row["record"], row["name"], row["files"], counts, row["bytes"], place.offset, place.length))
        )
    out.print(table)


def _show_records(records: list[tuple[str, RecordContent]], segments: bool, json: bool) -> None:
    told = [_told(where, content) for where, content in records]
    if json:
        print_json(told)
        return
    for record in told:
        out.print(record.pop("where"), style="bold", soft_wrap=True)
        files = record.pop("files_held")
        for name, value in record.items():
            if value not in (None, "", []):
                out.print(f"  {name:<18}{value}", soft_wrap=True)
        for file in files:
            listed = file.pop("segments")
            out.print(f"  {file['name'] or file['subject']}", style="bold", soft_wrap=True)
            for name, value in file.items():
                if value not in (None, "", []):
                    out.print(f"    {name:<18}{value}", soft_wrap=True)
            for segment in listed if segments else ():
                out.print(f"    {segment['number']:>6} {segment['bytes']:>9} {segment['message_id']}", soft_wrap=True)


def _told(where: str, content: RecordContent) -> dict[str, Any]:
    (record,) = _readable(content.record.drop("record"))
    lists = content.segments.partition_by("file", as_dict=True)
    empty = content.segments.clear()
    files = [
        {**file, "segments": lists.get((number,), empty).drop("file").to_dicts()}
        for number, file in enumerate(_readable(content.files.drop("record", "file")))
    ]
    return {"where": where, **record, "files_held": files}


def _readable(frame: pl.DataFrame) -> list[dict[str, Any]]:
    """The rows with keys in hexadecimal digits."""
    import polars.selectors as cs

    return frame.with_columns(cs.binary().bin.encode("hex")).to_dicts()


@app.command(name="rebuild-catalog")
def rebuild_catalog(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Rebuild chunk file, record and release rows from the chunk files alone, in a catalog into which nothing was materialized.

    Plan first (overlake plan) where the provider answers: then what the overview files of the planned ranges say of their fetching
    is taken over, too. Afterwards search and downloads work; `overlake backfill --chunks-only` brings back the rest from the overview
    files. Stopped in between, run it again.
    """
    from store.catalog.connection import Catalog
    from store.configuration import load
    from store.lake import Lake
    from store.rebuild import owned_files, rebuild, remember_overviews
    from store.stores import chunk_disk, lake_disk

    settings = load(config)
    disk = chunk_disk(settings)
    damaged: list[str] = []
    files = records = 0
    with Catalog.open(settings) as catalog:
        with err.status("Listing the chunk files"):
            owned = owned_files(disk)
        with progress() as display:
            for done in display.track(
                rebuild(catalog, disk, owned, settings.range_size), len(owned), description="ranges"
            ):
                for message in done.damaged:
                    display.console.print(message, soft_wrap=True)
                damaged += done.damaged
                files, records = files + (done.path is not None), records + done.records
        with err.status("Reading the overview files' footers"):
            overviews = sum(remember_overviews(catalog, Lake(lake_disk(settings))))
    if json:
        print_json({"files": files, "records": records, "overviews": overviews, "damaged": damaged})
    else:
        out.print(f"{records:,} records of {files:,} chunk files published, {overviews:,} overview files known again")
        out.print("Next, where the ranges were not planned yet: overlake plan, then this command again.")
        out.print(
            "Then: overlake backfill --chunks-only, which derives what chunk files do not hold; overlake keys create NAME."
        )
    if damaged:
        fail(f"{len(damaged)} chunk files are damaged and were left out; an older one was taken where there is one")
