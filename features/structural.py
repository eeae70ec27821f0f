"""Who speaks when and to whom, computed from a stretch of consecutive turns and from nothing outside it.

The same function serves the feature table (all turns of a sample) and the task instances (only the turns that an
instance may see): what lies before the stretch does not exist for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from features.dictionary import Definition
from features.schema import GROUP_LABELS, THERAPIST

_SOURCE = "annotated turns"
_OWN = {
    "structure__duration_s": Definition("s", _SOURCE, "end minus start of the turn"),
    "structure__words_per_s": Definition("words/s", _SOURCE, "words over duration; null for a turn without duration"),
    "structure__is_therapist": Definition("0/1", _SOURCE, "1 if the therapist speaks"),
    "structure__to_therapist": Definition("0/1", _SOURCE, "1 if the turn addresses the therapist"),
    "structure__to_group": Definition("0/1", _SOURCE, "1 if the turn addresses everybody (Couple, Family)"),
    "structure__addressees": Definition("count", _SOURCE, "number of addressees"),
    "structure__background": Definition("count", _SOURCE, "number of background utterances during the turn"),
}
_CONTEXT = {
    "structure__gap_before_s": Definition(
        "s", _SOURCE, "start minus the previous turn's end; negative: overlap; null for the first turn"
    ),
    "structure__same_speaker": Definition(
        "0/1", _SOURCE, "1 if the previous turn's speaker goes on; null for the first turn"
    ),
    "structure__was_addressed": Definition(
        "0/1", _SOURCE, "1 if the previous turn addressed this speaker; null for the first turn"
    ),
    "structure__to_previous_speaker": Definition(
        "0/1", _SOURCE, "1 if the turn addresses the previous turn's speaker; null for the first turn"
    ),
    "structure__turns_since_therapist": Definition(
        "turns", _SOURCE, "turns since the therapist last spoke; null before"
    ),
    "structure__turns_since_own": Definition("turns", _SOURCE, "turns since this speaker last spoke; null before"),
    "structure__time_share_so_far": Definition(
        "0–1", _SOURCE, "this speaker's share of the speaking time so far, this turn included"
    ),
    "structure__turn_share_so_far": Definition(
        "0–1", _SOURCE, "this speaker's share of the turns so far, this one included"
    ),
}
DEFINITIONS: dict[str, Definition] = {**_OWN, **_CONTEXT}
COLUMNS = tuple(DEFINITIONS)


class TurnView(NamedTuple):
    """What the structure of a conversation needs to know of one turn. Times in seconds."""

    speaker: str
    target: tuple[str, ...]
    start_s: float
    end_s: float
    words: int
    background: int


def turn_views(turns: pl.DataFrame, word_counts: Sequence[int]) -> list[TurnView]:
    """Make views of turns (TURN_SCHEMA)."""
    columns = ("speaker", "target", "start_s", "end_s", "background_dialogue")
    return [
        TurnView(speaker, tuple(target), start, end, int(n), len(background))
        for (speaker, target, start, end, background), n in zip(
            turns.select(columns).iter_rows(), word_counts, strict=True
        )
    ]


def structural_features(stretch: Sequence[TurnView]) -> list[dict[str, float | None]]:
    """Return the structural features of every turn of a stretch of consecutive turns of one sample."""
    rows: list[dict[str, float | None]] = []
    last_turn: dict[str, int] = {}
    seconds: dict[str, float] = {}
    count: dict[str, int] = {}
    for i, turn in enumerate(stretch):
        duration = turn.end_s - turn.start_s
        seconds[turn.speaker] = seconds.get(turn.speaker, 0.0) + duration
        count[turn.speaker] = count.get(turn.speaker, 0) + 1
        before = stretch[i - 1] if i else None
        total = sum(seconds.values())
        rows.append(
            {
                "structure__duration_s": duration,
                "structure__words_per_s": turn.words / duration if duration > 0 else None,
                "structure__is_therapist": float(turn.speaker == THERAPIST),
                "structure__to_therapist": float(THERAPIST in turn.target),
                "structure__to_group": float(any(t in GROUP_LABELS.values() for t in turn.target)),
                "structure__addressees": float(len(turn.target)),
                "structure__background": float(turn.background),
                "structure__gap_before_s": None if before is None else turn.start_s - before.end_s,
                "structure__same_speaker": None if before is None else float(turn.speaker == before.speaker),
                "structure__was_addressed": None if before is None else float(turn.speaker in before.target),
                "structure__to_previous_speaker": None if before is None else float(before.speaker in turn.target),
                "structure__turns_since_therapist": _since(last_turn, THERAPIST, i),
                "structure__turns_since_own": _since(last_turn, turn.speaker, i),
                "structure__time_share_so_far": seconds[turn.speaker] / total if total > 0 else None,
                "structure__turn_share_so_far": count[turn.speaker] / (i + 1),
            }
        )
        last_turn[turn.speaker] = i
    return rows


def _since(last_turn: dict[str, int], person: str, now: int) -> float | None:
    return float(now - last_turn[person]) if person in last_turn else None
