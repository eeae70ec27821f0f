"""The six tasks of RESCUE-BENCH: their instances, exactly as the benchmark builds them."""

from __future__ import annotations

from models.tasks.base import Task
from models.tasks.emotion import EmotionRecognition
from models.tasks.intervention import InterventionTime
from models.tasks.relation import RelationPattern
from models.tasks.support import SupportStrategy, SupportTarget
from models.tasks.viewpoint import ViewpointPrediction

TASKS: dict[str, Task] = {
    t.name: t
    for t in (
        InterventionTime(),
        RelationPattern(),
        SupportTarget(),
        SupportStrategy(),
        EmotionRecognition(),
        ViewpointPrediction(),
    )
}
__all__ = ["TASKS", "Task"]
