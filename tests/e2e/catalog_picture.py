"""What an index holds, without the traces of when and in which order it was made."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from server import nzb
from server.library import Library
from store.catalog.connection import Catalog
from store.stores import Stores

Rows = list[tuple[Any, ...]]

RELEASES = """
SELECT release_id, releases.base_key, release_details.name, release_details.poster, release_details.groups, first_posted, last_posted, files,
    files_expected, segments, segments_expected, bytes, has_par2, readable_name, category, release_details.tool,
    release_details.grouped_by, release_details.named_by, release_details.signature, records, settled, completeness, repost_of
FROM release_details JOIN (SELECT release_id, base_key FROM releases) AS releases USING (release_id)
ORDER BY base_key, first_posted
"""

RECORDS = """
SELECT base_key, owners.name, range_index, is_edge, byte_length, checksum, files, first_posted, last_posted, segments, segments_expected,
    record_details.bytes, files_expected, category, tool, grouped_by, named_by, signature, has_par2, readable_name, record_details.name, poster,
    groups
FROM record_details JOIN chunk_files USING (file_id) JOIN groups AS owners USING (group_id)
ORDER BY base_key, owners.name, range_index, is_edge, ordinal
"""

FRAGMENTS = """
SELECT groups.name, range_index, file_key, at_low, at_high, owner, segments_found, segments_expected, md5(payload)
FROM fragments JOIN ranges USING (range_id) JOIN groups USING (group_id)
ORDER BY 1, 2, 3, 4, 5
"""

PROBES = """
SELECT base_key, groups.name, range_index, is_edge, ordinal, priority
FROM probes JOIN records USING (file_id, ordinal) JOIN chunk_files USING (file_id) JOIN groups USING (group_id)
ORDER BY 1, 2, 3, 4, 5
"""

COUNTERS = """
SELECT groups.name, range_index, is_edge, lines, malformed, duplicate, outside_main, set_aside_random, set_aside_obfuscated, set_aside_text,
    repeated, garbage, kept, in_fragments
FROM counters JOIN (
    SELECT range_id AS owner_id, group_id, range_index, false AS is_edge FROM ranges
    UNION ALL SELECT edge_id, group_id, range_index, true FROM edges
) AS owners USING (owner_id) JOIN groups USING (group_id)
-- An edge that lost its last fragment keeps a line of zeros; it says the same as none.
WHERE NOT (is_edge AND lines = 0)
ORDER BY 1, 2, 3
"""


@dataclass(frozen=True)
class Picture:
    """Rows of the catalog with names in place of interned numbers."""

    releases: Rows
    records: Rows
    fragments: Rows
    probes: Rows
    counters: Rows

    def without_ids(self) -> Picture:
        """With base key and first posting time in place of the release ids: an id is made from the first record that was seen."""
        names = {row[0]: (row[1], row[5]) for row in self.releases}
        return Picture(
            sorted((names[row[0]], *row[1:-1], names.get(row[-1])) for row in self.releases),
            self.records,
            self.fragments,
            self.probes,
            self.counters,
        )


def rows(catalog: Catalog, statement: str) -> Rows:
    with catalog.transaction() as connection:
        return [
            tuple(tuple(value) if isinstance(value, list) else value for value in row)
            for row in connection.execute(statement.encode())
        ]


def picture(catalog: Catalog) -> Picture:
    return Picture(*(rows(catalog, statement) for statement in (RELEASES, RECORDS, FRAGMENTS, PROBES, COUNTERS)))


def nzbs(stores: Stores) -> dict[Any, bytes]:
    """The NZB of every release by base key and first posting time."""
    library = Library(stores.catalog, stores.disk)
    return {
        (base_key, first_posted): nzb.nzb(library.release(release), nzb.merge(library.content(release)))
        for release, base_key, _, _, _, first_posted, *_ in rows(stores.catalog, RELEASES)
    }


def chunk_files(catalog: Catalog, *, retired: bool) -> dict[str, tuple[str, int, bool]]:
    """Chunk files by path: group, index, and whether the file belongs to an edge."""
    found = rows(
        catalog,
        f"""SELECT path, name, range_index, is_edge FROM chunk_files JOIN groups USING (group_id)
        WHERE (retired_at IS NOT NULL) = {retired}""",
    )
    return {path: (group, index, is_edge) for path, group, index, is_edge in found}
