"""Metrics: worked examples."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models import metrics
from models.baselines.base import PREDICTION_SCHEMA
from models.bootstrap import GroupBootstrap
from models.metrics import METRICS, intensity_match, metrics_of, scored
from models.similarity import text_metric, text_scores
from models.tasks import TASKS
from models.tasks.base import INSTANCE_SCHEMA


def frames(task: str, gold: list[dict[str, Any]], given: list[dict[str, Any]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    keys = [{"instance_id": str(i), "scenario": "couple", "group": f"g{i % 2}"} for i in range(len(gold))]
    said = [{"baseline": "b", "features": "f"}] * len(gold)
    return (
        pl.DataFrame(
            [dict.fromkeys(INSTANCE_SCHEMA) | k | g for k, g in zip(keys, gold, strict=True)], schema=INSTANCE_SCHEMA
        ),
        pl.DataFrame(
            [dict.fromkeys(PREDICTION_SCHEMA) | k | s | p for k, s, p in zip(keys, said, given, strict=True)],
            schema=PREDICTION_SCHEMA,
        ),
    )


def values(task: str, gold: list[dict[str, Any]], given: list[dict[str, Any]]) -> dict[str, float]:
    scores = scored(TASKS[task], *frames(task, gold, given))
    whole = GroupBootstrap({"couple": ["g0", "g1"]}, 100, 0.95, 1)
    return {m.name: float(whole.draws(scores, m)[0]) for m in metrics_of(TASKS[task], scores)}


def test_intervention() -> None:
    gold = [{"label": g} for g in ["intervene"] * 4 + ["wait"] * 4]
    said = [{"ranking": [s, "?"]} for s in ["intervene"] * 3 + ["wait"] * 4 + ["intervene"]]
    assert values("ITP", gold, said) == {"f1": 75, "precision": 75, "recall": 75, "accuracy": 75}


def test_always_intervening_gives_two_thirds() -> None:
    gold = [{"label": g} for g in ["intervene", "wait"] * 5]
    found = values("ITP", gold, [{"ranking": ["intervene", "wait"]}] * 10)
    assert found["f1"] == pytest.approx(66.667, abs=1e-3)
    assert (found["precision"], found["recall"]) == (50, 100)


def test_never_intervening_gives_zero_and_no_nan() -> None:
    found = values("ITP", [{"label": "intervene"}, {"label": "wait"}], [{"ranking": ["wait", "intervene"]}] * 2)
    assert (found["f1"], found["precision"], found["recall"]) == (0, 0, 0)


def test_ranking_is_scored_within_the_top_three() -> None:
    gold = [{"label": "a"}] * 5
    given = [{"ranking": r} for r in (["a", "b"], ["b", "a"], ["b", "c", "a"], ["b", "c", "d", "a"], ["b"])]
    assert values("STP", gold, given) == {"recall_at_1": 20, "mrr": pytest.approx(100 * (1 + 1 / 2 + 1 / 3) / 5)}


def test_accuracy_of_labels() -> None:
    assert values("RPP", [{"label": "a"}, {"label": "b"}], [{"ranking": ["a", "b"]}] * 2) == {"accuracy": 50}


@pytest.mark.parametrize(
    ("given", "true", "match"), [(7, 7, 5), (5, 7, 3), (0, 10, 1), (10, 0, 1), (6.4, 7, 4), (6.6, 7, 5)]
)
def test_match_of_intensities(given: float, true: float, match: float) -> None:
    assert intensity_match(given, true) == match


def test_a_baseline_without_texts_has_no_text_metric() -> None:
    gold = [{"intensity": 5.0, "text": "sad"}] * 2
    assert set(values("ER", gold, [{"number": 5.0, "text": ""}] * 2)) == {"intensity_match"}
    assert set(values("ER", gold, [{"number": 5.0, "text": "sad"}] * 2)) == {"intensity_match", text_metric().name}


def test_text_metric_orders_texts_by_likeness() -> None:
    gold = "Ada feels hurt because Ben did not listen to her."
    same, near, far, nothing = text_scores(
        [gold, "Ada is sad that Ben does not hear her.", "The train leaves at noon.", " "], [gold] * 4
    )
    assert same == pytest.approx(1, abs=1e-4)
    assert same > near > far > nothing == 0


def test_a_text_scores_the_same_alone_and_in_any_company() -> None:
    gold = [
        "Ada feels hurt because Ben did not listen to her.",
        "Relief.",
        "Cleo wants to be asked before they decide.",
    ]
    given = ["Ada is sad.", "She is calm again now that it has been said aloud.", "Cleo wishes that somebody asked."]
    together = text_scores(given, gold)
    alone = [text_scores([a], [b])[0] for a, b in zip(given, gold, strict=True)]
    assert together.tolist() == alone  # to the last bit: the report's bytes depend on it


def test_every_published_metric_has_a_unit_and_every_task_a_leading_one() -> None:
    assert all(name == m.name and m.unit in ("%", "0–1", "1–5") for name, m in METRICS.items())
    assert all(set(t.metrics) <= set(METRICS) for t in TASKS.values())


@given(st.lists(st.tuples(st.sampled_from("ab"), st.permutations("abcd")), min_size=1, max_size=20))
def test_the_metric_is_what_the_formula_says(cases: list[tuple[str, list[str]]]) -> None:
    found = values("SSP", [{"label": g} for g, _ in cases], [{"ranking": list(r)} for _, r in cases])
    ranks = [r.index(g) + 1 for g, r in cases]
    assert found["recall_at_1"] == pytest.approx(100 * sum(r == 1 for r in ranks) / len(ranks))
    assert found["mrr"] == pytest.approx(100 * sum(1 / r for r in ranks if r <= metrics._TOP) / len(ranks))
