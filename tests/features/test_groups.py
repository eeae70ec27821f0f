"""Groups: who may never be on both sides of a fold."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from features.groups import GENERIC_NAMES, group_samples

NAMES = st.lists(st.sampled_from(["Ann", "Bob", "Cid", "Dora", "Eve", "Father", "Mother"]), max_size=4, unique=True)


def test_couples_are_told_apart_by_folder() -> None:
    found = group_samples(
        [("a_b/1", "couple", ["A", "B"]), ("a_b/2", "couple", ["A"]), ("c_d/1", "couple", ["A", "D"])]
    )
    assert found == {"a_b/1": "couple_01", "a_b/2": "couple_01", "c_d/1": "couple_02"}


def test_families_are_joined_by_a_name_and_not_by_a_role() -> None:
    found = group_samples(
        [
            ("f/1", "family", ["Ann", "Father"]),
            ("f/2", "family", ["Father", "Bob"]),
            ("f/3", "family", ["bob ", "Cid"]),
            ("f/4", "family", ["Cid", "Dora"]),
        ]
    )
    assert found["f/1"] != found["f/2"]
    assert found["f/2"] == found["f/3"] == found["f/4"]


@given(st.lists(NAMES, min_size=1, max_size=8))
def test_nobody_is_in_two_groups(families: list[list[str]]) -> None:
    found = group_samples([(f"f/{i}", "family", names) for i, names in enumerate(families)])
    group_of: dict[str, str] = {}
    for i, names in enumerate(families):
        for name in names:
            if name.casefold() not in GENERIC_NAMES:
                assert group_of.setdefault(name, found[f"f/{i}"]) == found[f"f/{i}"]
