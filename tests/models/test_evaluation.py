"""From scores to the published table: shape, verdicts, and which LLM figures may be compared."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from features.errors import InputError
from models.baselines.base import PREDICTION_SCHEMA
from models.bootstrap import GroupBootstrap
from models.evaluation import COMPARISON_SCHEMA, RESULT_SCHEMA, evaluate_task
from models.metrics import scored
from models.paper import LLM_SCHEMA, llm_results
from models.tasks import TASKS
from models.tasks.base import INSTANCE_SCHEMA
from tests.conftest import ROOT

GROUPS = {"couple": [f"couple_{i}" for i in range(8)], "family": [f"family_{i}" for i in range(4)]}
EACH = 10


def scores(task: str, right: dict[str, float]) -> pl.DataFrame:
    """Baselines that hit the given share of each group's instances."""
    label, other = ("intervene", "wait") if task == "ITP" else ("attack_attack", "mixed_transition")
    keys = [
        {"instance_id": f"{g}.{i}", "scenario": scenario, "group": g}
        for scenario, members in GROUPS.items() for g in members for i in range(EACH)
    ]  # fmt: skip
    gold = pl.DataFrame([dict.fromkeys(INSTANCE_SCHEMA) | k | {"label": label} for k in keys], schema=INSTANCE_SCHEMA)
    given = [
        dict.fromkeys(PREDICTION_SCHEMA) | k
        | {"baseline": name, "features": "f", "ranking": [label, other] if n % EACH < share * EACH else [other, label]}
        for name, share in right.items() for n, k in enumerate(keys)
    ]  # fmt: skip
    return scored(TASKS[task], gold, pl.DataFrame(given, schema=PREDICTION_SCHEMA))


def llms(task: str, metric: str, **values: float) -> pl.DataFrame:
    rows = [(m, s, task, metric, v, "by hand") for m, v in values.items() for s in ("couple", "family", "both")]
    return pl.DataFrame(rows, schema=LLM_SCHEMA, orient="row")


def evaluated(task: str, right: dict[str, float], published: pl.DataFrame, same: bool = True):  # type: ignore[no-untyped-def]
    return evaluate_task(TASKS[task], scores(task, right), published, GroupBootstrap(GROUPS, 500, 0.95, 1), same)


def test_every_baseline_has_a_value_with_an_interval_for_every_scenario() -> None:
    results, compared = evaluated("RPP", {"good": 0.8, "poor": 0.3}, llms("RPP", "accuracy", m=50.0))
    assert dict(results.schema) == RESULT_SCHEMA
    assert dict(compared.schema) == COMPARISON_SCHEMA
    found = {(r["baseline"], r["scenario"]): (r["value"], r["n"]) for r in results.iter_rows(named=True)}
    sizes = {"couple": 80, "family": 40, "both": 120}
    assert found == {(b, s): (v, n) for b, v in (("good", 80), ("poor", 30)) for s, n in sizes.items()}
    assert results.select((pl.col("low") <= pl.col("value")) & (pl.col("value") <= pl.col("high"))).to_series().all()


def test_a_difference_has_the_sign_of_its_verdict() -> None:
    _, compared = evaluated(
        "RPP", {"good": 0.8, "poor": 0.3}, llms("RPP", "accuracy", weak=50.0, equal=80.0, strong=95.0)
    )
    of_good = compared.filter(baseline="good", scenario="both")
    verdicts = {r["against"]: (round(r["difference"], 6), r["verdict"]) for r in of_good.iter_rows(named=True)}
    assert verdicts == {
        "poor": (50, "higher"),
        "weak": (30, "higher"),
        "equal": (0, "not told apart"),
        "strong": (-15, "lower"),
    }


@pytest.mark.parametrize(
    ("task", "same", "comparable"), [("RPP", True, True), ("RPP", False, False), ("ITP", True, False)]
)
def test_llm_figures_compare_only_on_the_same_instances_and_where_they_did_not_see_the_answer(
    task: str, same: bool, comparable: bool
) -> None:
    metric = "f1" if task == "ITP" else "accuracy"
    _, compared = evaluated(task, {"one": 0.5, "two": 0.6}, llms(task, metric, m=50.0), same)
    by_kind = dict(compared.group_by("kind").agg(pl.col("comparable").unique()).iter_rows())
    assert by_kind == {"llm": [comparable], "baseline": [True]}


def test_chance_is_not_told_apart_from_itself() -> None:
    rng = np.random.default_rng(3)
    both = scores("RPP", {"one": 0.5, "other": 0.5})
    mixed = both.with_columns(hit=pl.Series(rng.integers(0, 2, both.height).astype(float)))
    _, compared = evaluate_task(
        TASKS["RPP"], mixed, pl.DataFrame(schema=LLM_SCHEMA), GroupBootstrap(GROUPS, 500, 0.95, 1), True
    )
    assert set(compared["verdict"]) == {"not told apart"}


def test_the_papers_figures_are_all_there() -> None:
    found = llm_results(ROOT / "data" / "reference" / "llm_results.csv")
    assert found["model"].n_unique() == 10
    assert set(found["task"]) == set(TASKS)
    mean = found.filter(task="RPP", scenario="both", metric="accuracy")["value"]
    assert (mean.len(), mean.max()) == (10, 45.6)


@pytest.mark.parametrize(
    "content", ["a,b\n1,2\n", "model,scenario,task,metric,value,source\nm,both,RPP,accuracy,high,x\n", ""]
)
def test_a_table_of_llms_in_another_form_is_refused(tmp_path: Path, content: str) -> None:
    file = tmp_path / "llms.csv"
    file.write_text(content)
    with pytest.raises(InputError, match=r"llms\.csv.*expected a CSV with the columns model, scenario, task"):
        llm_results(file)
    with pytest.raises(InputError, match="expected a CSV"):
        llm_results(tmp_path / "none.csv")
