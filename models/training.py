"""Out-of-fold predictions: every instance is predicted once, by a model that never saw its people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import joblib
import numpy as np
import polars as pl

from features.batch import worker_count
from features.embedding import Embedder
from models.baselines import REGISTRY, Baseline, Settings
from models.baselines.base import PREDICTION_SCHEMA
from models.inputs import GROUPS, Inputs
from models.tasks import Task
from models.texts import patterns

_GOLD = ("label", "intensity", "text")


def plan(task: Task, feature_sets: Mapping[str, list[str]]) -> Iterator[tuple[type[Baseline], str, list[str]]]:
    """Yield (baseline, name of what it sees, feature groups) for everything that a task's table shall hold."""
    for baseline in REGISTRY.values():
        if task.name not in baseline.tasks:
            continue
        if baseline.takes_groups:
            yield from ((baseline, name, groups) for name, groups in feature_sets.items())
        else:
            yield baseline, baseline.sees, list(GROUPS)


def cross_predict(
    task: Task, baseline: type[Baseline], features: str, inputs: Inputs, folds: Mapping[str, int], settings: Settings
) -> pl.DataFrame:
    """Predict every instance out of fold, each scenario on its own.

    Parameters
    ----------
    inputs : all rows of the task, restricted to the features that the baseline may use.
    folds : group → fold.

    Returns
    -------
    PREDICTION_SCHEMA, one row an instance.
    """
    table = inputs.table
    fold = np.array([folds[g] for g in table["group"]])
    scenario = table["scenario"].to_numpy()

    if "text" in task.kind:  # all at once: embedding batches must not depend on which fold comes first
        Embedder.shared().embed(patterns(table))

    def predict_fold(name: str, number: int) -> pl.DataFrame | None:
        train_rows = np.flatnonzero((scenario == name) & (fold != number))
        if not len(train_rows):
            return None  # one group only: nobody to learn from
        model = baseline(task, settings)
        model.fit(inputs.take(train_rows))
        found = model.predict(_without_gold(inputs.take(np.flatnonzero((scenario == name) & (fold == number)))))
        return found.frame().with_columns(fold=pl.lit(int(number), pl.Int32))

    jobs = [(name, number) for name in dict.fromkeys(scenario) for number in sorted(set(fold[scenario == name]))]
    # Threads: the heavy parts release the interpreter lock, and nothing has to be copied to other processes.
    found_of_folds = joblib.Parallel(n_jobs=worker_count(), prefer="threads")(
        joblib.delayed(predict_fold)(*job) for job in jobs
    )
    parts = [part for part in found_of_folds if part is not None]
    if not parts:
        return pl.DataFrame(schema=PREDICTION_SCHEMA)
    who = table.unique("instance_id", maintain_order=True).select("instance_id", "scenario", "group")
    found_all = who.join(pl.concat(parts), on="instance_id", how="inner", maintain_order="left")
    return found_all.with_columns(baseline=pl.lit(baseline.name), features=pl.lit(features)).select(*PREDICTION_SCHEMA)


def _without_gold(test: Inputs) -> Inputs:
    """The same rows without what is asked for: a baseline that looks at it fails instead of cheating."""
    blank = test.table.with_columns(pl.lit(None, test.table.schema[c]).alias(c) for c in _GOLD)
    return Inputs(blank, test.names, test.values, test.vectors, test.words)
