"""Lines that are counted and set aside: per-article random subjects, subjects with nothing to group on, and texts."""

from __future__ import annotations

import re

import numpy as np
import polars as pl
from numpy.typing import NDArray

from pipeline.compiled import compiled
from pipeline.files import KNOWN_EXTENSION
from pipeline.names import are_tokens, tokens
from pipeline.subjects import NAME_IN_QUOTES, decoded, encoded, split_texts
from pipeline.texts import Octets, texts

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
    random, others = told(subjects)
    rest = np.flatnonzero(~random)
    place = np.empty(len(subjects), np.int64)
    place[rest], place[random] = np.arange(len(rest)), np.arange(len(rest), len(subjects))
    # A random word is its own head.
    words = decoded(subjects.filter(pl.Series(random))).alias("head").to_frame()
    words = words.with_columns(kind=pl.lit(RANDOM), tail=pl.lit(""), segment=None, segments=None)
    return pl.concat([others, words.select(others.columns).cast(others.schema)])[place]


def told(subjects: pl.Series) -> tuple[NDArray[np.bool_], pl.DataFrame]:
    """Which subjects are of the kind `random`, and the columns of `kinds` for the others."""
    found = texts(subjects)
    doubted = encoded(found.offsets, found.octets)
    random = tokens(subjects, found)
    random[doubted] = are_tokens(decoded(subjects.filter(pl.Series(doubted)))).to_numpy()
    rows = np.flatnonzero(~random)
    starts, ends = found.offsets[:-1][rows], found.offsets[1:][rows]
    split, heads = split_texts(
        found.octets, starts, ends, lambda odd: decoded(subjects.gather(rows[odd])), doubted[rows]
    )
    others = np.flatnonzero(~_name_something(found.octets, starts, heads))
    kind = pl.repeat(FILE, len(rows), eager=True).scatter(others, kinds_by_patterns(split[others]))
    return random, split.with_columns(kind=kind)


@compiled
def _name_something(octets: Octets, starts: NDArray[np.int64], ends: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Heads with a quote and a letter or digit that stands in no `yEnc`, which `kinds_by_patterns` calls files where they are counted.

    None where `ends` is -1.
    """
    certain = np.zeros(starts.size, np.bool_)
    for head in range(starts.size):
        quoted = named = False
        for at in range(starts[head], ends[head]):
            octet = octets[at]
            quoted |= octet == ord('"')
            letter = octet | 32
            named |= (97 <= letter <= 122 and letter not in _YENC_LETTERS) or 48 <= octet <= 57
            if quoted and named:
                break
        certain[head] = quoted and named and not _may_begin_an_index(octets, starts[head], ends[head])
    return certain


_YENC_LETTERS = (ord("y"), ord("e"), ord("n"), ord("c"))


@compiled
def _may_begin_an_index(octets: Octets, start: int, end: int) -> bool:
    """Whether a head may be that of a `usenet index post`."""
    while start < end and not 33 <= octets[start] <= 126:
        start += 1
    return start < end and octets[start] | 32 == ord("u")


def kinds_by_patterns(frame: pl.DataFrame) -> pl.Series:
    """The kind of split subjects, frame `subjects.SPLIT`, that are not random words."""
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
    dotted = head.str.contains(".", literal=True)
    uncounted = frame.select("head", counted=counted).with_row_index().filter(~pl.col("counted") & dotted)
    # What only mentions a file or gives its address is a text.
    ends_in_name = head.str.contains(_ENDS_IN_NAME) & ~head.str.contains(_ADDRESS)
    named = uncounted.filter(head.str.contains(NAME_IN_QUOTES) | ends_in_name)["index"]
    frame = frame.with_columns(named=pl.repeat(value=False, n=frame.height, eager=True).scatter(named, values=True))
    # A request that is filled carries a name in quotes.
    request = head.str.contains(_REQUEST) & ~head.str.contains('"', literal=True)
    return frame.select(
        kind=pl.when(head.str.contains(_INDEX_POST) | request)
        .then(pl.lit(TEXT))
        .when(counted & (head.str.contains(_EMPTY) | pl.col("token")))
        .then(pl.lit(OBFUSCATED))
        .when(counted | pl.col("named"))
        .then(pl.lit(FILE))
        .otherwise(pl.lit(TEXT)),
    ).to_series()
