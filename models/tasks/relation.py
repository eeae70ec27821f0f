"""RPP: which relation pattern shows at a therapist's turn?"""

from __future__ import annotations

from typing import Any

from features.schema import RELATIONS
from models.tasks.base import Task, is_therapist, seen_before


class RelationPattern(Task):
    """Therapist rows with a label of the scenario's taxonomy: for couples ``relation_cycle_state`` on rows with a
    row_index over 1, for families ``relation_pattern``, else ``relation_cycle_state``. Sees all rows before.
    """

    name = "RPP"
    title = "Relation pattern"
    kind = "label"
    metrics = ("accuracy",)
    default_context = None

    def instances_of_sample(
        self, rows: list[dict[str, Any]], participants: list[str], context: int | None
    ) -> list[dict[str, Any]]:
        found = []
        for row in filter(is_therapist, rows):
            scenario = row["scenario"]
            if scenario == "couple":
                label = row["relation_cycle_state"] if row["row_index"] > 1 else ""
            else:
                label = row["relation_pattern"] or row["relation_cycle_state"]
            if label in RELATIONS[scenario]:
                found.append(
                    {
                        "instance_id": self.instance_id(rows, row["turn"]),
                        "turn": row["turn"],
                        "label": label,
                        **seen_before(row["turn"], context),
                    }
                )
        return found
