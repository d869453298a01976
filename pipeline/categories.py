"""The Newznab category tree, and a release's place in it from its name and its files' extensions: right or 8010, never a guess.

Ids and names are those Prowlarr and Newznab share; Prowlarr maps by name first, so names matter. Of several that fit, the order is
the one Newznab servers use: foreign, then sport, anime and documentary, then the picture: UHD, 3D, x265, WEB-DL, BluRay, DVD, HD, SD.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import polars as pl

from pipeline.attributes import (
    DAY,
    EPISODE,
    FANSUB,
    PART,
    SCENE_CLIP,
    SCENE_CODE,
    SCENE_MUSIC,
    SEASON,
    TECHNICAL,
    WEB,
    YEAR,
    foreign,
    spaced,
    words,
)


@dataclass(frozen=True, slots=True)
class Category:
    """A category of the tree; `parent` is null at the top."""

    id: int
    name: str
    parent: int | None = None


def _branch(parent: int, name: str, children: str) -> tuple[Category, ...]:
    named = (child.split(" ", 1) for child in children.split("|"))
    return Category(parent, name), *(Category(int(number), own, parent) for number, own in named)


TREE = (
    *_branch(1000, "Console", "1010 NDS|1020 PSP|1030 Wii|1040 XBox|1050 XBox 360|1060 Wiiware|1070 XBox 360 DLC|1080 PS3|1090 Other|1110 3DS|1120 PS Vita|1130 WiiU|1140 XBox One|1180 PS4"),
    *_branch(2000, "Movies", "2010 Foreign|2020 Other|2030 SD|2040 HD|2045 UHD|2050 BluRay|2060 3D|2070 DVD|2080 WEB-DL|2090 x265"),
    *_branch(3000, "Audio", "3010 MP3|3020 Video|3030 Audiobook|3040 Lossless|3050 Other|3060 Foreign"),
    *_branch(4000, "PC", "4010 0day|4020 ISO|4030 Mac|4040 Mobile-Other|4050 Games|4060 Mobile-iOS|4070 Mobile-Android"),
    *_branch(5000, "TV", "5010 WEB-DL|5020 Foreign|5030 SD|5040 HD|5045 UHD|5050 Other|5060 Sport|5070 Anime|5080 Documentary|5090 x265"),
    *_branch(6000, "XXX", "6010 DVD|6020 WMV|6030 XviD|6040 x264|6045 UHD|6050 Pack|6060 ImageSet|6070 Other|6080 SD|6090 WEB-DL"),
    *_branch(7000, "Books", "7010 Mags|7020 EBook|7030 Comics|7040 Technical|7050 Other|7060 Foreign"),
    *_branch(8000, "Other", "8010 Misc|8020 Hashed"),
)  # fmt: skip
"""Every category, parents before their children."""

UNKNOWN, HASHED = 8010, 8020

_PICTURES = (
    ("uhd", words("2160p|uhd")),
    ("3d", words("3d")),
    ("x265", words(r"x\.?265|h[ .]?265|hevc")),
    ("web", words(f"web-?rip|{WEB}")),
    ("bluray", words("blu-?ray|bd(?:25|50|66|100)|bd-?remux")),
    ("dvd", words("dvd-?[r59]")),
    ("hd", words("720p|1080[pi]|1440p")),
    (
        "sd",
        words("[345][678]0[pi]|xvid|divx|dvd-?rip|b[dr]-?rip|hdtv|[ps]dtv|dsr|dsrip|satrip|tvrip|dvbrip|vhsrip|dvdscr"),
    ),
)
_MOVIES = {"uhd": 2045, "3d": 2060, "x265": 2090, "web": 2080, "bluray": 2050, "dvd": 2070, "hd": 2040, "sd": 2030}
_SERIES = {"uhd": 5045, "x265": 5090, "web": 5010, "bluray": 5040, "dvd": 5030, "hd": 5040, "sd": 5030}
_ADULT = {"uhd": 6045, "web": 6090, "dvd": 6010, "hd": 6040, "sd": 6080}

_XXX = rf"[. -]XXX[. -](?i:(?:{TECHNICAL}|web|mp4|wmv|imageset|siterip|dvd)\b)"
_SPORT = words(
    r"nfl|nba|nhl|mlb|mls|ufc|wwe|nascar|indycar|motogp|moto[23]|formula[ .]?[1e]|f1|wrc|wimbledon|olympics?|fifa|uefa|bundesliga|premier[ .]league|la[ .]liga|"
    r"champions[ .]league|super[ .]?bowl|world[ .]cup|six[ .]nations|tour[ .]de[ .]france|giro[ .]d.italia|grand[ .]prix|pga[ .]tour"
)
_DOCUMENTARY = words(
    r"docu|doku|documentary|dokumentation|documental|documentaire|documentario|national[ .]geographic|nat[ .]?geo|discovery[ .]channel|history[ .]channel|"
    r"smithsonian[ .]channel|bbc[ .]horizon|pbs[ .](?:nova|frontline)"
)
_BROADCAST = words(f"hdtv|pdtv|dsr|dsrip|satrip|tvrip|dvbrip|web-?rip|{WEB}")
_ON_AIR = words("hdtv|[ps]dtv|dsr|dsrip|satrip|tvrip|dvbrip")
_COMPLETE = words("complete[ .]series|complete[ .]season|serie[ .]completa|int[ée]grale")

_CONSOLES = {
    "nds": 1010, "3ds": 1110, "psp": 1020, "wiiware": 1060, "wiiu": 1130, "wii": 1030, "xboxone": 1140, "xb1": 1140, "xbox360": 1050,
    "x360": 1050, "xbox": 1040, "ps3": 1080, "ps4": 1180, "psvita": 1120, "psv": 1120, "nsw": 1090, "ps5": 1090, "ps2": 1090,
    "ps2dvd": 1090, "ps2cd": 1090, "gamecube": 1090, "ngc": 1090, "dreamcast": 1090,
}  # fmt: skip
_PLATFORM = "nds|3ds|psp|wiiware|wii ?u|wii|xbox ?one|xb1|xbox ?360|x360|xbox|ps3|ps4|ps ?vita|psv|nsw|ps5|ps2(?:dvd|cd)?|gamecube|ngc|dreamcast"
_IMAGES = {
    "nds": 1010, "3ds": 1110, "cia": 1110, "cso": 1020, "wux": 1130, "wud": 1130, "wbfs": 1030, "vpk": 1120, "nsp": 1090, "xci": 1090,
    "gba": 1090, "gbc": 1090, "n64": 1090, "z64": 1090, "sfc": 1090, "smc": 1090, "gcm": 1090, "gdi": 1090,
}  # fmt: skip
_REGION = r"usa|eur|europe|pal|ntsc(?:-?[uj])?|jpn|jap|jb|region[ .]?free|rf|multi\d*|read[ .]?nfo|proper|dlc|v\d[\d.]*"

_VIDEO_FILES = "mkv|avi|mp4|m4v|wmv|mpg|mpeg|ts|m2ts|vob|mov|divx|flv|webm|ogm"
_SOUND_FILES = "mp3|ogg|m4a|opus|aac|wma|flac|ape|wv|wav|aiff|alac|dsf|dff|tta"
_LOSSLESS_FILES = "flac|ape|wv|wav|aiff|alac|dsf|dff|tta"
_ARCHIVES = r"rar|7z|zip|\d{3}"
_EBOOKS = "epub|mobi|azw3?|fb2|djvu|lit|prc|pdb"
_AUDIOBOOK = words(
    r"audio ?-?books?|un ?abridged|abridged|h(?:ö|oe)rb(?:u|ue|ü)ch(?:er)?|livre audio|audiolibro|luisterboek|ljudbok|lydbok|lydbog|аудиокнига"
)
_MONTHS = (
    "january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|"
    "januar|februar|märz|mai|juni|juli|oktober|dezember|janvier|février|mars|avril|juin|juillet|août|septembre|octobre|novembre|décembre|"
    "enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|octubre|noviembre|diciembre|spring|summer|autumn|fall|winter"
)
_ISSUE = rf"(?i)\b(?:(?:{_MONTHS})[ .,-]+(?:\d{{1,2}}[ .,-]+)?(?:19|20)\d\d\b|(?:issue|heft|ausgabe|numero|número|no|nr|n°|#)[ .]*\d{{1,4}}\b.*\b(?:19|20)\d\d\b|(?:19|20)\d\d-(?:0[1-9]|1[0-2])$)"
_MAGAZINE = words("magazine|magazin|magazin[ae]s|revista|rivista|zeitschrift|tijdschrift|e-?mag|weekly|monthly")
_PUBLISHER = words(
    r"o.?reilly|apress|packt|manning|no[ .]starch|wiley|springer|mcgraw[ .-]hill|addison[ .-]wesley|pearson|elsevier|crc[ .]press|mit[ .]press|"
    r"cambridge[ .]university[ .]press|oxford[ .]university[ .]press|academic[ .]press|for[ .]dummies|pragmatic[ .]bookshelf|wrox|syngress|sams"
)
_EBOOK = words(r"e-?book|epub|mobi|azw3")

_VERSION = r"\bv?\d+\.\d+"
_SYSTEM = words(
    r"linux|linuxmint|debian|[klx]?ubuntu|fedora|opensuse|centos|rocky|almalinux|archlinux|gentoo|slackware(?:64)?|manjaro|raspbian|freebsd|openbsd|netbsd|haiku|reactos"
)
_MACHINE = words(r"amd64|x86[_ -]64|x64|i[36]86|arm64|aarch64|armhf|64 ?bit|32 ?bit|win(?:32|64|dows)?")
_CRACK = words(r"keygen|keymaker|incl[ .](?:patch|crack|serial)|regged|patch|portable|multilingual")
_MAC = words(r"mac ?os ?x?|osx|mac[ .]os(?:[ .]x)?")


_Has = Callable[[str], pl.Expr]


def _by_picture(text: pl.Expr, numbers: dict[str, int], other: int) -> pl.Expr:
    found = pl.lit(other)
    for picture, pattern in reversed(_PICTURES):
        if picture in numbers:
            found = pl.when(text.str.contains(pattern)).then(numbers[picture]).otherwise(found)
    return found


def _choice(*cases: tuple[pl.Expr, pl.Expr | int]) -> pl.Expr:
    """The first case that holds, else null."""
    found = pl.lit(None, pl.Int32)
    for condition, number in reversed(cases):
        found = pl.when(condition).then(number).otherwise(found)
    return found


def category(name: pl.Expr, extensions: pl.Expr, random: pl.Expr) -> pl.Expr:
    """Category id, Int32.

    Args:
        name: release name.
        extensions: List(String), lower-case extensions of its files.
        random: whether the name is random.

    The patterns are compiled for each chunk of a column: give it a frame that is rechunked.
    """
    text = spaced(name)
    kinds = extensions.list.join(" ", ignore_nulls=True).fill_null("")

    def has(pattern: str) -> pl.Expr:
        return kinds.str.contains(rf"(?-u:\b)(?:{pattern})(?-u:\b)")

    technical = text.str.contains(words(TECHNICAL))
    film = technical | has(_VIDEO_FILES)
    return pl.coalesce(
        _choice((random, HASHED)),
        _adult(text, has("wmv")),
        _console(text, kinds, has, film),
        _moving(text, has, technical, film),
        _sound(text, has, film),
        _printed(text, has, film),
        _software(text, has, film),
        pl.lit(UNKNOWN),
    ).cast(pl.Int32)


def _adult(text: pl.Expr, wmv: pl.Expr) -> pl.Expr:
    """Only where XXX stands alone before a technical word: it is a numeral and a title too."""
    kind = _choice(
        (text.str.contains(words("imageset")), 6060),
        (text.str.contains(words("siterip|pack|megapack")), 6050),
        (text.str.contains(words("xvid")), 6030),
        (text.str.contains(words("wmv")) | wmv, 6020),
    )
    return pl.when(text.str.contains(_XXX)).then(pl.coalesce(kind, _by_picture(text, _ADULT, 6070)))


def _console(text: pl.Expr, kinds: pl.Expr, has: _Has, film: pl.Expr) -> pl.Expr:
    """By the image's extension, or a platform's name that ends the name or has a region or version beside it."""
    other = film | has(f"{_SOUND_FILES}|{_EBOOKS}|pdf|cbr|cbz|apk|ipa")
    image = kinds.str.extract(rf"(?-u:\b)({'|'.join(_IMAGES)})(?-u:\b)").replace_strict(_IMAGES, default=None)
    platform = pl.coalesce(
        text.str.extract(rf"(?i)[._ -]({_PLATFORM})-\w+$"),
        text.str.extract(rf"(?i)^[^ ]*[._-]({_PLATFORM})$"),
        text.str.extract(rf"(?i)\b(?:{_REGION})\b.*\b({_PLATFORM})\b"),
        text.str.extract(rf"(?i)\b({_PLATFORM})[ ._-]+(?:{_REGION})\b"),
        pl.when(has("iso|pkg")).then(text.str.extract(rf"(?i)[ ._(-]({_PLATFORM})\)?$")),
    )
    spelled = platform.str.to_lowercase().str.replace_all(" ", "", literal=True)
    number = spelled.replace_strict(_CONSOLES, default=None)
    number = pl.when((number == 1050) & text.str.contains(words("dlc"))).then(1070).otherwise(number)
    return pl.when(~other).then(pl.coalesce(image, number))


def _moving(text: pl.Expr, has: _Has, technical: pl.Expr, film: pl.Expr) -> pl.Expr:
    """Films, series and music videos."""
    kept = film & ~has(f"{_EBOOKS}|pdf|cbr|cbz")
    clip = text.str.contains(SCENE_CLIP) | text.str.contains(words("mbluray|mdvd[r59]|mvid"))
    fansub = text.str.contains(FANSUB) | (
        text.str.contains(r"^\[[^\]#]*[A-Za-z]") & text.str.contains(r"[\[(][0-9A-F]{8}[\])]")
    )
    year, day = text.str.contains(YEAR), text.str.contains(DAY)
    numbered = text.str.contains(EPISODE) | (film & (text.str.contains(SEASON) | day))
    unnumbered = (
        technical & ~year & (text.str.contains(_ON_AIR) | (text.str.contains(_BROADCAST) & text.str.contains(PART)))
    )
    complete = film & text.str.contains(_COMPLETE)
    sport = technical & (year | day) & text.str.contains(_SPORT)
    documentary = technical & text.str.contains(_DOCUMENTARY)
    series = numbered | unnumbered | complete | sport | documentary
    standard = has("avi|mpg|mpeg|vob|wmv|divx")
    return _choice(
        (kept & clip | text.str.contains(words("mbluray|mdvd[r59]")), 3020),
        (kept & fansub, 5070),
        (
            series & ~has(f"{_EBOOKS}|pdf|cbr|cbz|{_SOUND_FILES}"),
            _choice(
                (foreign(text), 5020),
                (sport, 5060),
                (documentary, 5080),
                (pl.lit(value=True), _or_standard(_by_picture(text, _SERIES, 5050), 5050, standard & ~complete, 5030)),
            ),
        ),
        (
            technical & ~has(f"{_EBOOKS}|pdf|cbr|cbz|{_SOUND_FILES}"),
            _choice(
                (foreign(text), 2010),
                (year, _by_picture(text, _MOVIES, 2020)),
                (text.str.contains(words("blu-?ray|b[dr]-?rip|dvd-?rip|dvd-?[r59]")), 2020),
            ),
        ),
    )


def _or_standard(number: pl.Expr, other: int, standard: pl.Expr, definition: int) -> pl.Expr:
    return pl.when((number == other) & standard).then(definition).otherwise(number)


def _sound(text: pl.Expr, has: _Has, film: pl.Expr) -> pl.Expr:
    files, archived = has(_SOUND_FILES), has(_ARCHIVES)
    scene = text.str.contains(SCENE_MUSIC)
    named = archived & text.str.contains(words(r"flac|mp3|alac|320 ?kbps|discography"))
    spoken = has("m4b") | ((files | archived) & text.str.contains(_AUDIOBOOK))
    lossless = has(_LOSSLESS_FILES) | (~files & text.str.contains(words("flac|alac")))
    music = ~film & (files | scene | named)
    return _choice(
        (~film & spoken, 3030),
        (music & (text.str.contains(SCENE_CODE) & scene), 3060),
        (music & lossless, 3040),
        (music & (has("mp3|ogg|m4a|opus|aac|wma") | scene | text.str.contains(words("mp3|320 ?kbps"))), 3010),
        (music, 3050),
    )


def _printed(text: pl.Expr, has: _Has, film: pl.Expr) -> pl.Expr:
    archived, paper = has(_ARCHIVES), has("pdf")
    said = archived & text.str.contains(_EBOOK)
    issue = text.str.contains(_ISSUE) | (text.str.contains(_MAGAZINE) & text.str.contains(YEAR))
    magazine = issue & (
        has(f"{_EBOOKS}|pdf") | (archived & text.str.contains(words("pdf")) & text.str.contains(_MAGAZINE))
    )
    book = has(_EBOOKS) | said | (paper & text.str.contains(r"\S - \S"))
    return _choice(
        (has("cbr|cbz|cb7|cbt"), 7030),
        (~film & magazine, 7010),
        (~film & (book | paper) & text.str.contains(_PUBLISHER), 7040),
        (~film & book & foreign(text), 7060),
        (~film & book, 7020),
        (~film & paper & ~has("exe|iso|apk|dmg|msi"), 7050),
    )


def _software(text: pl.Expr, has: _Has, film: pl.Expr) -> pl.Expr:
    archived, version = has(_ARCHIVES), text.str.contains(_VERSION)
    program = has("exe|msi") | archived
    machine, system = text.str.contains(_MACHINE), text.str.contains(_SYSTEM)
    game = text.str.contains(words(r"gog|pc[ .-]?games?")) & (program | has("iso|sh"))
    phone = archived & (version | text.str.contains(r"-\w+$"))
    found = _choice(
        (has("apk|xapk|apkm"), 4070),
        (has("ipa"), 4060),
        (
            has("sis|sisx|jar|jad|xap|cab")
            & text.str.contains(words("symbian|pocket ?pc|windows[ .]mobile|windows[ .]phone|java")),
            4040,
        ),
        (phone & text.str.contains(words("android")), 4070),
        (phone & text.str.contains(words("ios|iphone|ipad")), 4060),
        (phone & text.str.contains(words("symbian|pocket ?pc|windows[ .]mobile|windows[ .]phone")), 4040),
        (has("dmg") | (text.str.contains(_MAC) & (has("pkg") | (program & version))), 4030),
        (game, 4050),
        (has("deb|rpm") | ((has("iso|img") | archived) & system & (machine | version | has("iso|img"))), 4020),
        (has("iso|img") & (machine | version), 4020),
        (has("exe|msi") & (machine | version), 4010),
        (archived & version & text.str.contains(_CRACK), 4010),
    )
    return pl.when(~film).then(found)
