"""Structure: a worked example by hand, and nothing from after a turn."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.structural import COLUMNS, TurnView, structural_features

TURNS = [
    TurnView("Ada", ("Therapist",), 0.0, 4.0, 8, 0),
    TurnView("Therapist", ("Couple",), 4.5, 5.5, 3, 1),
    TurnView("Ben", ("Ada", "Therapist"), 5.0, 5.0, 1, 0),
    TurnView("Ada", ("Ben",), 6.0, 10.0, 10, 0),
]


def test_a_worked_example() -> None:
    first, second, third, last = structural_features(TURNS)
    assert tuple(first) == COLUMNS
    assert (first["structure__words_per_s"], first["structure__gap_before_s"], first["structure__turns_since_own"]) == (
        2,
        None,
        None,
    )
    assert first["structure__turns_since_therapist"] is None
    assert (second["structure__to_group"], second["structure__was_addressed"], second["structure__gap_before_s"]) == (
        1,
        1,
        0.5,
    )
    assert third["structure__words_per_s"] is None  # no duration
    assert third["structure__gap_before_s"] == -0.5  # overlap
    assert (third["structure__to_previous_speaker"], third["structure__addressees"]) == (1, 2)
    assert (last["structure__turns_since_own"], last["structure__turns_since_therapist"]) == (3, 2)
    assert (last["structure__time_share_so_far"], last["structure__turn_share_so_far"]) == pytest.approx((8 / 9, 0.5))


VIEWS = st.builds(
    TurnView, st.sampled_from(["Ada", "Ben", "Therapist"]), st.just(("Ada",)), st.floats(0, 9), st.floats(9, 20),
    st.integers(0, 30), st.integers(0, 2),
)  # fmt: skip


@given(st.lists(VIEWS, min_size=1, max_size=8), st.lists(VIEWS, max_size=5))
def test_what_comes_later_changes_nothing(seen: list[TurnView], later: list[TurnView]) -> None:
    assert structural_features([*seen, *later])[: len(seen)] == structural_features(seen)
