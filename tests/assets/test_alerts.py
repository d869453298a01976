from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import dagster as dg

from assets.alerts import alert_of, post
from assets.run_tags import run_tags

RUN = dg.DagsterRun("ranges", tags=run_tags(["201204~a.b.linux~000001", "201203~a.b.films~000000"]))


def test_an_alert_says_what_failed_and_holds_no_secret() -> None:
    alert = alert_of(RUN, "481 for hunter2", ("hunter2", ""))
    assert alert["text"] == "ranges failed (201203-201204 alt.binaries.films, alt.binaries.linux): 481 for ***"
    assert alert["range"] == "201203~a.b.films~000000 ... 201204~a.b.linux~000001"


def test_an_alert_arrives_as_json_and_what_keeps_it_away_is_said_without_the_address() -> None:
    got: list[dict[str, str]] = []

    class Hook(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            got.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(500 if "refused" in self.path else 200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the name of the base class
            """Nothing on stderr."""

    with HTTPServer(("127.0.0.1", 0), Hook) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}"
        assert post(f"{address}/token", {"text": "x"}) is None
        assert post(f"{address}/refused-token", {"text": "y"}) == "the webhook answered 500"
        server.shutdown()
    assert [alert["text"] for alert in got] == ["x", "y"]
    said = post(f"{address}/token", {"text": "z"})
    assert said is not None
    assert "token" not in said
