"""Batches: order, and one sample that fails does not stop the others."""

from __future__ import annotations

from pathlib import Path

import pytest

from features.batch import BatchError, Job, run_jobs
from features.errors import InputError
from features.problems import Problem


def work(kind: str, out: Path) -> list[Problem]:
    if kind == "broken":
        raise InputError("expected a film; found a poem")
    if kind == "bug":
        raise ZeroDivisionError
    out.write_text(kind)
    return [Problem("", "odd", kind)]


def test_problems_come_in_the_order_of_the_jobs(tmp_path: Path) -> None:
    jobs = [Job(str(i), work, (f"fine {i}", tmp_path / str(i))) for i in range(6)]
    assert [(p.stage, p.message) for p in run_jobs("facial", jobs)] == [("facial", f"fine {i}") for i in range(6)]


def test_unusable_input_becomes_a_problem(tmp_path: Path) -> None:
    jobs = [Job("a", work, ("broken", tmp_path / "a")), Job("b", work, ("fine", tmp_path / "b"))]
    first, second = run_jobs("facial", jobs)
    assert (first.sample_id, first.kind) == ("a", "unusable input")
    assert "poem" in first.message
    assert second.message == "fine"


def test_a_bug_in_one_sample_is_told_after_the_others_are_done(tmp_path: Path) -> None:
    jobs = [Job(k, work, (k, tmp_path / k)) for k in ("bug", "fine", "good")]
    with pytest.raises(
        BatchError, match=r"1 of 3 samples failed; the others are kept(.|\n)*sample bug(.|\n)*ZeroDivisionError"
    ):
        run_jobs("facial", jobs)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["fine", "good"]
