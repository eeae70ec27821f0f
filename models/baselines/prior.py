"""prior: what one can say without looking at the instance at all."""

from __future__ import annotations

from collections import Counter

import numpy as np

from features.embedding import Embedder
from features.schema import GROUP_LABELS
from models.baselines.base import Baseline, Predictions, candidate_lists, register
from models.inputs import Inputs
from models.tasks.intervention import INTERVENE
from models.texts import filled, patterns


@register
class Prior(Baseline):
    """Labels by their frequency in training; the median intensity; the training text nearest to all others.

    ITP is balanced by construction; a tie goes to "intervene", whose F1 counts. STP ranks the group label and people at
    the share with which training targets were one or the other.
    """

    name = "prior"
    tasks = frozenset({"ITP", "RPP", "STP", "SSP", "ER", "VP"})
    sees = "training labels"

    def fit(self, train: Inputs) -> None:
        table = train.table.unique("instance_id", maintain_order=True)
        counts = Counter(table["label"].drop_nulls().to_list())
        self._classes = sorted(counts, key=lambda c: (-counts[c], c != INTERVENE, c))
        self._shares = np.array([counts[c] for c in self._classes], float) / max(sum(counts.values()), 1)
        self._everybody = float(np.mean([label in GROUP_LABELS.values() for label in table["label"].to_list()]))
        if self.task.kind == "number_and_text":
            self._number = float(np.median(table["intensity"].to_numpy()))
        if self.task.kind in ("number_and_text", "text"):
            self._pattern = medoid(patterns(table))

    def predict(self, test: Inputs) -> Predictions:
        if self.task.name == "STP":
            result = Predictions([])
            for instance, _, options in candidate_lists(test.table):
                people = sum(o not in GROUP_LABELS.values() for o in options)
                scores = {
                    o: self._everybody if o in GROUP_LABELS.values() else (1 - self._everybody) / max(people, 1)
                    for o in options
                }
                order = sorted(options, key=lambda o: -scores[o])
                result.instance_ids.append(instance)
                result.rankings.append(order)
                result.scores.append([scores[o] for o in order])
            return result
        ids = test.table["instance_id"].to_list()
        if self.task.kind in ("number_and_text", "text"):
            numbers: list[float | None] = [self._number] * len(ids) if self.task.kind == "number_and_text" else []
            return Predictions(
                ids, numbers=numbers, texts=[filled(self._pattern, p) for p in test.table["person"].to_list()]
            )
        return Predictions.of_scores(ids, self._classes, np.tile(self._shares, (len(ids), 1)))


def medoid(texts: list[str]) -> str:
    """The text whose embedding lies nearest to the mean of all."""
    vectors = Embedder.shared().embed(texts)
    return texts[int(np.argmax(vectors @ vectors.mean(0)))]
