"""tfidf_linear: words of the visible turns, weighted by TF-IDF, and a linear model."""

from __future__ import annotations

import numpy as np
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression, Ridge

from models.baselines.base import Baseline, Predictions, able, rank_candidates, register
from models.inputs import Inputs


@register
class TfidfLinear(Baseline):
    """Logistic regression (ER: ridge) on words marked with the role of who said them; the vocabulary is fitted in the fold.

    For STP each candidate is a row whose words are marked as that candidate's own or others'.
    """

    name = "tfidf_linear"
    tasks = frozenset({"ITP", "RPP", "STP", "SSP", "ER"})
    sees = "text"

    def fit(self, train: Inputs) -> None:
        settings = self.settings.tfidf
        self._vectorizer = TfidfVectorizer(
            token_pattern=r"\S+",
            lowercase=False,
            sublinear_tf=True,
            min_df=min(int(settings["min_df"]), len(train.words)),
            max_features=int(settings["max_features"]),
        )
        try:
            features = self._vectorizer.fit_transform(train.words)
        except ValueError:  # no word stands in enough rows: one column of zeros, so that the shares of labels decide
            self._vectorizer = TfidfVectorizer(vocabulary=[""]).fit(train.words)
            features = self._vectorizer.transform(train.words)
        if self.task.name == "ER":
            self._number = Ridge(alpha=1 / settings["C"]).fit(features, train.table["intensity"].to_numpy())
            return
        target = train.labels == train.table["candidate"].to_numpy() if self.task.name == "STP" else train.labels
        self._model = able(LogisticRegression(C=settings["C"], max_iter=2000), target).fit(features, target)

    def predict(self, test: Inputs) -> Predictions:
        features = self._vectorizer.transform(test.words)
        ids = test.table["instance_id"].to_list()
        if self.task.name == "ER":
            numbers = np.clip(self._number.predict(features), 0, 10)
            return Predictions(ids, numbers=[float(n) for n in numbers], texts=[""] * len(ids))
        scores = self._model.predict_proba(features)
        if self.task.name == "STP":
            return rank_candidates(test.table, scores[:, list(self._model.classes_).index(True)])
        return Predictions.of_scores(ids, [str(c) for c in self._model.classes_], scores)
