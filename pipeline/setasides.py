"""Lines that are counted and set aside: per-article random subjects, subjects with nothing to group on, and texts."""

from __future__ import annotations

import re

import polars as pl

from pipeline.files import KNOWN_EXTENSION
from pipeline.names import are_tokens
from pipeline.subjects import NAME_IN_QUOTES, decoded, split

FILE, RANDOM, OBFUSCATED, TEXT = "file", "random", "obfuscated", "text"

_EMPTY = r"(?i)^[\W_]*(?:yenc)?[\W_]*$"
_BESIDE_A_WORD = " -[](){}<>*.:|~=_"
_YENC = r"(?i)\byenc\b"
_SIGNS = f"[{re.escape(_BESIDE_A_WORD)}]"
_ONE_WORD = rf"^{_SIGNS}*[A-Za-z0-9_-]+(?: \[[0-9]{{1,6}}/[0-9]{{1,6}}\]|{_SIGNS}+(?i:yenc))?{_SIGNS}*$"
_ENDS_IN_NAME = (
    rf"(?i)\.(?:{KNOWN_EXTENSION})(?:[\"'>]|&(?:quot|#34);)*(?:[ -]+yenc\b.*|[ -]*[\[(][0-9]+/[0-9]+[\])].*)?\s*$"
)
_ADDRESS = r"(?i)://|\bwww\."
_REQUEST = r"(?i)^\s*(?:re: ?)*(?:req(?:uest)?:|[\[(]req(?:uest)?[\])])"
_INDEX_POST = r"(?i)^\s*usenet index post"


def kinds(subjects: pl.Series) -> pl.DataFrame:
    """Split subjects and tell files from what is set aside.

    Args:
        subjects: String column without nulls.

    Returns:
        The columns of `subjects.SPLIT` and `kind`. The subject of a kind other than `file` need not be split.
    """
    subjects = decoded(subjects)
    random = are_tokens(subjects)
    rows = (~random).arg_true()
    others = _judged(split(subjects.gather(rows)))
    count = len(subjects)
    # A random word is its own head; only the rest was split.
    return pl.DataFrame(
        {
            "head": subjects.clone().scatter(rows, others["head"]),
            "tail": pl.repeat("", count, eager=True).scatter(rows, others["tail"]),
            "segment": pl.repeat(None, count, dtype=pl.Int32, eager=True).scatter(rows, others["segment"]),
            "segments": pl.repeat(None, count, dtype=pl.Int32, eager=True).scatter(rows, others["segments"]),
            "kind": pl.repeat(RANDOM, count, eager=True).scatter(rows, others["kind"]),
        }
    )


def _judged(frame: pl.DataFrame) -> pl.DataFrame:
    """Add `kind` to split subjects that are not random words."""
    head, counted = pl.col("head"), pl.col("segments").is_not_null()
    # One random word and a counter: a file, maybe, but nothing that says which files belong together. A made-up file
    # counter that repeats the segment counter says nothing either.
    said = head.str.extract_groups(r"^(\S+) \[([0-9]{1,6})/([0-9]{1,6})\]$").struct
    repeated = (said[1].cast(pl.Int32) == pl.col("segment")) & (said[2].cast(pl.Int32) == pl.col("segments"))
    short = frame.with_row_index().filter(counted & head.str.contains(_ONE_WORD))
    bare = head.str.replace(_YENC, "").str.strip_chars(_BESIDE_A_WORD)
    words = short.select("index", word=pl.when(repeated).then(said[0]).otherwise(bare))
    hits = words.filter(are_tokens(words["word"]))["index"]
    frame = frame.with_columns(token=pl.repeat(value=False, n=frame.height, eager=True).scatter(hits, values=True))
    uncounted = frame.select("head", counted=counted).with_row_index().filter(~pl.col("counted"))
    # What only mentions a file or gives its address is a text.
    ends_in_name = head.str.contains(_ENDS_IN_NAME) & ~head.str.contains(_ADDRESS)
    named = uncounted.filter(head.str.contains(NAME_IN_QUOTES) | ends_in_name)["index"]
    frame = frame.with_columns(named=pl.repeat(value=False, n=frame.height, eager=True).scatter(named, values=True))
    return frame.select(
        "head",
        "tail",
        "segment",
        "segments",
        # A request that is filled carries a name in quotes.
        kind=pl.when(
            head.str.contains(_INDEX_POST) | head.str.contains(_REQUEST) & ~head.str.contains('"', literal=True)
        )
        .then(pl.lit(TEXT))
        .when(counted & (head.str.contains(_EMPTY) | pl.col("token")))
        .then(pl.lit(OBFUSCATED))
        .when(counted | pl.col("named"))
        .then(pl.lit(FILE))
        .otherwise(pl.lit(TEXT)),
    )
