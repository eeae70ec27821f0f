"""No feature of an instance depends on a row that it does not see, nor on anything gold."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from features import facial, prosodic
from features.annotations import Annotations
from features.dictionary import feature_group
from features.schema import RELATIONS, STRATEGIES, TURN_SCHEMA, UTTERANCE_TYPES
from models.inputs import GROUPS, Conversations, Inputs
from models.tasks import TASKS
from tests.conftest import features_of

GOLD = (
    "utterance_type",
    "internal_emotion",
    "viewpoints_attitudes",
    "support_strategy",
    "relation_pattern",
    "relation_cycle_state",
)
#: Groups of which an instance sees nothing outside its visible turns. Faces have their own test.
STRICT = tuple(g for g in GROUPS if g != "face")
CUES = ("background_dialogue", "body_posture", "facial_expressions", "self_directed_behavior", "interaction_behavior")


def random_frames(seconds: float, rng: np.random.Generator) -> dict[str, pl.DataFrame]:
    """Voice and face frames without meaning, over the whole recording."""

    def table(schema: dict[str, Any], step: float) -> pl.DataFrame:
        time = np.arange(0, seconds, step)
        columns = {c: rng.random(len(time)).astype(np.float32) for c in schema}
        columns |= {c: rng.integers(0, 3, len(time)) for c, t in schema.items() if t == pl.Int32}
        columns |= {"time_s": time} | ({"voiced": rng.random(len(time)) < 0.5} if "voiced" in schema else {})
        return pl.DataFrame(columns, schema_overrides=schema).select(*schema)

    looks = rng.uniform(0, 90, (3, 16 * 16 * 3)).tolist()
    tracks = [
        {"track": t, "shot": 0, "start_s": 0.2 * t, "end_s": seconds - 1, "frames": 9, "look_s": 1.0, "look": look}
        for t, look in enumerate(looks)
    ]
    return {
        "prosodic": table(prosodic.FRAME_SCHEMA, 0.05),
        "facial": table(facial.FRAME_SCHEMA, 0.2),
        "tracks": pl.DataFrame(tracks, schema=facial.TRACK_SCHEMA),
    }


def disturbed_rows(
    turns: pl.DataFrame, donors: pl.DataFrame, unseen: np.ndarray, rng: np.random.Generator
) -> pl.DataFrame:
    """``turns`` with other content, times and people in the unseen rows and other gold in every row."""
    rows = turns.to_dicts()
    pool = donors.to_dicts()
    for i, row in enumerate(rows):
        donor = pool[int(rng.integers(len(pool)))]
        row |= {k: donor[k] for k in GOLD}
        row |= {
            "utterance_type": str(rng.choice(UTTERANCE_TYPES)),
            "relation_cycle_state": str(rng.choice(RELATIONS[row["scenario"]])),
            "support_strategy": [
                {"provider": "Therapist", "target": [row["speaker"]], "strategy_content": "x",
                 "strategy_type": str(rng.choice(STRATEGIES[row["scenario"]]))}
            ],
        }  # fmt: skip
        if unseen[i]:
            start = float(rng.uniform(0, 200))
            row |= {k: donor[k] for k in ("speaker", "target", "dialogue", "text", "tone_of_voice", *CUES)}
            row |= {"start_s": start, "end_s": start + float(rng.uniform(0, 20))}
    return pl.DataFrame(rows, schema=TURN_SCHEMA)


def disturbed_frames(
    frames: dict[str, pl.DataFrame], visible: list[tuple[float, float]], rng: np.random.Generator
) -> dict[str, pl.DataFrame]:
    """The same frames within the visible spans, other values elsewhere."""
    other = random_frames(400, rng)
    result = {"tracks": frames["tracks"]}  # who looks how was known before the first turn ended
    for kind in ("prosodic", "facial"):
        table = frames[kind]
        inside = np.zeros(table.height, bool)
        for start, end in visible:
            inside |= ((table["time_s"] >= start) & (table["time_s"] < end)).to_numpy()
        result[kind] = pl.concat([table.filter(inside), other[kind][: table.height].filter(~inside)]).sort("time_s")
    return result


class World:
    """A corpus with frames for every sample."""

    def __init__(self, corpus: Annotations) -> None:
        self.turns = corpus.turns
        self.frames = {
            s: random_frames(400, np.random.default_rng(i)) for i, s in enumerate(corpus.samples["sample_id"].to_list())
        }
        self.tables = {
            n: t.instances(corpus.turns, corpus.samples, t.default_context) for n, t in TASKS.items()
        }  # fmt: skip

    @cache  # noqa: B019 - one world a module
    def of_sample(self, sample_id: str) -> Conversations:
        part = self.turns.filter(sample_id=sample_id)
        return Conversations(part, features_of(part, self.frames.__getitem__))


@pytest.fixture(scope="module")
def world(corpus: Annotations) -> World:
    return World(corpus)


def same(one: Inputs, other: Inputs) -> bool:
    return (
        one.names == other.names
        and one.values.tobytes() == other.values.tobytes()
        and {k: v.tobytes() for k, v in one.vectors.items()} == {k: v.tobytes() for k, v in other.vectors.items()}
        and one.words == other.words
    )


def visible_rows(table: pl.DataFrame, turns: int) -> np.ndarray:
    seen = np.zeros(turns, bool)
    seen[table["first_seen"][0] - 1 : table["last_seen"][0]] = True
    return seen


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_unseen_rows_frames_and_gold_change_no_bit(world: World, task: str, data: st.DataObject) -> None:
    ids = world.tables[task]["instance_id"].unique(maintain_order=True)
    table = world.tables[task].filter(instance_id=ids[data.draw(st.integers(0, len(ids) - 1), "instance")])
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1), "seed"))
    sample_id = table["sample_id"][0]
    turns = world.turns.filter(sample_id=sample_id)
    seen = visible_rows(table, turns.height)
    spans = list(turns.filter(seen).select("start_s", "end_s").iter_rows())
    changed = disturbed_rows(turns, world.turns, ~seen, rng)
    # Another conversation stands before it, and rows are cut off or added after what is seen.
    elsewhere = disturbed_rows(
        world.turns.filter(pl.col("sample_id") != sample_id).head(40), world.turns, np.ones(40, bool), rng
    )
    last = int(table["last_seen"][0])
    cut = changed.head(int(rng.integers(max(last, 1), turns.height + 1)))
    everything = pl.concat([elsewhere, cut])
    frames = world.frames | {sample_id: disturbed_frames(world.frames[sample_id], spans, rng)}
    after = Conversations(everything, features_of(everything, frames.__getitem__)).inputs(table)
    before = world.of_sample(sample_id).inputs(table)
    assert same(before.with_groups(STRICT), after.with_groups(STRICT))
    groups = {feature_group(n.split("|")[1]) for n in (*before.names, *before.vectors)}
    assert groups == set(GROUPS)  # every group was under test, here or below


@pytest.mark.parametrize("task", TASKS)
@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_later_rows_and_frames_change_no_bit_of_the_faces(world: World, task: str, data: st.DataObject) -> None:
    """Whose face is whose is learned from all turns so far, also from those before the visible ones; never from later ones."""
    ids = world.tables[task]["instance_id"].unique(maintain_order=True)
    table = world.tables[task].filter(instance_id=ids[data.draw(st.integers(0, len(ids) - 1), "instance")])
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1), "seed"))
    sample_id = table["sample_id"][0]
    turns = world.turns.filter(sample_id=sample_id)
    last = int(table["last_seen"][0])
    changed = disturbed_rows(turns, world.turns, np.arange(turns.height) >= last, rng)
    so_far = [(0.0, max(turns["end_s"].head(last), default=0.0))]
    frames = world.frames | {sample_id: disturbed_frames(world.frames[sample_id], so_far, rng)}
    after = Conversations(changed, features_of(changed, frames.__getitem__)).inputs(table)
    before = world.of_sample(sample_id).inputs(table)
    assert same(before.with_groups(["face"]), after.with_groups(["face"]))


@pytest.mark.parametrize("task", TASKS)
def test_every_group_sees_a_visible_row(world: World, task: str) -> None:
    """The property above is not kept by looking at nothing: what is visible does change the features of its group."""
    tables = world.tables[task].filter(pl.col("last_seen") > 3)
    table = tables.filter(instance_id=tables["instance_id"][tables.height // 2])
    sample_id = table["sample_id"][0]
    turns = world.turns.filter(sample_id=sample_id)
    rng = np.random.default_rng(1)
    everything = disturbed_rows(turns, world.turns, np.ones(turns.height, bool), rng)
    frames = {sample_id: random_frames(400, rng)}
    before = world.of_sample(sample_id).inputs(table)
    after = Conversations(everything, features_of(everything, frames.__getitem__)).inputs(table)
    for group in GROUPS:
        assert not same(before.with_groups([group]), after.with_groups([group])), group


def test_a_group_of_features_is_all_that_a_baseline_gets(world: World) -> None:
    table = world.tables["STP"].head(10)
    found = Conversations(world.turns, features_of(world.turns)).inputs(table).with_groups(["structure", "text"])
    assert {n.split("|")[1].split("__")[0] for n in (*found.names, *found.vectors)} == {"structure", "text"}
    assert found.values.shape == (10, len(found.names))


def test_rows_stay_together_when_they_are_taken(world: World) -> None:
    table = world.tables["SSP"]
    inputs = Conversations(world.turns, features_of(world.turns)).inputs(table)
    rows = np.array([5, 2, 9])
    assert same(inputs.take(rows), Conversations(world.turns, features_of(world.turns)).inputs(table[rows]))


def test_a_first_turn_that_sees_nothing_is_missing_and_not_zero(corpus: Annotations, features: pl.DataFrame) -> None:
    table = (
        TASKS["STP"]
        .instances(corpus.turns, corpus.samples, 3)
        .with_columns(first_seen=pl.lit(1, pl.Int32), last_seen=pl.lit(0, pl.Int32))
    )
    found = Conversations(corpus.turns, features).inputs(table.head(4))
    measured = [i for i, n in enumerate(found.names) if n != "person|structure__is_group"]
    assert np.isnan(found.values[:, measured]).all()
    assert set(found.words) <= {"", "for_everybody"}
