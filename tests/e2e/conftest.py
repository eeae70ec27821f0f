"""The repository once more, in a folder of its own, to run the pipeline in as a user would."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.conftest import ROOT

Run = Callable[..., subprocess.CompletedProcess[str]]
PARTS = ("pipeline", "features", "models", "dvc.yaml", "params.yaml", "data/reference")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources, with a demo of two films and few turns, known to DVC without git."""
    folder = tmp_path_factory.mktemp("checkout")
    for part in PARTS:
        source, target = ROOT / part, folder / part
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(source, target)
    params = folder / "params.yaml"
    text = params.read_text(encoding="utf-8")
    for old, new in (
        ("couples: 14", "couples: 4"), ("families: 4", "families: 2"), ("samples_per_group: 4", "samples_per_group: 2"),
        ("turns_per_sample: 32", "turns_per_sample: 24"), ("media_samples: 10", "media_samples: 2"),
        ("media_turns: 9", "media_turns: 6"), ("n_estimators: 200", "n_estimators: 10"), ("folds: 8", "folds: 2"),
        ("resamples: 2000", "resamples: 200"),
    ):  # fmt: skip
        assert old in text
        text = text.replace(old, new)
    params.write_text(text, encoding="utf-8")
    run = runner(folder)
    assert run("dvc", "init", "--no-scm", "-q").returncode == 0
    return folder


def runner(folder: Path) -> Run:
    def run(module: str, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-m", module, *arguments], cwd=folder, text=True, capture_output=True, check=False,
            env=os.environ | {"DVC_NO_ANALYTICS": "1", "COLUMNS": "200"},
        )  # fmt: skip

    return run


@pytest.fixture(scope="module")
def run(checkout: Path) -> Run:
    return runner(checkout)
