"""What a user can get wrong ends in a message and exit code 1, never in a traceback, and leaves what was there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.conftest import row, sample
from tests.e2e.conftest import Run

GOOD = json.dumps(sample([row(0, 1), row(1, 2, "Ben")]))
BAD = {
    "not JSON": ("{'sample_id': 1}", "line 1"),
    "truncated last line": (GOOD + "\n" + GOOD[:150], "line 2"),
    "no rows": (json.dumps(sample([])), "rows"),
    "a time that is not a number": (json.dumps(sample([row("soon", 1)])), "start_time"),
    "end before start": (json.dumps(sample([row(2, 1)])), "end_time"),
    "unknown scenario": (json.dumps(sample([row(0, 1)], scenario="office")), "scenario"),
}


@pytest.mark.parametrize("case", BAD)
def test_unusable_annotations_are_refused(checkout: Path, run: Run, case: str) -> None:
    content, named = BAD[case]
    folder = checkout / "data/raw/bad/annotations"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "a.jsonl").write_text(GOOD)
    assert run("pipeline.ingest", "bad").returncode == 0
    before = (checkout / "data/bad/turns.parquet").read_bytes()

    (folder / "a.jsonl").write_text(content)
    refused = run("pipeline.ingest", "bad")
    assert refused.returncode == 1
    assert refused.stderr.startswith("error: a.jsonl")
    assert named in refused.stderr
    assert "Traceback" not in refused.stderr
    assert (checkout / "data/bad/turns.parquet").read_bytes() == before
    assert not list((checkout / "data/bad").rglob("*.part*"))


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (("pipeline.ingest", "nowhere"), "there is none. `make annotations` says where to get it"),
        (("pipeline.choose", "mine", "--annotations", "no such file"), "no such file or folder"),
        (("pipeline.leaderboard", "nowhere"), "run `make repro CORPUS=nowhere` first"),
    ],
)
def test_a_missing_file_is_named(run: Run, command: tuple[str, ...], said: str) -> None:
    refused = run(*command)
    assert refused.returncode == 1
    assert said in refused.stderr
    assert "Traceback" not in refused.stderr


def test_a_wrong_parameter_stops_before_any_work(checkout: Path, run: Run) -> None:
    params = checkout / "params.yaml"
    good = params.read_text(encoding="utf-8")
    params.write_text(good.replace("min_detection: 0.6", "min_detection: 6"), encoding="utf-8")
    refused = run("pipeline.ingest", "demo")
    params.write_text(good, encoding="utf-8")
    assert refused.returncode == 1
    assert "face.min_detection" in refused.stderr
    assert "Traceback" not in refused.stderr
