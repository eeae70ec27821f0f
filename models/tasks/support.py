"""STP and SSP: whom does the therapist support, and how?"""

from __future__ import annotations

from typing import Any

from features.normalise import fold_name
from features.schema import GROUP_LABELS, STRATEGIES, THERAPIST
from models.tasks.base import Task, is_therapist, seen_before


def support_target(row: dict[str, Any]) -> str | None:
    """The target of a row's first strategy, else of the row; without the therapist; several people are the group."""
    targets = row["support_strategy"][0]["target"] or row["target"]
    people = list(dict.fromkeys(t for t in targets if t and fold_name(t) != fold_name(THERAPIST)))
    if not people:
        return None
    return people[0] if len(people) == 1 else GROUP_LABELS[row["scenario"]]


def candidates(rows: list[dict[str, Any]], participants: list[str]) -> list[str]:
    """Participants, the group label, and everybody whom the therapist addresses anywhere in the sample."""
    addressed = [t for row in rows if is_therapist(row) for t in row["target"]]
    addressed += [t for row in rows if is_therapist(row) if row["support_strategy"] and (t := support_target(row))]
    names = [*participants, GROUP_LABELS[rows[0]["scenario"]], *addressed]
    return [n for n in dict.fromkeys(names) if n and fold_name(n) != fold_name(THERAPIST)]


class SupportTarget(Task):
    """Therapist rows whose first strategy has a type; one row a candidate, ``label`` the true target. Sees the rows before."""

    name = "STP"
    title = "Support target"
    kind = "ranking"
    metrics = ("recall_at_1", "mrr")

    def instances_of_sample(
        self, rows: list[dict[str, Any]], participants: list[str], context: int | None
    ) -> list[dict[str, Any]]:
        options = candidates(rows, participants)
        found = []
        for row in filter(is_therapist, rows):
            if (
                row["support_strategy"]
                and row["support_strategy"][0]["strategy_type"]
                and (target := support_target(row))
            ):
                shared = {
                    "instance_id": self.instance_id(rows, row["turn"]),
                    "turn": row["turn"],
                    "label": target,
                    **seen_before(row["turn"], context),
                }
                found += [shared | {"candidate": option} for option in options]
        return found


class SupportStrategy(Task):
    """Therapist rows whose first strategy is in the scenario's taxonomy and whose target resolves; the target is given as
    ``person``. Sees the rows before.
    """

    name = "SSP"
    title = "Support strategy"
    kind = "ranking"
    metrics = ("recall_at_1", "mrr")

    def instances_of_sample(
        self, rows: list[dict[str, Any]], participants: list[str], context: int | None
    ) -> list[dict[str, Any]]:
        return [
            {
                "instance_id": self.instance_id(rows, row["turn"]),
                "turn": row["turn"],
                "person": target,
                "label": row["support_strategy"][0]["strategy_type"],
                **seen_before(row["turn"], context),
            }
            for row in filter(is_therapist, rows)
            if row["support_strategy"]
            and row["support_strategy"][0]["strategy_type"] in STRATEGIES[row["scenario"]]
            and (target := support_target(row))
        ]
