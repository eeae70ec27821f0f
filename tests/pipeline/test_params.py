"""params.yaml: what is wrong is named before any work starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from features.errors import InputError
from pipeline.params import load_params
from tests.conftest import ROOT

GOOD = (ROOT / "params.yaml").read_text(encoding="utf-8")


def test_the_repositorys_own_parameters_are_read() -> None:
    params = load_params(ROOT / "params.yaml")
    assert params.corpora == ["demo"]
    assert params.demo.couples >= 14
    assert params.demo.families >= 4


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        ("seed: 20260909", "", "seed: Field required"),
        ("folds: 8", "folds: 1", "train.folds: Input should be greater than or equal to 2; found 1"),
        ("folds: 8", "foldz: 8", "train.foldz: Extra inputs are not permitted"),
        ("rate_hz: 10.0", "rate_hz: fast", "face.rate_hz: Input should be a valid number"),
        ("[structure, text]", "[structure, smell]", "train.feature_sets.dialogue.1"),
        ("seed: 20260909", "seed: [", "not valid YAML"),
    ],
)
def test_a_wrong_parameter_is_named(tmp_path: Path, old: str, new: str, named: str) -> None:
    assert old in GOOD
    file = tmp_path / "params.yaml"
    file.write_text(GOOD.replace(old, new), encoding="utf-8")
    with pytest.raises(InputError) as refused:
        load_params(file)
    assert named in str(refused.value)
    assert "params.yaml" in str(refused.value)


def test_outside_the_repository_it_says_where_to_run(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="Run the command in the repository's root"):
        load_params(tmp_path / "params.yaml")
