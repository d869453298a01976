"""NZBs as downloads: one as it is, several as a zip."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator, Sequence
from typing import Any

from litestar import Response
from litestar.response import Stream

from server.access import AnyRequest, parameters, sent_key, session_key, site
from server.encoding import asks_for_gzip, gzipped
from server.headers import file_name, nzb_headers
from server.library import Library, release_id
from server.newznab.errors import CREDENTIALS, DOWNLOADS_USED_UP, INCORRECT_PARAMETER, Refused
from server.newznab.feed import NZB_TYPE
from server.nzb import Nzb, merge
from store.catalog.search import Release
from store.configuration import Settings

MOST = 100
"""Releases of one zip."""

_ZIP_TYPE = "application/zip"
_EARLIEST = 1980
"""Year before which a zip knows no dates."""


def download(request: AnyRequest, library: Library, settings: Settings, ids: str) -> Response[Any]:
    """The NZB of a release, or a zip of several whose ids have commas between them.

    Raises:
        Refused: no valid key (Newznab error 100), its limit of the day is reached (501), no such release (300), or its chunk file is
            damaged (900). Of several, one that cannot be had refuses all.
    """
    secret = sent_key(request, parameters(request)) or session_key(request)
    if library.key(secret) is None:
        raise Refused(CREDENTIALS)
    names = list(dict.fromkeys(name.strip() for name in ids.split(",") if name.strip())) or [""]
    if len(names) > MOST:
        raise Refused(INCORRECT_PARAMETER.because(f"Incorrect parameter: id must name at most {MOST} releases"))
    releases = [library.release(release_id(name)) for name in names]
    documents = (Nzb.of(release, merge(library.content(release.id))) for release in releases)
    if len(releases) > 1:
        answer = _zipped(releases, documents)
    else:
        headers = nzb_headers(site(request, settings.server), releases[0])
        answer = _streamed(request, next(documents), headers)
    use = library.use(secret, "get", len(releases))
    if use is None:
        raise Refused(CREDENTIALS)
    if not use.allowed:
        raise Refused(DOWNLOADS_USED_UP.until_tomorrow())
    return answer


def _streamed(request: AnyRequest, document: Nzb, headers: dict[str, str]) -> Response[Any]:
    """The document part by part, its length known: as it is, or compressed."""
    sent = headers | {"Vary": "Accept-Encoding"}
    if asks_for_gzip(request.headers.get("accept-encoding", "")):
        parts = gzipped(document.parts())
        length = sum(map(len, parts))
        return Stream(
            iter(parts), media_type=NZB_TYPE, headers=sent | {"Content-Encoding": "gzip", "Content-Length": str(length)}
        )
    return Stream(document.parts(), media_type=NZB_TYPE, headers=sent | {"Content-Length": str(document.size)})


def _zipped(releases: Sequence[Release], documents: Iterator[Nzb]) -> Response[Any]:
    """All documents, each under the name of its release; the same bytes at every call."""
    held, taken = io.BytesIO(), set[str]()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for release, document in zip(releases, documents, strict=True):
            name = file_name(release)
            name = f"{name} {release.id.hex}" if name.lower() in taken else name
            taken.add(name.lower())
            date = (
                release.first_posted.timetuple()[:6]
                if release.first_posted.year >= _EARLIEST
                else (_EARLIEST, 1, 1, 0, 0, 0)
            )
            entry = zipfile.ZipInfo(f"{name}.nzb", date)
            entry.compress_type = zipfile.ZIP_DEFLATED
            with archive.open(entry, "w") as file:
                for part in document.parts():
                    file.write(part)
    name = f"{len(releases)} NZBs.zip"
    return Response(
        held.getvalue(), media_type=_ZIP_TYPE, headers={"Content-Disposition": f'attachment; filename="{name}"'}
    )
