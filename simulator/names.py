"""Release names, file names and file sizes of what people post; all of it freely distributable things."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from simulator.randomness import B62, HEX

MEGABYTE = 1_000_000

_DISTRIBUTIONS = (
    "Debian", "Ubuntu", "Fedora", "openSUSE", "Slackware", "Arch.Linux", "Gentoo", "Mandriva", "Linux.Mint", "NetBSD",
    "FreeBSD", "OpenBSD", "Alpine.Linux", "Void.Linux", "Knoppix", "Haiku", "ReactOS", "NixOS", "Puppy.Linux",
)  # fmt: skip
_EDITIONS = ("amd64.DVD.1", "i386.netinst", "Live.Desktop", "Server.x86_64", "arm64.Minimal", "Source.DVD", "KDE.Live")
_FILMS = (
    "The.General", "Nosferatu", "Metropolis", "Safety.Last", "A.Trip.to.the.Moon", "The.Kid", "Intolerance", "Sherlock.Jr",
    "The.Gold.Rush", "Sunrise", "The.Phantom.of.the.Opera", "Faust", "Haexan", "Night.of.the.Living.Dead", "Charade",
    "His.Girl.Friday", "Detour", "The.Last.Man.on.Earth", "Plan.9.from.Outer.Space", "House.on.Haunted.Hill",
)  # fmt: skip
_QUALITIES = (
    "DVDRip.XviD",
    "720p.BluRay.x264",
    "1080p.WEB.H264",
    "2160p.Restored.HEVC",
    "480p.x264",
    "1080p.BluRay.AV1",
)
_COMPOSERS = (
    "Bach",
    "Mozart",
    "Beethoven",
    "Joplin",
    "Chopin",
    "Vivaldi",
    "Dvorak",
    "Grieg",
    "Haydn",
    "Satie",
    "Händel",
)
_WORKS = ("Complete.Sonatas", "Piano.Works", "Symphonies", "String.Quartets", "Ragtime.Rolls", "Preludes", "Concertos")
_DATA = (
    "OpenStreetMap.Extract", "Landsat.Scenes", "Census.Tables", "Weather.Stations", "Genome.Assembly", "Sky.Survey.Plates",
    "Wikipedia.Dump", "Gutenberg.Texts", "LibriVox.Collection", "Seismic.Records",
)  # fmt: skip
_PLACES = ("Iceland", "Norway", "Kenya", "Chile", "Japan", "Portugal", "New.Zealand", "Canada", "Estonia", "Uruguay")
_TEAMS = ("ARCHiVE", "PDFILM", "OPENDATA", "LIBRE", "MIRROR", "COMMONS", "FREENET", "KEEP")
_TOPICS = (
    "meeting notes",
    "any mirror near me?",
    "re: repost please",
    "thanks",
    "which player works",
    "weekly index",
    "RFC",
)
_OFFERS = ("FREE codec pack", "SPEED UP your reader", "best <<site>> ever", "New download <<portal>>", "win.a.prize")

_VOLUMES = (15, 20, 50, 100, 200, 500)


@dataclass(frozen=True, slots=True)
class File:
    """A file of a post: its name and its raw size in bytes."""

    name: str
    size: int


@dataclass(frozen=True, slots=True)
class Post:
    """A release as one upload: its true name, its files in posting order, and what subjects say before the file."""

    name: str
    files: tuple[File, ...]
    title: str


def release_name(rng: np.random.Generator) -> str:
    """A readable release name."""
    theme, a, b, c = (int(value) for value in rng.integers(0, 1_000_000, 4))
    team = _TEAMS[c % len(_TEAMS)]
    match theme % 4:
        case 0:
            edition = _EDITIONS[b % len(_EDITIONS)]
            return f"{_DISTRIBUTIONS[a % len(_DISTRIBUTIONS)]}.{b % 40}.{c % 12}.{a % 7}.{edition}-{team}"
        case 1:
            return f"{_FILMS[a % len(_FILMS)]}.{1902 + b % 62}.{_QUALITIES[c % len(_QUALITIES)]}.v{b % 900}-{team}"
        case 2:
            return (
                f"{_COMPOSERS[a % len(_COMPOSERS)]}-{_WORKS[b % len(_WORKS)]}-Vol.{c % 250}-FLAC-{1900 + b % 60}-{team}"
            )
        case _:
            return f"{_DATA[a % len(_DATA)]}.{_PLACES[b % len(_PLACES)]}.{2004 + c % 20}-{1 + a % 12:02d}.r{b % 500}-{team}"


def title(rng: np.random.Generator, name: str, size: int) -> str:
    """A readable name as people dress it up in subjects; the shares are those of posters.md section 1."""
    odds = rng.random()
    if odds < 0.55:
        return name
    if odds < 0.70:
        return f"{name} - {size / 1e9:.2f} GB".replace(".", ",") if size > 1e9 else f"{name} - {size / 1e6:.2f} MB"
    if odds < 0.78:
        return f"({name})"
    if odds < 0.83:
        return f"<<< www.mirror.example >>> {name.replace('.', ' ')}"
    if odds < 0.87:
        return f"[{int(rng.integers(10_000, 999_999))}]-[FULL]-[#a.b.archive@EFNet]-[ {name} ]"
    if odds < 0.89:
        return f"{'REPOST' if odds < 0.88 else 'Re:'} {name}"
    return name.replace(".", " ")


def random_name(rng: np.random.Generator, low: int = 14, high: int = 22) -> str:
    """A name without meaning: 32 hex digits, or letters and digits."""
    if rng.random() < 0.4:
        return _drawn(rng, HEX, 32)
    return _drawn(rng, B62, int(rng.integers(low, high + 1)))


def _drawn(rng: np.random.Generator, alphabet: str, length: int) -> str:
    return "".join(alphabet[at] for at in rng.integers(0, len(alphabet), length))


def release(rng: np.random.Generator, article: int, room: int, stem: str) -> Post:
    """A release of at most about `room` segments: an archive set with par2, one large file, an album, or a small file."""
    size = min(float(np.exp(rng.normal(20.0, 1.5))), room * article * 0.85)
    form = rng.random()
    if size < 3 * MEGABYTE or form < 0.06:
        files = _small(rng, stem, int(min(size, 30 * MEGABYTE)))
    elif form < 0.18:
        files = _single(rng, stem, int(size))
    elif form < 0.28:
        files = _album(rng, stem, int(min(size, 400 * MEGABYTE)))
    else:
        files = _archive(rng, stem, int(size))
    return Post(stem, files, stem)


def _small(rng: np.random.Generator, stem: str, size: int) -> tuple[File, ...]:
    end = ("epub", "pdf", "zip", "nfo", "mp3", "txt")[int(rng.integers(0, 6))]
    return (File(f"{stem}.{end}", max(size, 2_000)),)


def _single(rng: np.random.Generator, stem: str, size: int) -> tuple[File, ...]:
    end = ("mkv", "iso", "avi", "7z")[int(rng.integers(0, 4))]
    return (File(f"{stem}.{end}", size), *_recovery(rng, stem, size, 0.05))


def _album(rng: np.random.Generator, stem: str, size: int) -> tuple[File, ...]:
    tracks = int(rng.integers(5, 25))
    weights = rng.dirichlet(np.full(tracks, 8.0))
    songs = tuple(
        File(f"{at:02d}-{stem}.mp3", max(int(size * part), 100_000)) for at, part in enumerate(weights.tolist(), 1)
    )
    return (*songs, File(f"{stem}.nfo", int(rng.integers(1_000, 9_000))), *_recovery(rng, stem, size, 0.1))


def _archive(rng: np.random.Generator, stem: str, size: int) -> tuple[File, ...]:
    fitting = [volume for volume in _VOLUMES if size / 120 <= volume * MEGABYTE] or [500]
    volume = fitting[int(rng.integers(0, min(2, len(fitting))))] * MEGABYTE
    count = max(size // volume, 1) + 1
    names = _volume_names(rng, stem, int(count))
    last = int(rng.integers(volume // 10, volume))
    volumes = tuple(File(name, volume) for name in names[:-1])
    extras = (File(f"{stem}.nfo", int(rng.integers(1_000, 9_000))), File(f"{stem}.sfv", 40 * int(count)))
    share = float(rng.uniform(0.05, 0.15))
    return (*extras[: int(rng.integers(0, 3))], *volumes, File(names[-1], last), *_recovery(rng, stem, size, share))


def _volume_names(rng: np.random.Generator, stem: str, count: int) -> list[str]:
    style = rng.random()
    width = len(str(count))
    if style < 0.65:
        return [f"{stem}.part{at:0{width}d}.rar" for at in range(1, count + 1)]
    if style < 0.85:
        return [f"{stem}.rar", *(f"{stem}.{'rstuvwxyz'[at // 100]}{at % 100:02d}" for at in range(count - 1))]
    if style < 0.95:
        return [f"{stem}.7z.{at:03d}" for at in range(1, count + 1)]
    return [f"{stem}.{at:03d}" for at in range(1, count + 1)]


def _recovery(rng: np.random.Generator, stem: str, size: int, share: float) -> tuple[File, ...]:
    """The par2 index and volumes of 1, 2, 4, ... blocks, the last one cut."""
    if rng.random() < 0.1:
        return ()
    block = max(size // 2_000, 100_000) // 4 * 4
    blocks = max(int(size * share) // block, 1)
    index = File(f"{stem}.par2", int(rng.integers(8_000, 60_000)))
    files, done, width = [index], 0, len(str(blocks))
    while done < blocks:
        take = min(done + 1 if done else 1, blocks - done)
        files.append(File(f"{stem}.vol{done:0{width}d}+{take:0{width}d}.par2", take * block + index.size))
        done += take
    return tuple(files)


def flood(rng: np.random.Generator, room: int) -> Post:
    """A run of hash-named files of one or a few segments each, with counters."""
    count = int(min(rng.integers(20, 400), room))
    stem = _drawn(rng, HEX, 16)
    digits = rng.bytes(16 * count).hex()
    return Post(stem, tuple(File(digits[at * 32 : at * 32 + 16], 300_000) for at in range(count)), stem)


def spam(rng: np.random.Generator) -> Iterator[Post]:
    """Advertisements, each with a small program, without end."""
    while True:
        for mark in rng.integers(0, 2**62, 256).tolist():
            letters = "".join(B62[mark >> shift & 31] for shift in (20, 25, 30))
            offer = _OFFERS[mark % len(_OFFERS)]
            yield Post(offer, (File(f"setup-{letters}.exe", 20_000 + (mark >> 40) % 160_000),), offer)


def discussion(rng: np.random.Generator) -> Iterator[Post]:
    """Text articles without end."""
    while True:
        for mark in rng.integers(0, 2**62, 256).tolist():
            topic = f"{_TOPICS[mark % len(_TOPICS)]} {(mark >> 20) % 9999}"
            yield Post(topic, (File("", 300 + (mark >> 40) % 3_700),), topic)
