"""Response headers that download clients read literally.

NZBGet compares `X-DNZB-...` case-sensitively while ASGI names are lower case, so the names are spelled at the border to the HTTP
server (which must be h11: httptools lower-cases them again). Content-Disposition is read right everywhere only with both file name
forms, the quoted ASCII one first.
"""

from __future__ import annotations

import re
from urllib.parse import quote

from litestar.types import Message, Scope

from server.newznab import categories
from server.newznab.feed import Site, title
from store.catalog.search import Release

_SPELLED = {
    name.lower().encode(): name.encode()
    for name in (
        "X-DNZB-Name",
        "X-DNZB-Category",
        "X-DNZB-Details",
        "X-DNZB-MoreInfo",
        "X-DNZB-RCode",
        "X-DNZB-RText",
        "Retry-After",
    )
}
_STANDARD = {
    name.lower().encode(): name.encode()
    for name in (
        "Content-Type",
        "Content-Length",
        "Content-Disposition",
        "Content-Encoding",
        "Location",
        "Set-Cookie",
        "Vary",
        "Cache-Control",
    )
}
_NOT_IN_NAMES = re.compile(r'[\x00-\x1f\x7f"/\\<>:|?*]+')
_MOST_NAME_BYTES = 200


async def spell(message: Message, scope: Scope) -> None:  # noqa: ARG001 - the signature of Litestar's before_send
    """Give header names their exact case in the raw ASGI message."""
    if message["type"] == "http.response.start":
        spelled = _SPELLED | _STANDARD
        message["headers"] = [
            (spelled.get(bytes(name).lower(), bytes(name)), value) for name, value in message["headers"]
        ]


def file_name(release: Release) -> str:
    """The release's name as a file name without extension: no separators or control characters, at most 200 bytes."""
    name = _NOT_IN_NAMES.sub(" ", title(release)).encode()[:_MOST_NAME_BYTES].decode("utf-8", "ignore")
    return " ".join(name.split()).strip(". ") or release.id.hex


def content_disposition(release: Release) -> str:
    """`attachment; filename="ASCII.nzb"; filename*=UTF-8''...`."""
    name = file_name(release)
    ascii_name = " ".join(name.encode("ascii", "ignore").decode().split()).strip(". ") or release.id.hex
    return f"attachment; filename=\"{ascii_name}.nzb\"; filename*=UTF-8''{quote(name, safe='')}.nzb"


def nzb_headers(site: Site, release: Release) -> dict[str, str]:
    """The headers of a downloaded NZB. Values are printable ASCII: what lies outside is left out, the file name form has it all."""
    return {
        "Content-Disposition": content_disposition(release),
        "X-DNZB-Name": file_name(release).encode("ascii", "ignore").decode().strip() or release.id.hex,
        "X-DNZB-Category": categories.full_name(release.category),
        "X-DNZB-Details": site.details(release),
        "X-DNZB-MoreInfo": site.details(release),
        "X-DNZB-RCode": "200",
        "X-DNZB-RText": "OK",
    }
