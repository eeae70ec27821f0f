"""Faces of turns: roles, statistics by hand, onsets, synchrony, and nulls where nobody is to be seen."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from features.facial import FRAME_SCHEMA, TRACK_SCHEMA, faces_of_turns
from features.facial.turns import DEFINITIONS
from tests.features.facial.test_people import RATE, Seen, recording

COUPLE = ("Ada", "Ben")


def described(
    seen: list[Seen],
    turns: list[tuple[str, float, float]],
    target: list[str],
    scenario: str = "couple",
    participants: tuple[str, ...] = COUPLE,
    **signals: Any,
) -> list[dict[str, float | None]]:
    """Turns described from a made-up recording; ``signals``: column → function of (who, times)."""
    frames, tracks, voice, table = recording(seen, turns)
    whose = np.array([s.who for s in seen])[frames["track"].to_numpy()]
    for column, value in signals.items():
        values = [float(value(w, t)) for w, t in zip(whose, frames["time_s"], strict=True)]
        frames = frames.with_columns(pl.Series(column, values, pl.Float32))
    table = table.with_columns(
        target=pl.Series([target] * table.height, dtype=pl.List(pl.String)), scenario=pl.lit(scenario)
    )
    return faces_of_turns(table, frames.sort("time_s"), tracks, voice, participants).to_dicts()


BOTH = [Seen("Ada", 0, 20, 1), Seen("Ben", 0, 20, 2)]
TURNS = [("Ada", 0.0, 6.0), ("Ben", 6.0, 12.0), ("Ada", 12.0, 20.0)]


def test_speaker_and_partner_are_the_right_ones() -> None:
    found = described(BOTH, TURNS, ["Therapist"], brow_inner_up=lambda who, t: 0.2 if who == "Ada" else 0.6)
    # To the therapist, who is not on screen: the addressee is the partner.
    assert found[2]["face_speaker__brow_raise__mean"] == pytest.approx(0.2)
    assert found[2]["face_partner__on_screen_share"] == 0
    assert found[2]["face_partner__brow_raise__mean"] is None
    assert found[2]["face_others__brow_raise__mean"] == pytest.approx(0.6)
    found = described(BOTH, TURNS, ["Couple"], brow_inner_up=lambda who, t: 0.2 if who == "Ada" else 0.6)
    assert found[1]["face_speaker__brow_raise__mean"] == pytest.approx(0.6)
    assert found[1]["face_partner__brow_raise__mean"] == pytest.approx(0.2)  # the other of the couple
    assert found[1]["face_others__on_screen_share"] == 0


def test_a_therapist_who_speaks_to_both_has_no_partner() -> None:
    turns = [*TURNS, ("Therapist", 20.0, 24.0)]
    seen = [Seen("Ada", 0, 24, 1), Seen("Ben", 0, 24, 2)]
    found = described(seen, turns, ["Couple"], "couple")[-1]
    assert found["face_speaker__on_screen_share"] == 0
    assert found["face_partner__on_screen_share"] == 0
    assert found["face_others__on_screen_share"] == 1


def test_statistics_are_those_of_the_frames() -> None:
    found = described(BOTH, TURNS, ["Ben"], jaw_open=lambda who, t: 0.01 * t)[2]
    values = 0.01 * np.arange(120, 200) / RATE
    assert found["face_speaker__jaw_open__mean"] == pytest.approx(values.mean())
    assert found["face_speaker__jaw_open__sd"] == pytest.approx(values.std())
    assert found["face_speaker__jaw_open__p10"] == pytest.approx(np.percentile(values, 10))
    assert found["face_speaker__jaw_open__slope"] == pytest.approx(0.01, rel=1e-3)  # a second
    assert found["face__frames"] == 80
    assert found["face__count__mean"] == 2


def test_shares_are_of_the_turns_frames() -> None:
    seen = [Seen("Ada", 0, 16, 1), Seen("Ben", 0, 20, 2)]
    found = described(seen, TURNS, ["Ben"])[2]
    assert found["face_speaker__on_screen_share"] == pytest.approx(0.5)
    assert found["face_partner__on_screen_share"] == 1
    assert found["face_mutual__both_on_screen_share"] == pytest.approx(0.5)


def test_an_onset_is_a_rise_after_rest() -> None:
    def blinks(who: str, t: float) -> float:
        return 1.0 if who == "Ada" and round(t * RATE) % 20 < 2 else 0.0  # every two seconds, for two frames

    found = described(BOTH, TURNS, ["Ben"], eye_blink_left=blinks, eye_blink_right=blinks)
    assert found[2]["face_speaker__blink_onsets__per_minute"] == pytest.approx(30)
    assert found[2]["face_partner__blink_onsets__per_minute"] == 0
    still = described(BOTH, TURNS, ["Ben"], eye_blink_left=lambda w, t: 1.0, eye_blink_right=lambda w, t: 1.0)
    assert still[2]["face_speaker__blink_onsets__per_minute"] == 0  # closed all the time: no onset


def test_synchrony_finds_what_follows_within_half_a_second() -> None:
    def smile(who: str, t: float) -> float:
        return float(np.sin(2.1 * (t if who == "Ada" else t - 0.3)) / 2 + 0.5)

    found = described(BOTH, TURNS, ["Ben"], mouth_smile_left=smile, mouth_smile_right=smile)[2]
    assert found["face_mutual__smile__synchrony"] == pytest.approx(1, abs=0.02)
    assert found["face_mutual__brow_raise__synchrony"] is None  # nothing was measured


def test_what_is_not_there_is_null() -> None:
    turns = [("Ada", 0.0, 4.0), ("Ben", 30.0, 34.0)]
    found = described([Seen("Ada", 0, 4, 1)], turns, ["Ben"], jaw_open=lambda w, t: 0.3)
    assert set(found[1].values()) == {None}  # the film ends before the turn
    short = described([Seen("Ada", 0, 4, 1), Seen("Ben", 4, 8, 2)], [("Ada", 0.0, 4.0), ("Ben", 4.0, 4.2)], ["Ada"])[1]
    assert short["face_speaker__blink_onsets__per_minute"] is None
    assert short["face_mutual__smile__synchrony"] is None


def test_a_face_without_a_name_leaves_the_speakers_share_open() -> None:
    seen = [Seen("x", 0, 5, 1), Seen("y", 0, 5, 2)]  # nobody speaks while they are seen
    turns = [("Ada", 5.5, 6.0), ("Ben", 6.0, 7.0)]
    frames, tracks, voice, _ = recording(seen, turns)
    quiet = voice.with_columns(loudness=pl.lit(0.0, pl.Float32))
    table = pl.DataFrame(
        {"speaker": ["Ada"], "target": [["Ben"]], "scenario": ["couple"], "start_s": [0.0], "end_s": [5.0]}
    )
    found = faces_of_turns(table, frames.sort("time_s"), tracks, quiet, COUPLE).to_dicts()[0]
    assert found["face__on_screen_share"] == 1
    assert found["face_speaker__on_screen_share"] is None


def test_a_film_without_any_face_has_shares_of_zero() -> None:
    frames = pl.DataFrame({"time_s": [0.0, 0.1, 0.2], "shot": [0, 0, 0]}, schema_overrides=FRAME_SCHEMA).select(
        c if c in ("time_s", "shot") else pl.lit(None, t).alias(c) for c, t in FRAME_SCHEMA.items()
    )
    table = pl.DataFrame(
        {"speaker": ["Ada"], "target": [["Ben"]], "scenario": ["couple"], "start_s": [0.0], "end_s": [1.0]}
    )
    found = faces_of_turns(table, frames, pl.DataFrame(schema=TRACK_SCHEMA), None, COUPLE).to_dicts()[0]
    assert (found["face__frames"], found["face__on_screen_share"], found["face_speaker__on_screen_share"]) == (3, 0, 0)
    assert set(found) == set(DEFINITIONS)
