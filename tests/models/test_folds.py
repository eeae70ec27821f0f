"""Folds: no people in training and test at once."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from features.annotations import Annotations
from models.folds import assign_folds

SIZES = st.lists(st.lists(st.integers(1, 80), min_size=1, max_size=4), min_size=1, max_size=25)


def corpus_of(sizes: list[list[int]], scenario: str = "couple") -> pl.DataFrame:
    rows = [(f"{scenario}_{g:02d}", scenario, turns) for g, samples in enumerate(sizes) for turns in samples]
    return pl.DataFrame(rows, schema=["group", "scenario", "turns"], orient="row")


@given(SIZES, st.integers(2, 10), st.randoms())
def test_every_group_has_one_fold_whatever_the_order_of_samples(sizes: list[list[int]], folds: int, rng) -> None:  # type: ignore[no-untyped-def]
    samples = corpus_of(sizes)
    found = assign_folds(samples, folds)
    assert set(found) == set(samples["group"])
    assert set(found.values()) == set(range(min(folds, len(sizes))))
    order = list(range(samples.height))
    rng.shuffle(order)
    assert assign_folds(samples[order], folds) == found


@given(SIZES, st.integers(2, 10))
def test_folds_are_about_equally_large(sizes: list[list[int]], folds: int) -> None:
    found = assign_folds(corpus_of(sizes), folds)
    load = [0] * len(set(found.values()))
    for g, samples in enumerate(sizes):
        load[found[f"couple_{g:02d}"]] += sum(samples)
    assert max(load) - min(load) <= max(sum(s) for s in sizes)


def test_scenarios_are_folded_apart() -> None:
    both = pl.concat([corpus_of([[5], [6], [7]]), corpus_of([[9], [1]], "family")])
    assert set(assign_folds(both, 8).items()) == set(assign_folds(corpus_of([[5], [6], [7]]), 8).items()) | set(
        assign_folds(corpus_of([[9], [1]], "family"), 8).items()
    )


def test_the_benchmarks_folds(rescue: Annotations) -> None:
    found = assign_folds(rescue.samples, 8)
    assert len(found) == 31
    turns = rescue.samples.with_columns(fold=pl.col("group").replace_strict(found))
    load = turns.filter(scenario="couple").group_by("fold").agg(pl.col("turns").sum())["turns"]
    assert load.len() == 8
    assert load.max() < 1.5 * load.mean()
