"""ITP: should the therapist speak now?"""

from __future__ import annotations

from typing import Any

from models.tasks.base import Task, even_sample, is_therapist

INTERVENE, WAIT = "intervene", "wait"


class InterventionTime(Task):
    """Positive after row i−1 when row i is the therapist's and row i−1 is not; negative after row i when neither row i nor
    row i+1 is. Per sample as many of each as the rarer kind has, evenly spread. Sees rows up to the one it stands after.
    """

    name = "ITP"
    title = "Intervention time"
    kind = "binary"
    metrics = ("f1", "precision", "recall", "accuracy")  # accuracy is ours: F1 alone rewards always intervening

    def instances_of_sample(
        self, rows: list[dict[str, Any]], participants: list[str], context: int | None
    ) -> list[dict[str, Any]]:
        positive = [i for i in range(1, len(rows)) if is_therapist(rows[i]) and not is_therapist(rows[i - 1])]
        negative = [i for i in range(1, len(rows)) if not is_therapist(rows[i]) and not is_therapist(rows[i - 1])]
        count = min(len(positive), len(negative))
        chosen = [(i, INTERVENE) for i in even_sample(positive, count, "middle")]
        chosen += [(i, WAIT) for i in even_sample(negative, count, "middle")]
        return [  # the i-th row from 0 is row i+1; its boundary stands after row i
            {
                "instance_id": self.instance_id(rows, i),
                "turn": i,
                "first_seen": 1 if context is None else max(1, i - context + 1),
                "last_seen": i,
                "label": label,
            }
            for i, label in sorted(chosen)
        ]
