"""Frames to turns: half-open spans, statistics by hand, and nulls that shift no time."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features import prosodic
from features.alignment import prosody_of_turns, statistics


def voice(times: list[float], **signals: list[float | None]) -> pl.DataFrame:
    voiced = [True] * len(times)
    return pl.DataFrame({"time_s": times, "voiced": voiced} | signals, schema_overrides=prosodic.FRAME_SCHEMA).select(
        c if c in ("time_s", "voiced", *signals) else pl.lit(None, t).alias(c) for c, t in prosodic.FRAME_SCHEMA.items()
    )


def test_a_frame_belongs_to_the_turn_that_holds_its_time() -> None:
    frames = voice([0.0, 1.0, 2.0, 3.0, 4.0], loudness=[1, 2, 4, 8, 16])
    found = prosody_of_turns(frames, [(0, 2), (2, 4), (4, 4), (9, 10)])
    assert found["prosody__seconds"].to_list() == pytest.approx([0.02, 0.02, None, None])
    assert found["prosody__loudness__mean"].to_list() == [1.5, 6, None, None]


def test_overlapping_turns_share_frames() -> None:
    frames = voice([0.0, 1.0, 2.0], loudness=[1, 2, 6])
    assert prosody_of_turns(frames, [(0, 2), (1, 3)])["prosody__loudness__mean"].to_list() == [1.5, 4]


def test_one_value_is_not_a_distribution() -> None:
    assert statistics(np.array([3.0, np.nan])) == {"mean": None, "sd": None, "p10": None, "p90": None}
    assert statistics(np.array([1.0, 3.0, np.nan])) == {
        "mean": 2,
        "sd": 1,
        "p10": pytest.approx(1.2),
        "p90": pytest.approx(2.8),
    }


def test_unvoiced_frames_do_not_pull_the_pitch_to_zero() -> None:
    found = prosody_of_turns(voice([0.0, 0.1, 0.2], f0_hz=[200, None, 220]), [(0, 1)])
    assert found["prosody__f0_hz__mean"].to_list() == [210]


@given(st.lists(st.floats(0, 20), min_size=1, max_size=12), st.integers(0, 40))
def test_every_frame_is_in_exactly_one_of_adjoining_turns(cuts: list[float], frames: int) -> None:
    bounds = sorted({0.0, *cuts, 21.0})
    times = [i / 2 for i in range(frames)]
    found = prosody_of_turns(voice(times, loudness=[1.0] * frames), list(pairwise(bounds)))
    assert round(found["prosody__seconds"].fill_null(0).sum() / prosodic.HOP_S) == frames
