"""Writes the demo corpus's conversations: a latent relational state drives who speaks, what is said, and how.

Every channel (words, tone, face, therapist's behaviour) reads the state through its own noise, so that each carries
some of it and none carries all. The state itself is returned as truth; only tests read it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from pipeline.synthetic import phrases

THERAPIST = "Therapist"
_COUPLE_STATES = (
    "pursue_withdraw",
    "attack_attack",
    "withdraw_withdraw",
    "repair_softening",
    "constructive_alignment",
    "mixed_transition",
)
_FAMILY_STATES = (
    "escalation_conflict",
    "pursue_withdraw",
    "mutual_disengagement",
    "cross_generational_coalition",
    "boundary_hierarchy_strain",
    "repair_softening",
    "cooperative_family_alliance",
    "mixed_transition",
)
_STATE_SHARE = {"couple": (0.32, 0.16, 0.1, 0.22, 0.13, 0.07), "family": (0.14, 0.12, 0.08, 0.1, 0.14, 0.16, 0.2, 0.06)}

#: Mood of the two sides in each state: the first is the one who pursues or leads, the second the one who answers.
_MOODS = {
    "pursue_withdraw": ("heated", "flat"),
    "attack_attack": ("heated", "heated"),
    "withdraw_withdraw": ("flat", "flat"),
    "repair_softening": ("tender", "tender"),
    "constructive_alignment": ("steady", "steady"),
    "mixed_transition": ("steady", "heated"),
    "escalation_conflict": ("heated", "heated"),
    "mutual_disengagement": ("flat", "flat"),
    "cross_generational_coalition": ("heated", "steady"),
    "boundary_hierarchy_strain": ("flat", "heated"),
    "cooperative_family_alliance": ("steady", "tender"),
}
_TYPES = {
    "heated": (("accusation", 0.5), ("defense", 0.25), ("request", 0.1), ("recollection", 0.1), ("disclosure", 0.05)),
    "flat": (("withdrawal", 0.4), ("defense", 0.25), ("disclosure", 0.15), ("recollection", 0.1), ("other", 0.1)),
    "tender": (("disclosure", 0.35), ("repair", 0.3), ("reflection", 0.2), ("request", 0.15)),
    "steady": (("validation", 0.35), ("reflection", 0.25), ("recollection", 0.25), ("request", 0.1), ("other", 0.05)),
}
_STRATEGY = {
    "couple": {
        "pursue_withdraw": ("reframe", "track"),
        "attack_attack": ("safeguard", "detach"),
        "withdraw_withdraw": ("evoke", "join"),
        "repair_softening": ("enact", "evoke"),
        "constructive_alignment": ("goal_align", "join"),
        "mixed_transition": ("counterbalance", "repair"),
    },
    "family": {
        "escalation_conflict": ("safeguard", "track"),
        "pursue_withdraw": ("reframe", "track"),
        "mutual_disengagement": ("join", "counterbalance"),
        "cross_generational_coalition": ("boundary", "counterbalance"),
        "boundary_hierarchy_strain": ("boundary", "reframe"),
        "repair_softening": ("enact", "join"),
        "cooperative_family_alliance": ("join", "enact"),
        "mixed_transition": ("counterbalance", "repair"),
    },
}
#: Strategies that speak to everybody, and those that turn to the one who has not just spoken.
_TO_ALL = {"safeguard", "detach", "goal_align"}
_TO_THE_OTHER = {"counterbalance", "boundary", "join"}

#: How a mood sounds and looks. F0 and rate are factors, loudness in dB, the rest 0–1 (see FaceState).
EXPRESSION = {
    "heated": {"f0": 1.28, "loudness_db": 7.0, "rate": 1.25, "brow_up": 0.05, "brow_down": 0.85, "smile": 0.0},
    "flat": {"f0": 0.88, "loudness_db": -6.0, "rate": 0.75, "brow_up": 0.0, "brow_down": 0.2, "smile": 0.0},
    "tender": {"f0": 0.98, "loudness_db": -3.0, "rate": 0.85, "brow_up": 0.8, "brow_down": 0.0, "smile": 0.35},
    "steady": {"f0": 1.04, "loudness_db": 0.0, "rate": 1.0, "brow_up": 0.2, "brow_down": 0.0, "smile": 0.7},
}
_WORDS_PER_SECOND = 2.9


@dataclass
class Person:
    name: str
    f0_hz: float
    look: int
    temper: dict[str, float]


@dataclass
class Cast:
    """The people of one couple or family, the same in all their samples."""

    folder: str
    scenario: str
    clients: list[Person]
    therapist: Person


@dataclass
class Turn:
    """A row of the official format, and what the film and the voices need to act it out."""

    row: dict[str, Any]
    speaker: Person
    start: float
    end: float
    words: int
    state: str
    mood: str
    expression: dict[str, float] = field(default_factory=dict)


@dataclass
class Conversation:
    sample_id: str
    cast: Cast
    turns: list[Turn]

    def record(self) -> dict[str, Any]:
        """The sample in the official format."""
        return {
            "sample_id": self.sample_id,
            "scenario": self.cast.scenario,
            "participants": [p.name for p in self.cast.clients],
            "rows": [t.row for t in self.turns],
        }


def make_casts(couples: int, families: int, rng: np.random.Generator) -> list[Cast]:
    """Invent the people: names, voices and looks. Names are used once, so that shared names mean a shared family."""
    names = iter(
        f"{n}{'' if k == 0 else k + 1}"
        for k in range(1 + (2 * couples + 3 * families) // 50)
        for n in rng.permutation(phrases.CLIENT_NAMES)
    )

    def person(name: str, low: float, high: float) -> Person:
        temper = {
            k: float(rng.normal(0, s))
            for k, s in (("loudness_db", 1.5), ("rate", 0.08), ("brow_up", 0.08), ("smile", 0.08))
        }
        return Person(name, float(rng.uniform(low, high)), int(rng.integers(1 << 16)), temper)

    casts = []
    for i in range(couples + families):
        family = i >= couples
        clients = [person(next(names), 170, 235), person(next(names), 95, 140)]
        if family:
            clients.append(person(next(names), 245, 300))
        first, second = clients[0].name.lower(), clients[1].name.lower()
        folder = "family_therapy" if family else f"{first}_and_{second}"
        casts.append(Cast(folder, "family" if family else "couple", clients, person(THERAPIST, 150, 185)))
    return casts


def write_conversation(sample_id: str, cast: Cast, turns: int, rng: np.random.Generator) -> Conversation:
    """Write one conversation of ``turns`` turns."""
    states = _COUPLE_STATES if cast.scenario == "couple" else _FAMILY_STATES
    share = np.array(_STATE_SHARE[cast.scenario])
    state = str(rng.choice(states, p=share))
    leader = int(rng.integers(len(cast.clients)))
    topic = str(rng.choice(phrases.TOPICS))
    clock = float(rng.uniform(0, 1.5))
    result: list[Turn] = []
    intervene = rng.random() < 0.6
    last_client, since_therapist = leader, 0
    for position in range(turns):
        if rng.random() < 0.12:
            state = str(rng.choice(states, p=share))
        if rng.random() < 0.1:
            topic = str(rng.choice(phrases.TOPICS))
        if intervene:
            turn = _therapist_turn(cast, state, topic, leader, last_client, rng)
            since_therapist = 0
        else:
            others = [i for i in range(len(cast.clients)) if i != last_client]
            last_client = int(rng.choice(others)) if rng.random() < 0.7 else last_client
            turn = _client_turn(cast, state, topic, last_client, leader, since_therapist == 0 and position > 0, rng)
            since_therapist += 1
        gap = float(rng.gamma(2.0, 0.25))
        overlap = (
            position > 0 and result[-1].end - result[-1].start > 1.5 and turn.mood == "heated" and rng.random() < 0.3
        )
        turn.start = max(clock - 0.5, 0.0) if overlap else clock + (gap * 2.2 if turn.mood == "flat" else gap)
        rate = _WORDS_PER_SECOND * turn.expression["rate"]
        turn.end = turn.start + max(turn.words / rate, 0.7) + 0.35 * (turn.words > 6)
        turn.row |= {"start_time": round(turn.start, 3), "end_time": round(turn.end, 3), "row_index": position + 1}
        turn.start, turn.end = turn.row["start_time"], turn.row["end_time"]
        clock = turn.end
        result.append(turn)
        intervene = _will_intervene(turn, since_therapist, rng)
    return Conversation(sample_id, cast, result)


def _will_intervene(turn: Turn, since_therapist: int, rng: np.random.Generator) -> bool:
    """The therapist answers those who turn to them, stops escalation, and leaves room for tenderness between clients."""
    if turn.speaker.name == THERAPIST:
        return False
    chance = (
        0.93
        if turn.row["target"] == [THERAPIST]
        else {"heated": 0.55, "flat": 0.3, "tender": 0.08, "steady": 0.12}[turn.mood]
    )
    return bool(rng.random() < min(chance + 0.12 * max(since_therapist - 2, 0), 0.97))


def _pick(options: tuple[str, ...], rng: np.random.Generator) -> str:
    return options[int(rng.integers(len(options)))]


def _noisy(mood: str, noise: float, rng: np.random.Generator) -> str:
    """The mood as one channel shows it: now and then another one."""
    return mood if rng.random() >= noise else _pick(tuple(EXPRESSION), rng)


def _express(person: Person, mood: str, rng: np.random.Generator) -> dict[str, float]:
    """Draw how the mood comes out in voice and face; both see it through noise of their own."""
    voice, face = EXPRESSION[_noisy(mood, 0.25, rng)], EXPRESSION[_noisy(mood, 0.25, rng)]
    temper = person.temper
    return {
        "f0": voice["f0"] * float(np.exp(rng.normal(0, 0.04))),
        "loudness_db": voice["loudness_db"] + temper["loudness_db"] + float(rng.normal(0, 1.5)),
        "rate": float(np.clip(voice["rate"] + temper["rate"] + rng.normal(0, 0.08), 0.5, 1.6)),
        "brow_up": float(np.clip(face["brow_up"] + temper["brow_up"] + rng.normal(0, 0.1), 0, 1)),
        "brow_down": float(np.clip(face["brow_down"] + rng.normal(0, 0.1), 0, 1)),
        "smile": float(np.clip(face["smile"] + temper["smile"] + rng.normal(0, 0.1), 0, 1)),
    }


def _empty_row(speaker: str, target: list[str], text: str) -> dict[str, Any]:
    return {
        "start_time": 0.0,
        "end_time": 0.0,
        "primary_speaker": speaker,
        "target": target,
        "dialogue_cleaned": text,
        "utterance_type": "",
        "background_dialogue": [],
        "tone_of_voice": "",
        "body_posture": [],
        "facial_expressions": [],
        "self_directed_behavior": [],
        "interaction_behavior": [],
        "internal_emotion": [],
        "viewpoints_attitudes": [],
        "support_strategy": [],
        "row_index": 0,
    }


def _sentence(pattern: str, rng: np.random.Generator, topic: str, capital: bool, **names: str) -> str:
    text = pattern.format(topic=topic, **names)
    opener = _pick(phrases.OPENERS, rng) if capital else ""
    text = opener + text if opener else text
    return text[0].upper() + text[1:]


def _client_turn(
    cast: Cast, state: str, topic: str, index: int, leader: int, after_therapist: bool, rng: np.random.Generator
) -> Turn:
    person = cast.clients[index]
    mood = _MOODS[state][0 if index == leader else 1]
    shown = _noisy(mood, 0.15, rng)
    names, chances = zip(*_TYPES[shown], strict=True)
    kind = str(rng.choice(names, p=chances))
    count = 1 + int(rng.random() < 0.15)
    text = " ".join(_sentence(_pick(phrases.CLIENT[kind], rng), rng, topic, k == 0) for k in range(count)) + _pick(
        phrases.TAILS, rng
    )
    to_therapist = 0.6 if after_therapist else 0.25
    other = cast.clients[int(rng.choice([i for i in range(len(cast.clients)) if i != index]))]
    target = [THERAPIST] if rng.random() < to_therapist else [other.name]
    row = _empty_row(person.name, target, text)
    row["utterance_type"] = kind
    _annotate(row, person.name, other.name, topic, mood, rng)
    return Turn(row, person, 0, 0, len(text.split()), state, mood, _express(person, mood, rng))


def _annotate(row: dict[str, Any], name: str, other: str, topic: str, mood: str, rng: np.random.Generator) -> None:
    """Add the cue annotations and the gold fields that a client's row may carry."""
    row["tone_of_voice"] = _pick(phrases.TONE[_noisy(mood, 0.2, rng)], rng)
    shown = _noisy(mood, 0.2, rng)
    if rng.random() < 0.6:
        row["facial_expressions"].append({"person": name, "description": _pick(phrases.FACE[shown], rng)})
    if rng.random() < 0.35:
        row["body_posture"].append({"person": name, "description": _pick(phrases.POSTURE[shown], rng)})
    if rng.random() < 0.2:
        row["self_directed_behavior"].append({"person": name, "description": phrases.SELF[shown]})
    if rng.random() < 0.3:
        row["interaction_behavior"].append(
            {"initiator": name, "target": [other], "description": phrases.INTERACTION[shown]}
        )
    if rng.random() < 0.12:
        row["background_dialogue"].append(
            {"speaker": other, "target": [name], "content": _pick(("Mm.", "No.", "Right.", "Oh, come on."), rng)}
        )
    if rng.random() < 0.75:
        centre = {"heated": 7.8, "flat": 5.6, "tender": 6.8, "steady": 4.6}[mood]
        emotion = {"person": name, "emotion_description": _pick(phrases.EMOTION[mood], rng).format(topic=topic)}
        row["internal_emotion"].append(emotion | {"intensity": int(np.clip(round(rng.normal(centre, 0.9)), 0, 10))})
    if rng.random() < 0.45:
        view = _pick(phrases.VIEWPOINT[mood], rng).format(other=other, topic=topic)
        row["viewpoints_attitudes"].append(
            {"source": name, "target": other, "viewpoint": view, "attitude": phrases.ATTITUDE[mood]}
        )


def _therapist_turn(
    cast: Cast, state: str, topic: str, leader: int, last_client: int, rng: np.random.Generator
) -> Turn:
    usual, second = _STRATEGY[cast.scenario][state]
    draw = rng.random()
    options = sorted({s for pair in _STRATEGY[cast.scenario].values() for s in pair})
    strategy = usual if draw < 0.6 else second if draw < 0.8 else _pick(tuple(options), rng)
    everybody = "Couple" if cast.scenario == "couple" else "Family"
    others = [i for i in range(len(cast.clients)) if i != last_client]
    addressed = int(rng.choice(others)) if strategy in _TO_THE_OTHER and rng.random() < 0.8 else last_client
    if rng.random() < 0.12:
        addressed = int(rng.integers(len(cast.clients)))
    to_all = strategy in _TO_ALL and rng.random() < 0.85
    a = cast.clients[addressed].name
    b = cast.clients[int(rng.choice([i for i in range(len(cast.clients)) if i != addressed]))].name
    plain = rng.random() < 0.1
    pattern = _pick(phrases.PLAIN_THERAPIST if plain else phrases.THERAPIST[strategy], rng)
    text = _sentence(pattern, rng, topic, False, a=a, b=b)
    if not plain and rng.random() < 0.3:
        text += " " + _sentence(_pick(phrases.PLAIN_THERAPIST, rng), rng, topic, False)
    row = _empty_row(THERAPIST, [everybody] if to_all else [a], text)
    row["tone_of_voice"] = _pick(phrases.TONE["steady"], rng)
    row["relation_cycle_state"] = state
    if cast.scenario == "family":
        row["relation_pattern"] = state
    if not plain:
        row["support_strategy"].append(
            {
                "provider": THERAPIST,
                "target": list(row["target"]),
                "strategy_type": strategy,
                "strategy_content": f"{strategy.replace('_', ' ')} around {topic}",
            }
        )
    return Turn(row, cast.therapist, 0, 0, len(text.split()), state, "steady", _express(cast.therapist, "steady", rng))
