"""Stage tasks: build the instances of all six tasks."""

from __future__ import annotations

import polars as pl

from features.store import write_parquet
from models.tasks import TASKS
from pipeline.params import Params
from pipeline.stage import Corpus, run


def main(corpus: Corpus, params: Params) -> None:
    turns = pl.read_parquet(corpus.data / "turns.parquet")
    samples = pl.read_parquet(corpus.data / "samples.parquet")
    context: dict[str, int | None] = dict(params.tasks.context_turns.items())
    for name, task in TASKS.items():
        table = task.instances(turns, samples, context.get(name, task.default_context))
        write_parquet(corpus.data / "tasks" / f"{name}.parquet", table)
        print(f"tasks: {name} {table['instance_id'].n_unique()} instances")


if __name__ == "__main__":
    run(main)
