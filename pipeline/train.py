"""Stage train: out-of-fold predictions of all baselines for one task."""

from __future__ import annotations

import time

import polars as pl

from features.store import write_parquet
from models.baselines import Settings
from models.baselines.base import PREDICTION_SCHEMA
from models.folds import assign_folds
from models.inputs import Conversations
from models.tasks import TASKS
from models.training import cross_predict, plan
from pipeline.params import Params
from pipeline.stage import Corpus, run


def main(corpus: Corpus, params: Params, task: str) -> None:
    turns = pl.read_parquet(corpus.data / "turns.parquet")
    features = pl.read_parquet(corpus.data / "features" / "turns.parquet")
    samples = pl.read_parquet(corpus.data / "samples.parquet")
    table = pl.read_parquet(corpus.data / "tasks" / f"{task}.parquet")
    settings = Settings(
        params.seed, params.train.pca_components, params.train.lightgbm, params.train.tfidf.model_dump()
    )
    folds = assign_folds(samples, params.train.folds)
    parts = []
    if table.height:
        inputs = Conversations(turns, features).inputs(table)
        for baseline, name, groups in plan(TASKS[task], {k: list(v) for k, v in params.train.feature_sets.items()}):
            began = time.perf_counter()
            parts.append(cross_predict(TASKS[task], baseline, name, inputs.with_groups(groups), folds, settings))
            print(f"train: {task} {baseline.name} [{name}] {time.perf_counter() - began:.1f} s", flush=True)
    write_parquet(
        corpus.data / "predictions" / f"{task}.parquet",
        pl.concat(parts) if parts else pl.DataFrame(schema=PREDICTION_SCHEMA),
    )


if __name__ == "__main__":
    run(main, "task")
