"""What Dagster shows of a materialized range: numbers that can be plotted over partitions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict

import dagster as dg
import polars as pl

from assets.range_work import Derived, Fetched
from store.catalog.edges import EdgeWritten

Metadata = Mapping[str, dg.MetadataValue]


def of_overview(fetched: Fetched) -> Metadata:
    """Lines, bytes on the wire and in Parquet, and lines a second."""
    facts = fetched.facts
    return {
        "lines": dg.MetadataValue.int(facts.lines),
        "malformed": dg.MetadataValue.int(facts.malformed),
        "duplicate": dg.MetadataValue.int(facts.duplicate),
        "wire_bytes": dg.MetadataValue.int(facts.wire_bytes),
        "wire_form": dg.MetadataValue.text(facts.wire_form),
        "wire_bytes_per_line": dg.MetadataValue.float(facts.wire_bytes / max(1, facts.lines)),
        "parquet_bytes": dg.MetadataValue.int(fetched.parquet_bytes),
        "parquet_bytes_per_line": dg.MetadataValue.float(fetched.parquet_bytes / max(1, facts.lines)),
        "lines_per_second": dg.MetadataValue.float(facts.lines / max(1e-3, fetched.seconds)),
    }


def of_chunks(derived: Derived) -> Metadata:
    """Every counter, what was written, and the share of expected segments that is there."""
    counters, records = derived.batch.counters, derived.batch.records
    expected = int(records["segments_expected"].sum())
    found = int(records.select(pl.min_horizontal("segments", "segments_expected").sum()).item())
    return {
        **{name: dg.MetadataValue.int(count) for name, count in asdict(counters).items()},
        "generation": dg.MetadataValue.int(derived.committed.generation),
        "records": dg.MetadataValue.int(derived.committed.records),
        "fragments": dg.MetadataValue.int(derived.committed.fragments),
        "probes": dg.MetadataValue.int(derived.committed.probes),
        "chunk_bytes": dg.MetadataValue.int(derived.committed.bytes),
        "chunk_bytes_per_segment": dg.MetadataValue.float(derived.committed.bytes / max(1, counters.kept)),
        "kept_share": dg.MetadataValue.float(counters.kept / max(1, counters.lines)),
        "garbage_share": dg.MetadataValue.float(counters.garbage / max(1, counters.lines)),
        "chunk_bytes_per_line": dg.MetadataValue.float(derived.committed.bytes / max(1, counters.lines)),
        "completeness": dg.MetadataValue.float(found / expected if expected else 1.0),
        "lines_per_second": dg.MetadataValue.float(counters.lines / max(1e-3, derived.seconds)),
    }


def of_edges(edges: list[EdgeWritten]) -> Metadata:
    """What the edges that could be decided now hold."""
    return {
        "edges": dg.MetadataValue.int(len(edges)),
        "records": dg.MetadataValue.int(sum(edge.records for edge in edges)),
        "kept": dg.MetadataValue.int(sum(edge.counters.kept for edge in edges)),
        "garbage": dg.MetadataValue.int(sum(edge.counters.garbage for edge in edges)),
    }
