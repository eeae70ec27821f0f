"""rule: what one would write down without training, or with one count."""

from __future__ import annotations

from collections import Counter, defaultdict

import numpy as np

from features.schema import GROUP_LABELS
from models.baselines.base import Baseline, Predictions, rank_candidates, register
from models.inputs import Inputs
from models.tasks.intervention import INTERVENE, WAIT


@register
class Rule(Baseline):
    """ITP: intervene when the last turn addresses the therapist or ends with a question. STP: who spoke last comes first,
    then the others by how recently they spoke, the group label before those unheard. RPP, SSP, ER: the usual label
    (median intensity) given one simple circumstance — how far the session is, whom the support is for, how loud the
    punctuation is.
    """

    name = "rule"
    tasks = frozenset({"ITP", "RPP", "STP", "SSP", "ER"})
    sees = "structure, punctuation"

    def fit(self, train: Inputs) -> None:
        if self.task.name == "ER":
            cases = defaultdict(list)
            for key, value in zip(self._circumstances(train), train.table["intensity"].to_list(), strict=True):
                cases[key].append(value)
                cases["*"].append(value)
            self._medians = {k: float(np.median(v)) for k, v in cases.items()}
        elif self.task.name in ("RPP", "SSP"):
            self._counts: dict[str, Counter[str]] = defaultdict(Counter)
            for key, label in zip(self._circumstances(train), train.labels, strict=True):
                self._counts[key][label] += 1
                self._counts["*"][label] += 1

    def predict(self, test: Inputs) -> Predictions:
        if self.task.name == "STP":
            return rank_candidates(test.table, self._recency(test))
        ids = test.table["instance_id"].to_list()
        if self.task.name == "ITP":
            speak = (_column(test, "lag1|structure__to_therapist") > 0) | (
                _column(test, "lag1|text__ends_with_question") > 0
            )
            return Predictions.of_scores(ids, [INTERVENE, WAIT], np.stack([speak, ~speak], 1).astype(float))
        keys = self._circumstances(test)
        if self.task.name == "ER":
            return Predictions(
                ids, numbers=[self._medians.get(k, self._medians["*"]) for k in keys], texts=[""] * len(ids)
            )
        overall = self._counts["*"]
        classes = sorted(overall, key=lambda c: (-overall[c], c))
        scores = np.array([[self._counts[k][c] + overall[c] / sum(overall.values()) for c in classes] for k in keys])
        return Predictions.of_scores(ids, classes, scores / scores.sum(1, keepdims=True))

    def _circumstances(self, inputs: Inputs) -> list[str]:
        if self.task.name == "SSP":
            return ["everybody" if p in GROUP_LABELS.values() else "one" for p in inputs.table["person"].to_list()]
        if self.task.name == "RPP":
            return [f"third {min(seen // 10, 3)}" for seen in inputs.table["last_seen"].to_list()]
        loud, long = _column(inputs, "lag1|text__exclamations") > 0, _column(inputs, "lag1|text__words") > 25
        return [f"{a} {b}" for a, b in zip(loud, long, strict=True)]

    @staticmethod
    def _recency(inputs: Inputs) -> np.ndarray:
        since = _column(inputs, "person|structure__turns_since_spoke")
        everybody = _column(inputs, "person|structure__is_group") > 0
        return np.where(np.isfinite(since), 1 / (2 + np.nan_to_num(since)), np.where(everybody, 0.05, 0.0))


def _column(inputs: Inputs, name: str) -> np.ndarray:
    return inputs.values[:, inputs.names.index(name)]
