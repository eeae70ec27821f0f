"""Batches: order, and one sample that fails does not stop the others."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from benchmarks.speed_faces import film
from benchmarks.truth_faces import settings_of
from features.batch import BatchError, Job, run_jobs
from features.errors import InputError
from features.facial import extract_faces
from features.problems import Problem
from pipeline.params import load_params
from tests.conftest import ROOT


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


def test_a_cluster_gives_the_same_bytes_as_this_machine(tmp_path: Path) -> None:
    """A Dask cluster of two workers takes the same call; its workers write to the same folder."""
    distributed = pytest.importorskip("distributed")
    settings = settings_of(load_params(ROOT / "params.yaml").face)
    films = [film(tmp_path / f"{n}.mp4", [150] * n, 1.5) for n in (1, 2)]
    for kind in ("here", "there"):
        (tmp_path / kind).mkdir()

    def jobs(kind: str) -> list[Job]:
        outs = [tmp_path / kind / f"{f.stem}.parquet" for f in films]
        return [Job(f.stem, extract_faces, (f.stem, f, "x", o, settings)) for f, o in zip(films, outs, strict=True)]

    assert run_jobs("facial", jobs("here")) == []
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        assert run_jobs("facial", jobs("there"), backend="dask", address=cluster.scheduler_address) == []
        (bad,) = run_jobs("facial", [Job("a", work, ("broken", tmp_path))], "sample", "dask", cluster.scheduler_address)
    assert "poem" in bad.message
    here, there = ({p.name: p.read_bytes() for p in (tmp_path / k).iterdir()} for k in ("here", "there"))
    assert len(here) == 4
    assert here == there


def test_a_cluster_that_is_not_installed_says_what_to_install(tmp_path: Path) -> None:
    if importlib.util.find_spec("ray"):
        pytest.skip("ray is installed here")
    with pytest.raises(InputError, match="pip install ray"):
        run_jobs("facial", [Job("a", work, ("fine", tmp_path / "a"))], backend="ray")
