"""Tables of measurements: what holds, what does not, and what could not be measured."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest

from benchmarks.table import Row, publish
from benchmarks.truth_faces import match


@pytest.mark.parametrize(
    ("value", "goal", "holds"),
    [
        (0.9, "≥ 0.8", True),
        (0.7, "≥ 0.8", False),
        (0.8, "≥ 0.8", True),
        (3, "≤ 0", False),
        (None, "≥ 1", None),
        (3, None, None),
    ],
)
def test_a_goal_is_a_bound(value: float | None, goal: str | None, holds: bool | None) -> None:
    assert Row("x", value, "s", goal).holds is holds


def test_a_table_with_a_failure_is_written_whole_and_ends_with_1(tmp_path: Path) -> None:
    rows = [
        Row("good", 1.0, "share", "≥ 0.5"),
        Row("bad", 0.2, "share", "≥ 0.5"),
        Row("away", None, "s", "≤ 1", "not here"),
    ]
    with pytest.raises(SystemExit, match="not held: bad"):
        publish(rows, "T", "make t", tmp_path / "t.json", tmp_path / "t.md")
    written = json.loads((tmp_path / "t.json").read_text())
    assert [r["holds"] for r in written] == [True, False, None]
    assert set(written[0]) == {"name", "value", "unit", "goal", "holds"}
    page = (tmp_path / "t.md").read_text()
    assert "| bad | 0.2 | share | ≥ 0.5 | **no** |" in page
    assert "not here" in page


def test_true_faces_get_the_found_face_that_lies_on_them_and_none_twice() -> None:
    truth = pl.DataFrame(
        {"time_s": [0.0, 0.0, 0.1, 0.2], "person": ["a", "b", "a", None], "x": [100.0, 130, 100, None],
         "y": [100.0] * 3 + [None], "height": [100.0] * 3 + [None]}
    )  # fmt: skip
    found = pl.DataFrame(
        {"time_s": [0.001, 0.1, 0.2], "track": [7, None, 8], "x": [60.0, None, 0], "y": [50.0, None, 0],
         "width": [80.0, None, 9], "height": [100.0, None, 9]}
    )  # fmt: skip
    pairs = match(found, truth)
    assert pairs["person"].to_list() == ["a", "b", "a"]
    assert pairs["found_track"].to_list() == [7, None, None]
