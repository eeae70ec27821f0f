"""VP: what does the speaker think of whom?"""

from __future__ import annotations

from typing import Any

from models.tasks.base import Task, even_sample, is_client, same_person

_PER_SAMPLE = 5


class ViewpointPrediction(Task):
    """Rows of a client with an own viewpoint (source is the speaker, target and text not empty); at most five a sample,
    evenly. ``label`` is the viewpoint's target. Sees the row itself.
    """

    name = "VP"
    title = "Viewpoint"
    kind = "text"
    metrics = ()
    default_context = 0

    def instances_of_sample(
        self, rows: list[dict[str, Any]], participants: list[str], context: int | None
    ) -> list[dict[str, Any]]:
        found = []
        for row in filter(is_client, rows):
            own = next(
                (
                    v
                    for v in row["viewpoints_attitudes"]
                    if same_person(v["source"], row["speaker"]) and v["target"].strip() and v["viewpoint"].strip()
                ),
                None,
            )
            if own:
                found.append(
                    {
                        "instance_id": self.instance_id(rows, row["turn"]),
                        "turn": row["turn"],
                        "first_seen": row["turn"],
                        "last_seen": row["turn"],
                        "person": row["speaker"],
                        "label": own["target"],
                        "text": own["viewpoint"],
                    }
                )
        return even_sample(found, _PER_SAMPLE)
