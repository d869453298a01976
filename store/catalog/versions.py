"""Versions of the two inputs a batch depends on besides its lines: the group list and the signature table."""

from __future__ import annotations

from collections.abc import Sequence

from psycopg import Connection

from catalog_sql import query
from pipeline.batch import GroupList, Signature, SignatureTable
from store.catalog.connection import Catalog, Row


def record_group_list(catalog: Catalog, names: Sequence[str]) -> GroupList:
    """The group list under its version: the current one when it has the same names in the same order, else a new one."""
    with catalog.transaction() as connection:
        connection.execute("LOCK TABLE group_lists IN EXCLUSIVE MODE")
        current = _group_list(connection)
        if current.version and current.names == tuple(names):
            return current
        added = GroupList(current.version + 1, tuple(names))
        connection.execute(query("add_group_list"), {"version": added.version, "names": list(added.names)})
        return added


def current_group_list(catalog: Catalog) -> GroupList:
    """The newest group list; version 0 without names when none was recorded."""
    with catalog.transaction() as connection:
        return _group_list(connection)


def record_signatures(catalog: Catalog, signatures: Sequence[Signature]) -> SignatureTable:
    """The signature table under its version: the current one when it is equal, else a new one."""
    with catalog.transaction() as connection:
        current = _lock_signatures(connection)
        if current.version and current.signatures == tuple(signatures):
            return current
        return _add_signatures(connection, current.version + 1, signatures)


def first_signatures(catalog: Catalog, signatures: Sequence[Signature]) -> SignatureTable:
    """The signature table in force; `signatures` becomes the first one when none was ever recorded."""
    with catalog.transaction() as connection:
        current = _lock_signatures(connection)
        return current if current.version else _add_signatures(connection, 1, signatures)


def current_signatures(catalog: Catalog) -> SignatureTable:
    """The newest signature table; version 0 without signatures when none was recorded."""
    with catalog.transaction() as connection:
        return _signatures(connection)


def _group_list(connection: Connection[Row]) -> GroupList:
    row = connection.execute(query("current_group_list")).fetchone()
    return GroupList(0, ()) if row is None else GroupList(row[0], tuple(row[1]))


def _signatures(connection: Connection[Row]) -> SignatureTable:
    row = connection.execute(query("current_signatures")).fetchone()
    if row is None:
        return SignatureTable(0, ())
    version, *columns = row
    return SignatureTable(version, tuple(Signature(*line) for line in zip(*columns, strict=True)))


def _lock_signatures(connection: Connection[Row]) -> SignatureTable:
    connection.execute("LOCK TABLE signature_tables IN EXCLUSIVE MODE")
    return _signatures(connection)


def _add_signatures(connection: Connection[Row], version: int, signatures: Sequence[Signature]) -> SignatureTable:
    connection.execute(
        query("add_signatures"),
        {
            "version": version,
            "signatures": [line.signature for line in signatures],
            "verdicts": [line.verdict for line in signatures],
            "reasons": [line.reason for line in signatures],
        },
    )
    return SignatureTable(version, tuple(signatures))
