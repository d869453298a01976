"""Pausing, resuming and cancelling backfills, whoever launched them: `overlake backfill` or a person in Dagster."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from assets.pools import RANGE_POOL, places
from cli.console import out, print_json
from cli.dagster_client import DagsterClient
from cli.options import DEFAULT_CONFIG, Config, Json
from store.configuration import load


def pause(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Start no further run of ranges; those at work finish. It stays so over restarts, until `overlake resume`."""
    settings = load(config)
    dagster = DagsterClient.of(settings)
    dagster.limit_pool(RANGE_POOL, 0)
    _say(
        json,
        {"paused": True, "backfills": dagster.active()},
        "Paused; runs at work finish. Go on with: overlake resume",
    )


def resume(*, config: Config = DEFAULT_CONFIG, json: Json = False) -> None:
    """Go on where `overlake pause` stopped."""
    settings = load(config)
    dagster = DagsterClient.of(settings)
    allowed = places(settings)
    dagster.limit_pool(RANGE_POOL, allowed)
    _say(json, {"paused": False, "backfills": dagster.active()}, f"Going on, {allowed} runs at once.")


def cancel(
    backfill: Annotated[tuple[str, ...], Parameter(help="Ids of backfills; without any, all that are under way.")] = (),
    *,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Cancel backfills with their runs. Ranges that are done stay done; `overlake backfill` takes up the others again."""
    dagster = DagsterClient.of(load(config))
    ended = list(backfill) or dagster.active()
    for one in ended:
        dagster.cancel(one)
    _say(
        json,
        {"cancelled": ended},
        f"{len(ended)} backfills cancelled: {', '.join(ended)}" if ended else "No backfill is under way.",
    )


def _say(json: bool, document: dict[str, object], sentence: str) -> None:
    if json:
        print_json(document)
    else:
        out.print(sentence)
