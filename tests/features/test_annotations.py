"""Annotations: all that the release contains is read, what is odd is listed, what cannot be used is refused with its place."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from features.annotations import Annotations, read_annotations
from features.errors import InputError
from tests.conftest import row, sample


def read(folder: Path, *samples: dict[str, Any], prefix: bytes = b"") -> Annotations:
    file = folder / "a.jsonl"
    file.write_bytes(prefix + "\n".join(json.dumps(s, ensure_ascii=False) for s in samples).encode() + b"\n")
    return read_annotations(file)


GOOD = sample([row(0, 2), row(2, 4, "Therapist", target=["Ada"]), row(4, 6, "Ben", target=["Ada"])])


def test_both_forms_hold_the_same(tmp_path: Path) -> None:
    (tmp_path / "lines").mkdir()
    lines = read(tmp_path / "lines", GOOD)
    folder = tmp_path / "folder" / "ada_ben"
    folder.mkdir(parents=True)
    (folder / "001.json").write_text(json.dumps({"rows": GOOD["rows"], "participants": GOOD["participants"]}))
    files = read_annotations(tmp_path / "folder")
    assert files.turns.equals(lines.turns)
    assert files.samples.equals(lines.samples)


def test_the_order_of_keys_does_not_matter(tmp_path: Path) -> None:
    turned = {k: GOOD[k] for k in reversed(list(GOOD))}
    turned["rows"] = [{k: r[k] for k in reversed(list(r))} for r in GOOD["rows"]]
    (tmp_path / "x").mkdir()
    assert read(tmp_path, turned).turns.equals(read(tmp_path / "x", GOOD).turns)


def test_null_empty_and_absent_mean_the_same(tmp_path: Path) -> None:
    absent = sample([row(0, 1)])
    null = sample([row(0, 1, support_strategy=None, relation_pattern=None, internal_emotion=None, tone_of_voice=None)])
    empty = sample([row(0, 1, support_strategy="", relation_pattern="", internal_emotion=[], tone_of_voice="")])
    tables = []
    for name, one in (("a", absent), ("b", null), ("c", empty)):
        (tmp_path / name).mkdir()
        tables.append(read(tmp_path / name, one).turns)
    assert tables[0].equals(tables[1])
    assert tables[0].equals(tables[2])


def test_a_target_may_be_a_string(tmp_path: Path) -> None:
    assert read(tmp_path, sample([row(0, 1, target="Ben")])).turns["target"].to_list() == [["Ben"]]


REFUSED = [  # (what is wrong, file content, what the message must name)
    ("not JSON", '{"sample_id": oops}\n', ["a.jsonl", "line 1", "JSON"]),
    ("truncated last line", json.dumps(GOOD) + "\n" + json.dumps(GOOD)[:200], ["a.jsonl", "line 2"]),
    ("no rows", json.dumps(sample([])), ["line 1", "ada_ben/001", "rows"]),
    ("time not a number", json.dumps(sample([row(0, 1), row("one", 2)])), ["ada_ben/001", "row 2", "start_time", "'one'"]),
    ("time is NaN", json.dumps(sample([row(0, float("nan"))])), ["line 1", "NaN"]),
    ("time is true", json.dumps(sample([row(True, 2)])), ["row 1", "start_time"]),
    ("end before start", json.dumps(sample([row(0, 1), row(5, 4)])), ["row 2", "end_time", "5", "4"]),
    ("unknown scenario", json.dumps(sample([row(0, 1)], scenario="friends")), ["scenario", "couple or family", "friends"]),
    ("a row that is a list", json.dumps(sample([row(0, 1)]) | {"rows": [[1, 2]]}), ["row 1"]),
    ("no speaker", json.dumps(sample([row(0, 1, "")])), ["row 1", "primary_speaker"]),
    ("a list instead of a sample", "[1, 2]\n", ["line 1"]),
    ("nothing at all", "", ["a.jsonl"]),
]  # fmt: skip


@pytest.mark.parametrize(("content", "named"), [r[1:] for r in REFUSED], ids=[r[0] for r in REFUSED])
def test_what_cannot_be_used_is_refused_with_its_place(tmp_path: Path, content: str, named: list[str]) -> None:
    (tmp_path / "a.jsonl").write_text(content, encoding="utf-8")
    with pytest.raises(InputError) as error:
        read_annotations(tmp_path / "a.jsonl")
    for part in named:
        assert part in str(error.value)


KEPT = [  # (kind of problem, samples, row, field)
    ("overlapping turns", [sample([row(0, 3), row(2, 4)])], 2, "start_time"),
    ("gap in row_index", [sample([row(0, 1), row(1, 2, row_index=5)])], 2, "row_index"),
    ("target outside participants", [sample([row(0, 1, target=["Zoe"])])], 1, "target"),
    ("speaker outside participants", [sample([row(0, 1, "Zoe")])], 1, "primary_speaker"),
    ("label outside the taxonomy", [sample([row(0, 1, relation_cycle_state="love")])], 1, "relation_cycle_state"),
    (
        "label outside the taxonomy",
        [sample([row(0, 1, support_strategy=[{"strategy_type": "advise"}])])],
        1,
        "support_strategy",
    ),
    ("mojibake", [sample([row(0, 1, dialogue_cleaned="I donâ€™t know")])], 1, "dialogue_cleaned"),
    ("empty dialogue", [sample([row(0, 1, dialogue_cleaned=" ")])], 1, "dialogue_cleaned"),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "samples", "place", "field"), KEPT)
def test_what_is_odd_is_kept_and_listed(
    tmp_path: Path, kind: str, samples: list[dict[str, Any]], place: int, field: str
) -> None:
    found = read(tmp_path, *samples)
    assert found.turns.height == len(samples[0]["rows"])
    (problem,) = [p for p in found.problems if p.kind == kind]
    found_at = (problem.file, problem.line, problem.sample_id, problem.row, problem.field)
    assert found_at == ("a.jsonl", 1, "ada_ben/001", place, field)


def test_a_byte_order_mark_is_skipped_and_listed(tmp_path: Path) -> None:
    found = read(tmp_path, GOOD, prefix=b"\xef\xbb\xbf")
    assert found.samples["sample_id"].to_list() == ["ada_ben/001"]
    assert [p.kind for p in found.problems] == ["byte-order mark"]


def test_the_second_of_two_equal_ids_is_left_out_and_listed(tmp_path: Path) -> None:
    other = sample([row(0, 1), row(1, 2)])
    found = read(tmp_path, GOOD, other)
    assert found.turns.height == 3
    assert [(p.kind, p.line) for p in found.problems] == [("duplicate sample id", 2)]


def test_mojibake_is_repaired_in_the_text_and_kept_in_the_dialogue(tmp_path: Path) -> None:
    turns = read(tmp_path, sample([row(0, 1, dialogue_cleaned="I donâ€™t know")])).turns
    assert turns["text"].to_list() == ["I don't know"]
    assert turns["dialogue"].to_list() == ["I donâ€™t know"]


def test_the_whole_release_is_read(rescue: Annotations) -> None:
    assert dict(rescue.samples["scenario"].value_counts().iter_rows()) == {"couple": 174, "family": 17}
    groups = rescue.samples.group_by("scenario").agg(pl.col("group").n_unique())
    assert dict(groups.iter_rows()) == {"couple": 23, "family": 8}
    # ../shared/rescue/README.md: 70 turns begin before the previous one ends, and nothing else is odd.
    assert [p.kind for p in rescue.problems] == ["overlapping turns"] * 70
