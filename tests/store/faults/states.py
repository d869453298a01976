"""What a catalog and its disk hold, without what depends on how often things were done: numbers, generations, dates of work."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import psycopg
from psycopg import Connection, IsolationLevel

from store.chunks import RecordContent, read_record
from store.chunks.format import checksum

_OWNER = """
    SELECT range_id AS owner_id, groups.name AS group_name, range_index, 'range' AS kind FROM ranges JOIN groups USING (group_id)
    UNION ALL
    SELECT edge_id, groups.name, range_index, 'edge' FROM edges JOIN groups USING (group_id)
"""

_RELEASES = """
    SELECT release_id, name, poster, groups, first_posted, last_posted, files, files_expected, segments, segments_expected, bytes,
        has_par2, readable_name, category, tool, grouped_by, named_by, signature, records, repost_of, repost, request_id
    FROM release_details ORDER BY release_id
"""

_RECORDS = f"""
    SELECT path, byte_offset, byte_length, checksum, group_name, owners.range_index, kind, ordinal, records.base_key, stem_key, pool_key, release_id
    FROM records JOIN chunk_files USING (file_id) JOIN ({_OWNER}) AS owners USING (owner_id)
    LEFT JOIN releases ON releases.base_key = records.base_key
        AND records.first_posted BETWEEN releases.first_posted AND releases.last_posted
    ORDER BY group_name, range_index, kind, ordinal, release_id
"""

_READ = {
    "aliases": "SELECT alias, release_id FROM release_aliases ORDER BY alias",
    "probes": f"""
        SELECT group_name, owners.range_index, owners.kind, ordinal, priority, attempt
        FROM probes JOIN chunk_files USING (file_id) JOIN ({_OWNER}) AS owners USING (owner_id)
        ORDER BY group_name, range_index, owners.kind, ordinal
    """,
    "settled": "SELECT release_id, completeness FROM release_details WHERE settled ORDER BY release_id",
    "settled probes": f"""
        SELECT group_name, owners.range_index, owners.kind, ordinal
        FROM probes JOIN chunk_files USING (file_id) JOIN ({_OWNER}) AS owners USING (owner_id)
        WHERE settled
        ORDER BY group_name, range_index, owners.kind, ordinal
    """,
}

_KEPT = {
    "ranges": """
        SELECT groups.name, range_index, state, generation > 0, group_list, signature_table, software, line_window, error
        FROM ranges JOIN groups USING (group_id) ORDER BY groups.name, range_index
    """,
    "edges": """
        SELECT groups.name, range_index, dirty, generation > 0, signature_table, software
        FROM edges JOIN groups USING (group_id) ORDER BY groups.name, range_index
    """,
    "counters": f"""
        SELECT group_name, range_index, kind, lines, malformed, duplicate, outside_main, set_aside_random, set_aside_obfuscated,
            set_aside_text, repeated, garbage, kept, in_fragments
        FROM counters JOIN ({_OWNER}) AS owners USING (owner_id) ORDER BY group_name, range_index, kind
    """,
    "verdicts": f"""
        SELECT group_name, range_index, kind, lines.label, signatures.label, tools.label, files, segments, bytes
        FROM verdicts JOIN ({_OWNER}) AS owners USING (owner_id) JOIN labels AS lines ON lines.label_id = dropped_by
        JOIN labels AS signatures ON signatures.label_id = signature JOIN labels AS tools ON tools.label_id = tool
        ORDER BY group_name, range_index, kind, lines.label, signatures.label
    """,
    "samples": f"""
        SELECT group_name, range_index, owners.kind, samples.kind, number, subject, poster, message_id, bytes
        FROM samples JOIN ({_OWNER}) AS owners USING (owner_id) ORDER BY group_name, range_index, owners.kind, samples.kind, number
    """,
    "fragments": """
        SELECT groups.name, range_index, ordinal, file_key, owner, segments_found, segments_expected, at_low, at_high, payload
        FROM fragments JOIN ranges USING (range_id) JOIN groups USING (group_id) ORDER BY groups.name, range_index, ordinal
    """,
    "chunk files": r"""
        SELECT regexp_replace(path, '-\d+\.zst$', ''), is_edge FROM chunk_files WHERE retired_at IS NULL ORDER BY path
    """,
    "strays": """
        SELECT 'counters', owner_id FROM counters WHERE owner_id NOT IN (SELECT range_id FROM ranges UNION SELECT edge_id FROM edges)
        UNION ALL SELECT 'records', file_id FROM records WHERE file_id NOT IN (SELECT file_id FROM chunk_files WHERE retired_at IS NULL)
        UNION ALL SELECT 'probes', file_id FROM probes WHERE (file_id, ordinal) NOT IN (SELECT file_id, ordinal FROM records)
        UNION ALL SELECT 'fragments', range_id FROM fragments WHERE range_id NOT IN (SELECT range_id FROM ranges)
        UNION ALL SELECT 'releases', 0 FROM releases WHERE NOT EXISTS (SELECT FROM records WHERE records.base_key = releases.base_key)
        UNION ALL SELECT 'aliases', 0 FROM release_aliases WHERE release_id NOT IN (SELECT release_id FROM releases)
    """,
}


class Dangling(AssertionError):
    """A record that readers find cannot be read, or belongs to no release or to several."""


def seen(dsn: str, root: Path) -> dict[str, Any]:
    """What a reader sees at one moment: releases and the contents of their records, read from the chunk files.

    Raises:
        Dangling: a place leads nowhere.
    """
    with _moment(dsn) as connection:
        return _seen(connection, root)


def published(view: dict[str, Any]) -> dict[str, Any]:
    """What of a view follows from what was published: any commit of a neighbour opens what was settled, for a while."""
    return {name: rows for name, rows in view.items() if not name.startswith("settled")}


def whole(dsn: str, root: Path) -> dict[str, Any]:
    """All that lasts: what readers see, what the next materialization builds on, and the files on the disk."""
    with _moment(dsn) as connection:
        state = _seen(connection, root)
        state |= {name: connection.execute(text.encode()).fetchall() for name, text in _KEPT.items()}
        paths = {path for (path,) in connection.execute("SELECT path FROM chunk_files")}
    files = {file.relative_to(root).as_posix() for file in root.rglob("*") if file.is_file()}
    assert not state["strays"]
    state["files nobody names"], state["files that are missing"] = sorted(files - paths), sorted(paths - files)
    return state


def _moment(dsn: str) -> Connection[Any]:
    connection = psycopg.connect(dsn)
    connection.isolation_level = IsolationLevel.REPEATABLE_READ
    return connection


def _seen(connection: Connection[Any], root: Path) -> dict[str, Any]:
    state = {name: connection.execute(text.encode()).fetchall() for name, text in _READ.items()}
    state["releases"] = connection.execute(_RELEASES.encode()).fetchall()
    state["records"] = []
    places = set()
    for path, offset, length, expected, *rest in connection.execute(_RECORDS.encode()).fetchall():
        if rest[-1] is None or (path, offset) in places:
            raise Dangling(f"{path} at {offset} is in no release, or in two")
        places.add((path, offset))
        state["records"].append((*rest, expected, length, len(_content(root, path, offset, length, expected).segments)))
    return state


def _content(root: Path, path: str, offset: int, length: int, expected: int) -> RecordContent:
    try:
        with (root / path).open("rb") as file:
            file.seek(offset)
            data = file.read(length)
    except FileNotFoundError as error:
        raise Dangling(f"{path} is gone") from error
    if len(data) != length or checksum(data) != expected:
        raise Dangling(f"{path} at {offset} holds something else")
    return _decoded(data)


@cache
def _decoded(data: bytes) -> RecordContent:
    return read_record(data)
