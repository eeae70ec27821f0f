"""Stage evaluate: score all predictions, with intervals over groups, and set them beside each other and the LLMs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl

from features.store import atomic, write_json, write_parquet
from models.bootstrap import GroupBootstrap
from models.evaluation import evaluate_task
from models.metrics import scored
from models.paper import counts_against_paper, llm_results
from models.tasks import TASKS
from pipeline.params import Params
from pipeline.stage import Corpus, run

LLM_FILE = Path("data/reference/llm_results.csv")


def main(corpus: Corpus, params: Params) -> None:
    samples = pl.read_parquet(corpus.data / "samples.parquet")
    instances = {
        t: pl.read_parquet(corpus.data / "tasks" / f"{t}.parquet").unique(
            "instance_id", keep="first", maintain_order=True
        )
        for t in TASKS
    }
    counts = {
        t: dict(table.group_by("scenario", maintain_order=True).len().iter_rows()) for t, table in instances.items()
    }
    llms = llm_results(LLM_FILE)
    groups = {
        str(s): part["group"].unique(maintain_order=True).to_list()
        for (s,), part in samples.group_by(["scenario"], maintain_order=True)
    }
    bootstrap = GroupBootstrap(groups, params.evaluate.resamples, params.evaluate.confidence, params.seed)
    same = bool((counts_against_paper(samples, counts)["verdict"] == "same").all())
    results, comparisons = [], []
    for name, task in TASKS.items():
        predictions = pl.read_parquet(corpus.data / "predictions" / f"{name}.parquet")
        found, compared = evaluate_task(task, scored(task, instances[name], predictions), llms, bootstrap, same)
        results.append(found)
        comparisons.append(compared)
        _write_confusion(corpus, name, instances[name], predictions)
        print(f"evaluate: {name} {found.height} figures", flush=True)
    table = pl.concat(results)
    write_parquet(corpus.data / "comparisons.parquet", pl.concat(comparisons))
    write_json(corpus.report / "metrics.json", {"corpus": corpus.name, "counts": counts, "results": table.to_dicts()})
    write_json(corpus.report / "scores.json", _nested(table))
    _write_csv(corpus.report / "plots" / "leaderboard.csv", _leaderboard(table, llms))


def _nested(results: pl.DataFrame) -> dict[str, Any]:
    """The same values as a tree, the form in which `dvc metrics diff` compares two revisions."""
    tree: dict[str, Any] = {}
    for row in results.iter_rows(named=True):
        metrics = (
            tree.setdefault(row["task"], {})
            .setdefault(f"{row['baseline']}[{row['features']}]", {})
            .setdefault(row["scenario"], {})
        )
        metrics[row["metric"]] = round(row["value"], 4)
    return tree


def _leaderboard(results: pl.DataFrame, llms: pl.DataFrame) -> pl.DataFrame:
    """Baselines and LLMs below one another, for `dvc plots`."""
    ours = results.select(
        "task",
        "scenario",
        "metric",
        pl.concat_str("baseline", pl.lit(" ["), "features", pl.lit("]")).alias("who"),
        "value",
        "low",
        "high",
    )
    theirs = llms.select("task", "scenario", "metric", who="model", value="value").with_columns(
        low=pl.lit(None, pl.Float64), high=pl.lit(None, pl.Float64)
    )
    return pl.concat([ours, theirs]).sort("task", "scenario", "metric", "value", "who")


def _write_confusion(corpus: Corpus, task: str, instances: pl.DataFrame, predictions: pl.DataFrame) -> None:
    """Gold against predicted label of every baseline that ranks labels; STP's labels are people and are left out."""
    if TASKS[task].kind not in ("binary", "label") and task != "SSP":
        return
    pairs = predictions.join(
        instances.select("instance_id", gold="label"), on="instance_id", how="left", maintain_order="left"
    )
    counted = (
        pairs.with_columns(predicted=pl.col("ranking").list.first())
        .group_by("scenario", "baseline", "features", "gold", "predicted")
        .len("instances")
        .sort("scenario", "baseline", "features", "gold", "predicted")
    )
    _write_csv(corpus.report / "plots" / f"confusion_{task}.csv", counted)


def _write_csv(path: Path, table: pl.DataFrame) -> None:
    with atomic(path) as temporary:
        table.write_csv(temporary, float_precision=4)


if __name__ == "__main__":
    run(main)
