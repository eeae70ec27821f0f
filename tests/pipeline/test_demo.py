"""The synthetic corpus: large enough for grouped cross-validation, the same for the same seed, a state behind every channel."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from features.annotations import read_annotations
from features.schema import RELATIONS, STRATEGIES
from pipeline.demo import write_corpus
from pipeline.params import load_params
from pipeline.synthetic.film import Staging
from pipeline.synthetic.script import Conversation
from tests.conftest import ROOT, Film, make_test_film

PARAMS = load_params(ROOT / "params.yaml")


@pytest.fixture(scope="module")
def written() -> tuple[list[Conversation], set[str]]:
    return write_corpus(PARAMS.demo, PARAMS.seed)


def test_its_size(written: tuple[list[Conversation], set[str]]) -> None:
    conversations, filmed = written
    people = {c.cast.scenario: set() for c in conversations}
    for c in conversations:
        people[c.cast.scenario].add(tuple(p.name for p in c.cast.clients))
    assert len(people["couple"]) >= 14
    assert len(people["family"]) >= 4
    assert len(conversations) >= 70
    assert sum(len(c.turns) for c in conversations) >= 2000
    assert len(filmed) >= 10
    minutes = sum(c.turns[-1].end for c in conversations if c.sample_id in filmed) / 60
    assert 7 <= minutes <= 9.5


def test_it_is_in_the_official_format_and_has_hardly_a_problem(
    written: tuple[list[Conversation], set[str]], tmp_path: Path
) -> None:
    (tmp_path / "a.jsonl").write_text("\n".join(json.dumps(c.record()) for c in written[0]))
    read = read_annotations(tmp_path / "a.jsonl")
    assert read.samples["group"].n_unique() == PARAMS.demo.couples + PARAMS.demo.families
    assert {p.kind for p in read.problems} == {"overlapping turns"}  # people do talk over one another
    for scenario in ("couple", "family"):
        rows = [t.row for c in written[0] if c.cast.scenario == scenario for t in c.turns]
        strategies = {s["strategy_type"] for r in rows for s in r["support_strategy"]}
        assert len(strategies & set(STRATEGIES[scenario])) >= 5
        relations = {str(r.get("relation_cycle_state") or r.get("relation_pattern") or "") for r in rows} - {""}
        assert len(relations & set(RELATIONS[scenario])) >= 5


def test_most_turns_say_what_no_other_says(written: tuple[list[Conversation], set[str]]) -> None:
    said = [t.row["dialogue_cleaned"] for c in written[0] for t in c.turns]
    assert len(set(said)) / len(said) > 0.8


def test_a_seed_gives_one_corpus(written: tuple[list[Conversation], set[str]]) -> None:
    again, _ = write_corpus(PARAMS.demo, PARAMS.seed)
    other, _ = write_corpus(PARAMS.demo, PARAMS.seed + 1)
    records = [c.record() for c in written[0]]
    assert [c.record() for c in again] == records
    assert [c.record() for c in other] != records


def test_a_film_is_the_same_bytes_again(film: Film, tmp_path: Path) -> None:
    again = make_test_film(tmp_path, Staging())
    assert again.path.read_bytes() == film.path.read_bytes()
    assert again.frames.equals(film.frames)
    assert again.voices.equals(film.voices)


def test_the_state_shows_in_every_channel_and_in_none_entirely(written: tuple[list[Conversation], set[str]]) -> None:
    """How much of each channel's variance lies between the states of client turns."""
    turns = [t for c in written[0] if c.cast.scenario == "couple" for t in c.turns if t.speaker in c.cast.clients]
    states = np.array([t.state for t in turns])
    channels = {
        k: np.array([t.expression[k] for t in turns])
        for k in ("f0", "loudness_db", "rate", "brow_up", "brow_down", "smile")
    }
    channels["words"] = np.array([float(t.words) for t in turns])
    for name, values in channels.items():
        between = sum((states == s).sum() * (values[states == s].mean() - values.mean()) ** 2 for s in set(states))
        share = between / ((values - values.mean()) ** 2).sum()
        assert 0.01 < share < 0.8, (name, share)


def test_a_voice_sounds_in_its_own_turns_only(film: Film) -> None:
    voiced = film.voices.filter(pl.col("f0_hz") > 0)
    inside = voiced.join_where(
        film.turns.select("speaker", "start_s", "end_s"),
        pl.col("time_s") >= pl.col("start_s") - 0.02,
        pl.col("time_s") < pl.col("end_s") + 0.02,
        pl.col("person") == pl.col("speaker"),
    ).unique(["time_s", "person"])  # fmt: skip
    assert inside.height == voiced.height
    everybody = voiced.group_by("person").agg(pl.col("f0_hz").median())
    assert everybody["f0_hz"].max() / everybody["f0_hz"].min() > 1.2  # type: ignore[operator]


def test_faces_are_small_cut_and_sometimes_gone(film: Film) -> None:
    shown = film.frames.filter(pl.col("person").is_not_null())
    heights = shown["height"] / 720
    assert heights.min() > 0.12  # type: ignore[operator]
    assert heights.max() < 0.45  # type: ignore[operator]
    assert film.frames["shot"].n_unique() >= 3
    people = shown.group_by("time_s").len()["len"]
    assert people.n_unique() >= 2
