"""File names: extensions, what a file is for, and the stem that the files of a release share."""

from __future__ import annotations

import polars as pl

ARCHIVE = r"part\d{1,5}\.rar|rar|r\d{2,3}|s\d{2,3}|t\d{2}|7z(?:\.\d{2,4})?|zip(?:\.\d{2,4})?|z\d{2}|ace|c\d{2}|rev|tar|tgz|gz|bz2|xz|lzh|arj|\d{3}"
PAR2 = r"vol\d{1,5}[+-]\d{1,5}\.par2|par2|p\d{2}|par"
COMPANION = r"nfo|sfv|nzb|srr|srs|md5|sha1|diz|url|m3u|cue|log|jpe?g|png|gif|txt|srt|sub|idx"
VIDEO = r"mkv|avi|mp4|m4v|wmv|mpe?g|mov|ts|m2ts|vob|flv|webm|ogm|divx|iso|img|bin|nrg|mdf"
AUDIO = r"mp3|flac|ogg|opus|m4a|m4b|aac|wav|ape|wma|wv|ac3|dts"
BOOK = r"epub|mobi|azw3?|pdf|djvu|cbr|cbz|lit|fb2|docx?|rtf|chm"
PROGRAM = r"exe|msi|dmg|pkg|apk|ipa|deb|rpm|jar|nds|xci|nsp|pkg|cia|wbfs|xml|json|csv|html?"
KNOWN_EXTENSION = "|".join((ARCHIVE, PAR2, COMPANION, VIDEO, AUDIO, BOOK, PROGRAM))

_TRACKS = f"{AUDIO}|{BOOK}|jpe?g|png|gif"
_SUFFIXES = rf"(?i)(?:\.(?:{KNOWN_EXTENSION}|part\d{{1,5}}|vol\d{{1,5}}[+-]\d{{1,5}}))+$"
_COMPANION_MARK = r"(?i)[._ -]+(?:sample|subs?|vobsubs?|proof|cover|nfo|screens?)$"


def stem(names: pl.Series) -> pl.Series:
    """The names without volume, archive, par2 and media suffixes, and without marks of samples and subtitles."""
    bare = names.str.replace(_SUFFIXES, "")
    # Only a name without any known suffix loses an unknown one: `x.10`, `file.xyz`.
    bare = bare.zip_with(bare != names, bare.str.replace(r"\.(?:\d{1,4}|[A-Za-z0-9]{1,4})$", ""))
    marked = bare.str.replace(_COMPANION_MARK, "")
    return marked.zip_with(marked != "", bare)


def extension(name: pl.Expr) -> pl.Expr:
    """The last dotted token in lower case, empty when there is none."""
    return name.str.extract(r"\.([A-Za-z0-9+_-]{1,12})$").str.to_lowercase().fill_null("")


def is_par2(name: pl.Expr) -> pl.Expr:
    """A par2 index or volume."""
    return name.str.contains(r"(?i)\.par2$")


def is_archive_or_companion(name: pl.Expr) -> pl.Expr:
    """A volume, a par2 file or what stands beside them: its stem is the stem of its release."""
    return name.str.contains(rf"(?i)\.(?:{ARCHIVE}|{PAR2}|nfo|sfv|nzb|srr|srs)$")


def is_beside(name: pl.Expr) -> pl.Expr:
    """What stands beside other files: par2, nfo, checksums, nzb."""
    return name.str.contains(rf"(?i)\.(?:{PAR2}|nfo|sfv|nzb|srr|srs)$")


def is_volume(name: pl.Expr) -> pl.Expr:
    """One of several volumes of an archive or of a par2 set."""
    return name.str.contains(r"(?i)\.(?:part\d+\.rar|r\d{2,3}|s\d{2}|7z\.\d+|z\d{2}|\d{3}|vol\d+[+-]\d+\.par2)$")


def companion_of(name: pl.Expr) -> pl.Expr:
    """The name of the file that a par2 set or checksum of one file stands beside: `song.flac.vol0+1.par2` beside `song.flac`."""
    return name.str.replace(rf"(?i)(?:\.(?:{PAR2}|nfo|sfv))+$", "")


def is_track(name: pl.Expr) -> pl.Expr:
    """One of a set of like files: music, books, images."""
    return name.str.contains(rf"(?i)\.(?:{_TRACKS})$")


def is_numbered_track(name: pl.Expr) -> pl.Expr:
    """A track that says which of its set it is."""
    return name.str.contains(rf"(?i)^\d{{1,3}}[ ._-].*\.(?:{_TRACKS})$")


def has_known_extension(name: pl.Expr) -> pl.Expr:
    """An extension that says what the file is."""
    return name.str.contains(rf"(?i)\.(?:{KNOWN_EXTENSION})$")
