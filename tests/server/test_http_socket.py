"""What goes over the wire: header case, HTTP/1.0, and an access log without keys."""

from __future__ import annotations

import gzip
import logging
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from lxml import etree

from server.serve import configuration, without_secrets
from store.configuration import Server, Settings


@pytest.fixture
def port(app) -> Iterator[int]:
    """The application behind uvicorn as `overlake serve` runs it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        number = free.getsockname()[1]
    server = uvicorn.Server(configuration(app, Settings(server=Server(port=number))))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started and thread.is_alive():
        time.sleep(0.01)
    yield number
    server.should_exit = True
    thread.join()


def exchange(port: int, request: str) -> tuple[list[str], bytes]:
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request.encode("latin-1"))
        received = b""
        while block := connection.recv(65536):
            received += block
    head, _, body = received.partition(b"\r\n\r\n")
    return head.decode("latin-1").split("\r\n"), body


def test_nzb_over_http_1_0_with_exact_header_case(port, shelf, secret):
    head, body = exchange(
        port, f"GET /getnzb/{shelf.releases[0].id.hex}.nzb?apikey={secret} HTTP/1.0\r\nHost: localhost\r\n\r\n"
    )
    assert head[0].split()[1] == "200"
    headers = dict(line.split(": ", 1) for line in head[1:])
    assert headers["Content-Type"] == "application/x-nzb"
    assert headers["X-DNZB-Category"] == "PC > ISO"
    assert headers["X-DNZB-Name"] == "Debian.12.1.netinst.amd64"
    assert headers["Content-Disposition"].startswith('attachment; filename="Debian.12.1.netinst.amd64.nzb"; ')
    assert int(headers["Content-Length"]) == len(body)
    assert "transfer-encoding" not in {name.lower() for name in headers}
    assert body.endswith(b"</nzb>")


def test_links_behind_a_reverse_proxy(port, shelf, secret):
    def link(*headers: str) -> str:
        lines = "".join(f"{header}\r\n" for header in ("Host: localhost:8080", "Connection: close", *headers))
        _, body = exchange(port, f"GET /api?t=search&apikey={secret} HTTP/1.1\r\n{lines}\r\n")
        return etree.fromstring(body).findtext("channel/item/link")

    behind = ("X-Forwarded-Proto: https", "X-Forwarded-Host: index.example.org", "X-Forwarded-Prefix: /usenet")
    assert link(*behind).startswith("https://index.example.org/usenet/getnzb/")
    assert link().startswith("http://localhost:8080/getnzb/")
    hostile = ('X-Forwarded-Host: evil"><script>', "X-Forwarded-Proto: javascript", "X-Forwarded-Prefix: //evil")
    assert link(*hostile).startswith("http://127.0.0.1:")


def test_an_nzb_over_http_1_0_has_its_length_also_when_compressed(port, shelf, secret):
    path = f"/getnzb/{shelf.releases[0].id.hex}.nzb?apikey={secret}"
    head, body = exchange(port, f"GET {path} HTTP/1.0\r\nHost: localhost\r\nAccept-Encoding: gzip\r\n\r\n")
    headers = dict(line.split(": ", 1) for line in head[1:])
    assert headers["Content-Encoding"] == "gzip"
    assert int(headers["Content-Length"]) == len(body)
    _, plain = exchange(port, f"GET {path} HTTP/1.0\r\nHost: localhost\r\n\r\n")
    assert gzip.decompress(body) == plain


@pytest.mark.parametrize(
    "line", ["GET //api?t=caps", "GET /api?t=caps&", "GET /api?&&T=CAPS", "GET /api/v1/api?t=c", "GET /api/?t=caps"]
)
def test_odd_addresses_reach_the_api(port, line):
    head, body = exchange(port, f"{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert head[0] == "HTTP/1.1 200 OK"
    assert b"<caps>" in body


@pytest.mark.parametrize(
    "line",
    ["GET /api?t=search&q=%ff%fe", "GET /api?t=%", "GET /api?" + "a=b&" * 5000, "OPTIONS /api", "GET /%61pi?t=x"],
)
def test_hostile_requests_get_no_5xx(port, line):
    head, _ = exchange(port, f"{line} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    assert int(head[0].split()[1]) < 500


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ("/api?t=search&apikey=SECRET&q=x", "/api?t=search&apikey=***&q=x"),
        ("/api?t=search&ApiKey=SECRET", "/api?t=search&ApiKey=***"),
        ("/api?%61pikey=SECRET", "/api?apikey=***"),
        ("/rss?t=1&r=SECRET&i=1", "/rss?t=1&r=***&i=1"),
        ("/getnzb/a.nzb&i=1&r=SECRET", "/getnzb/a.nzb&i=1&r=***"),
        ("/api?q=%0d%0aforged", "/api?q=??forged"),
    ],
)
def test_the_access_log_shows_no_key(path, shown):
    record = logging.LogRecord(
        "uvicorn.access", logging.INFO, "", 0, '%s - "%s %s HTTP/%s" %d', ("127.0.0.1:1", "GET", path, "1.1", 200), None
    )
    assert without_secrets(record)
    assert record.getMessage() == f'127.0.0.1:1 - "GET {shown} HTTP/1.1" 200'
