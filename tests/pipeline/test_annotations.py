"""Fetching the official annotations: only the published file is ever written."""

from __future__ import annotations

from pathlib import Path

import pytest

from features.errors import InputError
from pipeline import annotations
from pipeline.annotations import ADDRESS, COMMIT, TARGET, fetch
from tests.conftest import SHARED


def test_the_address_names_the_commit() -> None:
    assert COMMIT == "0d0b0793e23157c7af76d1d301e63fc705b27f2a"
    assert ADDRESS.startswith("https://")
    assert COMMIT in ADDRESS


def test_where_there_is_no_way_it_says_where_to_get_it_and_where_to_put_it(tmp_path: Path) -> None:
    with pytest.raises(InputError) as refused:
        fetch((tmp_path / "nowhere").as_uri(), TARGET)
    message = str(refused.value)
    for part in ("Tomsawyerhu/RESCUE-bench", COMMIT, str(TARGET), "make repro CORPUS=rescue"):
        assert part in message


def test_a_file_of_another_length_is_not_written(tmp_path: Path) -> None:
    (tmp_path / "given").write_text("a page that says sorry")
    with pytest.raises(InputError, match=r"expected 6503370 characters, found 22; nothing was written"):
        fetch((tmp_path / "given").as_uri(), tmp_path / "out" / "a.jsonl")
    assert not (tmp_path / "out").exists() or not any((tmp_path / "out").iterdir())


def test_a_file_of_other_totals_is_not_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = (
        '{"sample_id": "a/1", "scenario": "couple", "participants": ["Ada"], "rows": [{"start_time": 0, "end_time": 1, '
        '"primary_speaker": "Ada", "target": [], "dialogue_cleaned": "Yes.", "row_index": 1}]}\n'
    )
    (tmp_path / "given").write_text(line)
    monkeypatch.setattr(annotations, "CHARACTERS", len(line))
    with pytest.raises(InputError, match=r"expected 174 couple samples .* found 1; nothing was written"):
        fetch((tmp_path / "given").as_uri(), tmp_path / "out" / "a.jsonl")
    assert not any((tmp_path / "out").iterdir())


def test_the_published_file_is_written_as_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, rescue: object
) -> None:
    file = SHARED / "rescue" / "benchmark_191.jsonl"
    monkeypatch.setattr(annotations, "CHARACTERS", len(file.read_text(encoding="utf-8")))  # the copy here lacks fields
    fetch(file.as_uri(), tmp_path / "a.jsonl")
    assert (tmp_path / "a.jsonl").read_bytes() == file.read_bytes()
