"""Newznab categories from a release's name and its files' extensions: right or 8010, never a guess.

Numbers follow the tree that Prowlarr and Newznab share.
"""

from __future__ import annotations

import polars as pl

UNKNOWN, HASHED = 8010, 8020

_TV = r"(?i)\bs\d{1,2}[ ._-]?e\d{1,3}|\bs\d{1,2}\b|\b\d{1,2}x\d{2,3}\b|\b(?:19|20)\d\d[. -](?:0[1-9]|1[0-2])[. -](?:[0-2]\d|3[01])\b|\bseason[ ._-]?\d{1,2}\b"
_YEAR = r"\b(?:19[0-9]|20[0-4])\d\b"
_VIDEO = r"(?i)\b(?:2160p|1080[pi]|720p|576[pi]|480[pi]|x\.?26[45]|h[ .]?26[45]|hevc|xvid|divx|hdtv|web-?dl|webrip|bluray|b[dr]rip|dvdrip|dvdr|dvd5|dvd9|uhd)\b"
_PROGRAM = r"(?i)\b(?:linux|debian|ubuntu|fedora|opensuse|archlinux|slackware|freebsd|amd64|x86[_-]64|arm64|i386)\b"
_WHERE = (
    ("uhd", r"(?i)\b(?:2160p|uhd|4k)\b"),
    ("x265", r"(?i)\b(?:x\.?265|h[ .]?265|hevc)\b"),
    ("web", r"(?i)\bweb(?:-?dl)?\b|\bwebrip\b"),
    ("bluray", r"(?i)\bblu-?ray\b|\bbd(?:25|50|66|100)\b"),
    ("dvd", r"(?i)\bdvd(?:r|5|9)\b"),
    ("hd", r"(?i)\b(?:720p|1080[pi])\b|\bbdrip\b|\bbrrip\b"),
)
_MOVIES = {"uhd": 2045, "x265": 2090, "web": 2080, "bluray": 2050, "dvd": 2070, "hd": 2040, "sd": 2030}
_SERIES = {"uhd": 5045, "x265": 5090, "web": 5010, "bluray": 5040, "dvd": 5030, "hd": 5040, "sd": 5030}


def _by_quality(name: pl.Expr, numbers: dict[str, int]) -> pl.Expr:
    quality = pl.lit(numbers["sd"])
    for kind, pattern in reversed(_WHERE):
        quality = pl.when(name.str.contains(pattern)).then(numbers[kind]).otherwise(quality)
    return quality


def category(name: pl.Expr, extensions: pl.Expr, random: pl.Expr) -> pl.Expr:
    """Category id, Int32.

    Args:
        name: release name.
        extensions: List(String), lower-case extensions of its files.
        random: whether the name is random.
    """

    def has(*wanted: str) -> pl.Expr:
        return pl.any_horizontal(extensions.list.contains(one) for one in wanted).fill_null(value=False)

    video = name.str.contains(_VIDEO) | has("mkv", "avi", "mp4", "m4v", "wmv", "mpg", "mpeg", "ts", "m2ts", "vob")
    archived = has("rar", "7z", "zip", "001") | name.str.contains(_VIDEO)
    return (
        pl.when(random)
        .then(HASHED)
        .when(name.str.contains(_TV) & (video | archived))
        .then(_by_quality(name, _SERIES))
        .when(has("m4b"))
        .then(3030)
        .when(has("flac", "ape", "wv", "wav") & ~video)
        .then(3040)
        .when(has("mp3", "ogg", "m4a", "opus") & ~video)
        .then(3010)
        .when(has("cbr", "cbz"))
        .then(7030)
        .when(has("epub", "mobi", "azw3", "azw", "fb2", "djvu", "lit"))
        .then(7020)
        .when(name.str.contains(_PROGRAM) & ~video | has("iso", "deb", "rpm", "msi") & ~video)
        .then(4020)
        .when(has("dmg"))
        .then(4030)
        .when(has("apk"))
        .then(4070)
        .when(has("ipa"))
        .then(4060)
        .when(name.str.contains(_VIDEO))
        .then(pl.when(name.str.contains(_YEAR)).then(_by_quality(name, _MOVIES)).otherwise(2020))
        .otherwise(UNKNOWN)
        .cast(pl.Int32)
    )
