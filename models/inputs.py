"""What an instance may look at, as numbers and words. Everything is computed from the instance's visible turns only."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import polars as pl

from features.dictionary import feature_group
from features.normalise import fold_name, words
from features.schema import GROUP_LABELS, THERAPIST
from features.structural import COLUMNS as STRUCTURE
from features.structural import TurnView, structural_features, turn_views

GROUPS = ("structure", "text", "prosody", "face", "cue_audio", "cue_visual")
LAGS = 3
_PERSON = (
    "structure__is_group",
    "structure__spoke_last",
    "structure__turns_since_spoke",
    "structure__turn_share",
    "structure__time_share",
    "structure__addressed_last",
    "structure__addressed_share",
    "structure__addressed_by_therapist",
    "text__named_last",
    "text__named_share",
)


@dataclass(frozen=True)
class Inputs:
    """Aligned rows of a task's table and what is known of each.

    Attributes
    ----------
    table : INSTANCE_SCHEMA, n rows (an instance, or a candidate of one).
    names : names of the numeric features, ``<slot>|<column>``; slots are lag1 (the last visible turn) … lag3, mean (over the
        visible turns), person (about the given person or candidate) and person_last (their last visible turn).
    values : [shape=(n, len(names)), float32] NaN where a value is missing.
    vectors : embeddings by ``<slot>|<column>``. [shape=(n, 384), float32] NaN rows where there is none.
    words : the visible words, each marked with who spoke it; the last turn's words are marked once more.
    """

    table: pl.DataFrame
    names: tuple[str, ...]
    values: np.ndarray
    vectors: dict[str, np.ndarray]
    words: tuple[str, ...]

    def take(self, rows: np.ndarray) -> Inputs:
        """The given rows, in the given order."""
        return replace(
            self,
            table=self.table[rows],
            values=self.values[rows],
            vectors={k: v[rows] for k, v in self.vectors.items()},
            words=tuple(self.words[i] for i in rows),
        )

    def with_groups(self, groups: Sequence[str]) -> Inputs:
        """Only the features of the given groups."""
        keep = [i for i, name in enumerate(self.names) if _group_of(name) in groups]
        return replace(
            self,
            names=tuple(self.names[i] for i in keep),
            values=self.values[:, keep],
            vectors={k: v for k, v in self.vectors.items() if _group_of(k) in groups},
        )

    @cached_property
    def labels(self) -> np.ndarray:
        return self.table["label"].to_numpy()


def _group_of(name: str) -> str:
    return feature_group(name.split("|")[1])


class Conversations:
    """All turns of a corpus with their own features, ready to be cut into what instances see."""

    def __init__(self, turns: pl.DataFrame, features: pl.DataFrame) -> None:
        """``turns`` is TURN_SCHEMA; ``features`` the feature table with the same rows in the same order."""
        self._views = turn_views(turns, features["text__words"].to_list())
        self._texts = turns["text"].to_list()
        self._start = {sample: row for row, sample in reversed(list(enumerate(turns["sample_id"])))}
        # A turn's structure depends on the turns before it, so it is computed per instance and not taken from the table.
        numeric = [c for c in features.columns if "__" in c and c not in STRUCTURE and features[c].dtype.is_numeric()]
        self._columns = (*STRUCTURE, *numeric)
        self._own = features.select(numeric).cast(pl.Float32).fill_null(np.nan).to_numpy().astype(np.float32)
        self._vectors = {c: _vectors(features[c]) for c in features.columns if features[c].dtype == pl.Array}
        self._tokens = [[w.lower() for w in words(t)] for t in self._texts]

    def inputs(self, table: pl.DataFrame) -> Inputs:
        """Look up what every row of a task's table sees."""
        person_given = table["person"].is_not_null().any() or table["candidate"].is_not_null().any()
        single = bool((table["first_seen"] == table["last_seen"]).all())
        slots = ["lag1"] if single else [*(f"lag{i + 1}" for i in range(LAGS)), "mean"]
        about = person_given and not single
        names = [f"{slot}|{c}" for slot in slots for c in self._columns]
        if about:
            names += [f"person|{c}" for c in _PERSON] + [f"person_last|{c}" for c in self._columns]
        vector_slots = ["lag1"] if single else ["lag1", "lag2", "mean"] + (["person_last"] if about else [])
        values = np.full((table.height, len(names)), np.nan, np.float32)
        vectors = {
            f"{s}|{c}": np.full((table.height, v.shape[1]), np.nan, np.float32)
            for s in vector_slots
            for c, v in self._vectors.items()
        }
        seen_words = []
        structures: dict[tuple[int, int], np.ndarray] = {}
        columns = ("sample_id", "first_seen", "last_seen", "person", "candidate")
        for row, (sample, first, last, person, candidate) in enumerate(table.select(columns).iter_rows()):
            begin, end = self._start[sample] + first - 1, self._start[sample] + last
            who = candidate if candidate is not None else person
            if (begin, end) not in structures:
                structures[begin, end] = self._structure(begin, end)
            stretch = np.hstack([structures[begin, end], self._own[begin:end]])
            parts = [
                stretch[-1 - lag] if lag < len(stretch) else np.full(len(self._columns), np.nan) for lag in range(LAGS)
            ]
            parts = parts[:1] if single else [*parts, _nanmean(stretch)]
            last_own = self._last_turn_of(who, begin, end) if about else None
            if about:
                parts += [
                    self._about(who, begin, end),
                    stretch[last_own - begin] if last_own is not None else np.full(len(self._columns), np.nan),
                ]
            values[row] = np.concatenate(parts)
            for column, all_vectors in self._vectors.items():
                seen = all_vectors[begin:end]
                for slot, vector in (
                    ("lag1", seen[-1] if len(seen) else None),
                    ("lag2", seen[-2] if len(seen) > 1 else None),
                    ("mean", _nanmean(seen) if len(seen) else None),
                    ("person_last", all_vectors[last_own] if last_own is not None else None),
                ):
                    if vector is not None and f"{slot}|{column}" in vectors:
                        vectors[f"{slot}|{column}"][row] = vector
            seen_words.append(self._marked_words(who if about else None, begin, end))
        return Inputs(table, tuple(names), values, vectors, tuple(seen_words))

    def _structure(self, begin: int, end: int) -> np.ndarray:
        rows = structural_features(self._views[begin:end])
        return np.array([[np.nan if r[c] is None else r[c] for c in STRUCTURE] for r in rows], np.float32).reshape(
            -1, len(STRUCTURE)
        )

    def _last_turn_of(self, person: str, begin: int, end: int) -> int | None:
        return next(
            (i for i in range(end - 1, begin - 1, -1) if fold_name(self._views[i].speaker) == fold_name(person)), None
        )

    def _about(self, person: str, begin: int, end: int) -> np.ndarray:
        """The visible turns from one person's point of view, in the order of _PERSON."""
        seen = self._views[begin:end]
        if not seen:
            return np.array([float(person in GROUP_LABELS.values()), *[np.nan] * (len(_PERSON) - 1)], np.float32)
        name = fold_name(person)
        spoke = [fold_name(v.speaker) == name for v in seen]
        addressed = [name in map(fold_name, v.target) for v in seen]
        seconds = [v.end_s - v.start_s for v in seen]
        by_therapist = [a for a, v in zip(addressed, seen, strict=True) if v.speaker == THERAPIST]
        named = [name in tokens for tokens in self._tokens[begin:end]]
        since = next((n for n, s in enumerate(reversed(spoke)) if s), np.nan)
        total = sum(seconds)
        return np.array(
            [
                person in GROUP_LABELS.values(),
                spoke[-1],
                since,
                np.mean(spoke),
                sum(s for s, own in zip(seconds, spoke, strict=True) if own) / total if total > 0 else np.nan,
                addressed[-1],
                np.mean(addressed),
                by_therapist[-1] if by_therapist else np.nan,
                named[-1],
                np.mean(named),
            ],
            np.float32,
        )

    def _marked_words(self, person: str | None, begin: int, end: int) -> str:
        """Visible words as ``<role>_<word>``, roles seen from ``person`` where one is given; ``last_…`` for the last turn."""
        marked = []
        for i in range(begin, end):
            role = _role(self._views[i], person)
            marked += [f"{role}_{t}" for t in self._tokens[i]]
            if i == end - 1:
                marked += [f"last_{role}", *(f"last_{role}_{t}" for t in self._tokens[i])]
        if person in GROUP_LABELS.values():
            marked.append("for_everybody")
        return " ".join(marked)


def _role(view: TurnView, person: str | None) -> str:
    if view.speaker == THERAPIST:
        return "therapist"
    if person is None:
        return "client"
    return "self" if fold_name(view.speaker) == fold_name(person) else "other"


def _nanmean(rows: np.ndarray) -> np.ndarray:
    """Mean over rows without the missing values; NaN where all are missing."""
    known = np.isfinite(rows)
    count = known.sum(0)
    total = np.where(known, rows, 0).sum(0, dtype=np.float64)
    return np.where(count > 0, total / np.maximum(count, 1), np.nan)


def _vectors(column: pl.Series) -> np.ndarray:
    """An Array column as a matrix with NaN rows for nulls."""
    width = column.dtype.size  # type: ignore[attr-defined]
    result = np.full((len(column), width), np.nan, np.float32)
    present = column.is_not_null().to_numpy()
    if present.any():
        result[present] = column.drop_nulls().to_numpy()
    return result
