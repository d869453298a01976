"""What a release's name says of it: episode, year, picture and sound, language, team, artist, author; null where it does not say.

The grammar is the one posters and Newznab clients share: title, then year or episode or date, then technical words, then `-TEAM`.
A word counts only where that order allows it: `German` before technical words is a language, in `The.German.Doctor` it is title.
"""

from __future__ import annotations

import polars as pl

from pipeline.schema import Column, Schema

ATTRIBUTES = Schema(
    "attributes",
    (
        Column("title", pl.String, "title of a film, series or book, with blanks between words"),
        Column("season", pl.Int32, "season; the year where seasons are years; 0 for specials"),
        Column("episode", pl.Int32, "episode, the first of several"),
        Column("episode_last", pl.Int32, "last of several episodes"),
        Column("aired", pl.Date, "day of a daily show"),
        Column("year", pl.Int32, "year of the work"),
        Column("resolution", pl.String, "`1080p`, `1080i`, `720p`, ..."),
        Column(
            "source",
            pl.String,
            "`BluRay`, `BDRip`, `WEB-DL`, `WEBRip`, `HDTV`, `DVDRip`, `DVD`, `TV` (other broadcast) or `VHS`",
        ),
        Column("video", pl.String, "`H.264`, `H.265`, `AV1`, `VP9`, `XviD`, `DivX`, `MPEG-2` or `VC-1`"),
        Column(
            "audio",
            pl.String,
            "best of `TrueHD`, `DTS-HD`, `E-AC-3`, `FLAC`, `DTS`, `AC3`, `AAC`, `Opus` and `MP3` that is named",
        ),
        Column("channels", pl.String, "`5.1`, `2.0`, ..."),
        Column("hdr", pl.String, "`DV`, `HDR10+`, `HDR10`, `HLG` or `HDR`"),
        Column("languages", pl.List(pl.String), "languages in English, as named"),
        Column("team", pl.String, "who made the release"),
        Column("proper", pl.Boolean, "corrects an earlier release (PROPER, REPACK, RERIP); else null"),
        Column("artist", pl.String, "artist of music"),
        Column("album", pl.String, "album"),
        Column("author", pl.String, "author of a book, given name first"),
    ),
)

_EDGE = r"(?-u:\b)"
_BREAK = r"[\s.,\[\](){}+-]+"


def words(pattern: str) -> str:
    """The pattern as whole words, in upper or lower case. Edges are ASCII: several times faster, and all such words are."""
    return rf"(?i){_EDGE}(?:{pattern}){_EDGE}"


def spaced(name: pl.Expr) -> pl.Expr:
    """The name with blanks for underscores, which would else be letters of a word."""
    return name.str.replace_all("_", " ", literal=True)


YEAR = rf"{_EDGE}(?:19\d\d|20[0-4]\d){_EDGE}"
DAY = rf"{_EDGE}(?:19|20)\d\d[ .-](?:0[1-9]|1[0-2])[ .-](?:0[1-9]|[12]\d|3[01]){_EDGE}"
EPISODE = rf"(?i){_EDGE}s\d{{1,4}}[ .-]*e\d{{1,4}}"
_SEASONS = "season|staffel|saison|temporada|stagione|seizoen|sezon|säsong|sæson|sesong|series"
SEASON = (
    rf"(?i){_EDGE}(?:s\d{{1,2}}(?:d\d{{1,2}})?{_EDGE}|\d{{1,2}}x\d{{2,3}}{_EDGE}|(?:{_SEASONS})[ .]?\d{{1,2}}{_EDGE})"
)
PART = rf"(?i){_EDGE}(?:e|ep|episode|folge|part|teil)[ .]?\d{{1,3}}{_EDGE}"
FANSUB = (
    r"^\[[^\]#]*[A-Za-z][^\]#]*\][ .]*(.+?)[ .]+-[ .]+(?:S\d{1,2}E)?(\d{1,4})(?:v\d)?(?:-(\d{1,4}))?[ .]*(?:[\[(]|$)"
)
_REPOSTED = r"(?i)-(?:obfuscated|scrambled|xpost|repost|postbot)$"
_FANSUB_TEAM = r"^\[([^\]#]*[A-Za-z][^\]#]*)\]"

WEB = r"web-?dl|(?-i:WEB)|web[ .-][xh][ .]?26[45]|\d[pi](?:[ .][a-z]{2,4})?[ .]web"
"""From the web; `Web` by itself is a word of titles."""
_SOURCES = (
    ("BDRip", "b[dr]-?rip"),
    ("BluRay", r"blu-?ray|mbluray|bd(?:25|50|66|100)|bd-?remux|(?-i:BD)"),
    ("WEBRip", "web-?rip"),
    ("WEB-DL", WEB),
    ("HDTV", "u?a?hdtv(?:rip)?"),
    ("DVDRip", "dvd-?rip"),
    ("DVD", "dvd-?[r59]"),
    ("TV", "pdtv|sdtv|dsr|dsrip|satrip|tvrip|dvb(?:-?[stc]|rip)?|dtv"),
    ("VHS", "vhs(?:rip)?"),
)
_VIDEOS = (
    ("H.265", r"x\.?265|h[. ]?265|hevc"),
    ("H.264", r"x\.?264|h[. ]?264|avc"),
    ("XviD", "xvid"),
    ("DivX", "divx"),
    ("AV1", "av1"),
    ("VP9", "vp9"),
    ("MPEG-2", "mpeg-?2"),
    ("VC-1", "vc-?1"),
)
_AUDIOS = (
    ("TrueHD", "truehd"),
    ("DTS-HD", "dts-?hd"),
    ("E-AC-3", r"ddpa?\d?|dd\+\d?|e-?ac-?3"),
    ("FLAC", r"flac\d?"),
    ("DTS", "dts|dts-?x"),
    ("AC3", r"ac-?3d?|dd\d"),
    ("AAC", r"aac\d?"),
    ("Opus", "opus"),
    ("MP3", "mp3"),
)
_HDRS = (
    ("DV", "dv|dovi|dolby[ .]?vision"),
    ("HDR10+", r"hdr10(?:p|plus|\+[\s.-]*)"),
    ("HDR10", "hdr10"),
    ("HLG", "hlg"),
    ("HDR", "hdr"),
)
_RESOLUTION = r"(?:2160|1440|1080|720|576|540|480|360)[pi]"
_CHANNELS = rf"(?i)(?:aac|ddpa?|dd|\+|flac|dts|ma|hd|hra|opus|ac3|pcm|atmos)[. -]?([1-7][. ][01]){_EDGE}"

TECHNICAL = (
    rf"{_RESOLUTION}|x\.?26[45]|h[. ]?26[45]|hevc|xvid|divx|av1|vp9|web-?dl|web-?rip|blu-?ray|mbluray|b[dr]-?rip|bd-?remux|uhd|u?a?hdtv(?:rip)?|"
    r"dvd-?rip|m?dvd-?[r59]|dvdscr|pdtv|sdtv|dsr|dsrip|satrip|tvrip|dvbrip|vhsrip"
)
"""Words that only a film or an episode has in its name."""

_LANGUAGES = {
    "German": "german|deutsch",
    "French": "french|truefrench|vff|vfq|français",
    "Spanish": "spanish|castellano|español|latino",
    "Italian": "italian",
    "Dutch": "dutch|flemish",
    "Swedish": "swedish",
    "Norwegian": "norwegian",
    "Danish": "danish",
    "Finnish": "finnish",
    "Icelandic": "icelandic",
    "Polish": "polish",
    "Portuguese": "portuguese|brazilian",
    "Russian": "russian",
    "Ukrainian": "ukrainian",
    "Czech": "czech",
    "Slovak": "slovak",
    "Hungarian": "hungarian",
    "Romanian": "romanian",
    "Bulgarian": "bulgarian",
    "Croatian": "croatian",
    "Serbian": "serbian",
    "Greek": "greek",
    "Turkish": "turkish",
    "Hebrew": "hebrew",
    "Arabic": "arabic",
    "Persian": "persian|farsi",
    "Hindi": "hindi",
    "Tamil": "tamil",
    "Telugu": "telugu",
    "Japanese": "japanese",
    "Korean": "korean",
    "Chinese": "chinese|mandarin|cantonese",
    "Thai": "thai",
    "Vietnamese": "vietnamese",
    "English": "english",
}
_CODES = {
    "German": "GER|DE", "French": "FRE|FRA|FR", "Spanish": "SPA|ESP|ES", "Italian": "ITA|iTA|IT", "Dutch": "NL", "Swedish": "SWE|SE",
    "Norwegian": "NOR|NO", "Danish": "DK", "Finnish": "FI", "Polish": "PL", "Portuguese": "POR|PT", "Russian": "RUS|RU", "Czech": "CZE|CZ",
    "Hungarian": "HUN|HU", "Japanese": "JPN|JP", "Korean": "KOR|KR", "Turkish": "TUR|TR", "English": "ENG",
}  # fmt: skip
_NAMED = {
    word.lower(): language
    for table in (_LANGUAGES, _CODES)
    for language, choices in table.items()
    for word in choices.split("|")
}
_LANGUAGE = "|".join(_LANGUAGES.values())
_CODE = "|".join(_CODES.values())
_ANY_LANGUAGE = rf"{_EDGE}(?:(?i:{_LANGUAGE})|{_CODE}){_EDGE}"
_FOLLOWS = (
    rf"{TECHNICAL}|web|[257][ .][01]|dl|ml|dual|multi|dubbed|dubs?|ac3d?|e?ac3|dts|aac|proper|repack|rerip|internal|uncut|extended|remastered|complete|doku|docu|"
    r"documentary|hdr\w*|avc|dlmux|ws|pal|ntsc|bdrip|dvd|epub|mobi|pdf|e-?book|retail|audiobook|mp3|flac"
)
_CHAIN = rf"[^\s.]{_BREAK}((?:{_ANY_LANGUAGE}{_BREAK})+)(?i:(?:{_FOLLOWS}){_EDGE})"
_LAST_WORD = rf"(?:{YEAR}|(?i:s\d+[ .-]*e\d+)){_BREAK}((?i:{_EDGE}(?:{_LANGUAGE}){_EDGE}))(?:-\w+|[\])])?$"
_SHOUTED = rf"[a-z]{_BREAK}({'|'.join(_LANGUAGES.values()).upper()}){_BREAK}{YEAR}"
_BRACKETED = rf"[(\[]({_ANY_LANGUAGE}(?:{_BREAK}{_ANY_LANGUAGE})*)[)\]]"
FOREIGN = r"(?i)\b(?:vostfr|subfrench|h(?:ö|oe?)rspiel)\b"

_SOUND_TAGS = r"\d{0,2}cd[mrs]?|cds|cdep|ep|lp|\d?lp|web|vinyl|vls|flac|24bit|16bit|retail|promo|reissue|remastered|bootleg|sat|cable|dab|line|fm|single|mp3|aac|320|dvda"
_SCENE_CODES = "DE|FR|ES|IT|NL|SE|NO|DK|FI|PL|PT|RU|CZ|HU|JP|KR|TR"
SCENE_MUSIC = (
    rf"^([^-]+?)(?: - |-)(.+?)(?:-(?:\([^()]+\)|(?i:{_SOUND_TAGS})|{_SCENE_CODES}))+-\(?(?:19|20)\d\d\)?-[A-Za-z0-9]+$"
)
SCENE_CLIP = rf"^([^-.]+)-([^-.]+)-(?:[^-.]+-)*?(?i:(?:{TECHNICAL}))-(?:[^-.]+-)*(?:19|20)\d\d-[A-Za-z0-9]+$"
SCENE_CODE = rf"-(?:{_SCENE_CODES})(?:-[A-Za-z0-9]+)*-\(?(?:19|20)\d\d\)?-[A-Za-z0-9]+$"
_PLATFORMS = "nds|3ds|psp|ps[2-5](?:dvd)?|psv(?:ita)?|wii|wiiware|wiiu|xbox|xbox ?360|x360|xboxone|nsw|android|ios|ipad|iphone|pocketpc|symbian|pc-?game"
_PERSON = r"^(?:\p{Lu}[\p{L}.'\x{2019}-]*\s+)(?:(?:\p{Lu}[\p{L}.'\x{2019}-]*|von|van|de|der|den|del|la|le|di|du|da)\s+){0,3}\p{Lu}[\p{L}.'\x{2019}-]+$"
_ARTICLE = r"(?i)^(?:the|an?|der|die|das|ein|eine|les?|la|une?|el|los|las|il|lo|gli|het|de|o|os|as)\s"


def _first(text: pl.Expr, table: tuple[tuple[str, str], ...]) -> pl.Expr:
    return pl.coalesce(
        pl.when(text.str.contains(words(pattern))).then(pl.lit(value)).otherwise(pl.lit(None, pl.String))
        for value, pattern in table
    )


def _language_words(text: pl.Expr) -> pl.Expr:
    """The words that name languages, where languages stand; null when there are none or they are those of subtitles."""
    subtitles = text.str.contains(rf"(?i){_EDGE}(?:{_LANGUAGE}){_BREAK}sub")
    places = (_CHAIN, _LAST_WORD, _SHOUTED, _BRACKETED, SCENE_CODE.replace("-(?:", "-(", 1))
    return pl.when(~subtitles).then(pl.coalesce(text.str.extract(place) for place in places))


def languages(text: pl.Expr) -> pl.Expr:
    """Languages of a `spaced` name in English, List(String), null when it names none where languages stand."""
    named = pl.element().str.to_lowercase().replace_strict(_NAMED, default=None)
    return _language_words(text).str.extract_all(_ANY_LANGUAGE).list.eval(named).list.unique(maintain_order=True)


def foreign(text: pl.Expr) -> pl.Expr:
    """Whether a `spaced` name names a language other than English, or is written in another script."""
    rest = _language_words(text).str.replace_all(words("english|eng"), "")
    other = rest.str.contains(r"\p{L}").fill_null(value=False)
    return other | text.str.contains(FOREIGN) | text.str.contains(r"^[^\p{Latin}]*[\p{L}--\p{Latin}]")


def _number(text: pl.Expr, *patterns: str) -> pl.Expr:
    return pl.coalesce(text.str.extract(pattern) for pattern in patterns).cast(pl.Int32, strict=False)


def _clean(title: pl.Expr) -> pl.Expr:
    clean = title.str.replace_all(r"[\s.]+", " ").str.strip_chars(" -([{")
    return pl.when(clean != "").then(clean)


def _is(*numbers: int) -> pl.Expr:
    return (pl.col("category") // 1000).is_in(numbers)


def attributes(names: pl.Series, categories: pl.Series) -> pl.DataFrame:
    """The attributes of each release.

    Args:
        names: String, release names without nulls.
        categories: Int32, their Newznab categories: they say which grammar a name follows; none for 8010 and 8020.

    Returns:
        A frame as `ATTRIBUTES`, one row a name.
    """
    frame = pl.DataFrame({"name": names.rechunk(), "category": categories}).with_columns(text=spaced(pl.col("name")))
    frame = frame.with_columns(_where_the_title_ends()).with_columns(_film_and_series()).with_columns(_technical())
    return ATTRIBUTES.check(frame.with_columns(_music()).with_columns(_books()).select(ATTRIBUTES.names))


def _where_the_title_ends() -> list[pl.Expr]:
    text = pl.col("text")
    marker = rf"{EPISODE}|{SEASON}|{DAY}"
    technical = rf"(?i:{TECHNICAL}|vostfr|dlmux){_EDGE}|{_ANY_LANGUAGE}{_BREAK}(?i:(?:{_FOLLOWS}){_EDGE})"
    return [
        pl.when(_is(5)).then(text.str.extract(rf"^(.+?){_BREAK}(?:{marker})")).alias("before_episode"),
        text.str.extract(rf"^(.+?){_BREAK}{_EDGE}(?:{technical})").fill_null(text).alias("before_technical"),
        text.str.extract(rf"{_BREAK}({_EDGE}(?:{technical}).*)$").fill_null("").alias("tail"),
    ]


def _film_and_series() -> list[pl.Expr]:
    text, technical, episode = pl.col("text"), pl.col("before_technical"), pl.col("before_episode")
    anime, series = pl.col("category") == 5070, _is(5)
    part = rf"{_BREAK}(?i:part|teil|ep?|episode|folge)[ .]?(\d{{1,3}}){_EDGE}"
    dated = technical.str.extract(rf"^(.+){_BREAK}{YEAR}")
    unnumbered = pl.when(series).then(technical.str.replace(part + ".*$", "")).otherwise(technical)
    shown = technical.str.replace(r"(?i)[ .]+complete\b.*$", "")
    plain = (
        pl.when(dated.is_not_null())
        .then(dated.str.replace(rf"([a-z]){_BREAK}(?:{_LANGUAGE.upper()})$", "$1"))
        .when(shown != technical)
        .then(shown)
        .otherwise(unnumbered)
    )
    fansub = pl.coalesce(
        text.str.extract(FANSUB).str.replace(r"[ .]+S\d{1,2}$", ""),
        episode.str.replace(_FANSUB_TEAM, ""),
        text.str.extract(_FANSUB_TEAM + r"[ .]*([^\[(]+)", 2),
    )
    title = (
        pl.when(anime)
        .then(fansub)
        .when(episode.is_not_null())
        .then(episode.str.replace(rf"(\S){_BREAK}{YEAR}[\])]?$", "$1"))
        .otherwise(plain)
    )
    day = text.str.extract(rf"({DAY})").str.replace_all(r"[ .]", "-")
    short_day = text.str.extract(rf"{_EDGE}(\d\d[ .]\d\d[ .]\d\d){_EDGE}").str.replace_all(r"[ .]", "-")
    aired = (
        pl.when(series)
        .then(day.str.to_date("%Y-%m-%d", strict=False))
        .when(_is(6))
        .then(("20" + short_day).str.to_date("%Y-%m-%d", strict=False))
    )
    season = _number(
        text,
        rf"(?i){_EDGE}s(\d{{1,4}})[ .-]*e\d",
        rf"(?i){_EDGE}(\d{{1,2}})x\d{{2,3}}{_EDGE}",
        rf"(?i){_EDGE}s(\d{{1,2}})(?:d\d{{1,2}})?{_EDGE}",
        rf"(?i){_EDGE}(?:{_SEASONS})[ .]?(\d{{1,2}}){_EDGE}",
    )
    first = _number(
        text,
        r"(?i)\bs\d{1,4}[ .-]*e(\d{1,4})",
        rf"(?i){_EDGE}\d{{1,2}}x(\d{{2,3}}){_EDGE}",
        FANSUB.replace("(.+?)", ".+?"),
    )
    later = _number(technical, part)
    last = _number(
        text,
        r"(?i)\bs\d{1,4}[ .-]*e\d{1,4}(?:-?e\d{1,4})*-?e(\d{1,4})",
        rf"(?i)\bs\d{{1,4}}[ .-]*e\d{{1,4}}-(\d{{2,3}}){_EDGE}",
        FANSUB.replace("(.+?)", ".+?").replace(r"(\d{1,4})(?:v", r"\d{1,4}(?:v"),
    )
    year = (
        pl.when(episode.is_null())
        .then(
            pl.coalesce(
                _number(technical, rf"^.+{_BREAK}({YEAR})"),
                _number(text, rf"\S{_BREAK}({YEAR}){_BREAK}(?i:{TECHNICAL}){_EDGE}"),
            )
        )
        .otherwise(_number(episode, rf"\S{_BREAK}({YEAR})[\])]?$"))
    )
    return [
        pl.when(_is(2, 5)).then(_clean(title)).alias("title"),
        pl.when(series).then(season).alias("season"),
        pl.when(series).then(pl.coalesce(first, pl.when(year.is_null()).then(later))).alias("episode"),
        pl.when(series).then(last).alias("episode_last"),
        aired.alias("aired"),
        pl.when(_is(2, 5, 6) & ~anime & aired.is_null()).then(year).alias("year"),
    ]


def _technical() -> list[pl.Expr]:
    text, anime = pl.col("text"), pl.col("category") == 5070
    seen, music = _is(2, 5, 6) | (pl.col("category") == 3020), _is(3)
    tail = pl.when(anime | music).then(text).otherwise(pl.coalesce(text.str.extract(rf"{YEAR}(.*)$"), pl.col("tail")))
    picture = pl.coalesce(
        pl.when(pl.col("before_episode").is_not_null()).then(text.str.strip_prefix(pl.col("before_episode"))), tail
    )
    name = text.str.replace(_REPOSTED, "")
    ending = rf"(?i){_EDGE}(?:{_FOLLOWS}|{_SOUND_TAGS}|imageset|{_PLATFORMS}|keygen|keymaker|patch|portable|ebook|gog){_EDGE}[^\s]*-([a-z0-9]*[a-z][a-z0-9]*)$"
    team = pl.coalesce(
        pl.when(anime).then(name.str.extract(_FANSUB_TEAM)),
        pl.when(_is(2, 5, 6)).then(
            name.str.extract(rf"(?i)(?:{TECHNICAL}|web|xxx|{YEAR}|{EPISODE[4:]})(?:.*[^\s-])?-([a-z0-9]+)$")
        ),
        pl.when(
            pl.col("category").is_in([3020]) | (music & text.str.contains(rf"{SCENE_MUSIC}|\b(?i:flac|mp3)-\w+$"))
        ).then(name.str.extract(r"-([A-Za-z0-9]+)$")),
        pl.when(_is(1, 4, 7)).then(name.str.extract(ending)),
    )
    return [
        pl.when(seen)
        .then(text.str.extract(rf"(?i){_EDGE}({_RESOLUTION}){_EDGE}").str.to_lowercase())
        .alias("resolution"),
        pl.when(seen).then(_first(picture, _SOURCES)).alias("source"),
        pl.when(seen).then(_first(picture, _VIDEOS)).alias("video"),
        pl.when(seen)
        .then(_first(picture, _AUDIOS))
        .when(music)
        .then(_first(text, (*_AUDIOS[3:4], *_AUDIOS[6:])))
        .alias("audio"),
        pl.when(seen).then(picture.str.extract(_CHANNELS).str.replace(" ", ".", literal=True)).alias("channels"),
        pl.when(seen).then(_first(picture, _HDRS)).alias("hdr"),
        pl.when(_is(2, 3, 5, 7)).then(languages(text)).alias("languages"),
        pl.when(team.str.to_lowercase().is_in(["dl", "ray", "rip", "hd", "264", "265", "book"]).not_())
        .then(team)
        .alias("team"),
        pl.when(seen & picture.str.contains(words("proper|repack|rerip"))).then(pl.lit(value=True)).alias("proper"),
    ]


def _music() -> list[pl.Expr]:
    text, scene = pl.col("text"), pl.col("text").str.contains(SCENE_MUSIC)
    clip = pl.col("category") == 3020
    music = _is(3) & ~pl.col("category").is_in([3020, 3030])
    blank = (
        pl.when(text.str.contains(" ", literal=True)).then(text).otherwise(text.str.replace_all(".", " ", literal=True))
    )
    bare = blank.str.replace(rf"^[(\[]{YEAR}[)\]]\s*", "").str.replace(rf"(?i)\s+(?:{YEAR}\s+)?(?:flac|mp3)-\w+$", "")
    parts = bare.str.split(" - ")
    second = parts.list.get(1, null_on_oob=True)
    album = pl.when(second.str.contains(rf"^{YEAR}$")).then(parts.list.get(2, null_on_oob=True)).otherwise(second)
    album = (
        album.str.replace(rf"^[(\[]{YEAR}[)\]]\s*", "")
        .str.replace(r"\s*[(\[].*$", "")
        .str.replace(words("flac|mp3") + "$", "")
        .str.strip_chars(" -")
    )
    told = album.str.contains(r"\p{L}") & ~album.str.contains(words("discography|discographie|diskografie|collection"))
    artist = parts.list.get(0)
    year = pl.coalesce(
        text.str.extract(r"-\(?((?:19|20)\d\d)\)?-[A-Za-z0-9]+$"),
        text.str.extract(rf"[(\[]({YEAR})[)\]]"),
        text.str.extract(rf" - ({YEAR})(?: - |$)"),
        text.str.extract(rf"\.({YEAR})\.(?:(?i:flac|mp3)-|{_EDGE}.*{_EDGE}(?i:{TECHNICAL}){_EDGE})"),
    )
    return [
        pl.when(clip)
        .then(text.str.extract(SCENE_CLIP))
        .when(music & scene)
        .then(text.str.extract(SCENE_MUSIC))
        .when(music & second.is_not_null() & artist.str.contains(r"\p{L}"))
        .then(artist)
        .pipe(_clean)
        .alias("artist"),
        pl.when(music & scene)
        .then(text.str.extract(SCENE_MUSIC, 2).str.strip_chars(" -"))
        .when(music & told & artist.str.contains(r"\p{L}"))
        .then(album)
        .alias("album"),
        pl.when(_is(3)).then(year.cast(pl.Int32)).otherwise("year").alias("year"),
    ]


def _books() -> list[pl.Expr]:
    book = pl.col("category").is_in([3030, 7020, 7060])
    name = pl.col("name")
    text = pl.when(name.str.contains(" ", literal=True)).then(name).otherwise(name.str.replace_all("[._]+", " "))
    text = text.str.replace(
        rf"(?i)\s+(?:(?:{_LANGUAGE})\s+)?(?:retail\s+)?(?:epub|mobi|azw3|pdf)(?:\s+ebook)?-\w+$", ""
    )
    parts = r"^([^\[(]+?) - (?:(?:[\[(][^\])]*[\])]|[^\[(]*\d+) - )?([^\[(]+?)\s*(?:[\[(].*)?$"
    left, right = text.str.extract(parts), text.str.extract(parts, 2)
    family, given = left.str.extract(r"^([^,]+), ([^,]+)$"), left.str.extract(r"^([^,]+), ([^,]+)$", 2)
    certain = ~right.str.contains(" - ", literal=True) & (
        family.is_not_null()
        | (
            left.str.contains(_PERSON)
            & ~left.str.contains(_ARTICLE)
            & (~right.str.contains(_PERSON) | right.str.contains(_ARTICLE))
        )
    )
    year = pl.coalesce(
        text.str.extract(r"[(\[](1[5-9]\d\d|20[0-4]\d)[)\]]"),
        name.str.extract(r"(?i)\.(1[5-9]\d\d|20[0-4]\d)\.(?:retail\.)?(?:epub|e-?book|pdf)"),
        pl.when(pl.col("category").is_in([7010, 7030, 7040])).then(
            text.str.extract(r"^.+[^\d-](1[89]\d\d|20[0-4]\d)(?:\D|$)")
        ),
    )
    return [
        pl.when(book & certain).then(pl.coalesce(given + " " + family, left)).alias("author"),
        pl.when(book).then(pl.when(certain).then(right)).otherwise("title").alias("title"),
        pl.when(_is(7)).then(year.cast(pl.Int32)).otherwise("year").alias("year"),
    ]
