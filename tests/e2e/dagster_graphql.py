"""What Dagster's web pages ask and order, asked and ordered the same way: through GraphQL."""

from __future__ import annotations

from dataclasses import dataclass

from overlake import Overlake

ASSETS = ("overview", "release_chunks", "edge_chunks")
_PLACE = {"repositoryLocationName": "overlake", "repositoryName": "__repository__"}


@dataclass(frozen=True)
class Run:
    """A run: when it started (seconds, null before) and the first and last partition of it."""

    id: str
    status: str
    started: float | None
    first: str
    last: str

    @property
    def era(self) -> str:
        return self.first[:6]


def partitions(index: Overlake) -> list[str]:
    """The partition keys of `release_chunks` in Dagster's order."""
    asked = """{ assetNodeOrError(assetKey: {path: ["release_chunks"]}) { ... on AssetNode { partitionKeys } } }"""
    return index.graphql(asked)["assetNodeOrError"]["partitionKeys"]


def runs(index: Overlake, **tags: str) -> list[Run]:
    """The runs with these tags, in the order in which they started; those that have not come last, as they were queued."""
    asked = """query Runs($filter: RunsFilter!) { runsOrError(filter: $filter) {
        ... on Runs { results { id status creationTime startTime tags { key value } } } } }"""
    wanted = {"tags": [{"key": key, "value": value} for key, value in tags.items()]}
    found = []
    for row in sorted(
        index.graphql(asked, filter=wanted)["runsOrError"]["results"], key=lambda row: row["creationTime"]
    ):
        have = {tag["key"]: tag["value"] for tag in row["tags"]}
        first = have.get("dagster/asset_partition_range_start", have.get("dagster/partition", ""))
        last = have.get("dagster/asset_partition_range_end", first)
        found.append(Run(row["id"], row["status"], row["startTime"], first, last))
    return sorted(found, key=lambda run: run.started or float("inf"))


def unfinished(index: Overlake) -> int:
    """Runs that are queued or at work."""
    asked = """{ runsOrError(filter: {statuses: [QUEUED, NOT_STARTED, STARTING, STARTED, CANCELING]}) {
        ... on Runs { results { id } } } }"""
    return len(index.graphql(asked)["runsOrError"]["results"])


def launch_backfill(index: Overlake, keys: list[str]) -> str:
    """Launch a backfill of the range assets as the button `Materialize` does; its id."""
    asked = """mutation Launch($params: LaunchBackfillParams!) { launchPartitionBackfill(backfillParams: $params) {
        __typename ... on LaunchBackfillSuccess { backfillId } ... on PythonError { message } } }"""
    selected = [{"path": [asset]} for asset in ASSETS]
    answer = index.graphql(asked, params={"assetSelection": selected, "partitionNames": keys})
    assert answer["launchPartitionBackfill"]["__typename"] == "LaunchBackfillSuccess", answer
    return answer["launchPartitionBackfill"]["backfillId"]


def launch_run(index: Overlake, key: str) -> str:
    """Launch a run that materializes the range assets of one partition; its id."""
    asked = """mutation Launch($params: ExecutionParams!) { launchPipelineExecution(executionParams: $params) {
        __typename ... on LaunchRunSuccess { run { id } } ... on PythonError { message } } }"""
    params = {
        "selector": _PLACE | {"pipelineName": "__ASSET_JOB", "assetSelection": [{"path": [asset]} for asset in ASSETS]},
        "mode": "default",
        "executionMetadata": {"tags": [{"key": "dagster/partition", "value": key}]},
    }
    answer = index.graphql(asked, params=params)["launchPipelineExecution"]
    assert answer["__typename"] == "LaunchRunSuccess", answer
    return answer["run"]["id"]


def run_status(index: Overlake, run: str) -> str:
    """How far a run is: QUEUED, STARTING, STARTED, SUCCESS, FAILURE ..."""
    asked = """query Run($id: ID!) { runOrError(runId: $id) { ... on Run { status } } }"""
    return index.graphql(asked, id=run)["runOrError"]["status"]


def metadata(index: Overlake, asset: str, key: str) -> dict[str, float | str]:
    """What the newest materialization of a partition shows."""
    asked = """query Shown($key: AssetKeyInput!, $partitions: [String!]) { assetNodeOrError(assetKey: $key) { ... on AssetNode {
        assetMaterializations(partitions: $partitions, limit: 1) { metadataEntries { label
        ... on IntMetadataEntry { intValue } ... on FloatMetadataEntry { floatValue } ... on TextMetadataEntry { text } } } } } }"""
    (shown,) = index.graphql(asked, key={"path": [asset]}, partitions=[key])["assetNodeOrError"][
        "assetMaterializations"
    ]
    return {
        entry["label"]: next(entry[name] for name in ("intValue", "floatValue", "text") if entry.get(name) is not None)
        for entry in shown["metadataEntries"]
    }


def check_status(index: Overlake, name: str) -> str:
    """What the newest execution of an asset check of `release_chunks` came to."""
    asked = """query Check($key: AssetKeyInput!, $name: String!) {
        assetCheckExecutions(assetKey: $key, checkName: $name, limit: 1) { status } }"""
    answer = index.graphql(asked, key={"path": ["release_chunks"]}, name=name)["assetCheckExecutions"]
    return answer[0]["status"] if answer else "NEVER"
