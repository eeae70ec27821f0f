"""The benchmark's metrics: a score a prediction, and values that are ratios of sums of those scores.

Ratios of sums, because then a resample of groups needs only each group's sums (models/bootstrap.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np
import polars as pl

from models.similarity import text_metric, text_scores
from models.tasks.base import Task
from models.tasks.intervention import INTERVENE

_TOP = 3
_BEST_MATCH = 5.0
Sums = Mapping[str, np.ndarray]


class Metric(NamedTuple):
    """A value computed from sums of score columns; ``unit`` is what the paper prints it in."""

    name: str
    title: str
    unit: str
    value: Callable[[Sums], np.ndarray]


def _ratio(above: np.ndarray, below: np.ndarray) -> np.ndarray:
    """0 where nothing is below: the benchmark counts an undefined precision as 0."""
    return np.divide(above, below, out=np.zeros(np.broadcast(above, below).shape), where=below > 0)


def _mean(column: str, scale: float = 1.0) -> Callable[[Sums], np.ndarray]:
    return lambda s: scale * _ratio(s[column], s["n"])


METRICS: dict[str, Metric] = {
    m.name: m
    for m in (
        Metric("f1", "F1", "%", lambda s: 100 * _ratio(2 * s["tp"], 2 * s["tp"] + s["fp"] + s["fn"])),
        Metric("precision", "precision", "%", lambda s: 100 * _ratio(s["tp"], s["tp"] + s["fp"])),
        Metric("recall", "recall", "%", lambda s: 100 * _ratio(s["tp"], s["tp"] + s["fn"])),
        Metric("accuracy", "accuracy", "%", _mean("hit", 100)),
        Metric("recall_at_1", "Recall@1", "%", _mean("hit", 100)),
        Metric("mrr", "MRR within the top three", "%", _mean("reciprocal_rank", 100)),
        Metric("intensity_match", "intensity match", "1–5", _mean("match")),
        Metric("minilm_score_f1", "BERTScore F1 with MiniLM", "0–1", _mean("similarity")),
        Metric("bertscore_f1", "BERTScore F1", "0–1", _mean("similarity")),
        Metric("judge_score", "judge's score", "1–5", _mean("judged")),
    )
}


def scored(task: Task, instances: pl.DataFrame, predictions: pl.DataFrame) -> pl.DataFrame:
    """Score every prediction of a task.

    Parameters
    ----------
    instances : INSTANCE_SCHEMA, one row an instance (for rankings: any one of its candidates).
    predictions : PREDICTION_SCHEMA, all baselines.

    Returns
    -------
    instance_id, scenario, group, baseline, features, n (1), and the score columns that the task's metrics sum. Columns of
    what a baseline does not give (a text, a number) are null.
    """
    gold = instances.unique("instance_id", keep="first", maintain_order=True).select(
        "instance_id", "label", "intensity", gold="text"
    )
    table = predictions.join(gold, on="instance_id", how="left", maintain_order="left")
    keys = ("instance_id", "scenario", "group", "baseline", "features")
    first = pl.col("ranking").list.first()
    columns: list[pl.Expr | pl.Series] = [pl.lit(1.0).alias("n")]
    if task.kind == "binary":
        said, true = first == INTERVENE, pl.col("label") == INTERVENE
        columns += [
            (said & true).cast(pl.Float64).alias("tp"),
            (said & ~true).cast(pl.Float64).alias("fp"),
            (~said & true).cast(pl.Float64).alias("fn"),
            (said == true).cast(pl.Float64).alias("hit"),
        ]
    if task.kind in ("label", "ranking"):
        ranks = [_rank(label, ranking) for label, ranking in table.select("label", "ranking").iter_rows()]
        columns += [
            pl.Series("hit", [float(r == 1) for r in ranks]),
            pl.Series("reciprocal_rank", [1 / r if r is not None and r <= _TOP else 0.0 for r in ranks]),
        ]
    if task.kind == "number_and_text":
        match = [intensity_match(given, true) for given, true in table.select("number", "intensity").iter_rows()]
        columns.append(pl.Series("match", match, pl.Float64))
    if "text" in task.kind:
        given = table["text"].to_list()
        similarity = text_scores([t or "" for t in given], table["gold"].to_list())
        columns.append(
            pl.Series(
                "similarity", [s if t else None for s, t in zip(similarity.tolist(), given, strict=True)], pl.Float64
            )
        )
    return table.select(*keys, *columns)


def metrics_of(task: Task, scores: pl.DataFrame) -> list[Metric]:
    """The metrics that one baseline's scores allow, the leading one first."""
    names = list(task.metrics)
    if "similarity" in scores.columns:
        names.append(text_metric().name)
    given = {"intensity_match": "match", text_metric().name: "similarity"} if "text" in task.kind else {}
    return [METRICS[n] for n in names if n not in given or not scores[given[n]].has_nulls()]


def intensity_match(given: float | None, true: float) -> float | None:
    """max(1, 5 − |Δ|) of intensities from 0 to 10; what is given is rounded to a whole number first, as LLMs answer.

    >>> intensity_match(6.4, 8), intensity_match(0, 10)
    (3.0, 1.0)
    """
    return None if given is None else max(1.0, _BEST_MATCH - abs(round(given) - true))


def _rank(label: str, ranking: list[str]) -> int | None:
    """Place of the true label, from 1; None if it is not in the ranking."""
    return ranking.index(label) + 1 if label in ranking else None
