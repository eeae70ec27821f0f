"""lightgbm: gradient-boosted trees on the feature groups."""

from __future__ import annotations

from typing import Any

import lightgbm
import numpy as np
from sklearn.decomposition import PCA

from models.baselines.base import Baseline, Predictions, Settings, able, rank_candidates, register
from models.inputs import Inputs
from models.tasks import Task


class Reduction:
    """Numeric features as they are, and each embedding reduced by a PCA that is fitted on training rows only."""

    def __init__(self, components: int, seed: int) -> None:
        self._components, self._seed = components, seed
        self._models: dict[str, PCA] = {}

    def fit_transform(self, train: Inputs) -> np.ndarray:
        for name, vectors in train.vectors.items():
            known = vectors[np.isfinite(vectors[:, 0])]
            size = min(self._components, *known.shape) if len(known) else 0
            if size > 1:
                self._models[name] = PCA(size, svd_solver="covariance_eigh").fit(known)
        return self.transform(train)

    def transform(self, inputs: Inputs) -> np.ndarray:
        """[shape=(n, features), float32] NaN where something is missing: trees take it as it is."""
        parts = [inputs.values]
        for name, model in self._models.items():
            vectors = inputs.vectors[name]
            known = np.isfinite(vectors[:, 0])
            reduced = np.full((len(vectors), model.n_components_), np.nan, np.float32)
            if known.any():
                reduced[known] = model.transform(vectors[known])
            parts.append(reduced)
        return np.hstack(parts)


@register
class LightGBM(Baseline):
    """Trees on structure, text and whatever groups a feature set names.

    ITP: binary. RPP, SSP: multi-class. STP: a row a candidate, ranked by the probability of being the target. ER: absolute
    error, the loss whose optimum the benchmark's intensity match rewards.
    """

    name = "lightgbm"
    tasks = frozenset({"ITP", "RPP", "STP", "SSP", "ER"})
    takes_groups = True

    def __init__(self, task: Task, settings: Settings) -> None:
        super().__init__(task, settings)
        self._reduction = Reduction(settings.pca_components, settings.seed)

    def _parameters(self) -> dict[str, Any]:
        # One thread a model: folds run beside each other instead, and the trees do not depend on the number of cores.
        fixed = {
            "verbosity": -1,
            "num_threads": 1,
            "deterministic": True,
            "force_col_wise": True,
            "random_state": self.settings.seed,
        }
        return {**fixed, **self.settings.lightgbm}

    def fit(self, train: Inputs) -> None:
        features = self._reduction.fit_transform(train)
        if self.task.name == "ER":
            self._number = lightgbm.LGBMRegressor(objective="l1", **self._parameters()).fit(
                features, train.table["intensity"].to_numpy()
            )
            return
        target = train.labels == train.table["candidate"].to_numpy() if self.task.name == "STP" else train.labels
        self._model = able(lightgbm.LGBMClassifier(**self._parameters()), target).fit(features, target)

    def predict(self, test: Inputs) -> Predictions:
        features = self._reduction.transform(test)
        ids = test.table["instance_id"].to_list()
        if self.task.name == "ER":
            numbers = np.clip(self._number.predict(features), 0, 10)
            return Predictions(ids, numbers=[float(n) for n in numbers], texts=[""] * len(ids))
        scores = np.asarray(self._model.predict_proba(features))
        if self.task.name == "STP":
            return rank_candidates(test.table, scores[:, list(self._model.classes_).index(True)])
        return Predictions.of_scores(ids, [str(c) for c in self._model.classes_], scores)
