"""From predictions to the figures that are published: metrics with intervals, and comparisons with baselines and LLMs."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np
import polars as pl

from models.bootstrap import GroupBootstrap
from models.metrics import metrics_of
from models.paper import NOT_COMPARABLE
from models.tasks import Task

BOTH = "both"
_Draws = dict[tuple[str, str], np.ndarray]  # (baseline, features) → value on every draw of groups
RESULT_SCHEMA: dict[str, Any] = {
    "task": pl.String,
    "baseline": pl.String,
    "features": pl.String,
    "scenario": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "n": pl.Int64,
}
#: ``difference`` is the baseline minus the other; against an LLM its total is taken as exact. ``verdict`` says on which
#: side of the interval zero lies.
COMPARISON_SCHEMA: dict[str, Any] = {
    "task": pl.String,
    "scenario": pl.String,
    "metric": pl.String,
    "baseline": pl.String,
    "features": pl.String,
    "against": pl.String,
    "against_features": pl.String,
    "kind": pl.String,
    "difference": pl.Float64,
    "low": pl.Float64,
    "high": pl.Float64,
    "verdict": pl.String,
    "comparable": pl.Boolean,
}


def evaluate_task(
    task: Task, scores: pl.DataFrame, llms: pl.DataFrame, bootstrap: GroupBootstrap, same_instances: bool
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return a task's results (RESULT_SCHEMA) and comparisons (COMPARISON_SCHEMA), per scenario and for both.

    Parameters
    ----------
    scores : of models.metrics.scored, all baselines of the task.
    llms : models.paper.LLM_SCHEMA.
    same_instances : whether these are the instances that the LLMs were scored on.
    """
    comparable = same_instances and task.name not in NOT_COMPARABLE
    results, comparisons = [], []
    scenarios = scores["scenario"].unique(maintain_order=True).to_list()
    for scenario in [*scenarios, BOTH] if len(scenarios) > 1 else scenarios:
        part = scores if scenario == BOTH else scores.filter(scenario=scenario)
        draws: dict[str, _Draws] = {}
        for (baseline, features), own in part.group_by("baseline", "features", maintain_order=True):
            for metric in metrics_of(task, own):
                drawn = bootstrap.draws(own, metric)
                draws.setdefault(metric.name, {})[str(baseline), str(features)] = drawn
                results.append(
                    (task.name, baseline, features, scenario, metric.name, *bootstrap.interval(drawn), own.height)
                )
        for name, of_baselines in draws.items():
            comparisons += _against_baselines(task, scenario, name, of_baselines, bootstrap)
            published = llms.filter(task=task.name, scenario=scenario, metric=name)
            comparisons += _against_llms(task, scenario, name, of_baselines, published, bootstrap, comparable)
    return pl.DataFrame(results, schema=RESULT_SCHEMA, orient="row"), pl.DataFrame(
        comparisons, schema=COMPARISON_SCHEMA, orient="row"
    )


def _against_baselines(
    task: Task, scenario: str, metric: str, draws: _Draws, bootstrap: GroupBootstrap
) -> list[tuple[Any, ...]]:
    rows = []
    for (one, its), (other, others) in combinations(draws.items(), 2):
        found = bootstrap.interval(its - others)
        rows.append(
            (task.name, scenario, metric, *one, *other, "baseline", *found, _verdict(found.low, found.high), True)
        )
    return rows


def _against_llms(
    task: Task,
    scenario: str,
    metric: str,
    draws: _Draws,
    llms: pl.DataFrame,
    bootstrap: GroupBootstrap,
    comparable: bool,
) -> list[tuple[Any, ...]]:
    rows = []
    for one, its in draws.items():
        for model, value in llms.select("model", "value").iter_rows():
            found = bootstrap.interval(its - value)
            rows.append(
                (
                    task.name,
                    scenario,
                    metric,
                    *one,
                    model,
                    None,
                    "llm",
                    *found,
                    _verdict(found.low, found.high),
                    comparable,
                )
            )
    return rows


def _verdict(low: float, high: float) -> str:
    return "higher" if low > 0 else "lower" if high < 0 else "not told apart"
