"""The style sheet, the script and the icon: the only things a page loads, all from this server."""

from __future__ import annotations

import hashlib
from pathlib import Path

from litestar import Response, get

_FOLDER = Path(__file__).parent
_STYLE, _SCRIPT, _ICON = ((_FOLDER / name).read_bytes() for name in ("style.css", "script.js", "icon.svg"))
_KEPT = {"Cache-Control": "public, max-age=31536000, immutable", "X-Content-Type-Options": "nosniff"}
_ICON_KEPT = {"Cache-Control": "public, max-age=86400", "X-Content-Type-Options": "nosniff"}

EDITION = hashlib.sha256(_STYLE + _SCRIPT).hexdigest()[:12]
"""Goes with the addresses of both, so that a browser keeps them until they change."""


@get("/style.css", sync_to_thread=False, include_in_schema=False)
def style() -> Response[bytes]:
    """The style sheet."""
    return Response(_STYLE, media_type="text/css; charset=utf-8", headers=_KEPT)


@get("/script.js", sync_to_thread=False, include_in_schema=False)
def script() -> Response[bytes]:
    """The script: keys, and buttons that copy. Nothing needs it."""
    return Response(_SCRIPT, media_type="text/javascript; charset=utf-8", headers=_KEPT)


@get("/icon.svg", sync_to_thread=False, include_in_schema=False)
def icon() -> Response[bytes]:
    """The icon of the browser's tab."""
    return Response(_ICON, media_type="image/svg+xml", headers=_ICON_KEPT)
