"""What OpenAPI tells of the API, made from the table of its functions: the handlers read their parameters by hand."""

from __future__ import annotations

from dataclasses import dataclass

from litestar.openapi.spec import OpenAPIMediaType, OpenAPIResponse, Operation, Parameter, Reference, Schema
from litestar.openapi.spec.enums import OpenAPIType

from server.newznab.functions import FILTERS, ORDERS, PAGE, SEARCHES, UNAVAILABLE

_WHOLE_NUMBERS = frozenset(["minsize", "maxsize", "minage", "maxage", "completeness", "limit", "offset", "num"])
_SAID = {
    "t": "the function",
    "apikey": "the API key; also r, key, or the header X-Api-Key",
    "id": "id of a release; for get also several with commas between them, which gives a zip",
    "q": "words of the name: word* is a prefix, one|other either, -word, --word or !word leaves out",
    "season": "a number, S01, or a year",
    "ep": "a number, E02, or MM/DD of a daily show",
    "year": "four digits",
    "cat": "categories with commas between them; a parent stands for its children",
    "group": "groups with commas between them, one of which is enough",
    "poster": "part of the poster",
    "minsize": "bytes",
    "maxsize": "bytes",
    "minage": "days",
    "maxage": "days",
    "completeness": "least percentage of files and segments found",
    "sort": f"one of {', '.join(ORDERS)}, with _asc or _desc; newest first unless given",
    "limit": f"releases of a page, at most {PAGE}",
    "offset": "releases before the page",
    "extended": "1: also what the names say",
    "attrs": "the same",
    "o": "xml or json",
    "num": f"releases of the feed, at most {PAGE}",
}
_DOWNLOADED = ("application/x-nzb", "application/zip")
_OWN = tuple(dict.fromkeys(name for function in SEARCHES for name in function.parameters))
_COMMON = ("apikey", *FILTERS, "extended", "attrs", "o")
_FUNCTIONS = ("caps", *(function.names[0] for function in SEARCHES), "details", "get", *sorted(UNAVAILABLE))


def _parameter(name: str) -> Parameter:
    kind = OpenAPIType.INTEGER if name in _WHOLE_NUMBERS else OpenAPIType.STRING
    schema = Schema(type=kind, minimum=0 if name in _WHOLE_NUMBERS else None)
    if name == "t":
        schema = Schema(type=kind, enum=list(_FUNCTIONS))
    if name == "o":
        schema = Schema(type=kind, enum=["xml", "json"])
    return Parameter(name=name, param_in="query", description=_SAID.get(name, f"words of the {name}"), schema=schema)


def _answers(*media_types: str) -> dict[str, OpenAPIResponse | Reference]:
    """What is answered: documents under 200, where errors of searches are found too; statuses of their own for the rest."""

    def answer(said: str, *kinds: str) -> OpenAPIResponse:
        return OpenAPIResponse(
            description=said,
            content={
                kind: OpenAPIMediaType(schema=Schema(type=None))
                for kind in (*kinds, "application/xml", "application/json")
            },
        )

    refused = {
        "400": "a download: a parameter is missing or cannot be read",
        "401": "a download: no valid key",
        "404": "a download: no such release",
        "429": "the limit of the day is reached; Retry-After says when it is over",
        "503": "the catalog does not answer, or a segment list is damaged; Retry-After says when to try again",
    }
    answers: dict[str, OpenAPIResponse | Reference] = {code: answer(said) for code, said in refused.items()}
    return answers | {"200": answer("the document", *media_types)}


@dataclass
class OfApi(Operation):
    """An operation with the parameters of all functions."""

    def __post_init__(self) -> None:
        self.responses = _answers("application/rss+xml", *_DOWNLOADED)
        self.parameters = [_parameter(name) for name in ("t", "id", *_OWN, *_COMMON)]


@dataclass
class OfFeed(Operation):
    """An operation with the parameters of a feed."""

    def __post_init__(self) -> None:
        self.responses = _answers("application/rss+xml")
        kind = Parameter(
            name="t",
            param_in="query",
            description="categories with commas between them, or 0 for all",
            schema=Schema(type=OpenAPIType.STRING),
        )
        self.parameters = [kind, *(_parameter(name) for name in ("num", "q", *_COMMON))]


@dataclass
class OfDownloads(Operation):
    """An operation with the ids of releases."""

    def __post_init__(self) -> None:
        self.responses = _answers(*_DOWNLOADED)
        self.parameters = [_parameter(name) for name in ("id", "apikey", "o")]


@dataclass
class OfDownload(Operation):
    """An operation whose path names a release."""

    def __post_init__(self) -> None:
        self.responses = _answers(*_DOWNLOADED)
        self.parameters = [*(self.parameters or []), *(_parameter(name) for name in ("apikey", "o"))]
