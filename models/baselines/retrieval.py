"""retrieval: texts for ER and VP, taken from the training folds and never generated."""

from __future__ import annotations

import numpy as np

from features.embedding import Embedder
from models.baselines.base import Baseline, Predictions, register
from models.inputs import Inputs
from models.texts import filled, patterns

_NEIGHBOURS = 15
_TEMPERATURE = 0.1


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
        self._patterns = patterns(train.table)
        self._vectors = Embedder.shared().embed(self._patterns)
        self._numbers = train.table["intensity"].to_numpy()

    def predict(self, test: Inputs) -> Predictions:
        similarity = np.nan_to_num(test.vectors["lag1|text__minilm"]) @ self._turns.T
        texts: list[str | None] = []
        numbers: list[float | None] = []
        for row, person in zip(similarity, test.table["person"].to_list(), strict=True):
            nearest = np.argsort(-row, kind="stable")[:_NEIGHBOURS]
            weight = np.exp((row[nearest] - row[nearest[0]]) / _TEMPERATURE)
            centre = weight @ self._vectors[nearest]
            consensus = nearest[int(np.argmax(self._vectors[nearest] @ centre))]
            texts.append(filled(self._patterns[consensus], person))
            numbers.append(_weighted_median(self._numbers[nearest], weight) if self.task.name == "ER" else None)
        return Predictions(test.table["instance_id"].to_list(), numbers=numbers, texts=texts)


def _weighted_median(values: np.ndarray, weight: np.ndarray) -> float:
    order = np.argsort(values, kind="stable")
    return float(values[order][np.searchsorted(np.cumsum(weight[order]), weight.sum() / 2)])
