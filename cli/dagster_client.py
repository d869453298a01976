"""Backfills through Dagster's GraphQL interface, the same one its web pages use."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import httpx

from store.configuration import Settings

ASSETS = ("overview", "release_chunks", "edge_chunks")
"""The assets of a range, in the order in which one needs the other."""

_LAUNCH = """
mutation Launch($params: LaunchBackfillParams!) {
  launchPartitionBackfill(backfillParams: $params) {
    __typename
    ... on LaunchBackfillSuccess { backfillId }
    ... on PythonError { message }
    ... on UnauthorizedError { message }
    ... on InvalidSubsetError { message }
    ... on PartitionKeysNotFoundError { message }
  }
}
"""
_STATUS = """
query Status($id: String!) {
  partitionBackfillOrError(backfillId: $id) {
    __typename
    ... on PartitionBackfill { status error { message } }
    ... on PythonError { message }
    ... on BackfillNotFoundError { message }
  }
}
"""
_RUNS = """
query Runs($filter: RunsFilter!) {
  runsOrError(filter: $filter, limit: 1) {
    __typename
    ... on Runs { results { id } }
    ... on PythonError { message }
  }
}
"""
_CANCEL = """
mutation Cancel($id: String!) {
  cancelPartitionBackfill(backfillId: $id) {
    __typename
    ... on PythonError { message }
    ... on UnauthorizedError { message }
  }
}
"""
_ACTIVE = """
query Active {
  partitionBackfillsOrError(status: REQUESTED) {
    __typename
    ... on PartitionBackfills { results { id } }
    ... on PythonError { message }
  }
}
"""
_LIMIT = """
mutation Limit($pool: String!, $limit: Int!) {
  setConcurrencyLimit(concurrencyKey: $pool, limit: $limit)
}
"""


class DagsterUnavailable(RuntimeError):
    """Dagster does not answer, or refuses; the message says what to do."""


@dataclass(frozen=True, slots=True)
class BackfillState:
    """What Dagster says about a backfill: its status word, and the error that stopped it, if any."""

    status: str
    error: str

    @property
    def ended(self) -> bool:
        """No further run will start."""
        return self.status not in ("REQUESTED", "CANCELING", "FAILING")

    @property
    def succeeded(self) -> bool:
        """Every run of it succeeded."""
        return self.status in ("COMPLETED", "COMPLETED_SUCCESS")


class DagsterClient:
    """A connection to the web server of Dagster at `url`."""

    def __init__(self, url: str) -> None:
        self._url = url
        self._http = httpx.Client(timeout=60.0)

    @classmethod
    def of(cls, settings: Settings) -> Self:
        """The one that `overlake up` runs for these settings."""
        return cls(f"http://{settings.dagster.host}:{settings.dagster.port}")

    def alive(self) -> bool:
        """Whether the web server answers and has loaded the code location."""
        try:
            data = self._ask("{ workspaceOrError { ... on Workspace { locationEntries { loadStatus } } } }", {})
        except DagsterUnavailable:
            return False
        entries = data["workspaceOrError"].get("locationEntries", [])
        return bool(entries) and all(entry["loadStatus"] == "LOADED" for entry in entries)

    def launch(self, keys: list[str], assets: tuple[str, ...] = ASSETS, title: str = "", priority: int = 0) -> str:
        """Launch a backfill of `assets` over the partition `keys` and return its id; runs of higher `priority` start first.

        Raises:
            DagsterUnavailable: no answer, or Dagster refuses.
        """
        params = {
            "assetSelection": [{"path": [asset]} for asset in assets],
            "partitionNames": keys,
            "title": title,
            "tags": [{"key": "dagster/priority", "value": str(priority)}],
        }
        answer = self._ask(_LAUNCH, {"params": params})["launchPartitionBackfill"]
        if answer["__typename"] != "LaunchBackfillSuccess":
            raise DagsterUnavailable(f"Dagster refused the backfill: {answer.get('message', answer['__typename'])}")
        return answer["backfillId"]

    def state(self, backfill: str) -> BackfillState:
        """The state of backfill `backfill`."""
        answer = self._ask(_STATUS, {"id": backfill})["partitionBackfillOrError"]
        if answer["__typename"] != "PartitionBackfill":
            raise DagsterUnavailable(f"Dagster does not know backfill {backfill}: {answer.get('message', '')}")
        return BackfillState(answer["status"], (answer["error"] or {}).get("message", ""))

    def busy(self, backfill: str) -> bool:
        """Whether a run of the backfill is queued or at work."""
        wanted = {
            "tags": [{"key": "dagster/backfill", "value": backfill}],
            "statuses": ["QUEUED", "NOT_STARTED", "STARTING", "STARTED", "CANCELING"],
        }
        answer = self._ask(_RUNS, {"filter": wanted})["runsOrError"]
        if answer["__typename"] != "Runs":
            raise DagsterUnavailable(f"Dagster does not list its runs: {answer.get('message', '')}")
        return bool(answer["results"])

    def cancel(self, backfill: str) -> None:
        """Ask Dagster to cancel backfill `backfill`.

        Raises:
            DagsterUnavailable: no answer, or there is no such backfill.
        """
        answer = self._ask(_CANCEL, {"id": backfill})["cancelPartitionBackfill"]
        if answer["__typename"] != "CancelBackfillSuccess":
            raise DagsterUnavailable(f"Dagster does not cancel {backfill}: {answer.get('message', '')}")

    def active(self) -> list[str]:
        """Ids of the backfills that are under way, the newest first."""
        answer = self._ask(_ACTIVE, {})["partitionBackfillsOrError"]
        if answer["__typename"] != "PartitionBackfills":
            raise DagsterUnavailable(f"Dagster does not list its backfills: {answer.get('message', '')}")
        return [row["id"] for row in answer["results"]]

    def limit_pool(self, pool: str, limit: int) -> None:
        """Let at most `limit` runs of `pool` be at work; it lasts until it is changed."""
        self._ask(_LIMIT, {"pool": pool, "limit": limit})

    def _ask(self, query: str, variables: dict[str, Any]) -> dict[str, Any]:
        try:
            response = self._http.post(f"{self._url}/graphql", json={"query": query, "variables": variables})
            response.raise_for_status()
            answer = response.json()
        except httpx.HTTPStatusError as error:
            raise DagsterUnavailable(
                f"Dagster answers {error.response.status_code} at {self._url}; try again in a moment, and look into its log if that stays"
            ) from error
        except (httpx.HTTPError, ValueError) as error:
            raise DagsterUnavailable(
                f"Dagster does not answer at {self._url} ({error}); start it with: overlake up"
            ) from error
        if answer.get("errors"):
            raise DagsterUnavailable(f"Dagster refused: {answer['errors'][0]['message']}")
        return answer["data"]
