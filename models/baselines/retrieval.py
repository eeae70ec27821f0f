"""retrieval: texts for ER and VP, taken from the training folds and never generated."""

from __future__ import annotations

import re

import numpy as np

from features.embedding import Embedder
from features.schema import GROUP_LABELS, THERAPIST
from models.baselines.base import Baseline, Predictions, register
from models.inputs import Inputs

_NEIGHBOURS = 15
_TEMPERATURE = 0.1
_SPEAKER, _TARGET = "<speaker>", "<target>"


@register
class Retrieval(Baseline):
    """The neighbours of a turn (cosine of sentence embeddings) vote: of their gold texts, the one nearest to their weighted
    centre is given; ER's intensity is their weighted median. Names of training people become "the partner" and the like.
    """

    name = "retrieval"
    tasks = frozenset({"ER", "VP"})
    sees = "text"

    def fit(self, train: Inputs) -> None:
        self._turns = np.nan_to_num(train.vectors["lag1|text__minilm"])
        table = train.table
        self._texts = [_anonymous(t, p, label) for t, p, label in table.select("text", "person", "label").iter_rows()]
        self._vectors = Embedder.shared().embed(self._texts)
        self._numbers = table["intensity"].to_numpy()

    def predict(self, test: Inputs) -> Predictions:
        similarity = np.nan_to_num(test.vectors["lag1|text__minilm"]) @ self._turns.T
        texts: list[str | None] = []
        numbers: list[float | None] = []
        for row in similarity:
            nearest = np.argsort(-row, kind="stable")[:_NEIGHBOURS]
            weight = np.exp((row[nearest] - row[nearest[0]]) / _TEMPERATURE)
            centre = weight @ self._vectors[nearest]
            texts.append(self._texts[nearest[int(np.argmax(self._vectors[nearest] @ centre))]])
            numbers.append(_weighted_median(self._numbers[nearest], weight) if self.task.name == "ER" else None)
        for i, person in enumerate(test.table["person"].to_list()):
            texts[i] = str(texts[i]).replace(_SPEAKER, person).replace(_TARGET, "the partner")
        return Predictions(test.table["instance_id"].to_list(), numbers=numbers, texts=texts)


def _anonymous(text: str, speaker: str, target: str | None) -> str:
    """Put placeholders for the names of the people whom a training text is about."""
    for name, placeholder in ((speaker, _SPEAKER), (target, _TARGET)):
        if name and name not in (THERAPIST, *GROUP_LABELS.values()):
            text = re.sub(rf"\b{re.escape(name)}\b", placeholder, text)
    return text


def _weighted_median(values: np.ndarray, weight: np.ndarray) -> float:
    order = np.argsort(values, kind="stable")
    return float(values[order][np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)])
