"""Cross-validation: nothing learned from who is predicted, signals found, chance where there is none, same bytes again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from features.annotations import Annotations, read_annotations
from models.baselines import REGISTRY, Baseline, Predictions, Settings
from models.bootstrap import GroupBootstrap
from models.evaluation import evaluate_task
from models.folds import assign_folds
from models.inputs import GROUPS, Conversations, Inputs
from models.metrics import scored
from models.paper import LLM_SCHEMA
from models.tasks import TASKS, Task
from models.training import cross_predict, plan
from pipeline.params import load_params
from tests.conftest import ROOT, HashEmbedder, features_of, row, sample, synthetic

PARAMS = load_params(ROOT / "params.yaml")
FAST = Settings(3, 5, dict(PARAMS.train.lightgbm) | {"n_estimators": 8}, PARAMS.train.tfidf.model_dump())
CASES = [(t, b) for t in TASKS for b in REGISTRY if t in REGISTRY[b].tasks]
NO_LLMS = pl.DataFrame(schema=LLM_SCHEMA)


@pytest.fixture(autouse=True)
def hashed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Gold texts are embedded by hash: what they mean does not matter here."""
    monkeypatch.setattr("models.training.Embedder.shared", HashEmbedder)
    monkeypatch.setattr("models.baselines.prior.Embedder.shared", HashEmbedder)
    monkeypatch.setattr("models.baselines.retrieval.Embedder.shared", HashEmbedder)


def inputs_of(read: Annotations, task: str, turns_features: pl.DataFrame | None = None) -> Inputs:
    table = TASKS[task].instances(read.turns, read.samples, TASKS[task].default_context)
    found = features_of(read.turns) if turns_features is None else turns_features
    return Conversations(read.turns, found).inputs(table)


@pytest.fixture(scope="module")
def prepared(corpus: Annotations, features: pl.DataFrame) -> dict[str, Inputs]:
    """Instances with the features of dialogue: fewer columns than all, the same code."""
    return {t: inputs_of(corpus, t, features).with_groups(("structure", "text")) for t in TASKS}


def predict(inputs: Inputs, task: str, baseline: str, folds: dict[str, int], how: Settings = FAST) -> pl.DataFrame:
    return cross_predict(TASKS[task], REGISTRY[baseline], "x", inputs, folds, how)


@pytest.mark.parametrize(("task", "baseline"), CASES)
def test_every_instance_gets_one_well_formed_prediction(
    corpus: Annotations, prepared: dict[str, Inputs], task: str, baseline: str
) -> None:
    inputs = prepared[task]
    found = predict(inputs, task, baseline, assign_folds(corpus.samples, 4))
    assert found["instance_id"].to_list() == inputs.table["instance_id"].unique(maintain_order=True).to_list()
    kind = TASKS[task].kind
    if kind in ("binary", "label", "ranking"):
        assert (found["ranking"].list.len() == found["ranking"].list.n_unique()).all()
        assert all(s == sorted(s, reverse=True) for s in found["scores"].to_list())
    if task == "STP":
        options = inputs.table.group_by("instance_id", maintain_order=True).agg("candidate")["candidate"].to_list()
        assert [sorted(r) for r in found["ranking"].to_list()] == [sorted(o) for o in options]
    if kind == "number_and_text":
        assert found["number"].is_between(0, 10).all()
    if kind == "text":
        assert (found["text"] != "").all()


@pytest.mark.parametrize(("task", "baseline"), CASES)
@settings(
    max_examples=2, deadline=None, phases=[Phase.generate],  # a seed cannot be made simpler
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)  # fmt: skip
@given(seed=st.integers(0, 10_000))
def test_nobody_is_predicted_from_their_own_gold_or_their_fold_mates(
    corpus: Annotations, prepared: dict[str, Inputs], task: str, baseline: str, seed: int
) -> None:
    """Another gold for one group changes nothing in its fold; other features change nothing for the rest of the fold."""
    rng = np.random.default_rng(seed)
    inputs = prepared[task]
    folds = assign_folds(corpus.samples, 2)
    group = str(rng.choice(inputs.table["group"].unique(maintain_order=True).to_list()))
    own = (inputs.table["group"] == group).to_numpy()
    before = predict(inputs, task, baseline, folds)

    rows = np.arange(len(own))
    rows[own] = rng.permutation(rows[own])
    gold = [pl.Series(c, inputs.table[c][rows]) for c in ("label", "intensity", "text")]
    other_gold = replace(inputs, table=inputs.table.with_columns(gold))
    after = predict(other_gold, task, baseline, folds)
    same_fold = pl.col("group").replace_strict(folds) == folds[group]
    same_scenario = pl.col("scenario") == group.split("_")[0]
    assert after.filter(same_fold & same_scenario).equals(before.filter(same_fold & same_scenario))

    strange = replace(
        other_gold,
        values=np.where(own[:, None], rng.permuted(inputs.values), inputs.values),
        vectors={k: np.where(own[:, None], v[::-1], v) for k, v in inputs.vectors.items()},
        words=tuple("nonsense" if o else w for o, w in zip(own, inputs.words, strict=True)),
    )
    after = predict(strange, task, baseline, folds)
    mates = same_fold & same_scenario & (pl.col("group") != group)
    assert after.filter(mates).equals(before.filter(mates))


def test_training_never_holds_the_people_who_are_predicted(corpus: Annotations, prepared: dict[str, Inputs]) -> None:
    seen: list[tuple[set[str], set[str], set[str]]] = []

    class Spy(Baseline):
        name, tasks = "spy", frozenset({"ITP"})

        def fit(self, train: Inputs) -> None:
            self.train = train

        def predict(self, test: Inputs) -> Predictions:
            scenarios = set(self.train.table["scenario"]) | set(test.table["scenario"])
            seen.append((set(self.train.table["group"]), set(test.table["group"]), scenarios))
            assert test.table.select("label", "intensity", "text").null_count().row(0) == (test.table.height,) * 3
            ids = test.table["instance_id"].to_list()
            return Predictions.of_scores(ids, ["wait"], np.ones((len(ids), 1)))

    cross_predict(TASKS["ITP"], Spy, "x", prepared["ITP"], assign_folds(corpus.samples, 3), FAST)
    assert len(seen) == 3 + 2
    for train, test, scenarios in seen:
        assert not train & test
        assert len(scenarios) == 1


@pytest.mark.parametrize(("task", "baseline"), [(t, b) for t, b in CASES if b in ("lightgbm", "tfidf_linear")])
def test_the_same_again_on_any_number_of_cores(
    corpus: Annotations, prepared: dict[str, Inputs], task: str, baseline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    folds = assign_folds(corpus.samples, 3)
    monkeypatch.setenv("RESCUE_WORKERS", "1")
    one = predict(prepared[task], task, baseline, folds)
    monkeypatch.setenv("RESCUE_WORKERS", "4")
    assert predict(prepared[task], task, baseline, folds).equals(one)


# --- signals


@pytest.fixture(scope="module")
def full_demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Annotations, pl.DataFrame]:
    """The demo corpus at its full size, without films."""
    demo = PARAMS.demo
    read = synthetic(
        tmp_path_factory.mktemp("demo"), PARAMS.seed, couples=demo.couples, families=demo.families,
        samples_per_group=demo.samples_per_group, turns_per_sample=demo.turns_per_sample,
    )  # fmt: skip
    return read, features_of(read.turns)


LEADING = {"ITP": "accuracy", "RPP": "accuracy", "STP": "recall_at_1", "SSP": "recall_at_1"}
AS_SHIPPED = Settings(PARAMS.seed, PARAMS.train.pca_components, PARAMS.train.lightgbm, PARAMS.train.tfidf.model_dump())


def against_prior(task: Task, inputs: Inputs, samples: pl.DataFrame) -> dict[str, float]:
    """Prior minus LightGBM (structure and text) on the task's metric, over both scenarios."""
    folds = assign_folds(samples, PARAMS.train.folds)
    found = pl.concat(
        cross_predict(task, REGISTRY[b], b, inputs.with_groups(g), folds, AS_SHIPPED)
        for b, g in (("prior", GROUPS), ("lightgbm", ("structure", "text")))
    )
    groups = {
        str(s): part["group"].unique(maintain_order=True).to_list()
        for (s,), part in samples.group_by(["scenario"], maintain_order=True)
    }
    bootstrap = GroupBootstrap(groups, 1000, 0.95, 1)
    _, compared = evaluate_task(task, scored(task, inputs.table, found), NO_LLMS, bootstrap, False)
    return compared.filter(scenario="both", metric=LEADING[task.name]).row(0, named=True)


@pytest.mark.parametrize("task", LEADING)
def test_the_planted_signal_is_found(full_demo: tuple[Annotations, pl.DataFrame], task: str) -> None:
    read, features = full_demo
    found = against_prior(TASKS[task], inputs_of(read, task, features), read.samples)
    assert (found["baseline"], found["against"]) == ("prior", "lightgbm")
    assert found["high"] < 0, found


def permuted(inputs: Inputs, rng: np.random.Generator) -> dict[str, str]:
    """Labels shuffled over the instances of a scenario; for STP any candidate of the same instance."""
    whose = inputs.table.unique("instance_id", maintain_order=True)
    if inputs.table["candidate"].null_count() == 0:
        options = dict(inputs.table.group_by("instance_id").agg("candidate").iter_rows())
        return {i: str(rng.choice(options[i])) for i in whose["instance_id"]}
    labels: dict[str, str] = {}
    for _, part in whose.group_by(["scenario"], maintain_order=True):
        labels |= dict(zip(part["instance_id"], rng.permutation(part["label"].to_numpy()), strict=True))
    return labels


def chance(gold: pl.DataFrame) -> float:
    """What first choices score that have nothing to do with the labels, but are made as often."""
    if gold["options"].null_count() == 0:
        return float((1 / gold["options"]).mean())  # type: ignore[arg-type]
    by_label = gold.group_by("scenario", "label").len("true").join(
        gold.group_by("scenario", pl.col("first").alias("label")).len("chosen"), on=["scenario", "label"]
    )  # fmt: skip
    sizes = gold.group_by("scenario").len("n")
    hits = by_label.join(sizes, on="scenario").select((pl.col("true") * pl.col("chosen") / pl.col("n")).sum()).item()
    return float(hits) / gold.height


@pytest.mark.parametrize("task", LEADING)
def test_permuted_labels_give_chance(full_demo: tuple[Annotations, pl.DataFrame], task: str) -> None:
    """No way around the folds: with labels shuffled LightGBM is within three standard errors of guessing, each time."""
    read, features = full_demo
    inputs = inputs_of(read, task, features).with_groups(("structure", "text"))
    options = inputs.table.group_by("instance_id").agg(options=pl.len() if task == "STP" else pl.lit(None, pl.UInt32))
    for seed in range(3):
        labels = permuted(inputs, np.random.default_rng(seed))
        shuffled = replace(inputs, table=inputs.table.with_columns(label=pl.col("instance_id").replace_strict(labels)))
        found = predict(shuffled, task, "lightgbm", assign_folds(read.samples, 4))
        gold = found.select(
            "instance_id", "scenario", first=pl.col("ranking").list.first(), label=pl.col("instance_id").replace_strict(labels)
        ).join(options, on="instance_id")  # fmt: skip
        expected = chance(gold)
        error = (expected * (1 - expected) / gold.height) ** 0.5
        score = float((gold["first"] == gold["label"]).mean())  # type: ignore[arg-type]
        assert abs(score - expected) < 3 * error, (score, expected, error)


# --- small and odd corpora


def conversations(folder: Path, *speakers_of_samples: str, strategy: str = "track") -> Annotations:
    names = {"A": "Ada", "B": "Ben", "T": "Therapist"}
    samples = []
    for k, speakers in enumerate(speakers_of_samples):
        rows = [
            row(
                i, i + 1, names[s], dialogue_cleaned="",
                relation_cycle_state="attack_attack" if s == "T" else "",
                support_strategy=[{"strategy_type": strategy, "target": ["Ben"]}] if s == "T" else [],
            )
            for i, s in enumerate(speakers)
        ]  # fmt: skip
        samples.append(sample(rows, f"pair{k}/001"))
    file = folder / "a.jsonl"
    file.write_text("\n".join(map(json.dumps, samples)))
    return read_annotations(file)


def everything(read: Annotations) -> Iterator[tuple[str, str, pl.DataFrame]]:
    folds = assign_folds(read.samples, PARAMS.train.folds)
    for name, task in TASKS.items():
        inputs = inputs_of(read, name)
        if inputs.table.height:
            for baseline, sees, groups in plan(task, {"all": list(GROUPS)}):
                yield name, baseline.name, cross_predict(task, baseline, sees, inputs.with_groups(groups), folds, FAST)


def test_one_label_no_words_and_few_people_are_no_reason_to_stop(tmp_path: Path) -> None:
    found = list(everything(conversations(tmp_path, "ABTABT", "ABATBT", "TBBATA")))
    assert {t for t, _, _ in found} == {"ITP", "RPP", "STP", "SSP"}
    assert all(f.height for _, _, f in found)


def test_one_couple_alone_gets_no_prediction(tmp_path: Path) -> None:
    assert all(f.is_empty() for _, _, f in everything(conversations(tmp_path, "ABTABT")))
