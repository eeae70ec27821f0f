"""Uncertainty from the people, not from the turns: intervals by resampling whole groups (couples, families).

Turns of one couple are alike, so an interval over turns would be too narrow. Groups are drawn with replacement within
each scenario, and every baseline is scored on the same draws, so that differences between two of them are paired
(Efron & Tibshirani 1993, ch. 13: percentile intervals).
"""

from __future__ import annotations

import zlib
from typing import NamedTuple

import numpy as np
import polars as pl

from models.metrics import Metric


class Interval(NamedTuple):
    """A value and its percentile interval."""

    value: float
    low: float
    high: float


class GroupBootstrap:
    """The same draws of groups for all baselines and metrics of a corpus."""

    def __init__(self, groups: dict[str, list[str]], resamples: int, confidence: float, seed: int) -> None:
        """``groups`` are the names of the groups of each scenario."""
        self._groups = [g for members in groups.values() for g in members]
        # Each scenario draws from its own stream: adding families does not change the couples' intervals.
        drawn = np.hstack(
            [
                np.random.default_rng([seed, zlib.crc32(scenario.encode())]).multinomial(
                    len(members), [1 / len(members)] * len(members), resamples
                )
                for scenario, members in groups.items()
            ]
        )
        self._weights = np.vstack([np.ones(len(self._groups)), drawn])
        tail = (1 - confidence) / 2
        self._quantiles = (tail, 1 - tail)

    def draws(self, scores: pl.DataFrame, metric: Metric) -> np.ndarray:
        """The metric's value on every draw. [shape=(1 + resamples,); the first is the one on all groups as they are]"""
        columns = [c for c, kind in scores.schema.items() if kind == pl.Float64]
        rows = scores["group"].replace_strict(self._groups, range(len(self._groups)), return_dtype=pl.Int64).to_numpy()
        # Added in the order of the rows: a sum over threads would differ in its last bit from run to run.
        by_group = np.stack(
            [np.bincount(rows, scores[c].fill_null(0).to_numpy(), len(self._groups)) for c in columns], axis=1
        )
        sums = self._weights @ by_group
        return metric.value({c: sums[:, i] for i, c in enumerate(columns)})

    def interval(self, draws: np.ndarray) -> Interval:
        """Interval of a value, or of a difference between two baselines' draws."""
        low, high = np.quantile(draws[1:], self._quantiles)
        return Interval(float(draws[0]), float(low), float(high))
