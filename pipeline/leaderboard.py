"""Print a corpus's leaderboard in the terminal, and where its report lies."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
from rich.console import Console
from rich.table import Table

from features.errors import InputError
from models.evaluation import RESULT_SCHEMA
from models.metrics import METRICS
from models.paper import llm_results
from models.tasks import TASKS
from pipeline.evaluate import LLM_FILE
from pipeline.params import Params
from pipeline.stage import Corpus, run


def main(corpus: Corpus, params: Params) -> None:
    file = corpus.report / "metrics.json"
    if not file.is_file():
        raise InputError(f"{file} is not there: run `make repro CORPUS={corpus.name}` first")
    results = pl.DataFrame(json.loads(file.read_text(encoding="utf-8"))["results"], schema=RESULT_SCHEMA)
    llms = llm_results(LLM_FILE)
    console = Console()
    for name in TASKS:
        part = results.filter(task=name)
        if part.height:
            console.print(_table(name, part, llms.filter(task=name)))
    if corpus.name == "demo":
        console.print(
            "The demo corpus is synthetic: LLM figures come from the real benchmark and are not comparable with it."
        )
    console.print(f"Report: [bold]{Path.cwd() / corpus.report / 'report.html'}[/bold]", soft_wrap=True)


def _table(name: str, results: pl.DataFrame, llms: pl.DataFrame) -> Table:
    """The task's leading metric: every baseline, best first, and the range of the LLMs."""
    metric = METRICS[results["metric"][0]]
    digits = {"%": 1, "1–5": 2}.get(metric.unit, 3)
    scenarios = results["scenario"].unique(maintain_order=True).to_list()
    table = Table(title=f"{name} {TASKS[name].title.lower()}: {metric.title} ({metric.unit})", title_justify="left")
    table.add_column("baseline [evidence]")
    for scenario in scenarios:
        table.add_column(scenario, justify="right")
    leading = results.filter(metric=metric.name)
    order = leading.filter(scenario=scenarios[-1]).sort("value", descending=True, maintain_order=True)
    for baseline, features in order.select("baseline", "features").iter_rows():
        own = leading.filter(baseline=baseline, features=features)
        cells = {
            r["scenario"]: f"{r['value']:.{digits}f} ({r['low']:.{digits}f}–{r['high']:.{digits}f})"
            for r in own.iter_rows(named=True)
        }
        table.add_row(f"{baseline} \\[{features}]", *(cells.get(s, "–") for s in scenarios))
    published = llms.filter(metric=metric.name)
    if published.height:
        values = [published.filter(scenario=s)["value"] for s in scenarios]
        table.add_section()
        table.add_row(
            "ten LLMs: mean (range)",
            *(_range(v.to_list(), digits) for v in values),
        )
    return table


def _range(values: list[float], digits: int) -> str:
    if not values:
        return "–"
    return f"{sum(values) / len(values):.{digits}f} ({min(values):.{digits}f}–{max(values):.{digits}f})"


if __name__ == "__main__":
    run(main)
