"""How four other indexers read a subject and put articles together, stated anew from a description of their behaviour.

Small reference rules for a comparison, one article at a time, written from what is publicly known of NNTmux, nZEDb, pynab and
NZBidx and never from their code. Only the general rules are here: the per-group tables of regular expressions that NNTmux, nZEDb and pynab
ship (some 600 rows for collections) are not, so their results are those for a post that no row of a table knows. What their programs do
later in time (forced completion, duplicates dropped, sweeps) is not here either. Sections are those of the project's notes on peers and
on posting tools.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Article:
    """What an overview line says of an article."""

    subject: str
    poster: str
    group: str
    posted_at: datetime


@dataclass(frozen=True, slots=True)
class Reading:
    """What a rule makes of an article.

    Attributes:
        segment, segments: the segment counter.
        file, files: the file counter; None when it sees none.
        collection: articles of equal collections are one release.
        binary: articles of one collection and equal binaries are one file; None where it is not known how.
    """

    segment: int
    segments: int
    file: int | None
    files: int | None
    collection: str
    binary: str | None = None


Rule = Callable[[Article], Reading | None]
"""None: the article is dropped."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One indexer: its name, its rule, and whether its file counters and its way to make files are known."""

    name: str
    rule: Rule
    counts_files: bool = True
    makes_files: bool = True


# --- NNTmux and nZEDb ----------------------------------------------------------------------------

_FIRST_PAIR_AFTER_BLANK = re.compile(r"^(.+?)\s\((\d+)/(\d+)\)")
_LAST_PAIR_AFTER_BLANK = re.compile(r"^(.+)\s\((\d+)/(\d+)\)")
_LOOSE_COUNTER = re.compile(r"[\[(<{\s](\d{1,5})(?:/|-| of )(\d{1,5})(?=[\])>}\s]|$)", re.IGNORECASE)
_INDEX_POST = re.compile(r"\W*usenet index post", re.IGNORECASE)

_CLEANED = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"[\[(<{]?\b\d{1,5}(?:/|-| of )\d{1,5}\b[\])>}]?",
        r"\b\d+(?:[.,]\d+)? ?[kmgt]i?b\b",
        r"\.(?:vol\d+\+\d+|part\d+|par2|rar|[rs]\d{2}|z\d{2}|zip|7z|\d{3}|nfo|sfv|nzb|mkv|avi|mp4|mp3|flac|iso|jpg|epub|mobi)\b",
        r"\byenc\b",
        r"[^\w]+",
    )
)


def nntmux(article: Article) -> Reading | None:
    """The rules of NNTmux since its counter became lazy (section 0, item 4; section 1).

    A subject without ` (n/m)` is dropped as "not yEnc". The first pair that follows a blank is taken for the segment counter, so that
    a file counter in parentheses before it wins. The key has neither group nor poster nor time (section 0, item 6). A file is its file
    number, or subject and poster where that is 0.
    """
    pair = _FIRST_PAIR_AFTER_BLANK.match(article.subject)
    if pair is None or _INDEX_POST.match(article.subject):
        return None
    file, files = _loose_counter(pair[1])
    binary = str(file) if file else f"{pair[1]}|{article.poster}"
    return Reading(int(pair[2]), int(pair[3]), file, files, f"{_cleaned(pair[1])}|{files or 0}", binary)


def nzedb(article: Article) -> Reading | None:
    """The rules of nZEDb (section 0, items 4 and 6; section 1; posters.md section 1).

    As NNTmux before that change: the last pair that follows a blank is the segment counter. The group is part of the key. A file is
    subject, poster and group.
    """
    pair = _LAST_PAIR_AFTER_BLANK.match(article.subject)
    if pair is None or _INDEX_POST.match(article.subject):
        return None
    file, files = _loose_counter(pair[1])
    collection = f"{_cleaned(pair[1])}|{article.group}|{files or 0}"
    return Reading(int(pair[2]), int(pair[3]), file, files, collection, f"{pair[1]}|{article.poster}|{article.group}")


def _loose_counter(text: str) -> tuple[int | None, int | None]:
    """The file counter by one loose pattern: `n/m`, `n of m` or `n-m` in any bracket or blanks (section 1, NNTmux, Parse)."""
    pair = _LOOSE_COUNTER.search(text)
    return (int(pair[1]), int(pair[2])) if pair else (None, None)


def _cleaned(text: str) -> str:
    """The generic cleaner: counters, sizes and extensions stripped (section 1, NNTmux, Group)."""
    for pattern in _CLEANED:
        text = pattern.sub(" ", text)
    return text.strip().lower()


# --- pynab ---------------------------------------------------------------------------------------

_LAST_PAIR = re.compile(r"^.*\((\d+)[/\\](\d+)\)", re.DOTALL)
_NAME_AND_PARTS = re.compile(r'^(?P<name>.*?)[\[(](?P<parts>\d+(?:/| of )\d+)[\])][-\s]*(?:"(?P<quoted>[^"]+)")?')
_VOLUME = re.compile(r"(?:\.(?:part\d+|vol\d+\+\d+|par2|rar|r\d{2}|nfo|sfv|nzb|\d{3}))+$", re.IGNORECASE)


def pynab(article: Article) -> Reading | None:
    r"""The rules of pynab (section 1; posters.md section 1).

    The last `(i/P)` or `(i\\P)` anywhere is the segment counter, and i = 0 is dropped. An article that no regular expression knows is
    deleted. Its table is stood for by the one general form of such a row, `(?P<name>...) [(?P<parts>n/N)]`, with the name from
    the quotes where nothing is before the counter. One post over many groups falls apart (section 2), so the group is in the key.
    """
    pair = _LAST_PAIR.match(article.subject)
    if pair is None or int(pair[1]) == 0:
        return None
    row = _NAME_AND_PARTS.match(article.subject[: pair.start(1) - 1])
    if row is None:
        return None
    name = re.sub(r"\W+", " ", row["name"]).strip() or _VOLUME.sub("", row["quoted"] or "")
    if not name:
        return None
    file, files = (int(number) for number in re.split(r"/| of ", row["parts"]))
    return Reading(int(pair[1]), int(pair[2]), file, files, f"{name.lower()}|{files}|{article.group}")


# --- NZBidx --------------------------------------------------------------------------------------

_FIRST_PAIR = re.compile(r"\((\d+)/(\d+)\)")
_FIRST_DOTTED = re.compile(r"\.([A-Za-z0-9]{2,4})(?![A-Za-z0-9])")
_ALLOWED = re.compile(
    r"rar|[rs]\d\d|zip|7z|\d{3}|par2|nfo|sfv|nzb|mkv|avi|mp4|wmv|iso|mp3|flac|m4b|epub|mobi|pdf|cbz|jpg|exe",
    re.IGNORECASE,
)
_BRACKETS = re.compile(r"\[[^\]]*\]|\([^)]*\)|\{[^}]*\}")


def nzbidx(article: Article) -> Reading | None:
    """The rules of NZBidx (section 0, item 4; section 1; section 3, ideas 47 and 51).

    The extension is the first dotted token of two to four characters, so `Name.720p.rar` has the extension `720p`, which is on no
    list, and is dropped. Brackets are deleted with what is in them, so that a title in brackets vanishes. The key is the normalised
    title and the UTC day. That the first pair in parentheses is its segment counter is inferred from its share of errors (130 of
    690, which is the share of subjects with a file counter in parentheses). Of the extensions allowed only the kind is known; the
    list here is a generous one. No file counter is known of it.
    """
    pair = _FIRST_PAIR.search(article.subject)
    extension = _FIRST_DOTTED.search(article.subject)
    if pair is None or extension is None or not _ALLOWED.fullmatch(extension[1]):
        return None
    title = _cleaned(_BRACKETS.sub(" ", article.subject))
    if not title:
        return None
    return Reading(int(pair[1]), int(pair[2]), None, None, f"{title}|{article.posted_at:%Y-%m-%d}")


PEERS = (
    Peer("NNTmux", nntmux),
    Peer("nZEDb", nzedb),
    Peer("pynab", pynab, makes_files=False),
    Peer("NZBidx", nzbidx, counts_files=False, makes_files=False),
)
