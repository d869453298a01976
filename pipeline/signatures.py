"""Garbage signatures: what a release's posting looks like, and the table that says which are dropped."""

from __future__ import annotations

from pipeline.batch import SignatureTable

DEFAULT_TABLE = SignatureTable(version=1, signatures=())
"""The table the software ships with."""
