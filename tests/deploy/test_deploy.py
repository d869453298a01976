"""The files in `deploy/` name what there is: commands, options, settings, metrics."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from cli.main import app
from server.metrics import Metrics
from store.catalog.figures import Figures
from store.configuration import Settings, variable
from store.configuration_reference import reference_keys

DEPLOY = Path(__file__).parents[2] / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
METRIC = re.compile(r"\boverlake_\w+")


def values_of(unit: Path, key: str) -> list[str]:
    return [line.partition("=")[2] for line in unit.read_text().splitlines() if line.startswith(f"{key}=")]


def commands() -> list[tuple[str, ...]]:
    units = [shlex.split(value)[1:] for unit in UNITS for value in values_of(unit, "ExecStart")]
    ours = [service["command"] for service in COMPOSE["services"].values() if service["image"] == "overlake"]
    return sorted({tuple(command) for command in units + ours})


def test_there_is_something_to_look_at() -> None:
    assert {command[0] for command in commands()} == {"up", "dagster", "serve", "worker"}


@pytest.mark.parametrize("command", commands(), ids=" ".join)
def test_commands_and_options_exist(command: tuple[str, ...]) -> None:
    function, bound, _ = app.parse_args(list(command), exit_on_error=False, print_error=False)
    assert function.__name__ == command[0]
    options = {word for word in command if word.startswith("--")}
    assert {f"--{name}" for name in bound.arguments} == options


@pytest.mark.parametrize("command", [("serve", "--prot", "1"), ("upp",)])
def test_a_command_that_does_not_exist_would_be_found(command: tuple[str, ...]) -> None:
    with pytest.raises(Exception, match=r"(?i)unknown|not"):
        app.parse_args(list(command), exit_on_error=False, print_error=False)


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_units_stop_gracefully_and_start_again(unit: Path) -> None:
    assert values_of(unit, "Restart") == ["on-failure"]
    assert values_of(unit, "KillMode") == ["mixed"]
    assert int(values_of(unit, "TimeoutStopSec")[0]) >= 30


def test_settings_in_the_compose_file_exist() -> None:
    known = {variable(key.name) for key in reference_keys(Settings)} | {"OVERLAKE_CONFIG"}
    assert set(COMPOSE["x-overlake"]["environment"]) <= known


def test_services_are_looked_after() -> None:
    services = COMPOSE["services"]
    assert set(services) == {"postgres", "broker", "dagster", "server", "worker"}
    # A worker answers to nobody but the broker, and Dagster asks it there.
    assert {name for name, service in services.items() if "healthcheck" not in service} == {"worker"}
    assert all("stop_grace_period" in services[name] for name in ("postgres", "dagster", "server", "worker"))


def test_every_query_of_the_dashboard_names_metrics_that_are_exported() -> None:
    metrics = Metrics.new(lambda: Figures({"done": 1}, {"kept": 1}, 1, 1, 1.0, 1, 1, 1, 1))
    metrics.answers.labels("api", "200").inc()
    metrics.seconds.labels("api").observe(0.1)
    families = text_string_to_metric_families(metrics.text().decode())
    samples = {sample.name: sample.labels.keys() for family in families for sample in family.samples}
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    queries = [(target["expr"], target["legendFormat"]) for panel in dashboard["panels"] for target in panel["targets"]]
    shown = {name for query, _ in queries for name in METRIC.findall(query)}
    assert shown <= samples.keys()
    exported = {
        name for name in samples if name.startswith("overlake_") and not name.endswith(("_created", "_sum", "_count"))
    }
    assert exported <= shown
    for query, legend in queries:
        labels = set().union(*(samples[name] for name in METRIC.findall(query))) | {"instance"}
        assert set(re.findall(r"\{\{(\w+)\}\}", legend)) <= labels


def test_the_chart_loads_the_code_that_is_there() -> None:
    values = yaml.safe_load((DEPLOY / "helm" / "values.yaml").read_text())
    (deployment,) = values["dagster-user-deployments"]["deployments"]
    assert deployment["dagsterApiGrpcArgs"] == ["-m", "assets.definitions", "--location-name", "overlake"]
    assert values["dagsterDaemon"]["runRetries"]["maxRetries"] == 2
