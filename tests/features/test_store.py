"""Files are whole or not there; keys differ; an output knows what it was made from."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from features.store import atomic, made_from, remove_others, sample_key, write_json, write_parquet


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    target = tmp_path / "a.json"
    write_json(target, {"old": 1})

    def fails() -> None:
        with atomic(target) as temporary:
            temporary.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fails()
    assert [p.name for p in tmp_path.iterdir()] == ["a.json"]
    assert '"old"' in target.read_text()


def test_not_a_number_is_not_written_as_json(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="JSON"):
        write_json(tmp_path / "a.json", {"value": float("nan")})
    assert not list(tmp_path.iterdir())


def test_the_same_frame_gives_the_same_bytes(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1.5, None], "b": ["x", "y"]})
    for name in ("one", "two"):
        write_parquet(tmp_path / name, frame, {"input": "abc"})
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_made_from_survives_and_a_broken_file_says_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    assert made_from(path) is None
    write_parquet(path, pl.DataFrame({"a": [1]}), {"input": "abc", "rate": 5.0})
    assert made_from(path) == {"input": "abc", "rate": 5.0}
    path.write_bytes(path.read_bytes()[:50])
    assert made_from(path) is None


@given(st.text(max_size=200), st.text(max_size=200))
def test_keys_of_different_ids_differ_even_where_case_does_not_count(one: str, other: str) -> None:
    key = sample_key(one)
    assert (key.casefold() == sample_key(other).casefold()) == (one == other)
    assert set(key) <= set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")
    assert 0 < len(key) < 80


def test_files_of_no_current_sample_are_removed(tmp_path: Path) -> None:
    for name in ("keep.parquet", "old.parquet", ".keep.123.part.parquet"):
        (tmp_path / name).touch()
    remove_others(tmp_path, {"keep.parquet"})
    assert [p.name for p in tmp_path.iterdir()] == ["keep.parquet"]
