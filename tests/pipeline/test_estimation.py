"""The estimator over random finite populations: unbiased, its intervals hold, a census is exact, and allocation keeps its promise."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pipeline.estimation import OF_ALL, allocation, estimates, first_sample, student
from pipeline.strata import with_strata


def made(rng: np.random.Generator, strata: int, each: int, varies: float = 0.3) -> tuple[pl.DataFrame, pl.DataFrame]:
    """A population and what is measured of all of it: `y` by article numbers, with a rate of each stratum and a spread."""
    count = strata * each
    stratum = np.repeat(np.arange(strata), each)
    numbers = rng.integers(1_800, 2_001, count)
    rate = rng.uniform(0.2, 1.0, strata)[stratum]
    y = numbers * rate * (1 + varies * rng.standard_normal(count)).clip(0)
    population = pl.DataFrame(
        {"range": np.arange(count), "stratum": [f"{at} large" for at in stratum], "era": [str(at) for at in stratum], "numbers": numbers}
    )  # fmt: skip
    return population, pl.DataFrame({"range": np.arange(count), "y": y})


def sample_of(rng: np.random.Generator, population: pl.DataFrame, values: pl.DataFrame, size: int) -> pl.DataFrame:
    parts = population.partition_by("stratum")
    chosen = np.concatenate([rng.choice(part["range"].to_numpy(), size, replace=False) for part in parts])
    return values[np.sort(chosen)]


@settings(max_examples=8, deadline=None, derandomize=True)
@given(seed=st.integers(0, 2**32 - 1), strata=st.integers(1, 4), size=st.integers(4, 10))
def test_the_mean_of_many_estimates_is_the_total(seed: int, strata: int, size: int):
    rng = np.random.default_rng(seed)
    population, values = made(rng, strata, 60)
    true = values["y"].sum()
    totals = [estimates(population, sample_of(rng, population, values, size), ["y"])["estimate"][0] for _ in range(60)]
    standard_error = float(np.std(totals)) / 60**0.5
    assert abs(float(np.mean(totals)) - true) < 5 * standard_error + 0.002 * true


def test_the_intervals_hold_in_95_of_100_samples():
    rng = np.random.default_rng(7)
    population, values = made(rng, 3, 100)
    true = values["y"].sum()
    rows = [estimates(population, sample_of(rng, population, values, 8), ["y"]).row(0, named=True) for _ in range(400)]
    held = np.mean([row["low"] <= true <= row["high"] for row in rows])
    assert 0.92 <= held <= 0.99


def test_a_census_is_exact_and_eras_add_up():
    population, values = made(np.random.default_rng(1), 3, 20)
    told = estimates(population, values, ["y"])
    whole = told.row(0, named=True)
    assert whole["estimate"] == pytest.approx(values["y"].sum())
    assert whole["low"] == whole["high"] == whole["estimate"]
    assert told.filter(~OF_ALL)["estimate"].sum() == pytest.approx(whole["estimate"])


def test_a_ratio_takes_smaller_ranges_for_what_they_are():
    population = pl.DataFrame(
        {"range": range(6), "stratum": ["a"] * 6, "era": ["a"] * 6, "numbers": [2_000] * 5 + [500]}
    )
    sample = pl.DataFrame({"range": [0, 5], "y": [1_000.0, 250.0]})
    row = estimates(population, sample, ["y"]).row(0, named=True)
    assert row["estimate"] == pytest.approx(5_250)


def test_samples_without_variation_still_leave_room_for_what_they_have_not_seen():
    population = pl.DataFrame(
        {"range": range(100), "stratum": ["a"] * 100, "era": ["a"] * 100, "numbers": [1_000] * 100}
    )
    sample = pl.DataFrame({"range": range(10), "y": [900.0] * 10})
    row = estimates(population, sample, ["y"]).row(0, named=True)
    assert row["low"] < 90_000 < row["high"]
    assert row["error"] < 0.05


def test_too_few_samples_are_refused():
    population, values = made(np.random.default_rng(1), 2, 10)
    with pytest.raises(ValueError, match="stratum 0 large has 1 samples of 10"):
        estimates(population, values[[0, 11, 12]], ["y"])


def test_a_first_sample_is_by_share_with_the_least_of_each():
    population = pl.DataFrame({"range": range(111), "stratum": ["a"] * 100 + ["b"] * 10 + ["c"]})
    assert first_sample(population, 20) == {"a": 18, "b": 2, "c": 1}


def test_neyman_gives_more_to_what_varies_and_the_wanted_error_comes_true():
    rng = np.random.default_rng(3)
    calm, calm_values = made(rng, 1, 2_000, 0.02)
    wild, wild_values = made(rng, 1, 2_000, 0.8)
    wild = wild.with_columns(pl.col("range") + 2_000, stratum=pl.lit("w"), era=pl.lit("w"))
    population = pl.concat([calm, wild])
    values = pl.concat([calm_values, wild_values.with_columns(pl.col("range") + 2_000)])
    wanted = allocation(population, sample_of(rng, population, values, 40), ["y"], 0.03)
    sizes = dict(wanted.select("stratum", "wanted").iter_rows())
    assert sizes["w"] > 3 * sizes["0 large"]
    assert (wanted["wanted"] >= wanted["sampled"]).all()
    drawn = [values.filter(pl.col("range").is_in(rng.choice(part["range"].to_numpy(), sizes[part["stratum"][0]], replace=False))) for part in population.partition_by("stratum")]  # fmt: skip
    assert estimates(population, pl.concat(drawn), ["y"])["error"][0] < 0.045


@pytest.mark.parametrize(
    ("freedom", "value"), [(1, 12.706), (2, 4.303), (3, 3.182), (5, 2.571), (30, 2.042), (1e9, 1.960)]
)
def test_students_quantile(freedom: float, value: float):
    assert student(freedom) == pytest.approx(value, abs=0.005)


def test_strata_are_years_and_sizes_of_groups():
    ranges = pl.DataFrame(
        {
            "group": ["big"] * 2 + ["mid", "tiny"],
            "year": [2010, 2011, 2010, 2010],
            "numbers": [1_000_000, 1_000_000, 100_000, 1_000],
        }
    )
    assert with_strata(ranges)["stratum"].to_list() == ["2010 large", "2011 large", "2010 middling", "2010 small"]
