"""The category tree: ids and names as Prowlarr and newznab number them (Prowlarr maps by name first, so names matter)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Category:
    """A category of the tree; `parent` is null at the top."""

    id: int
    name: str
    parent: int | None = None


_TREE = {
    (
        1000,
        "Console",
    ): "1010 NDS|1020 PSP|1030 Wii|1040 XBox|1050 XBox 360|1060 Wiiware|1070 XBox 360 DLC|1080 PS3|1090 Other|1110 3DS|1120 PS Vita|1130 WiiU|1140 XBox One|1180 PS4",
    (
        2000,
        "Movies",
    ): "2010 Foreign|2020 Other|2030 SD|2040 HD|2045 UHD|2050 BluRay|2060 3D|2070 DVD|2080 WEB-DL|2090 x265",
    (3000, "Audio"): "3010 MP3|3020 Video|3030 Audiobook|3040 Lossless|3050 Other|3060 Foreign",
    (4000, "PC"): "4010 0day|4020 ISO|4030 Mac|4040 Mobile-Other|4050 Games|4060 Mobile-iOS|4070 Mobile-Android",
    (
        5000,
        "TV",
    ): "5010 WEB-DL|5020 Foreign|5030 SD|5040 HD|5045 UHD|5050 Other|5060 Sport|5070 Anime|5080 Documentary|5090 x265",
    (
        6000,
        "XXX",
    ): "6010 DVD|6020 WMV|6030 XviD|6040 x264|6045 UHD|6050 Pack|6060 ImageSet|6070 Other|6080 SD|6090 WEB-DL",
    (7000, "Books"): "7010 Mags|7020 EBook|7030 Comics|7040 Technical|7050 Other|7060 Foreign",
    (8000, "Other"): "8010 Misc|8020 Hashed",
}


def _categories() -> list[Category]:
    found: list[Category] = []
    for (parent, name), children in _TREE.items():
        found.append(Category(parent, name))
        found += [Category(int(child[:4]), child[5:], parent) for child in children.split("|")]
    return found


CATEGORIES: dict[int, Category] = {category.id: category for category in _categories()}
"""Every category by its id, parents before their children."""

UNKNOWN = CATEGORIES[8010]


def category(number: int) -> Category:
    """The category with this id; `Other/Misc` for an id outside the tree."""
    return CATEGORIES.get(number, UNKNOWN)


def path(number: int) -> tuple[Category, ...]:
    """The category and, before it, its parent."""
    own = category(number)
    return (own,) if own.parent is None else (CATEGORIES[own.parent], own)


def full_name(number: int) -> str:
    """`TV > HD`, the form SABnzbd and NZBGet match their categories with."""
    return " > ".join(part.name for part in path(number))


def children(parent: int) -> list[Category]:
    """The categories under `parent`."""
    return [own for own in CATEGORIES.values() if own.parent == parent]
