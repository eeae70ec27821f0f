"""Choosing a corpus: annotations copied, recordings linked, params.yaml changed in one line."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from features.errors import InputError
from pipeline.choose import choose
from pipeline.params import load_params
from tests.conftest import ROOT


@pytest.fixture(autouse=True)
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty repository with the real params.yaml."""
    here = tmp_path / "repository"
    here.mkdir()
    shutil.copy(ROOT / "params.yaml", here)
    monkeypatch.chdir(here)
    return here


def given(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(f"content of {name}")
    return folder


def holds(folder: Path) -> list[str]:
    return sorted(p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file())


def test_a_file_is_copied_and_one_line_of_the_parameters_changes(root: Path, tmp_path: Path) -> None:
    before = (root / "params.yaml").read_text().splitlines()
    choose("mine", given(tmp_path / "in", "all.jsonl") / "all.jsonl", None)
    after = (root / "params.yaml").read_text().splitlines()
    changed = [(a, b) for a, b in zip(before, after, strict=True) if a != b]
    assert changed == [("corpora: [demo]", "corpora: [mine]")]
    assert load_params().corpora == ["mine"]
    assert (root / "data/raw/mine/annotations/all.jsonl").read_text() == "content of all.jsonl"
    assert list((root / "data/raw/mine/media").iterdir()) == []


def test_a_folder_replaces_what_was_there_before(root: Path, tmp_path: Path) -> None:
    target = root / "data/raw/mine/annotations"
    choose("mine", given(tmp_path / "old", "a/1.json", "gone.json"), None)
    choose("mine", given(tmp_path / "new", "a/1.json", "b/2.json", "notes.txt"), None)
    assert holds(target) == ["a/1.json", "b/2.json"]
    assert holds(target.parent) == ["annotations/a/1.json", "annotations/b/2.json"]


def test_what_already_lies_in_its_place_stays(root: Path) -> None:
    target = given(root / "data/raw/mine/annotations", "a.jsonl")
    choose("mine", None, None)
    choose("mine", target, None)
    choose("mine", target / "a.jsonl", None)
    assert holds(target) == ["a.jsonl"]


def test_recordings_are_linked_and_can_be_changed(root: Path, tmp_path: Path) -> None:
    annotations = given(tmp_path / "in", "a.jsonl")
    for name in ("films", "others"):
        folder = given(tmp_path / name, "x/001.mp4")
        choose("mine", annotations, folder)
        assert (root / "data/raw/mine/media").resolve() == folder
    choose("mine", annotations, None)  # a second run need not name them again
    assert (root / "data/raw/mine/media").resolve() == tmp_path / "others"


@pytest.mark.parametrize(
    ("name", "annotations", "media", "message"),
    [
        ("../out", "in", None, "expected letters, digits and _ only"),
        ("mine", "nowhere", None, "no such file or folder"),
        ("mine", "empty", None, "found none"),
        ("mine", None, None, "Give ANNOTATIONS=<file or folder>, or run `make annotations`"),
        ("mine", "in", "in/a.jsonl", "expected a folder of recordings"),
        ("demo", "in", None, "the demo corpus is made by the pipeline"),
    ],
)
def test_refusals_change_nothing(
    root: Path, tmp_path: Path, name: str, annotations: str | None, media: str | None, message: str
) -> None:
    given(tmp_path / "in", "a.jsonl")
    (tmp_path / "empty").mkdir()
    before = (root / "params.yaml").read_bytes()
    with pytest.raises(InputError, match=message):
        choose(name, annotations and tmp_path / annotations, media and tmp_path / media)
    assert (root / "params.yaml").read_bytes() == before


def test_own_recordings_are_never_removed(root: Path, tmp_path: Path) -> None:
    films = given(root / "data/raw/mine/media", "x/001.mp4")
    with pytest.raises(InputError, match="already holds recordings"):
        choose("mine", given(tmp_path / "in", "a.jsonl"), given(tmp_path / "films", "x/001.mp4"))
    assert holds(films) == ["x/001.mp4"]
