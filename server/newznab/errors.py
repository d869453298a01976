"""Newznab errors: their codes, and the HTTP status clients need with them.

Search and capability errors travel under status 200, since Sonarr and Mylar read the body only then; refused downloads carry a real
status, since SABnzbd and NZBGet retry or loop on a 200 that is not an NZB.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

from server.newznab.xml import document, root


@dataclass(frozen=True, slots=True)
class Fault:
    """One Newznab error.

    Attributes:
        code: Newznab error code.
        description: one sentence for the user; some clients compare it literally.
        status: HTTP status.
        retry_after: seconds after which a new attempt makes sense, null when it does not.
    """

    code: int
    description: str
    status: int = 200
    retry_after: int | None = None

    def because(self, description: str) -> Fault:
        """The same error with another description."""
        return replace(self, description=description)

    def on_download(self) -> Fault:
        """The same error as answer to a download: never under status 200."""
        status = {100: 401, 200: 400, 201: 400, 300: 404, 500: 429, 501: 429}.get(self.code, 503)
        return self if self.status != 200 else replace(self, status=status)

    def until_tomorrow(self) -> Fault:
        """The same error, over when the next UTC day begins."""
        now = datetime.now(UTC)
        tomorrow = datetime(now.year, now.month, now.day, tzinfo=UTC) + timedelta(days=1)
        return replace(self, retry_after=int((tomorrow - now).total_seconds()) + 1)

    def body(self) -> bytes:
        """The error as an XML document."""
        return document(root("error", code=str(self.code), description=self.description))


CREDENTIALS = Fault(100, "Incorrect user credentials")
MISSING_PARAMETER = Fault(200, "Missing parameter")
INCORRECT_PARAMETER = Fault(201, "Incorrect parameter")
NO_FUNCTION = Fault(202, "No such function")
NOT_AVAILABLE = Fault(203, "Function not available")
NO_ITEM = Fault(300, "No such item")
REQUESTS_USED_UP = Fault(500, "Request limit reached", 429)
"""Sonarr and its kin compare the description letter by letter."""
DOWNLOADS_USED_UP = Fault(501, "Download limit reached", 429)
DAMAGED = Fault(
    900,
    "The stored segment list of this release is damaged or missing; the range it came from must be materialized again",
    503,
    3600,
)
UNAVAILABLE = Fault(900, "The catalog does not answer; try again later", 503, 60)
UNKNOWN = Fault(900, "The request cannot be answered; the server's log says why", 503, 60)


class Refused(Exception):
    """The request is answered with a Newznab error."""

    def __init__(self, fault: Fault) -> None:
        super().__init__(fault.description)
        self.fault = fault
