"""The interface of a baseline and the registry. A new baseline is one new file in this folder."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import polars as pl
from sklearn.dummy import DummyClassifier

from models.inputs import Inputs
from models.tasks import Task

PREDICTION_SCHEMA: dict[str, Any] = {
    "instance_id": pl.String,
    "scenario": pl.String,
    "group": pl.String,
    "fold": pl.Int32,
    "baseline": pl.String,
    "features": pl.String,
    "ranking": pl.List(pl.String),
    "scores": pl.List(pl.Float64),
    "number": pl.Float64,
    "text": pl.String,
}


@dataclass(frozen=True)
class Settings:
    """What training may be told: the section ``train`` of params.yaml, and the seed."""

    seed: int
    pca_components: int
    lightgbm: dict[str, float | int]
    tfidf: dict[str, float | int]


@dataclass
class Predictions:
    """One entry an instance, in the order of ``instance_ids``. ``rankings`` are best first, ``scores`` belong to them."""

    instance_ids: list[str]
    rankings: list[list[str] | None] = field(default_factory=list)
    scores: list[list[float] | None] = field(default_factory=list)
    numbers: list[float | None] = field(default_factory=list)
    texts: list[str | None] = field(default_factory=list)

    @classmethod
    def of_scores(cls, instance_ids: Sequence[str], classes: Sequence[str], scores: np.ndarray) -> Predictions:
        """Rank classes by a score each. ``scores`` [shape=(instances, classes)]; ties keep the order of ``classes``."""
        order = np.argsort(-scores, axis=1, kind="stable")
        return cls(
            list(instance_ids),
            [[classes[i] for i in row] for row in order],
            [[float(s[i]) for i in row] for s, row in zip(scores, order, strict=True)],
        )

    def frame(self) -> pl.DataFrame:
        n = len(self.instance_ids)
        columns = {"ranking": self.rankings, "scores": self.scores, "number": self.numbers, "text": self.texts}
        data = {"instance_id": self.instance_ids} | {k: v or [None] * n for k, v in columns.items()}
        return pl.DataFrame(data, schema={k: PREDICTION_SCHEMA[k] for k in data})


class Baseline(ABC):
    """Something that learns from instances of other people and predicts.

    Attributes
    ----------
    name : as it stands in tables.
    tasks : the tasks that it can do.
    takes_groups : whether it runs once per feature set of params.yaml; others look at what ``sees`` names.
    """

    name: str
    tasks: frozenset[str]
    takes_groups: bool = False
    sees: str = ""

    def __init__(self, task: Task, settings: Settings) -> None:
        self.task, self.settings = task, settings

    @abstractmethod
    def fit(self, train: Inputs) -> None:
        """Learn from training rows of one scenario (for rankings a row a candidate)."""

    @abstractmethod
    def predict(self, test: Inputs) -> Predictions:
        """Predict test rows. Gold columns of ``test.table`` (label, intensity, text) are null: they cannot be looked at."""


REGISTRY: dict[str, type[Baseline]] = {}


def register(baseline: type[Baseline]) -> type[Baseline]:
    """Class decorator: make a baseline known under its name."""
    if baseline.name in REGISTRY:
        raise ValueError(f"two baselines are called {baseline.name!r}")
    REGISTRY[baseline.name] = baseline
    return baseline


def candidate_lists(table: pl.DataFrame) -> list[tuple[str, np.ndarray, list[str]]]:
    """Group a ranking task's rows: (instance_id, rows, candidates) of each instance, in order."""
    ids, options = table["instance_id"].to_list(), table["candidate"].to_list()
    bounds = [i for i in range(len(ids)) if i == 0 or ids[i] != ids[i - 1]] + [len(ids)]
    return [(ids[a], np.arange(a, b), options[a:b]) for a, b in pairwise(bounds)]


def rank_candidates(table: pl.DataFrame, scores: np.ndarray) -> Predictions:
    """Rank each instance's candidates by a score a row."""
    result = Predictions([])
    for instance, rows, options in candidate_lists(table):
        order = rows[np.argsort(-scores[rows], kind="stable")]
        result.instance_ids.append(instance)
        result.rankings.append([options[i - rows[0]] for i in order])
        result.scores.append([float(scores[i]) for i in order])
    return result


def able(model: Any, target: np.ndarray) -> Any:
    """The classifier, or where training holds one class only, which many refuse, one that always says it."""
    return model if len(set(target)) > 1 else DummyClassifier()
