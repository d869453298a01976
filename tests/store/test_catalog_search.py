from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest
from catalog_batches import EPOCH, GROUP, VERSIONS, Piece, at, batch_of, planned

from store.catalog import search as search_module
from store.catalog.commit import commit_range
from store.catalog.connection import Catalog
from store.catalog.search import Order, Search, places, release, search
from store.disk import LocalDisk

FILMS = "alt.binaries.films"
PIECES = [
    Piece("a", day=0, name="Ubuntu.24.04-Desktop_amd64", category=4010),
    Piece(
        "b",
        day=1,
        name="Night.of.the.Living.Dead.1968.1080p.BluRay",
        category=2040,
        groups=(FILMS, GROUP),
        segment_bytes=9_000_000,
    ),
    Piece(
        "c",
        day=1,
        name="Der letzte Mann (1924) [Stummfilm]",
        category=2030,
        groups=(FILMS,),
        poster="Kino <film@example.org>",
    ),
    Piece("d", day=2, name="Café Débussy Préludes FLAC", category=3040),
    Piece("e", day=3, name="Ubuntu.24.04.Server.arm64", category=4010),
    Piece("f", day=4, name=f"Moon→Mars Atlas {'x' * 600} {'y' * 2045} {'z' * 2050}", category=7020),
]

NAMES = dict(zip("abcdef", (piece.name for piece in PIECES), strict=True))


@pytest.fixture
def filled(catalog: Catalog, disk: LocalDisk) -> Catalog:
    planned(catalog, 1)
    commit_range(catalog, disk, at(0), batch_of(PIECES), VERSIONS)
    return catalog


def names(catalog: Catalog, **wanted) -> list[str]:
    return [
        item.name.split(".")[0].split(" ")[0] + item.name[-3:] for item in search(catalog, Search(**wanted)).releases
    ]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("ubuntu", ["e", "a"]),
        ("ubuntu 24.04", ["e", "a"]),
        ("UBUNTU desktop", ["a"]),
        ("ubuntu -server", ["a"]),
        ("ubuntu !desktop", ["e"]),
        ("desk*", ["a"]),
        ("amd64_desktop", ["a"]),
        ("living.dead 1968", ["b"]),
        ("cafe debussy", ["d"]),
        ("Préludes", ["d"]),
        ("stummfilm 1924", ["c"]),
        ("deb", []),
        ("debussy|1968", ["b", "d"]),
        ("ubuntu desk*|arm64", ["a", "e"]),
        ("ubuntu -desktop|server", []),
        ("nothing|living.dead", ["b"]),
        ("|ubuntu|", ["a", "e"]),
        ("' | & !", []),
        ("moon→mars", ["f"]),
        ("-ubuntu", ["b", "c", "d", "f"]),
        ("-ubuntu|atlas", ["b", "c", "d"]),
        ("x" * 251, []),
        ("x" * 5000, []),
        ("'atlas'", ["f"]),
        ("\0", ["f", "e", "d", "b", "c", "a"]),
        ("  ", ["f", "e", "d", "b", "c", "a"]),
        ("", ["f", "e", "d", "b", "c", "a"]),
    ],
)
def test_words_of_the_name(filled: Catalog, text: str, found: list[str]):
    by_name = {piece.name: piece.base for piece in PIECES}
    page = search(filled, Search(text=text))
    assert sorted(by_name[item.name] for item in page.releases) == sorted(found)
    assert page.total == len(found)


def test_filters(filled: Catalog):
    def found(**wanted) -> set[int]:
        return {item.category for item in search(filled, Search(**wanted)).releases}

    assert found(categories=(2000,)) == {2040, 2030}
    assert found(categories=(2040, 3000)) == {2040, 3040}
    assert found(groups=(FILMS,)) == {2040, 2030}
    assert found(groups=("alt.binaries.unknown",)) == set()
    assert found(min_bytes=10_000_000) == {2040}
    assert found(max_bytes=10_000_000) == {4010, 2030, 3040, 7020}
    assert found(poster="KINO") == {2030}
    since = datetime.now(UTC) - EPOCH
    assert found(max_age=since - timedelta(days=1, hours=12)) == {3040, 4010, 7020}


def test_pages_are_newest_first_without_gaps_or_repeats(filled: Catalog):
    whole = search(filled, Search()).releases
    assert [item.first_posted for item in whole] == sorted((item.first_posted for item in whole), reverse=True)
    paged = [item for offset in range(0, 6, 2) for item in search(filled, Search(limit=2, offset=offset)).releases]
    assert paged == list(whole)
    assert search(filled, Search(limit=2, offset=4)).total == 6


def test_a_release_by_its_id(filled: Catalog):
    first = search(filled, Search(text="living dead")).releases[0]
    assert release(filled, first.id) == first
    assert (first.groups, first.bytes, first.tool, first.settled, first.completeness) == (
        (FILMS, GROUP),
        18_000_000,
        "Nyuu",
        False,
        None,
    )
    assert release(filled, UUID(int=7)) is None
    assert places(filled, UUID(int=7)) == ()


WORDS = ("night", "metropolis", "debian", "sonata", "1080p")


@pytest.fixture
def scattered(catalog: Catalog, disk: LocalDisk) -> list[tuple[Piece, set[str]]]:
    """Releases over eleven years, most of them in the last days, each with some of a few words in its name."""
    planned(catalog, 1)
    chance = random.Random(3)
    days = sorted([*(chance.randrange(4000) for _ in range(60)), *(3990 + chance.random() * 10 for _ in range(60))])
    words = [{word for word in WORDS if chance.random() < 0.5} for _ in days]
    pieces = [
        Piece(f"r{n}", day=day, name=".".join([f"r{n}", *sorted(own)]), category=chance.choice([2030, 2040, 3040]))
        for n, (day, own) in enumerate(zip(days, words, strict=True))
    ]
    commit_range(catalog, disk, at(0), batch_of(pieces), VERSIONS)
    return list(zip(pieces, words, strict=True))


@pytest.mark.parametrize("counted", [7, 40, 3000])
def test_every_page_is_what_a_look_at_all_releases_finds(
    catalog: Catalog, scattered: list[tuple[Piece, set[str]]], counted: int, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(search_module, "COUNTED", counted)
    chance = random.Random(counted)
    for _ in range(80):
        text, without = chance.sample(WORDS, chance.randrange(3)), chance.sample(WORDS, chance.randrange(2))
        category = chance.choice([None, 2000, 2040, 3040])
        age = chance.choice([None, 5, 40, 700, 3000, 9000])
        limit, offset = chance.choice([0, 3, 10, 100]), chance.choice([0, 0, 4, 30])
        oldest = datetime.now(UTC) - EPOCH - timedelta(days=4000 - age) if age else None
        matching = [
            piece.name
            for piece, own in sorted(scattered, key=lambda item: -item[0].day)
            if set(text) <= own
            and not set(without) & own
            and category in (None, piece.category, piece.category // 1000 * 1000)
            and (age is None or piece.day >= 4000 - age)
        ]  # fmt: skip
        page = search(
            catalog,
            Search(
                " ".join([*text, *(f"-{word}" for word in without)]),
                () if category is None else (category,),
                max_age=oldest,
                limit=limit,
                offset=offset,
            ),
        )
        assert [one.name for one in page.releases] == matching[offset : offset + limit]
        if page.is_total_least:
            assert offset + limit < page.total <= len(matching)
        else:
            assert page.total == len(matching)


@pytest.mark.parametrize(
    ("order", "found"),
    [
        ("newest", ["e", "a"]),
        ("oldest", ["a", "e"]),
        ("name", ["a", "e"]),
        ("name, backwards", ["e", "a"]),
        ("relevance", ["e", "a"]),
    ],
)
def test_matches_in_another_order(filled: Catalog, order: str, found: list[str]):
    page = search(filled, Search("ubuntu", order=Order(order)))
    assert [item.name for item in page.releases] == [NAMES[letter] for letter in found]
    assert page.total == 2
    later = search(filled, Search("ubuntu", order=Order(order), offset=1, limit=1))
    assert [item.name for item in later.releases] == [NAMES[found[1]]]


def test_sizes_are_sorted_both_ways(filled: Catalog):
    sizes = [item.bytes for item in search(filled, Search(order=Order.LARGEST)).releases]
    assert sizes == sorted(sizes, reverse=True)
    assert len(set(sizes)) > 1
    assert sizes == [item.bytes for item in search(filled, Search(order=Order.SMALLEST)).releases][::-1]


def test_the_shortest_name_with_the_words_together_is_the_most_relevant(catalog: Catalog, disk: LocalDisk):
    named = ["Night.and.the.Dead.of.1968.Living", "The.Living.Dead.1968.Restored.And.Longer", "Living.Dead.1968"]
    planned(catalog, 1)
    pieces = [Piece(letter, day=day, name=name) for day, (letter, name) in enumerate(zip("abc", named, strict=True))]
    commit_range(catalog, disk, at(0), batch_of(pieces), VERSIONS)
    page = search(catalog, Search("living dead 1968", order=Order.RELEVANCE))
    assert [item.name for item in page.releases] == [named[2], named[1], named[0]]


def test_names_without_blanks_are_found_by_their_characters(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    named = ["日本語字幕版.Metropolis.1927", "東京物語 1953", "한국영화 1934"]
    pieces = [Piece(letter, day=day, name=name) for day, (letter, name) in enumerate(zip("abc", named, strict=True))]
    commit_range(catalog, disk, at(0), batch_of(pieces), VERSIONS)
    for wanted, found in (("字幕", 0), ("日本語字幕版", 0), ("metropolis 字幕", 0), ("物語", 1), ("영화", 2)):
        assert [item.name for item in search(catalog, Search(wanted)).releases] == [named[found]], wanted
    assert not search(catalog, Search("中国")).releases


def test_the_least_age_and_completeness_are_filters(catalog: Catalog, disk: LocalDisk):
    planned(catalog, 1)
    pieces = [Piece("a", day=0, name="Whole.Film.1920"), Piece("b", day=3, name="Whole.Film.1921")]
    commit_range(catalog, disk, at(0), batch_of(pieces), VERSIONS)
    age = datetime.now(UTC) - EPOCH
    assert [item.name for item in search(catalog, Search("whole", min_age=age - timedelta(days=1))).releases] == [
        "Whole.Film.1920"
    ]
    assert [item.name for item in search(catalog, Search(min_age=age - timedelta(days=1))).releases] == [
        "Whole.Film.1920"
    ]
    assert search(catalog, Search(min_age=age + timedelta(days=9))).total == 0
    with catalog.transaction() as connection:
        connection.execute("UPDATE releases SET files_expected = 2 * files WHERE name = 'Whole.Film.1921'")
        connection.execute("UPDATE releases SET files_expected = files WHERE name = 'Whole.Film.1920'")
    assert [item.name for item in search(catalog, Search("whole", completeness=0.9)).releases] == ["Whole.Film.1920"]
    assert len(search(catalog, Search("whole", completeness=0.5)).releases) == 2
