"""Stage report: one self-contained HTML file that sets the baselines beside each other and the LLMs."""

from __future__ import annotations

import json
import platform
from importlib.metadata import version
from typing import Any

import polars as pl
from jinja2 import Environment, PackageLoader, StrictUndefined

from features.facial import EXTRACTOR as FACIAL
from features.prosodic import EXTRACTOR as PROSODIC
from features.store import write_text
from features.textual import EXTRACTOR as TEXTUAL
from models.baselines import REGISTRY
from models.baselines.prior import Prior
from models.evaluation import BOTH, RESULT_SCHEMA
from models.folds import assign_folds
from models.metrics import METRICS
from models.paper import CAUTIONS, NOT_COMPARABLE, counts_against_paper, llm_results
from models.tasks import TASKS, Task
from pipeline import figures
from pipeline.evaluate import LLM_FILE
from pipeline.params import Params
from pipeline.sheets import contact_sheets
from pipeline.stage import Corpus, run

PACKAGES = (
    "mediapipe",
    "ai-edge-litert",
    "opencv-contrib-python",
    "librosa",
    "opensmile",
    "av",
    "torch",
    "sentence-transformers",
    "lightgbm",
    "scikit-learn",
    "polars",
    "dvc",
    "numpy",
)
BENCHMARK = "rescue"


def main(corpus: Corpus, params: Params) -> None:
    samples = pl.read_parquet(corpus.data / "samples.parquet")
    metrics = json.loads((corpus.report / "metrics.json").read_text(encoding="utf-8"))
    results = pl.DataFrame(metrics["results"], schema=RESULT_SCHEMA).with_columns(
        who=pl.concat_str("baseline", pl.lit(" ["), "features", pl.lit("]"))
    )
    comparisons = pl.read_parquet(corpus.data / "comparisons.parquet")
    llms = llm_results(LLM_FILE)
    tasks = [
        _task_section(corpus, task, results.filter(task=name), llms.filter(task=name), comparisons.filter(task=name))
        for name, task in TASKS.items()
    ]
    page = Environment(
        loader=PackageLoader("pipeline"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    text = page.get_template("report.html.j2").render(
        corpus=corpus.name,
        is_benchmark=corpus.name == BENCHMARK,
        cautions=CAUTIONS,
        tasks=tasks,
        overview=_overview(samples),
        media=_media(corpus, samples),
        sheets=contact_sheets(corpus, corpus.name in params.report.show_faces),
        problems=_problems(corpus),
        params=params,
        versions={p: version(p) for p in PACKAGES},
        paper=counts_against_paper(samples, metrics["counts"]).to_dicts() if corpus.name == BENCHMARK else [],
        extractors=[FACIAL, PROSODIC, TEXTUAL],
        baselines={n: _prose(b.__doc__) for n, b in REGISTRY.items()},
        folds={
            s: len({f for g, f in assign_folds(samples, params.train.folds).items() if g.startswith(s)})
            for s in samples["scenario"].unique(maintain_order=True)
        },
        python=platform.python_version(),
        columns=pl.read_csv(corpus.data / "features" / "dictionary.csv").filter(pl.col("group") != "key").height,
    )
    write_text(corpus.report / "report.html", text)
    print(f"report: {corpus.report}/report.html")


def _prose(docstring: str | None) -> str:
    return " ".join((docstring or "").replace("``", "").split())


def _overview(samples: pl.DataFrame) -> list[dict[str, Any]]:
    rows = [
        {
            "scenario": str(s),
            "groups": part["group"].n_unique(),
            "samples": part.height,
            "turns": int(part["turns"].sum()),
            "minutes": float(part["minutes"].sum()),
            "therapist": 100 * int(part["therapist_turns"].sum()) / max(int(part["turns"].sum()), 1),
        }
        for (s,), part in samples.group_by(["scenario"], maintain_order=True)
    ]
    return rows


def _media(corpus: Corpus, samples: pl.DataFrame) -> dict[str, Any]:
    """What recordings there were; samples by their number only."""
    media = samples.select("sample_id", "number", "group").join(
        pl.read_parquet(corpus.data / "media.parquet"), on="sample_id", how="inner", maintain_order="left"
    )
    turns = pl.read_parquet(
        corpus.data / "features" / "turns.parquet", columns=["sample_id", "prosody__seconds", "face__on_screen_share"]
    )
    per_sample = turns.group_by("sample_id").agg(
        voice=pl.col("prosody__seconds").is_not_null().mean(),
        face=(pl.col("face__on_screen_share") > 0).fill_null(False).mean(),
    )
    return {
        "samples": samples.height,
        "video": int(media["has_video"].sum()),
        "audio": int(media["has_audio"].sum()),
        "rows": media.join(per_sample, on="sample_id", how="left", maintain_order="left").drop("sample_id").to_dicts(),
    }


def _problems(corpus: Corpus) -> list[dict[str, Any]]:
    counted = (
        corpus.problems()
        .group_by("stage", "kind")
        .agg(pl.len().alias("n"), pl.col("sample_id").n_unique().alias("samples"))
    )
    return counted.sort("stage", "kind").to_dicts()


def _task_section(
    corpus: Corpus, task: Task, results: pl.DataFrame, llms: pl.DataFrame, comparisons: pl.DataFrame
) -> dict[str, Any]:
    scenarios = results["scenario"].unique(maintain_order=True).to_list()
    section: dict[str, Any] = {
        "name": task.name,
        "title": task.title,
        "scenarios": scenarios,
        "definition": _prose(task.__doc__),
    }
    if not scenarios:
        return section
    leading = METRICS[results["metric"][0]]
    last = scenarios[-1]
    best = (
        results.filter(metric=leading.name, scenario=last)
        .sort("value", descending=True, maintain_order=True)
        .row(0, named=True)
    )
    trained = results.filter(
        pl.col("metric") == leading.name, pl.col("scenario") == last, pl.col("baseline") != Prior.name
    )
    shown = trained.sort("value", descending=True, maintain_order=True).row(0, named=True)
    of_metric = llms.filter(metric=leading.name)
    labels = [s for s in scenarios if s != BOTH]
    section |= {
        "leading": leading,
        "best": best,
        "metrics": [METRICS[m] for m in results["metric"].unique(maintain_order=True)],
        "figure": figures.leaderboard(
            results.filter(metric=leading.name), of_metric.select("model", "scenario", "value"), leading, scenarios
        ),
        "rows": _rows(results),
        "llm_rows": _llm_rows(llms, scenarios),
        "llm_metrics": [m for n, m in METRICS.items() if n in set(llms["metric"])],
        "llm_range": _llm_range(of_metric.filter(scenario=last)),
        "comparable": task.name not in NOT_COMPARABLE and corpus.name == BENCHMARK,
        "verdicts": _verdicts(comparisons.filter(metric=leading.name, scenario=last), best),
        "last": last,
        "distribution": _distribution(corpus, task, labels),
        "confusion": _confusion(corpus, task, shown, labels),
        "confused": shown["who"],
    }
    return section


def _rows(results: pl.DataFrame) -> list[dict[str, Any]]:
    """One row a baseline: its values by (scenario, metric)."""
    return [
        {"who": str(who), "cells": {(r["scenario"], r["metric"]): r for r in part.iter_rows(named=True)}}
        for (who,), part in results.group_by(["who"], maintain_order=True)
    ]


def _llm_rows(llms: pl.DataFrame, scenarios: list[str]) -> list[dict[str, Any]]:
    return [
        {
            "who": str(model),
            "cells": {
                (s, m): v for s, m, v in part.select("scenario", "metric", "value").iter_rows() if s in scenarios
            },
        }
        for (model,), part in llms.group_by(["model"], maintain_order=True)
    ]


def _llm_range(llms: pl.DataFrame) -> dict[str, Any] | None:
    if not llms.height:
        return None
    top = llms.sort("value", descending=True).row(0, named=True)
    return {"mean": llms["value"].mean(), "low": llms["value"].min(), "best": top["value"], "best_model": top["model"]}


def _verdicts(comparisons: pl.DataFrame, best: dict[str, Any]) -> dict[str, Any]:
    """How the baseline that leads here stands to every other baseline and to the LLMs; signs turned so that it comes first."""
    own = (pl.col("baseline") == best["baseline"]) & (pl.col("features") == best["features"])
    turned = (pl.col("against") == best["baseline"]) & (pl.col("against_features") == best["features"])
    forward = comparisons.filter(own & (pl.col("kind") == "baseline")).select(
        "against", "against_features", "difference", "low", "high", "verdict"
    )
    backward = comparisons.filter(turned & (pl.col("kind") == "baseline")).select(
        against="baseline",
        against_features="features",
        difference=-pl.col("difference"),
        low=-pl.col("high"),
        high=-pl.col("low"),
        verdict=pl.col("verdict").replace({"higher": "lower", "lower": "higher"}),
    )
    against_llms = comparisons.filter(own & (pl.col("kind") == "llm"))
    return {
        "baselines": pl.concat([forward, backward]).to_dicts(),
        "llms": {v: against_llms.filter(verdict=v).height for v in ("higher", "not told apart", "lower")}
        if against_llms.height
        else {},
    }


def _distribution(corpus: Corpus, task: Task, scenarios: list[str]) -> str | None:
    instances = pl.read_parquet(corpus.data / "tasks" / f"{task.name}.parquet").unique(
        "instance_id", keep="first", maintain_order=True
    )
    if task.name == "ER":
        return figures.histogram(instances.select("scenario", value="intensity"), scenarios, "true intensity (0–10)")
    if task.name not in ("ITP", "RPP", "SSP"):
        return None  # STP's and VP's labels are people
    return figures.distribution(instances.group_by("scenario", "label").len("n"), scenarios)


def _confusion(corpus: Corpus, task: Task, shown: dict[str, Any], scenarios: list[str]) -> str | None:
    path = corpus.report / "plots" / f"confusion_{task.name}.csv"
    if not path.is_file():
        return None
    counts = pl.read_csv(path).filter(baseline=shown["baseline"], features=shown["features"])
    return figures.confusion(counts, scenarios)


if __name__ == "__main__":
    run(main)
