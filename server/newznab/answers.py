"""Answers of the API: of known length, compressed or as JSON where the client asks for it."""

from __future__ import annotations

from litestar import Response

from server.access import AnyRequest, parameters
from server.encoding import asks_for_gzip, gzipped
from server.newznab.errors import Fault
from server.newznab.json import as_json

XML = "application/xml; charset=utf-8"
RSS = "application/rss+xml; charset=utf-8"
JSON = "application/json; charset=utf-8"

_LEAST_COMPRESSED = 1_000


def answer(
    request: AnyRequest, document: bytes, media_type: str, status: int = 200, headers: dict[str, str] | None = None
) -> Response[bytes]:
    """An XML document as the client asks for it: JSON by `o=json`, compressed by `Accept-Encoding`."""
    if parameters(request).text("o").lower() == "json":
        document, media_type = as_json(document), JSON
    sent = {"Vary": "Accept-Encoding"} | (headers or {})
    if len(document) >= _LEAST_COMPRESSED and asks_for_gzip(request.headers.get("accept-encoding", "")):
        document, sent = b"".join(gzipped([document])), sent | {"Content-Encoding": "gzip"}
    return Response(document, media_type=media_type, status_code=status, headers=sent)


def refusal(request: AnyRequest, fault: Fault) -> Response[bytes]:
    """An error as the client expects it."""
    headers = None if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return answer(request, fault.body(), XML, fault.status, headers)
