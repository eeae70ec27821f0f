"""The official annotation format (DESIGN 3) as pydantic models, and the turn schema that everything else builds on."""

from __future__ import annotations

from typing import Annotated, Any

import polars as pl
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

THERAPIST = "Therapist"
GROUP_LABELS = {"couple": "Couple", "family": "Family"}
SCENARIOS = tuple(GROUP_LABELS)

RELATIONS = {
    "couple": (
        "pursue_withdraw",
        "attack_attack",
        "withdraw_withdraw",
        "repair_softening",
        "constructive_alignment",
        "mixed_transition",
    ),
    "family": (
        "escalation_conflict",
        "pursue_withdraw",
        "mutual_disengagement",
        "cross_generational_coalition",
        "boundary_hierarchy_strain",
        "repair_softening",
        "cooperative_family_alliance",
        "mixed_transition",
    ),
}
STRATEGIES = {
    "couple": (
        "track",
        "reframe",
        "evoke",
        "enact",
        "join",
        "detach",
        "repair",
        "counterbalance",
        "safeguard",
        "goal_align",
    ),
    "family": ("join", "track", "counterbalance", "enact", "boundary", "reframe", "repair", "safeguard"),
}
UTTERANCE_TYPES = (
    "accusation",
    "defense",
    "disclosure",
    "request",
    "recollection",
    "reflection",
    "repair",
    "withdrawal",
    "validation",
    "other",
)


def _as_list(value: Any) -> Any:
    """Null and "" mean nothing; a single string or object stands for a list of one (hand-made files)."""
    if value is None or value == "":
        return []
    return value if isinstance(value, list) else [value]


def _as_text(value: Any) -> Any:
    return "" if value is None else value


Text = Annotated[str, BeforeValidator(_as_text)]
Names = Annotated[list[str], BeforeValidator(_as_list)]
#: Years of seconds: a time beyond it is a broken number, not a long session.
Seconds = Annotated[float, Field(strict=True, ge=0, le=1e8, allow_inf_nan=False)]


class _Record(BaseModel):
    model_config = ConfigDict(extra="ignore")


class Description(_Record):
    person: Text = ""
    description: Text = ""


class Background(_Record):
    speaker: Text = ""
    target: Names = []
    content: Text = ""


class Interaction(_Record):
    initiator: Text = ""
    target: Names = []
    description: Text = ""


class Emotion(_Record):
    person: Text = ""
    emotion_description: Text = ""
    intensity: float | None = None


class Viewpoint(_Record):
    source: Text = ""
    target: Text = ""
    viewpoint: Text = ""
    attitude: Text = ""


class Strategy(_Record):
    provider: Text = ""
    target: Names = []
    strategy_type: Text = ""
    strategy_content: Text = ""


class Row(_Record):
    """One annotated turn."""

    start_time: Seconds
    end_time: Seconds
    primary_speaker: Annotated[str, Field(min_length=1)]
    target: Names = []
    dialogue_cleaned: Text = ""
    utterance_type: Text = ""
    background_dialogue: Annotated[list[Background], BeforeValidator(_as_list)] = []
    tone_of_voice: Text = ""
    body_posture: Annotated[list[Description], BeforeValidator(_as_list)] = []
    facial_expressions: Annotated[list[Description], BeforeValidator(_as_list)] = []
    self_directed_behavior: Annotated[list[Description], BeforeValidator(_as_list)] = []
    interaction_behavior: Annotated[list[Interaction], BeforeValidator(_as_list)] = []
    internal_emotion: Annotated[list[Emotion], BeforeValidator(_as_list)] = []
    viewpoints_attitudes: Annotated[list[Viewpoint], BeforeValidator(_as_list)] = []
    support_strategy: Annotated[list[Strategy], BeforeValidator(_as_list)] = []
    relation_pattern: Text = ""
    relation_cycle_state: Text = ""
    row_index: int | None = None


_DESCRIPTIONS = pl.List(pl.Struct({"person": pl.String, "description": pl.String}))

#: One row a turn. ``turn`` counts from 1 within the sample, in the file's order.
TURN_SCHEMA: dict[str, Any] = {
    "sample_id": pl.String,
    "turn": pl.Int32,
    "row_index": pl.Int64,
    "scenario": pl.String,
    "group": pl.String,
    "start_s": pl.Float64,
    "end_s": pl.Float64,
    "speaker": pl.String,
    "target": pl.List(pl.String),
    "dialogue": pl.String,
    "text": pl.String,
    "utterance_type": pl.String,
    "tone_of_voice": pl.String,
    "background_dialogue": pl.List(
        pl.Struct({"speaker": pl.String, "target": pl.List(pl.String), "content": pl.String})
    ),
    "body_posture": _DESCRIPTIONS,
    "facial_expressions": _DESCRIPTIONS,
    "self_directed_behavior": _DESCRIPTIONS,
    "interaction_behavior": pl.List(
        pl.Struct({"initiator": pl.String, "target": pl.List(pl.String), "description": pl.String})
    ),
    "internal_emotion": pl.List(
        pl.Struct({"person": pl.String, "emotion_description": pl.String, "intensity": pl.Float64})
    ),
    "viewpoints_attitudes": pl.List(
        pl.Struct({"source": pl.String, "target": pl.String, "viewpoint": pl.String, "attitude": pl.String})
    ),
    "support_strategy": pl.List(
        pl.Struct(
            {
                "provider": pl.String,
                "target": pl.List(pl.String),
                "strategy_type": pl.String,
                "strategy_content": pl.String,
            }
        )
    ),
    "relation_pattern": pl.String,
    "relation_cycle_state": pl.String,
}

SAMPLE_SCHEMA: dict[str, Any] = {
    "sample_id": pl.String,
    "sample_key": pl.String,
    "scenario": pl.String,
    "group": pl.String,
    "number": pl.Int32,
    "participants": pl.List(pl.String),
    "turns": pl.Int32,
    "therapist_turns": pl.Int32,
    "minutes": pl.Float64,
}
