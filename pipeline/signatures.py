"""Garbage signatures: what a release's posting looks like, and the table that says which are dropped.

A signature is `message-id template|poster shape|subject shape`, e.g. `hex32|random|[]qy1`. A line of the table names one, with `*`
for any part, or a whole tool as `tool:Name`. The first line that fits decides; a signature that no line fits is kept.
"""

from __future__ import annotations

import re

import polars as pl

from pipeline.batch import Signature, SignatureTable

DROP, KEEP = "drop", "keep"
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")

DEFAULT_TABLE = SignatureTable(
    version=1,
    signatures=(
        Signature("tool:nxg", DROP, "subject and id are hashes of a secret"),
        Signature("*|*|*!", DROP, "lone programs under generic names: virus and codec floods"),
        Signature("tool:UsenetSync", DROP, "machine backups, always obfuscated"),
        Signature("*|*|t[]h", DROP, "hash floods: a hash, a counter and another hash without extension"),
        Signature("*|*|t[]hy", DROP, "hash floods: a hash, a counter and another hash without extension"),
        Signature("*|*|qy1", DROP, "one-part floods: a random name, no file counter"),
        Signature("*|*|hy1", DROP, "one-part floods: a hash, no file counter"),
        Signature("*|*|tqy1", DROP, "one-part floods: a random name, no file counter"),
        Signature("*|*|thy1", DROP, "one-part floods: a hash, no file counter"),
        Signature("*|*|[]qy1", DROP, "one-part floods: a random name counted 1 of 1"),
        Signature("*|*|[]hy1", DROP, "one-part floods: a hash counted 1 of 1"),
    ),
)
"""The table the software ships with."""


def signature(template: pl.Expr, poster_shape: pl.Expr, subject_shape: pl.Expr) -> pl.Expr:
    """The signature as one text."""
    return pl.concat_str(template, poster_shape, subject_shape, separator="|")


def dropped_by(table: SignatureTable, signatures: pl.Series, tools: pl.Series) -> pl.Series:
    """The line of the table that drops each signature or tool; null where it is kept.

    Raises:
        ValueError: a line of the table is neither a signature nor a tool, or its verdict neither `drop` nor `keep`.
    """
    kinds = pl.DataFrame({"signature": signatures, "tool": tools})
    distinct = kinds.unique()
    line = pl.lit(None, pl.String)
    for one in reversed(table.signatures):
        line = pl.when(_fits(one)).then(pl.lit(one.signature if one.verdict == DROP else None)).otherwise(line)
    judged = distinct.with_columns(dropped_by=line)
    return kinds.join(judged, on=["signature", "tool"], how="left", maintain_order="left")["dropped_by"]


def check_line(line: Signature) -> None:
    """Return when a line of a table can be read.

    Raises:
        ValueError: it is neither a signature nor a tool, its verdict is neither `drop` nor `keep`, it gives no reason, or holds control
            characters.
    """
    _fits(line)
    if not line.reason.strip():
        raise ValueError(f"signature {line.signature!r} must have a reason")
    if _CONTROL.search(line.signature + line.reason):
        raise ValueError(
            f"signature {line.signature!r}: signature and reason must be on one line, without control characters"
        )


def _fits(line: Signature) -> pl.Expr:
    if line.verdict not in (DROP, KEEP):
        raise ValueError(f"signature {line.signature!r}: verdict must be drop or keep, not {line.verdict!r}")
    if line.signature.startswith("tool:"):
        # No name would stand for every tool that was not recognised.
        if not line.signature.removeprefix("tool:").strip():
            raise ValueError("tool: must be followed by the name of a tool")
        return pl.col("tool") == line.signature.removeprefix("tool:")
    parts = line.signature.split("|")
    if len(parts) != 3:
        raise ValueError(f"signature {line.signature!r} must be template|poster|subject or tool:Name; * stands for any")
    return pl.col("signature").str.contains("^" + r"\|".join(_part(part) for part in parts) + "$")


def _part(part: str) -> str:
    return re.escape(part).replace(r"\*", "[^|]*")
