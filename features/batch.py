"""Runs an extractor over many samples: all cores, a progress bar, resume, and no sample that stops the others."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import joblib
from tqdm import tqdm

from features.errors import InputError
from features.problems import Problem


class Job(NamedTuple):
    """One sample's work: ``function(*arguments)`` returns the problems it met."""

    sample_id: str
    function: Callable[..., list[Problem]]
    arguments: tuple[Any, ...]


class BatchError(Exception):
    """Samples failed in a way nobody foresaw. All other samples are finished and kept."""


def _attempt(job: Job) -> tuple[list[Problem], str | None]:
    try:
        return job.function(*job.arguments), None
    except InputError as error:  # foreseen: the sample's input cannot be used
        return [Problem("", "unusable input", str(error), sample_id=job.sample_id)], None
    except Exception:
        return [], f"sample {job.sample_id}:\n{traceback.format_exc()}"


def worker_count() -> int:
    """Processes to use: RESCUE_WORKERS if set, else the CPUs this process may run on."""
    return int(os.environ.get("RESCUE_WORKERS") or len(os.sched_getaffinity(0)))


def run_jobs(stage: str, jobs: Sequence[Job], unit: str = "sample") -> list[Problem]:
    """Run all jobs in parallel processes and return their problems in the order of the jobs.

    Raises
    ------
    BatchError
        After all jobs have run, if any failed for an unforeseen reason (a programming error, say).
    """
    if not jobs:
        return []
    parallel = joblib.Parallel(n_jobs=min(worker_count(), len(jobs)), return_as="generator")
    outcomes = parallel(joblib.delayed(_attempt)(job) for job in jobs)
    quiet = not sys.stderr.isatty()
    bar = tqdm(
        outcomes, total=len(jobs), desc=stage, unit=unit, mininterval=10 if quiet else 0.2, dynamic_ncols=not quiet
    )
    problems: list[Problem] = []
    crashes: list[str] = []
    for found, crash in bar:
        problems += [Problem(**{**p.__dict__, "stage": stage}) for p in found]
        if crash:
            crashes.append(crash)
    if crashes:
        raise BatchError(
            f"{stage}: {len(crashes)} of {len(jobs)} samples failed; the others are kept.\n" + "\n".join(crashes)
        )
    return problems
