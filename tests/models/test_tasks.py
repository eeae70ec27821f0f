"""Instances: the benchmark's rules on worked examples, and the paper's counts on the real annotations."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.annotations import Annotations, read_annotations
from models.paper import TABLE_3, TABLE_6, counts_against_paper
from models.tasks import TASKS
from models.tasks.base import even_sample
from tests.conftest import row, sample


def instances(folder: Path, task: str, rows: list[dict[str, Any]], **of_sample: Any) -> list[dict[str, Any]]:
    file = folder / "a.jsonl"
    file.write_text(json.dumps(sample(rows, **of_sample)))
    read = read_annotations(file)
    return TASKS[task].instances(read.turns, read.samples, TASKS[task].default_context).to_dicts()


def talk(speakers: str) -> list[dict[str, Any]]:
    """A turn a letter: A(da), B(en), T(herapist)."""
    names = {"A": "Ada", "B": "Ben", "T": "Therapist"}
    return [row(i, i + 1, names[s], target=["Therapist"] if s != "T" else ["Ada"]) for i, s in enumerate(speakers)]


# --- even sampling


@pytest.mark.parametrize(
    ("n", "k", "expected"),
    [
        (7, 3, [0, 3, 6]),
        (4, 3, [0, 2, 3]),
        (6, 3, [0, 2, 5]),
        (10, 4, [0, 3, 6, 9]),
        (5, 9, [0, 1, 2, 3, 4]),
        (5, 0, []),
    ],
)
def test_even_sampling(n: int, k: int, expected: list[int]) -> None:
    assert even_sample(range(n), k) == expected


def test_one_of_many() -> None:
    assert even_sample("abcd", 1) == ["a"]
    assert even_sample("abcd", 1, "middle") == ["c"]


@given(st.integers(0, 60), st.integers(0, 60))
def test_even_sampling_gives_as_many_as_asked_in_order(n: int, k: int) -> None:
    found = even_sample(range(n), k)
    assert len(found) == min(n, k)
    assert found == sorted(set(found))


# --- ITP


def test_intervention_is_balanced_and_stands_after_what_it_sees(tmp_path: Path) -> None:
    found = instances(tmp_path, "ITP", talk("ABTABAT"))
    # positive after rows 2 and 6; negative after 1, 4 and 5, of which two are kept: the first and the last
    assert [(i["turn"], i["label"]) for i in found] == [(1, "wait"), (2, "intervene"), (5, "wait"), (6, "intervene")]
    assert [(i["first_seen"], i["last_seen"]) for i in found] == [(1, 1), (1, 2), (3, 5), (4, 6)]


@pytest.mark.parametrize("speakers", ["ABAB", "ATBTAT", "TT", "T"])
def test_a_sample_with_one_kind_only_gives_none(tmp_path: Path, speakers: str) -> None:
    assert instances(tmp_path, "ITP", talk(speakers)) == []


# --- RPP


def test_relation_labels_of_couples(tmp_path: Path) -> None:
    rows = talk("TATTB")
    for place, label in ((0, "attack_attack"), (1, "attack_attack"), (2, "love"), (3, "repair_softening")):
        rows[place]["relation_cycle_state"] = label
    rows[3]["relation_pattern"] = "attack_attack"
    found = instances(tmp_path, "RPP", rows)
    # row 1 is left out, row 2 is a client's, row 3 is outside the taxonomy
    assert [(i["turn"], i["label"], i["first_seen"], i["last_seen"]) for i in found] == [(4, "repair_softening", 1, 3)]


def test_relation_labels_of_families(tmp_path: Path) -> None:
    rows = talk("TATT")
    rows[0]["relation_pattern"] = "escalation_conflict"
    rows[2] |= {"relation_pattern": "", "relation_cycle_state": "pursue_withdraw"}
    rows[3] |= {"relation_pattern": "boundary_hierarchy_strain", "relation_cycle_state": "pursue_withdraw"}
    found = instances(tmp_path, "RPP", rows, scenario="family")
    assert [(i["turn"], i["label"]) for i in found] == [
        (1, "escalation_conflict"),
        (3, "pursue_withdraw"),
        (4, "boundary_hierarchy_strain"),
    ]


# --- STP and SSP


def strategy(kind: str, *target: str) -> list[dict[str, Any]]:
    return [{"provider": "Therapist", "target": list(target), "strategy_type": kind, "strategy_content": "x"}]


@pytest.mark.parametrize(
    ("target", "of_row", "gold"),
    [
        (["Ben"], ["Ada"], "Ben"),
        ([], ["Ada"], "Ada"),
        (["Ben", "Therapist"], ["Ada"], "Ben"),
        (["Ben", "Ada"], ["Ada"], "Couple"),
        (["Couple"], ["Ada"], "Couple"),
        (["Therapist"], ["Ada"], None),
        ([], [], None),
    ],
)
def test_the_target_of_support(tmp_path: Path, target: list[str], of_row: list[str], gold: str | None) -> None:
    rows = [*talk("AB"), row(3, 4, "Therapist", target=of_row, support_strategy=strategy("reframe", *target))]
    found = instances(tmp_path, "STP", rows)
    assert {i["label"] for i in found} == ({gold} if gold else set())
    assert len(instances(tmp_path, "SSP", rows)) == (1 if gold else 0)


def test_candidates_are_participants_group_and_whoever_the_therapist_addresses(tmp_path: Path) -> None:
    rows = [
        row(0, 1, "Ada", target=["Zoe"]),
        row(1, 2, "Therapist", target=["Ben"], support_strategy=strategy("track", "Ben")),
        row(2, 3, "Therapist", target=["Cid", "Therapist"]),
    ]
    found = instances(tmp_path, "STP", rows)
    assert [i["candidate"] for i in found] == ["Ada", "Ben", "Couple", "Cid"]
    assert {(i["first_seen"], i["last_seen"]) for i in found} == {(1, 1)}


def test_a_strategy_outside_the_taxonomy_counts_for_the_target_only(tmp_path: Path) -> None:
    rows = [*talk("A"), row(1, 2, "Therapist", support_strategy=strategy("advise", "Ben"))]
    assert instances(tmp_path, "STP", rows)
    assert instances(tmp_path, "SSP", rows) == []


def test_the_strategy_is_asked_for_with_the_target_given(tmp_path: Path) -> None:
    rows = [*talk("ABABA"), row(5, 6, "Therapist", support_strategy=strategy("track", "Ben"))]
    (found,) = instances(tmp_path, "SSP", rows)
    assert (found["person"], found["label"], found["first_seen"], found["last_seen"]) == ("Ben", "track", 3, 5)


# --- ER and VP


def feeling(intensity: float | None, person: str = "Ada", text: str = "hurt") -> list[dict[str, Any]]:
    return [{"person": person, "emotion_description": text, "intensity": intensity}]


LONG = "I really do not know that."


@pytest.mark.parametrize(
    ("emotion", "dialogue", "kept"),
    [
        (feeling(7), LONG, True),
        (feeling(10.4), LONG, True),
        (feeling(10.6), LONG, False),
        (feeling(None), LONG, False),
        (feeling(7, text=" "), LONG, False),
        (feeling(7, person="Ben"), LONG, False),
        (feeling(2, person="Ben") + feeling(7), LONG, True),
        (feeling(7), "I do not -- know", False),  # four words
        (feeling(7), "I don't know you, Ben", True),
    ],
)
def test_which_emotions_are_asked_for(tmp_path: Path, emotion: list[dict[str, Any]], dialogue: str, kept: bool) -> None:
    rows = [*talk("B"), row(1, 2, "Ada", dialogue_cleaned=dialogue, internal_emotion=emotion)]
    found = instances(tmp_path, "ER", rows)
    assert len(found) == kept
    if kept:
        assert (found[0]["first_seen"], found[0]["last_seen"]) == (2, 2)
        assert found[0]["intensity"] == round(emotion[-1]["intensity"])


def test_the_first_three_tenths_are_skipped_and_five_are_kept(tmp_path: Path) -> None:
    rows = [row(i, i + 1, dialogue_cleaned=LONG, internal_emotion=feeling(5)) for i in range(12)]
    # ceil(3.6) = 4 rows are dropped; of the other eight, positions 0, 2 (1.75), 4 (3.5), 5 (5.25), 7
    assert [i["turn"] for i in instances(tmp_path, "ER", rows)] == [5, 7, 9, 10, 12]


@pytest.mark.parametrize(
    ("view", "kept"),
    [
        ({"source": "Ada", "target": "Ben", "viewpoint": "He is unfair."}, True),
        ({"source": "Ben", "target": "Ada", "viewpoint": "He is unfair."}, False),
        ({"source": "Ada", "target": "", "viewpoint": "He is unfair."}, False),
        ({"source": "Ada", "target": "Ben", "viewpoint": " "}, False),
    ],
)
def test_which_viewpoints_are_asked_for(tmp_path: Path, view: dict[str, str], kept: bool) -> None:
    found = instances(tmp_path, "VP", [row(0, 1, viewpoints_attitudes=[view])])
    assert [(i["label"], i["text"]) for i in found] == ([("Ben", "He is unfair.")] if kept else [])


def test_nobody_asks_what_the_therapist_feels(tmp_path: Path) -> None:
    rows = [row(0, 1, "Therapist", dialogue_cleaned=LONG, internal_emotion=feeling(5, "Therapist"))]
    assert instances(tmp_path, "ER", rows * 2) == []


# --- the benchmark


def test_the_counts_are_the_papers(rescue: Annotations) -> None:
    counts = {
        name: dict(
            task.instances(rescue.turns, rescue.samples, task.default_context)
            .unique("instance_id")
            .group_by("scenario")
            .len()
            .iter_rows()
        )
        for name, task in TASKS.items()
    }
    table = counts_against_paper(rescue.samples, counts)
    assert table.height == len(TABLE_3) + len(TABLE_6)
    assert table.filter(pl.col("verdict") != "same").is_empty(), table.filter(pl.col("verdict") != "same")


def test_a_difference_from_the_paper_is_told(rescue: Annotations) -> None:
    fewer = rescue.samples.filter(pl.col("number") > 1)
    table = counts_against_paper(fewer, {"ITP": {"couple": 2720}})
    assert table.filter(what="samples", scenario="both")["verdict"].to_list() == ["-1"]
    assert table.filter(what="ITP", scenario="couple")["verdict"].to_list() == ["-2"]


def test_ids_are_unique_and_nobody_sees_the_future(corpus: Annotations) -> None:
    for task in TASKS.values():
        table = task.instances(corpus.turns, corpus.samples, task.default_context)
        assert table.height
        keys = ["instance_id", "candidate"] if task.name == "STP" else ["instance_id"]
        assert not table.select(keys).is_duplicated().any()
        last_allowed = pl.col("turn") if task.name in ("ITP", "ER", "VP") else pl.col("turn") - 1
        assert table.filter(pl.col("last_seen") != last_allowed).is_empty()
        assert table.filter(pl.col("first_seen") < 1).is_empty()
