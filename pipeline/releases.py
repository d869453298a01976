"""Which files are one release, and what it is called.

Every rule reads one file's own facts, so that a file gets the same keys in whatever range, order or company it is met:
that makes releases independent of how a history is cut. Evidence in order: request id, folder, title, stem of the name,
description, name of a series, file counter. Each release keeps the rule that grouped it and the one that named it.

A random stem under a file counter says two things: the files share it, or each file has one of its own and only poster and
counter hold them together (posters.md section 2, level 1). Such a file has two identities, and the catalog, which sees all
records, lets the stem have it as soon as a second file with that stem is known.
"""

from __future__ import annotations

import polars as pl
import xxhash

from pipeline import files as names
from pipeline.islands import ISLAND_GAP, POOL_GAP, islands
from pipeline.names import SHORTEST, are_random
from pipeline.posters import plain as plain_poster
from pipeline.posters import stable

_ADVERT_IN_NAME = r"(?i)[_. -]*(?:https?://)?www\.[\w-]+\.[a-z]{2,4}[_. -]*"
_DISC = r"(?i)^(?:cd|dvd|disc|disk)[ ._-]?\d{1,2}$"
_SERIES = r"^(.*?[A-Za-z\x{80}-\x{10ffff}].*?)[ ._-]*[-_.#(\[ ](?:\d{1,3}(?:[-_.)\] ].*)?|0\d{3})$"
"""A number between signs or at the end; four digits are a year unless they begin with 0."""
_SCENE_STYLE = r"([^\s.]+\.[^\s.]+\.\S*-[A-Za-z0-9]+|\S+-(?:19|20)\d\d-[A-Za-z0-9]+)$"
_RELEASE = rf"^{_SCENE_STYLE}"
_RELEASE_AFTER_TRACK = rf"^[\W_]*\d{{1,4}}[ ._-]+{_SCENE_STYLE}"
_TRACK = r"^\d{1,3}[._-]+(\S+)$"
_AFTER_TRACK = r"^[\W_]*\d{1,4}[ ._-]+(.+?)(?: - |-|_-_)"
"""Artist and song: a song alone is no series."""
_OWN_WORD = r"(?i)[\p{L}]{4,}"
"""A stem without a word of its own, such as `01` or `cd1`, belongs to the title before it."""


_SAYS_NOTHING = (
    r"\b(?:the|and|for|from|with|part|vol|der|die|das|und|von|vom|mit|des|les|une|del|los|las|con|che|een|het|van|voor|met|"
    r"new|neu|nueva|full|complete|season|disc|disk|cover|sample|file|post|posts|posted)\b"
)
"""Words that stand in any advertisement and in any title."""
POOL_DAYS = 30
"""Days of posting that share a pool: it bounds how many files a busy poster's pool holds."""


def plain(text: pl.Expr) -> pl.Expr:
    """Text as a key compares it: lower case, runs of other signs than letters and digits as one space."""
    return text.str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", " ").str.strip_chars()


def _condensed(text: pl.Expr) -> pl.Expr:
    """Text as an identity compares it: lower case, letters and digits alone; a blank may be what is left of a damaged sign."""
    return text.str.to_lowercase().str.replace_all(r"[^\p{L}\p{N}]+", "")


def bare_stem(file_names: pl.Series) -> pl.Series:
    """The stems of file names, without advertisements and track numbers."""
    stems = names.stem(file_names).str.replace_all(_ADVERT_IN_NAME, " ").str.strip_chars(" ._-")
    return _without_track_numbers(file_names, stems)


def with_rules(files: pl.DataFrame) -> pl.DataFrame:
    """Add to files the key of their release and its name.

    Args:
        files: the columns of `subjects.PARSED`, `poster` and `posted_at`.

    Returns:
        `files` with `stem`, `grouped_by`, `named_by`, `release` and `random` (the release name is), and what `with_identities` needs.
    """
    files = files.with_columns(stem=bare_stem(files["name"]), stable_poster=stable(files["poster"]))
    files = files.with_columns(random_title=each_random(files["title"]), random_stem=each_random(files["stem"]))
    title, stem, name = pl.col("title"), pl.col("stem"), pl.col("name")
    several = pl.col("file_total").fill_null(0) > 1
    beside, track = pl.col("beside"), pl.col("track")
    files = files.with_columns(
        beside=names.is_archive_or_companion(name), track=names.is_track(names.companion_of(name))
    )
    files = files.hstack(_related(files)).with_columns(series=_series(files["track"], files["stem"]))
    files = files.with_columns(pooled=_pooled())
    # A stem that reads as a title and has no word of the subject's title outranks it: that one is an advertisement.
    own_title = beside & ~pl.col("random_stem") & ~pl.col("related") & (stem.str.count_matches(r"\p{L}{3,}") >= 2)
    unnamed, untitled = name == "", title == ""
    rule = (
        pl.when(pl.col("request_id") != "")
        .then(pl.lit("request"))
        .when(pl.col("folder") != "")
        .then(pl.lit("folder"))
        .when(unnamed & ~untitled)
        .then(pl.lit("title"))
        .when(unnamed)
        .then(pl.lit("counter"))
        .when(~untitled & several & ~own_title)
        .then(pl.lit("title"))
        .when(~untitled & (pl.col("titled_name") | pl.col("random_title") & pl.col("random_stem")))
        .then(pl.lit("title"))
        .when(~untitled & ~pl.col("random_title") & ~several & ~stem.str.contains(_OWN_WORD))
        .then(pl.lit("title"))
        .when("pooled")
        .then(pl.lit("stem"))
        .when(beside & ~track | ~several)
        .then(pl.lit("stem"))
        .when(pl.col("description").str.contains(r"[\p{L}\p{N}]{3}"))
        .then(pl.lit("description"))
        .when(pl.col("random_stem") & ~names.has_known_extension(name))
        .then(pl.lit("counter"))
        .when(track)
        .then(pl.lit("series"))
        .otherwise(pl.lit("stem"))
    )
    files = files.with_columns(grouped_by=rule).with_columns(
        disc=title.str.contains(_DISC) | untitled & stem.str.contains(_DISC)
    )
    return _with_name(files)


def _related(files: pl.DataFrame) -> pl.DataFrame:
    """How title and stem go together where both are readable.

    Returns:
        `related`: one of the first three words of the stem stands in the title; `titled_name`: the whole title stands in
        the stem.
    """
    title, stem = pl.col("title"), pl.col("stem")
    pairs = files.select("title", "stem", both=(title != "") & ~pl.col("random_title") & ~pl.col("random_stem"))
    words = plain(stem).str.replace_all(_SAYS_NOTHING, " ").str.extract_all(r"\S{3,}")
    found = (
        _condensed(title).str.contains(words.list.get(place, null_on_oob=True), literal=True).fill_null(value=False)
        for place in range(3)
    )
    told = (
        pairs.filter("both")
        .unique()
        .with_columns(
            related=pl.any_horizontal(found),
            titled_name=(title.str.len_chars() >= SHORTEST)
            & _condensed(stem).str.contains(_condensed(title), literal=True),
        )
    )
    joined = pairs.join(told, on=["title", "stem", "both"], how="left", maintain_order="left")
    return joined.select(pl.col("related", "titled_name").fill_null(value=False))


def _without_track_numbers(file_names: pl.Series, stems: pl.Series) -> pl.Series:
    """Stems of tracks less the number, where what follows it is the name of a release: scene style, or random."""
    numbered = (
        pl.DataFrame({"name": file_names, "stem": stems})
        .with_row_index()
        .filter(names.is_numbered_track(pl.col("name")))
        .with_columns(rest=pl.col("stem").str.extract(_TRACK))
        .drop_nulls()
    )
    if numbered.is_empty():
        return stems
    named = numbered.filter(are_random(numbered["rest"]) | numbered["stem"].str.contains(_RELEASE_AFTER_TRACK))
    return stems.clone().scatter(named["index"], named["rest"])


def _series(of_a_track: pl.Series, stems: pl.Series) -> pl.Series:
    """What the tracks of a set have in common: the stem without track number and what follows it."""
    stem = pl.col("stem")
    tracks = pl.DataFrame({"stem": stems}).with_row_index().filter(of_a_track)
    common = pl.coalesce(
        stem.str.extract(_RELEASE),
        stem.str.extract(_RELEASE_AFTER_TRACK),
        stem.str.extract(_AFTER_TRACK),
        stem.str.extract(_SERIES),
        stem,
    )
    return stems.scatter(tracks["index"], tracks.select(common.str.strip_chars(" ._-")).to_series())


def _pooled() -> pl.Expr:
    """Stems under a counter that nothing else names, of a poster who stays the same for a whole post, as ngPost's drawn ones do.

    Nyuu and ngPost write no title: the files of a folder, `01 - Kyrie.flac`, `02 - Gloria.flac`, have nothing else in common.
    """
    # Tracks with a series in their names and files with a description have that.
    alone = (pl.col("series") == pl.col("stem")) & ~pl.col("description").str.contains(r"[\p{L}\p{N}]{3}")
    # A readable stem says enough where From is drawn for each article.
    drawn = pl.col("random_stem") & pl.col("poster").str.contains(r"(?i)@ngpost\.com>?$")
    constant = (pl.col("stable_poster") != "") | drawn
    several = pl.col("file_total").fill_null(0) > 1
    untitled = (pl.col("name") != "") & (pl.col("title") == "")
    return untitled & (pl.col("random_stem") | alone) & several & constant


def each_random(names: pl.Series) -> pl.Series:
    """`are_random`, each of the names looked at once: few, shared by many files."""
    kinds = names.unique()
    if 2 * len(kinds) > len(names):
        return are_random(names)
    return names.is_in(kinds.filter(are_random(kinds)).implode())


def _with_name(files: pl.DataFrame) -> pl.DataFrame:
    title, stem, rule = pl.col("title"), pl.col("stem"), pl.col("grouped_by")
    # A number alone says less than any name: `(12345) [01/20] - "metropolis.par2"`.
    says_something = title.str.contains(r"\p{L}") | ~stem.str.contains(r"\p{L}")
    readable_title = (title != "") & ~pl.col("random_title") & ~pl.col("disc") & says_something
    # A stem of a few letters says less than even a random title.
    readable_stem = ~pl.col("random_stem") & (stem.str.len_chars() >= pl.when(title == "").then(1).otherwise(5))
    by = (
        pl.when(rule == "folder")
        .then(pl.lit("folder"))
        .when(rule.is_in(["description", "series"]))
        .then(rule)
        .when(
            (rule.is_in(["request", "title"]) | ((rule == "stem") & (pl.col("related") | pl.col("random_stem"))))
            & readable_title
        )
        .then(pl.lit("title"))
        .when((rule == "request") & ~readable_stem)
        .then(pl.lit("request"))
        .when(readable_stem | (rule == "stem"))
        .then(pl.lit("stem"))
        .when(title != "")
        .then(pl.lit("title"))
        .when(stem != "")
        .then(pl.lit("stem"))
        .otherwise(pl.lit("none"))
    )
    files = files.with_columns(named_by=by)
    by = pl.col("named_by")
    release = (
        pl.when(by == "folder")
        .then("folder")
        .when(by == "description")
        .then("description")
        .when(by == "series")
        .then("series")
        .when(by == "title")
        .then("title")
        .when(by == "request")
        .then("request_id")
        .when(by == "stem")
        .then("stem")
        .otherwise(pl.lit(""))
    )
    files = files.with_columns(release=release.str.replace_all(r"\s+", " ").str.strip_chars(" ._-"))
    files = files.with_columns(release=pl.when(pl.col("release") == "").then("name").otherwise("release"))
    known = pl.when(by == "title").then("random_title").when(by == "stem").then("random_stem")
    files = files.with_columns(random=known)
    others = files.with_row_index().filter(pl.col("random").is_null())
    return files.with_columns(files["random"].scatter(others["index"], are_random(others["release"])))


def with_identities(files: pl.DataFrame) -> pl.DataFrame:
    """Add `identity`, what a base key is made of, and `pool`, the other identity of a file whose random stem may be its own, else null.

    Args:
        files: as `with_rules` returns them.
    """
    rule = pl.col("grouped_by")
    what = (
        pl.when(rule == "request")
        .then(
            pl.concat_str(
                "request_id", pl.when("disc").then(pl.lit("")).otherwise(_condensed(pl.col("title"))), separator=" "
            )
        )
        .when(rule == "counter")
        .then(pl.lit(""))
        .when(rule.is_in(["folder", "title", "description", "series", "stem"]))
        .then(
            _condensed(
                pl.when(rule == "folder")
                .then("folder")
                .when(rule == "title")
                .then("title")
                .when(rule == "description")
                .then("description")
                .when(rule == "series")
                .then("series")
                .otherwise("stem")
            )
        )
    )
    # Discs of one request belong together though each counts its own files, and so do data and recovery files of one good name.
    said = (rule == "title") & (_condensed(pl.col("title")) == _condensed(pl.col("stem")))
    whole_stem = (rule == "stem") | (rule == "series") & (pl.col("series") == pl.col("stem"))
    named = said | whole_stem & ~pl.col("random_stem") & (pl.col("stem").str.len_chars() >= SHORTEST)
    apart = (rule == "request") & pl.col("disc") | named
    total = pl.when(~apart).then("file_total")
    month = pl.col("posted_at").dt.epoch("d") // POOL_DAYS
    pool = pl.concat_str(
        plain_poster(pl.col("poster")),
        pl.lit("pool"),
        month.cast(pl.String).fill_null(""),
        "file_total",
        separator="\x1f",
    )
    session = pl.col("pooled") & (pl.col("stable_poster") == "")
    return files.with_columns(
        pool=pl.when("pooled").then(pool),
        identity=pl.concat_str(
            pl.when((rule == "counter") | session).then(plain_poster(pl.col("poster"))).otherwise("stable_poster"),
            pl.when(rule == "counter").then(pl.lit("counter")).otherwise(pl.lit("")),
            what,
            total.cast(pl.String).fill_null(""),
            separator="\x1f",
        ),
    )


def with_records(files: pl.DataFrame) -> pl.DataFrame:
    """Put files of one identity, without a long silence between them, into records.

    A file of a pool whose stem no other file here has goes with the pool: into the pool's record, or, incomplete or near an edge of the
    range, where another range may hold more files of that stem, into a record of its own.

    Args:
        files: with `identity`, `pool`, `posted_at`, `first_number`, `segments_found`, `segments_expected` and `near_edge`; all are
            kept, in their order.

    Returns:
        `files` with `record` (UInt32, ordinals by lowest article number), `base` (the identity the record has here), `stem_base` and
        `pool_base` (the two identities the catalog chooses from; null where there is no choice).
    """
    pooled = pl.col("pool").is_not_null()
    lone = pooled & (pl.len().over("identity", "pool") == 1)
    # What is missing of a file may lie in another group.
    whole = pl.col("segments_found") >= pl.col("segments_expected")
    frame = files.select(
        "identity", "posted_at", "first_number", "pool", lone=lone, settled=lone & ~pl.col("near_edge") & whole
    ).with_columns(
        key=pl.when("settled").then("pool").otherwise(pl.concat_str(pl.lit("\x1f"), "identity")).hash(),
        gap=pl.when("settled").then(pl.lit(POOL_GAP)).otherwise(pl.lit(ISLAND_GAP)),
    )
    spans = frame.group_by("key").agg(
        long=(pl.col("posted_at").max() - pl.col("posted_at").min()) > pl.col("gap").first()
    )
    long = spans.filter("long")["key"]
    frame = frame.with_columns(island=pl.lit(0, pl.UInt32))
    if len(long):
        wide = frame.with_row_index().filter(pl.col("key").is_in(long.implode()))
        frame = frame.with_columns(
            island=frame["island"].scatter(
                wide["index"], wide.select(islands("key", "posted_at", pl.col("gap").first())).to_series()
            )
        )
    firsts = (
        frame.group_by("key", "island").agg(pl.col("first_number").min()).sort("first_number").with_row_index("record")
    )
    joined = frame.join(
        firsts.select("key", "island", "record"), on=["key", "island"], how="left", maintain_order="left"
    )
    choice = frame.select(
        base=pl.when("lone").then("pool").otherwise("identity"),
        stem_base=pl.when(pooled & ~pl.col("settled")).then("identity"),
        pool_base="pool",
    )
    grouped_by = pl.when(frame["settled"]).then(pl.lit("counter")).otherwise("grouped_by")
    return files.with_columns(joined["record"], *choice.get_columns(), grouped_by=grouped_by)


def base_keys(identities: pl.Series) -> pl.Series:
    """16-byte base keys (xxh3-128) of identities; null stays null."""
    return pl.Series(
        [None if identity is None else xxhash.xxh3_128_digest(identity.encode()) for identity in identities],
        dtype=pl.Binary,
    )


def in_nzb_order(files: pl.DataFrame) -> pl.DataFrame:
    """Files by record, then data before par2, then by file counter and name: what a downloader needs first comes first."""
    return (
        files.with_columns(late=names.is_par2(pl.col("name")))
        .sort("record", "late", "file_number", "name", "first_number", nulls_last=True)
        .drop("late")
    )
