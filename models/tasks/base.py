"""What a task is, and helpers that all tasks share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, TypeVar

import polars as pl

from features.normalise import fold_name
from features.schema import GROUP_LABELS, THERAPIST

#: One row an instance (for rankings: a candidate of one). ``turn`` is the row that the instance is about: the one it
#: stands after (ITP) or whose label it asks for. The instance sees turns ``first_seen`` … ``last_seen``, none if first > last.
INSTANCE_SCHEMA: dict[str, Any] = {
    "instance_id": pl.String,
    "task": pl.String,
    "sample_id": pl.String,
    "scenario": pl.String,
    "group": pl.String,
    "turn": pl.Int32,
    "first_seen": pl.Int32,
    "last_seen": pl.Int32,
    "person": pl.String,
    "candidate": pl.String,
    "label": pl.String,
    "intensity": pl.Float64,
    "text": pl.String,
}
_Item = TypeVar("_Item")


class Task(ABC):
    """A task of the benchmark.

    Attributes
    ----------
    name : the benchmark's abbreviation.
    title : what it asks for, in words.
    kind : what a prediction is: ``binary``, ``label`` (best first, scored as accuracy), ``ranking`` (best first, scored
        within the top three), ``number_and_text``, ``text``.
    metrics : the benchmark's metrics in this project's names, the leading one first, and what this project adds.
    """

    name: str
    title: str
    kind: str
    metrics: tuple[str, ...]
    #: Prior turns that an instance sees unless a parameter says otherwise; None: all.
    default_context: int | None = 3

    @abstractmethod
    def instances_of_sample(
        self, rows: list[dict[str, Any]], participants: list[str], context: int | None
    ) -> list[dict[str, Any]]:
        """Return the instances of one sample; ``rows`` are its turns in order (TURN_SCHEMA)."""

    def instances(self, turns: pl.DataFrame, samples: pl.DataFrame, context: int | None) -> pl.DataFrame:
        """Return the instances of a corpus (INSTANCE_SCHEMA), in the order of its samples and turns."""
        people = dict(samples.select("sample_id", "participants").iter_rows())
        found = []
        for sample in turns.partition_by("sample_id", maintain_order=True):
            rows = sample.to_dicts()
            shared = {"task": self.name, **{k: rows[0][k] for k in ("sample_id", "scenario", "group")}}
            found += [shared | one for one in self.instances_of_sample(rows, people[rows[0]["sample_id"]], context)]
        return pl.DataFrame(found, schema=INSTANCE_SCHEMA)

    def instance_id(self, rows: list[dict[str, Any]], turn: int, suffix: str = "") -> str:
        return f"{self.name}:{rows[0]['sample_id']}:{turn}{suffix}"


def seen_before(turn: int, context: int | None) -> dict[str, int]:
    """Bounds of the turns before ``turn`` that an instance sees."""
    return {"first_seen": 1 if context is None else max(1, turn - context), "last_seen": turn - 1}


def is_therapist(row: dict[str, Any]) -> bool:
    return bool(row["speaker"] == THERAPIST)


def is_client(row: dict[str, Any]) -> bool:
    return row["speaker"] not in (THERAPIST, *GROUP_LABELS.values())


def same_person(a: str, b: str) -> bool:
    return fold_name(a) == fold_name(b)


def even_sample(items: Sequence[_Item], count: int, single: str = "first") -> list[_Item]:
    """Take ``count`` items spread evenly, as the benchmark does.

    Positions are round(r·(n−1)/(count−1)) with Python's round (half to even); duplicates are dropped and refilled from
    the front. ``single`` says which one stands for a count of one: the ``first`` or the ``middle``.

    >>> even_sample("abcdefg", 3)
    ['a', 'd', 'g']
    """
    n = len(items)
    if count >= n:
        return list(items)
    if count <= 0:
        return []
    if count == 1:
        return [items[n // 2 if single == "middle" else 0]]
    positions = list(dict.fromkeys(round(r * (n - 1) / (count - 1)) for r in range(count)))
    for position in range(n):
        if len(positions) == count:
            break
        if position not in positions:
            positions.append(position)
    return [items[p] for p in sorted(positions)]
