"""`dvc repro` from nothing to the report, on a small demo corpus; and nothing again."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import polars as pl
import pytest

from features.dictionary import feature_group
from models.evaluation import RESULT_SCHEMA
from models.tasks import TASKS
from tests.e2e.conftest import Run


@pytest.fixture(scope="module")
def done(checkout: Path, run: Run) -> subprocess.CompletedProcess[str]:
    return run("dvc", "repro", "report@demo")


def test_one_command_builds_everything(done: subprocess.CompletedProcess[str], checkout: Path) -> None:
    assert done.returncode == 0, done.stderr[-3000:]
    assert (checkout / "reports/demo/report.html").is_file()


def test_a_second_run_does_nothing(done: subprocess.CompletedProcess[str], run: Run) -> None:
    again = run("dvc", "repro")
    assert again.returncode == 0, again.stderr[-3000:]
    assert "Running stage" not in again.stdout
    assert "up to date" in again.stdout


def test_the_metrics_have_the_published_form(done: subprocess.CompletedProcess[str], checkout: Path) -> None:
    metrics = json.loads((checkout / "reports/demo/metrics.json").read_text(encoding="utf-8"))
    assert set(metrics) == {"corpus", "counts", "results"}
    assert set(metrics["counts"]) == set(TASKS)
    for result in metrics["results"]:
        assert set(result) == set(RESULT_SCHEMA)
        assert result["low"] <= result["high"]
        if result["scenario"] != "both":
            assert result["n"] == metrics["counts"][result["task"]][result["scenario"]]


def test_recordings_become_features_and_the_rest_is_null(
    done: subprocess.CompletedProcess[str], checkout: Path
) -> None:
    features = pl.read_parquet(checkout / "data/demo/features/turns.parquet")
    media = pl.read_parquet(checkout / "data/demo/media.parquet")
    filmed = media.filter("has_video")["sample_id"].to_list()
    assert len(filmed) == 2
    mine = pl.col("sample_id").is_in(filmed)
    assert features.filter(mine)["prosody__seconds"].null_count() == 0
    assert features.filter(mine)["face__on_screen_share"].mean() > 0.5  # type: ignore[operator]
    named = features.filter(mine)["face_speaker__on_screen_share"]
    assert named.mean() > 0.3  # type: ignore[operator]
    measured = [c for c in features.columns if feature_group(c) in ("prosody", "face")]
    assert all(n == features.filter(~mine).height for n in features.filter(~mine).select(measured).null_count().row(0))


def test_the_dictionary_explains_every_column(done: subprocess.CompletedProcess[str], checkout: Path) -> None:
    explained = pl.read_csv(checkout / "data/demo/features/dictionary.csv")
    features = pl.read_parquet(checkout / "data/demo/features/turns.parquet")
    assert explained["column"].to_list() == features.columns
    assert explained.select("group", "source", "definition").null_count().row(0) == (0, 0, 0)


def test_the_report_is_one_file_that_needs_nothing_else(done: subprocess.CompletedProcess[str], checkout: Path) -> None:
    page = (checkout / "reports/demo/report.html").read_text(encoding="utf-8")
    loaded = re.findall(r'(?:src|href)\s*=\s*"([^"]*)"|url\(([^)]*)\)|@import', page)
    assert [a or b for a, b in loaded if not (a or b).startswith(("#", "data:image/"))] == []
    assert "<script" not in page
    anchors = set(re.findall(r'href="#([^"]+)"', page))
    assert set(TASKS) | {"summary", "media", "problems", "method"} <= anchors
    for anchor in anchors:
        assert f'id="{anchor}"' in page
    assert "This corpus is synthetic" in page
    assert "2 of 12 samples have a video" in page
    assert "overlapping turns" in page


def test_a_report_shows_faces_and_names_only_where_it_may(
    done: subprocess.CompletedProcess[str], checkout: Path, run: Run
) -> None:
    """The demo's people are drawn; of every other corpus, the real benchmark too, the report shows parts and no person."""
    file, report = checkout / "params.yaml", checkout / "reports/demo/report.html"
    turns = pl.read_parquet(checkout / "data/demo/turns.parquet")
    names = [n for n in turns["speaker"].unique().to_list() if n != "Therapist"]
    page, parameters = report.read_text(encoding="utf-8"), file.read_text(encoding="utf-8")
    assert "data:image/jpeg" in page
    for text in turns["dialogue"].unique().to_list():
        assert len(text.split()) < 5 or text not in page
    assert "show_faces: [demo]" in parameters
    file.write_text(parameters.replace("show_faces: [demo]", "show_faces: []"), encoding="utf-8")
    try:
        assert run("pipeline.report", "demo").returncode == 0
        anonymous = report.read_text(encoding="utf-8")
    finally:
        file.write_text(parameters, encoding="utf-8")
        report.write_text(page, encoding="utf-8")
    assert 'id="faces"' in anonymous
    assert "data:image/jpeg" not in anonymous
    for name in names:
        assert not re.search(rf"\b{re.escape(name)}\b", anonymous), name


def test_the_same_report_again(done: subprocess.CompletedProcess[str], checkout: Path, run: Run) -> None:
    folder = checkout / "reports/demo"
    before = {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()}
    assert run("pipeline.evaluate", "demo").returncode == 0
    assert run("pipeline.report", "demo").returncode == 0
    assert {p.name: p.read_bytes() for p in folder.rglob("*") if p.is_file()} == before


def test_the_leaderboard_ends_with_where_the_report_is(
    done: subprocess.CompletedProcess[str], checkout: Path, run: Run
) -> None:
    shown = run("pipeline.leaderboard", "demo")
    assert shown.returncode == 0
    assert shown.stdout.rstrip().endswith(str(checkout / "reports/demo/report.html"))
    for task in TASKS:
        assert f"{task} " in shown.stdout
    assert "not comparable" in shown.stdout


def test_metrics_can_be_compared_with_dvc(done: subprocess.CompletedProcess[str], run: Run) -> None:
    shown = run("dvc", "metrics", "show", "--json")
    assert shown.returncode == 0
    assert "lightgbm[dialogue]" in shown.stdout


def test_one_changed_annotation_does_not_touch_the_recordings(
    done: subprocess.CompletedProcess[str], checkout: Path, run: Run
) -> None:
    faces = sorted((checkout / "data/demo/facial").iterdir())
    before = [p.stat().st_mtime_ns for p in faces]
    file = checkout / "data/raw/demo/annotations/demo.jsonl"
    lines = file.read_text(encoding="utf-8").splitlines()
    record = json.loads(lines[-1])
    record["rows"][0]["dialogue_cleaned"] = "Something else altogether."
    file.write_text("\n".join([*lines[:-1], json.dumps(record)]) + "\n", encoding="utf-8")
    for stage in ("ingest", "media", "facial"):
        assert run(f"pipeline.{stage}", "demo").returncode == 0
    assert [p.stat().st_mtime_ns for p in faces] == before
