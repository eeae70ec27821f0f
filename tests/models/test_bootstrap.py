"""Intervals over groups: by hand, paired, and right about as often as they say."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from models.bootstrap import GroupBootstrap
from models.metrics import METRICS

ACCURACY = METRICS["accuracy"]


def scores(by_group: dict[str, list[float]]) -> pl.DataFrame:
    rows = [(g, 1.0, h) for g, hits in by_group.items() for h in hits]
    return pl.DataFrame(rows, schema={"group": pl.String, "n": pl.Float64, "hit": pl.Float64}, orient="row")


def test_the_value_is_that_of_all_groups_as_they_are() -> None:
    boot = GroupBootstrap({"couple": ["a", "b"]}, 500, 0.95, 1)
    drawn = boot.draws(scores({"a": [1, 1, 1], "b": [0]}), ACCURACY)
    assert drawn[0] == 75
    assert set(np.round(drawn[1:])) == {0, 75, 100}  # b twice, each once, a twice
    assert (drawn[1:] == 75).mean() == pytest.approx(0.5, abs=0.08)


def test_turns_of_one_group_count_as_one_witness() -> None:
    names = [f"g{i}" for i in range(10)]
    boot = GroupBootstrap({"couple": names}, 2000, 0.95, 1)
    alike = boot.interval(boot.draws(scores({n: [i % 2] * 50 for i, n in enumerate(names)}), ACCURACY))
    mixed = boot.interval(boot.draws(scores({n: [0, 1] * 25 for n in names}), ACCURACY))
    assert alike.high - alike.low > 50
    assert mixed.high - mixed.low < 1e-9


def test_the_same_for_the_same_seed_and_another_scenario_changes_nothing() -> None:
    table = scores({"a": [1, 0], "b": [1], "c": [0]})
    one = GroupBootstrap({"couple": ["a", "b", "c"]}, 200, 0.95, 5)
    two = GroupBootstrap({"couple": ["a", "b", "c"], "family": ["x", "y"]}, 200, 0.95, 5)
    assert np.array_equal(one.draws(table, ACCURACY), two.draws(table, ACCURACY))
    other = GroupBootstrap({"couple": ["a", "b", "c"]}, 200, 0.95, 6)
    assert not np.array_equal(one.draws(table, ACCURACY), other.draws(table, ACCURACY))


def test_a_group_without_instances_is_drawn_and_adds_nothing() -> None:
    boot = GroupBootstrap({"couple": ["a", "b", "empty"]}, 300, 0.95, 1)
    assert set(boot.draws(scores({"a": [1], "b": [1]}), ACCURACY)) <= {0, 100}


def test_the_interval_holds_the_truth_about_as_often_as_it_says() -> None:
    rng = np.random.default_rng(3)
    names = [f"g{i}" for i in range(23)]
    held = 0
    for trial in range(200):
        chance = rng.beta(6, 6, len(names))  # couples differ; the truth is 50 %
        table = scores({n: list((rng.random(20) < p).astype(float)) for n, p in zip(names, chance, strict=True)})
        boot = GroupBootstrap({"couple": names}, 400, 0.95, trial)
        found = boot.interval(boot.draws(table, ACCURACY))
        held += found.low <= 50 <= found.high
    assert 0.88 < held / 200 <= 0.99


def test_a_paired_difference_is_narrower_than_two_intervals() -> None:
    rng = np.random.default_rng(4)
    names = [f"g{i}" for i in range(20)]
    hard = {n: rng.random() for n in names}
    one = {n: list((rng.random(30) < h).astype(float)) for n, h in hard.items()}
    two = {n: [max(v, float(rng.random() < 0.1)) for v in hits] for n, hits in one.items()}
    boot = GroupBootstrap({"couple": names}, 1000, 0.95, 1)
    a, b = boot.draws(scores(one), ACCURACY), boot.draws(scores(two), ACCURACY)
    difference, alone = boot.interval(b - a), boot.interval(a)
    assert difference.low > 0
    assert difference.high - difference.low < (alone.high - alone.low) / 3
