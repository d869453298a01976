"""The API as a page, from the OpenAPI description that programs get; and the help for people."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from litestar import Response, get

from server.access import AnyRequest, TheSettings, site
from server.pages.frame import TheVisitor, page


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation: where it is sent, its type with the values it may have, and its meaning."""

    name: str
    place: str
    kind: str
    needed: bool
    meaning: str


@dataclass(frozen=True, slots=True)
class Answer:
    """One answer of an operation."""

    status: str
    meaning: str
    media_types: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation of the API, as its description tells."""

    method: str
    path: str
    name: str
    meaning: str
    parameters: tuple[Parameter, ...]
    answers: tuple[Answer, ...]


@get("/documentation", sync_to_thread=True, include_in_schema=False)
def documentation_page(request: AnyRequest, visitor: TheVisitor, settings: TheSettings) -> Response[Any]:
    """Every operation of the API with its parameters and answers."""
    described = request.app.openapi_schema.to_schema()
    return page(
        "documentation.html",
        visitor,
        url=site(request, settings.server).url,
        operations=operations(described),
        description=described["info"].get("description", ""),
        version=described["info"]["version"],
    )


@get("/help", sync_to_thread=True, include_in_schema=False)
def help_page(visitor: TheVisitor) -> Response[Any]:
    """How to search, and the keys."""
    return page("help.html", visitor)


def operations(described: dict[str, Any]) -> list[Operation]:
    """The operations of an OpenAPI description in its order; of several methods with one meaning, HEAD is left out."""
    return [
        _operation(method, path, operation)
        for path, methods in described["paths"].items()
        for method, operation in methods.items()
        if method in ("get", "post", "put", "delete", "patch")
    ]


def _operation(method: str, path: str, operation: dict[str, Any]) -> Operation:
    parameters = tuple(
        Parameter(
            name=parameter["name"],
            place=parameter["in"],
            kind=_kind(parameter.get("schema", {})),
            needed=parameter.get("required", False),
            meaning=parameter.get("description", ""),
        )
        for parameter in operation.get("parameters", ())
    )
    answers = tuple(
        Answer(status, answer.get("description", ""), tuple(answer.get("content", ())))
        for status, answer in sorted(operation.get("responses", {}).items())
    )
    meaning = operation.get("description", "")
    return Operation(method.upper(), path, operation.get("summary", ""), meaning, parameters, answers)


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return ", ".join(map(str, schema["enum"]))
    return str(schema.get("type", "text"))
