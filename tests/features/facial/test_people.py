"""Who is who: made-up recordings in which it is known who looks like whom, who speaks when, and who is on screen."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from features.facial import FRAME_SCHEMA, TRACK_SCHEMA, gather, who_is_who
from features.facial.look import LOOK_SHAPE, difference, look
from features.facial.people import names_of
from features.prosodic import FRAME_SCHEMA as VOICE_SCHEMA

RATE = 10


class Seen(NamedTuple):
    """Somebody on screen. ``look`` is a number: people of one look have the same."""

    who: str
    start: float
    end: float
    look: int


def recording(
    seen: list[Seen], turns: list[tuple[str, float, float]], seed: int = 0
) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]:
    """Frames, tracks, voice and turns. Mouths move in their owner's turns and rest in all others."""
    rng = np.random.default_rng(seed)
    frames, tracks = [], []
    for number, face in enumerate(seen):
        times = np.arange(round(face.start * RATE), round(face.end * RATE)) / RATE
        speaks = np.zeros(len(times), bool)
        for who, start, end in turns:
            speaks |= (times >= start) & (times < end) & (who == face.who)
        opening = np.where(speaks, rng.uniform(0, 0.4, len(times)), 0.01 + rng.normal(0, 0.003, len(times)))
        frames += [
            dict.fromkeys(FRAME_SCHEMA) | {"time_s": t, "shot": 0, "track": number, "mouth_opening": o}
            for t, o in zip(times, opening, strict=True)
        ]
        grid = np.random.default_rng(100 + face.look).uniform(0, 90, LOOK_SHAPE) + rng.normal(0, 1.5, LOOK_SHAPE)
        tracks.append(
            {
                "track": number,
                "shot": 0,
                "start_s": times[0],
                "end_s": times[-1],
                "frames": len(times),
                "look_s": times[min(9, len(times) - 1)],
                "look": grid.ravel().tolist(),
            }
        )
    end = max([f.end for f in seen] + [t[2] for t in turns])
    grid_s = np.arange(0, end, 0.01)
    heard = np.zeros(len(grid_s), bool)
    for _, a, b in turns:
        heard |= (grid_s >= a) & (grid_s < b)
    voice = pl.DataFrame({"time_s": grid_s, "voiced": heard, "loudness": heard * 1.0}, schema_overrides=VOICE_SCHEMA)
    return (
        pl.DataFrame(frames, schema=FRAME_SCHEMA),
        pl.DataFrame(tracks, schema=TRACK_SCHEMA),
        voice,
        pl.DataFrame(turns, schema=["speaker", "start_s", "end_s"], orient="row"),
    )


def named(
    seen: list[Seen], turns: list[tuple[str, float, float]], participants: tuple[str, ...] = (), seed: int = 0
) -> pl.DataFrame:
    frames, tracks, voice, table = recording(seen, turns, seed)
    return who_is_who(gather(frames, tracks, voice), table, participants)


TURNS = [("Ada", 0, 4), ("Ben", 4, 8), ("Therapist", 8, 12), ("Ada", 12, 16), ("Ben", 16, 20)]


def test_a_face_is_who_it_speaks_with() -> None:
    found = named([Seen("Ben", 0, 20, 1), Seen("Ada", 0, 20, 2)], TURNS)
    assert found["name"].to_list() == ["Ben", "Ada"]
    assert found["confidence"].min() > 0.95  # type: ignore[operator]


def test_tracks_of_one_look_are_one_person_across_shots() -> None:
    seen = [Seen("Ada", 0, 4, 1), Seen("Ben", 4, 8, 2), Seen("Ada", 8, 11, 1), Seen("Ben", 11, 14, 2)]
    found = named(seen, TURNS)
    assert found["person"].to_list() == [0, 1, 0, 1]
    # The third track shows Ada while the therapist speaks: only her look says who she is.
    assert found["name"].to_list() == ["Ada", "Ben", "Ada", "Ben"]


def test_a_reaction_shot_is_not_the_speaker() -> None:
    seen = [Seen("Ben", 0, 4, 2), Seen("Ada", 4, 8, 1), Seen("Ada", 12, 16, 1), Seen("Ben", 16, 20, 2)]
    assert named(seen, TURNS)["name"].to_list() == ["Ben", "Ada", "Ada", "Ben"]


def test_a_voice_over_names_nobody_on_screen() -> None:
    turns = [("Narrator", 0, 8), ("Ada", 8, 12), ("Narrator", 12, 20)]
    found = named([Seen("Ada", 0, 20, 1), Seen("Ben", 0, 20, 2)], turns, ("Ada", "Ben"))
    assert found["name"].to_list() == ["Ada", "Ben"]  # Ben never speaks: he is the participant who is left


def test_two_people_of_one_look_are_told_apart_by_their_voices() -> None:
    seen = [Seen("Ada", 0, 8, 1), Seen("Ben", 0, 8, 1), Seen("Ben", 12, 20, 1), Seen("Ada", 12, 20, 1)]
    assert named(seen, TURNS)["name"].to_list() == ["Ada", "Ben", "Ben", "Ada"]


def test_two_people_of_one_look_of_whom_none_speaks_stay_unnamed() -> None:
    seen = [Seen("Ada", 0, 8, 1), Seen("Ben", 0, 8, 1), Seen("Ada", 8, 12, 1), Seen("Ben", 8, 12, 1)]
    found = named(seen, TURNS)
    assert found["name"].to_list() == ["Ada", "Ben", None, None]
    assert found["confidence"][2] < 0.55


def test_thin_evidence_gives_no_name() -> None:
    """Two faces, nobody's turn while they are seen: each may be either."""
    found = named([Seen("Ada", 21, 25, 1), Seen("Ben", 21, 25, 2)], [("Ada", 0, 10), ("Ben", 10, 20)])
    assert found["name"].to_list() == [None, None]
    assert found["guess"].null_count() == 0
    assert found["confidence"].max() <= 0.5  # type: ignore[operator]


def test_a_stranger_who_is_silent_in_everybodys_turns_has_no_name() -> None:
    found = named([Seen("Ada", 0, 20, 1), Seen("Ben", 0, 20, 2), Seen("guest", 0, 20, 3)], TURNS[:2] + TURNS[3:])
    assert found["name"].to_list() == ["Ada", "Ben", None]


def test_people_of_one_moment_are_never_one_person() -> None:
    found = named([Seen("Ada", 0, 8, 1), Seen("Ben", 3, 12, 1)], TURNS)
    assert found["person"].n_unique() == 2


def test_two_spellings_are_one_name_and_a_group_is_nobody() -> None:
    turns = pl.DataFrame({"speaker": ["ada", "Ada ", "Couple", None, "Therapist"]})
    assert names_of(turns, ["Ada", "Ben", "Family"]) == ("Ada", "Ben", "Therapist")


def test_without_sound_the_turns_alone_decide() -> None:
    frames, tracks, _, turns = recording([Seen("Ben", 0, 20, 1), Seen("Ada", 0, 20, 2)], TURNS)
    assert who_is_who(gather(frames, tracks, None), turns, ())["name"].to_list() == ["Ben", "Ada"]


def test_without_faces_there_is_nobody() -> None:
    frames, tracks = pl.DataFrame(schema=FRAME_SCHEMA), pl.DataFrame(schema=TRACK_SCHEMA)
    turns = pl.DataFrame(TURNS, schema=["speaker", "start_s", "end_s"], orient="row")
    assert who_is_who(gather(frames, tracks, None), turns, ("Ada",)).height == 0


def test_without_names_faces_are_still_people() -> None:
    found = named([Seen("Ada", 0, 4, 1), Seen("Ada", 5, 9, 1)], [("Couple", 0, 9)])
    assert found["person"].to_list() == [0, 0]
    assert found["name"].to_list() == [None, None]


def cast(seed: int) -> tuple[list[Seen], list[tuple[str, float, float]]]:
    """A random recording of three people with cuts, in which mouths are seen now and then."""
    rng = np.random.default_rng(seed)
    people = ["Ada", "Ben", "Therapist"]
    turns, clock = [], 0.0
    for _ in range(9):
        length = float(rng.uniform(1, 5))
        turns.append((str(rng.choice(people)), clock, clock + length))
        clock += length
    seen, at = [], 0.0
    while at < clock - 1:
        length = float(rng.uniform(2, 5))
        shown = rng.permutation(3)[: int(rng.integers(1, 4))]
        seen += [Seen(people[i], at, min(at + length, clock), int(min(i, 1 + seed % 2))) for i in shown]
        at += length
    return seen, turns


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000), st.floats(4, 30))
def test_what_comes_later_changes_nothing_that_was_said_before(seed: int, until: float) -> None:
    seen, turns = cast(seed)
    frames, tracks, voice, table = recording(seen, turns, seed)
    so_far = table.filter(pl.col("start_s") < until)
    before = who_is_who(gather(frames, tracks, voice), so_far, ("Ada", "Ben"), until)
    rng = np.random.default_rng(seed + 1)
    later = pl.col("time_s") >= until
    noise = pl.Series(rng.uniform(0, 1, frames.height).astype(np.float32))
    other_frames = frames.with_columns(mouth_opening=pl.when(later).then(noise).otherwise("mouth_opening"))
    other_voice = voice.with_columns(loudness=pl.when(later).then(pl.lit(5.0)).otherwise("loudness"))
    unknown = (pl.col("look_s") >= until) | (pl.col("start_s") >= until)
    strange = tracks.with_columns(
        look=pl.when(unknown).then(pl.lit([7.0] * 768, pl.Array(pl.Float32, 768))).otherwise("look")
    )
    after = who_is_who(gather(other_frames, strange, other_voice), so_far, ("Ada", "Ben"), until)
    assert after.equals(before)


@settings(max_examples=25, deadline=None)
@given(st.integers(0, 10_000))
def test_the_order_of_the_names_decides_nothing(seed: int) -> None:
    seen, turns = cast(seed)
    frames, tracks, voice, table = recording(seen, turns, seed)
    evidence = gather(frames, tracks, voice)
    one = who_is_who(evidence, table, ("Ada", "Ben", "Therapist"))
    other = who_is_who(evidence, table, ("Therapist", "Ben", "Ada"))
    assert one["name"].to_list() == other["name"].to_list()


def test_a_confidence_means_something() -> None:
    """Over many recordings with people of one look among them: right less often below a half than above."""
    rows = []
    for seed in range(80):
        seen, turns = cast(seed)
        seen = [s._replace(look=min(s.look, 1)) for s in seen[:6]]  # little is seen, and two people look alike
        found = named(seen, turns, ("Ada", "Ben", "Therapist"), seed)
        rows.append(found.with_columns(right=found["guess"].fill_null("") == pl.Series([s.who for s in seen])))
    faces = pl.concat(rows).drop_nulls("confidence")
    sure, unsure = faces.filter(pl.col("confidence") >= 0.5), faces.filter(pl.col("confidence") < 0.5)
    assert sure["right"].mean() > 0.9  # type: ignore[operator]
    assert unsure.height > 5
    assert unsure["right"].mean() < sure["right"].mean() - 0.1  # type: ignore[operator]


def test_looks_are_compared_where_both_are_seen() -> None:
    rng = np.random.default_rng(0)
    frame = rng.integers(0, 255, (400, 400, 3)).astype(np.uint8)
    whole = look(frame, np.array([150.0, 60, 80, 100]))
    assert whole.shape == LOOK_SHAPE
    assert np.isfinite(whole).all()
    at_the_edge = look(frame, np.array([150.0, 330, 80, 100]))
    assert np.isnan(at_the_edge).any()
    assert difference(whole, whole) == 0
    half = whole.copy()
    half[10:] = np.nan
    assert difference(whole, half) == 0
    assert difference(whole, np.full(LOOK_SHAPE, np.nan)) == pytest.approx(40)
