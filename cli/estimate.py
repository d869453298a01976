"""What the whole target would be, from a small sample of its ranges."""

from __future__ import annotations

from typing import Annotated

import polars as pl
from cyclopts import Parameter, validators
from rich.table import Table

from cli.console import err, fail, out, print_json
from cli.options import DEFAULT_CONFIG, Config, Json
from cli.work import materialize_here
from pipeline.estimation import OF_ALL
from store.analysis.estimate import ESTIMATE
from store.configuration import load


def estimate(
    *,
    sample_ranges: Annotated[
        int | None, Parameter(help="Ranges to sample in all.", validator=validators.Number(gte=1))
    ] = None,
    error: Annotated[
        float | None,
        Parameter(
            help="Sample as many ranges as bring each total within this share, 0.05 unless said.",
            validator=validators.Number(gt=0, lt=1),
        ),
    ] = None,
    config: Config = DEFAULT_CONFIG,
    json: Json = False,
) -> None:
    """Estimate lines, files, releases, bytes and days of the whole target, with 95 % intervals, by era and in all.

    Ranges must be planned. Those of the sample that are not done are fetched from the provider and made as in a backfill; a later call goes on
    from the sample there is.
    """
    if sample_ranges is not None and error is not None:
        fail("say --sample-ranges or --error, not both")
    wanted: dict[str, object] = {"ranges": sample_ranges or 0, "error": error or 0.05}
    with err.status("Sampling"):
        result = materialize_here(config, ["size_estimate"], {"size_estimate": wanted})["size_estimate"]
    totals = pl.read_parquet(load(config).data / ESTIMATE)
    if json:
        told = {name: result[name] for name in ("sampled", "ranges", "fetched", "wanted", "worst_error", "further")}
        print_json({**told, "totals": totals.to_dicts()})
        return
    table = Table("figure", "estimate", "low", "high", "error", title="The whole target, 95 % intervals")
    for row in totals.filter(OF_ALL).iter_rows(named=True):
        table.add_row(
            row["figure"], *(_figure(row[name]) for name in ("estimate", "low", "high")), f"{row['error']:.1%}"
        )
    out.print(table)
    eras = Table("era", *(f"{name}" for name in _BY_ERA), title="By era")
    for (era,), part in totals.filter(~OF_ALL).partition_by("era", as_dict=True, maintain_order=True).items():
        by = dict(part.select("figure", "estimate").iter_rows())
        eras.add_row(str(era), *(_figure(by[name]) for name in _BY_ERA))
    out.print(eras)
    out.print(f"From {result['sampled']} of {result['ranges']} ranges, {result['fetched']} of them fetched now.")
    if result["wanted"] != result["sampled"]:
        out.print(
            f"For {error or 0.05:.0%} in every total: overlake estimate --error {error or 0.05}, {result['wanted']} ranges."
        )


_BY_ERA = ("lines", "kept", "garbage", "set_aside", "files", "releases")


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:,.3g}"
