"""Versions of the two inputs a batch depends on besides its lines: the group list and the signature table."""

from __future__ import annotations

from collections.abc import Sequence

from pipeline.batch import GroupList, Signature, SignatureTable
from store.catalog.connection import Catalog


def record_group_list(catalog: Catalog, names: Sequence[str]) -> GroupList:
    """The group list under its version: the current one when it has the same names in the same order, else a new one."""
    raise NotImplementedError


def current_group_list(catalog: Catalog) -> GroupList:
    """The newest group list; version 0 without names when none was recorded."""
    raise NotImplementedError


def record_signatures(catalog: Catalog, signatures: Sequence[Signature]) -> SignatureTable:
    """The signature table under its version: the current one when it is equal, else a new one."""
    raise NotImplementedError


def current_signatures(catalog: Catalog) -> SignatureTable:
    """The newest signature table; version 0 without signatures when none was recorded."""
    raise NotImplementedError
