"""An S3 service on loopback, with buckets of the test's own, and a proxy before it that misbehaves."""

from __future__ import annotations

import http.client
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from moto.server import ThreadedMotoServer

SECRET = "not-to-be-shown-anywhere"
ENVIRONMENT = {"AWS_ACCESS_KEY_ID": "librarian", "AWS_SECRET_ACCESS_KEY": SECRET, "AWS_REGION": "us-east-1"}

_NUMBERS = count(1)


@dataclass(frozen=True)
class ObjectService:
    """The service at `endpoint`."""

    endpoint: str

    def bucket(self) -> str:
        """The name of a new, empty bucket."""
        name = f"library-{next(_NUMBERS)}"
        assert _request(self.endpoint, "PUT", f"/{name}", b"", {}).status == 200
        return name


@contextmanager
def running_service() -> Iterator[ObjectService]:
    """A service, and its credentials in the environment of this process and those it starts."""
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    with patch.dict(os.environ, ENVIRONMENT):
        os.environ.pop("AWS_ENDPOINT_URL", None)
        try:
            yield ObjectService(f"http://{host}:{port}")
        finally:
            server.stop()


@dataclass
class Faults:
    """What a proxy does with the next requests of a method: `lose` the answer, or send a status and code instead of asking."""

    endpoint: str = ""
    lose: dict[str, int] = field(default_factory=dict)
    refuse: dict[str, list[tuple[int, str]]] = field(default_factory=dict)
    seen: list[str] = field(default_factory=list)


@contextmanager
def faulty(service: ObjectService) -> Iterator[Faults]:
    """A proxy before the service."""
    faults = Faults()

    class Proxy(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def _pass(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            faults.seen.append(self.command)
            if refusals := faults.refuse.get(self.command):
                status, code = refusals.pop(0)
                text = f"<Error><Code>{code}</Code><Message>Refused.</Message><StringToSign>{self.headers.get('Authorization')}</StringToSign></Error>"
                return self._answer(status, text.encode(), {})
            answer = _request(service.endpoint, self.command, self.path, body, dict(self.headers))
            content = answer.read()
            if faults.lose.get(self.command):
                faults.lose[self.command] -= 1
                return self._answer(500, b"<Error><Code>InternalError</Code></Error>", {})
            kept = {name: value for name, value in answer.getheaders() if name.lower() not in _HOP}
            if self.command == "HEAD" and (length := answer.getheader("Content-Length")):
                kept["Content-Length"] = length
            return self._answer(answer.status, content, kept)

        def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            # The length of the object, not of the empty body, when only the head was asked for.
            if self.command != "HEAD" or "Content-Length" not in headers:
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        def log_message(self, *args: Any) -> None:
            pass

        do_GET = do_PUT = do_POST = do_HEAD = _pass  # noqa: N815 - names of the base class

    server = ThreadingHTTPServer(("127.0.0.1", 0), Proxy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    faults.endpoint = f"http://127.0.0.1:{server.server_port}"
    try:
        yield faults
    finally:
        server.shutdown()
        server.server_close()


_HOP = {"connection", "transfer-encoding", "date", "server", "content-length"}


def _request(endpoint: str, method: str, path: str, body: bytes, headers: dict[str, str]) -> http.client.HTTPResponse:
    connection = http.client.HTTPConnection(urlsplit(endpoint).netloc, timeout=30)
    connection.request(method, path, body, headers)
    return connection.getresponse()
