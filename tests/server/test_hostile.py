"""Nothing but XML or JSON under 500, whatever is sent: hostile parameters over a real catalog, and the description of the API itself."""

from __future__ import annotations

import json
import random

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from indexed import indexed
from lxml import etree
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance

REQUESTS = 10_000
FUNCTIONS = (
    "search",
    "s",
    "tvsearch",
    "movie",
    "music",
    "audio",
    "book",
    "details",
    "get",
    "caps",
    "getnfo",
    "info",
    "comments",
    "user",
    "",
    "nothing",
    "SEARCH",
)
NAMES = (
    "q", "cat", "limit", "offset", "maxage", "minage", "minsize", "maxsize", "season", "ep", "year", "artist", "album", "track", "author", "title",
    "id", "guid", "tvdbid", "imdbid", "rid", "o", "attrs", "extended", "group", "poster", "sort", "completeness", "password", "del", "dl", "num", "i", "T",
)  # fmt: skip
VALUES = (
    "", " ", "0", "-1", "1", "1e9", "0x10", "9" * 19, "9" * 400, "5000", "5030,5040", "5030,,", ",", "1;2", "S01", "E02", "09/25", "1922", "²",
    "debian", "open show", "--x", "!x", "-", "*", "a*b*", "|", "a|b", "'", '"', "\\", "'; DROP TABLE releases; --", "%", "_", "(", ")", ":*", "&", "<->", "a & !b",
    "<script>alert(1)</script>", "]]>", "<!--", "&amp;", "&#0;", "\x00", "\x07", "\x1b[31m", "\r\nX-Evil: 1", "\ufffe", "\U0010ffff", "日本", "ﬁ", "é\u0301", "\u202e",
    "../../etc/passwd", "%2e%2e%2f", "%", "%zz", "{}", "[]", "null", "true", "json", "xml", "size_desc", "posted_asc", "name", "relevance", "x" * 3000, "a " * 500,
    "00000000000000000000000000000001", "{8d3e7c1a-0000-0000-0000-000000000000}", "a,b,c", "urn:uuid:00000000-0000-0000-0000-000000000001",
)  # fmt: skip
PATHS = ("/api", "/api", "/api", "/rss", "/getnzb", "/getnzb/{}", "/api/v1/api", "//api", "/api/", "/api/{}")


@pytest.fixture(scope="module")
def index(databases, tmp_path_factory):
    with indexed(databases, tmp_path_factory.mktemp("hostile")) as index:
        yield index


def made(noise: random.Random, secret: str) -> tuple[str, list[tuple[str, str]]]:
    """A request: mostly with a key, some values random characters, some names too."""

    def text() -> str:
        if noise.random() < 0.8:
            return noise.choice(VALUES)
        return "".join(
            chr(noise.choice((noise.randrange(0x20), noise.randrange(0x250), noise.randrange(0xE000, 0x10000))))
            for _ in range(noise.randrange(12))
        )

    pairs = [(noise.choice(NAMES) if noise.random() < 0.95 else text(), text()) for _ in range(noise.randrange(5))]
    pairs.append(("t", noise.choice(FUNCTIONS) if noise.random() < 0.9 else text()))
    if noise.random() < 0.9:
        pairs.append((noise.choice(("apikey", "r", "APIKEY")), secret if noise.random() < 0.95 else text()))
    noise.shuffle(pairs)
    path = noise.choice(PATHS).format(noise.choice(("x", "..%2f", "%2e%2ex", "a.nzb", "0" * 32, "%00")))
    return path, pairs


@pytest.mark.parametrize("seed", range(2))
def test_hostile_requests_get_documents_and_no_5xx(index, seed):
    noise = random.Random(seed)
    roots, statuses = set(), set()
    for _ in range(REQUESTS // 2):
        path, pairs = made(noise, index.secret)
        answer = index.http.get(f"http://testserver.local{path}", params=pairs)
        asked = (path, pairs)
        assert answer.status_code < 500, asked
        kind = answer.headers["content-type"].split(";")[0]
        assert kind in ("application/xml", "application/rss+xml", "application/json"), asked
        assert "x-evil" not in answer.headers, asked
        if kind == "application/json":
            assert isinstance(json.loads(answer.content), dict), asked
        else:
            roots.add(etree.fromstring(answer.content).tag)
        statuses.add(answer.status_code)
    assert roots == {"rss", "caps", "error"}
    assert {200, 400, 401, 404} <= statuses


def test_answers_are_as_the_description_says(index):
    schema = schemathesis.openapi.from_asgi("/schema/openapi.json", index.http.app)
    operations = [
        found.ok() for found in schema.include(path_regex="^/(api|rss|getnzb|health|metrics)").get_all_operations()
    ]
    assert {operation.path for operation in operations} >= {
        "/api",
        "/api/v1/api",
        "/rss",
        "/getnzb",
        "/getnzb/{name}",
        "/health",
        "/metrics",
    }
    for operation in operations:

        @settings(
            max_examples=25,
            deadline=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
            derandomize=True,
        )
        @given(case=operation.as_strategy())
        def answered(case):
            case.query = dict(case.query or {}) | {"apikey": index.secret}
            answer = case.call()
            case.validate_response(
                answer, checks=[not_a_server_error, content_type_conformance, response_schema_conformance]
            )

        answered()


def test_the_description_tells_every_parameter_that_is_answered(index):
    paths = index.http.get("/schema/openapi.json").json()["paths"]
    told = {parameter["name"] for parameter in paths["/api"]["get"]["parameters"]}
    assert {
        "t",
        "id",
        "q",
        "season",
        "ep",
        "artist",
        "author",
        "cat",
        "minage",
        "sort",
        "completeness",
        "limit",
        "apikey",
        "o",
    } <= told
    assert {"/api", "/api/v1/api", "/rss", "/getnzb", "/getnzb/{name}", "/health", "/metrics"} <= paths.keys()


def test_every_code_point_in_titles_gives_xml(index):
    """All that Postgres can hold, in names of thousand characters each."""
    points = [chr(point) for point in (*range(1, 0xD800), *range(0xE000, 0x110000, 7), 0xFFFE, 0xFFFF)]
    names = ["".join(points[begin : begin + 3000]) for begin in range(0, len(points), 3000)]
    with index.catalog.transaction() as connection:
        ids = [found for (found,) in connection.execute("SELECT release_id FROM releases ORDER BY release_id LIMIT 5")]
        for begin in range(0, len(names), len(ids)):
            for release_id, name in zip(ids, names[begin : begin + len(ids)], strict=False):
                connection.execute("UPDATE releases SET name = %s WHERE release_id = %s", [name, release_id])
            connection.commit()
            answer = index.get("/api?t=search&apikey=K")
            shown = [item.findtext("title") for item in etree.fromstring(answer.content).iter("item")]
            assert len(shown) == 16
            held = set("".join(names[begin : begin + len(ids)]))
            assert {letter for letter in held if letter.isalpha()} <= set("".join(shown))
