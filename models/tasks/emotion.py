"""ER: what does the speaker feel, and how strongly?"""

from __future__ import annotations

import math
from typing import Any

from features.normalise import words
from models.tasks.base import Task, even_sample, is_client, same_person

_PER_SAMPLE, _SKIPPED_SHARE, _MINIMUM_WORDS = 5, 0.3, 5


class EmotionRecognition(Task):
    """Rows of a client with an own emotion (description, intensity that rounds into 0–10) and at least five words, outside
    the first ceil(0.3·n) rows; at most five a sample, evenly. Sees the row itself.
    """

    name = "ER"
    title = "Emotion"
    kind = "number_and_text"
    metrics = ("intensity_match",)
    default_context = 0

    def instances_of_sample(
        self, rows: list[dict[str, Any]], participants: list[str], context: int | None
    ) -> list[dict[str, Any]]:
        found = []
        for row in rows[math.ceil(_SKIPPED_SHARE * len(rows)) :]:
            if not is_client(row) or len(words(row["dialogue"])) < _MINIMUM_WORDS:
                continue
            own = next(
                (
                    e
                    for e in row["internal_emotion"]
                    if same_person(e["person"], row["speaker"])
                    and e["emotion_description"].strip()
                    and e["intensity"] is not None
                    and 0 <= round(e["intensity"]) <= 10
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
                        "intensity": float(round(own["intensity"])),
                        "text": own["emotion_description"],
                    }
                )
        return even_sample(found, _PER_SAMPLE)
