"""Runs an extractor over many samples: all cores, a progress bar, resume, and no sample that stops the others."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from typing import Any, NamedTuple

import joblib
from tqdm import tqdm

from features.errors import InputError
from features.problems import Problem

_PACKAGES = {"dask": "dask distributed", "ray": "ray"}


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


def _connect(stack: ExitStack, backend: str, address: str | None) -> int:
    """Let joblib run jobs where ``backend`` says, until the stack closes; return how many at once (−1: all there is)."""
    if backend == "loky":
        return worker_count()
    try:
        if backend == "dask":
            from distributed import Client

            stack.enter_context(Client(address))
        else:
            import ray
            from ray.util.joblib import register_ray

            ray.init(address=address)
            register_ray()
    except ImportError as error:
        raise InputError(f"executor {backend}: {error}. Install it: pip install {_PACKAGES[backend]}") from error
    except (OSError, ConnectionError) as error:
        where = address or "this machine"
        raise InputError(f"executor {backend}: expected a scheduler at {where}; found none ({error})") from error
    stack.enter_context(joblib.parallel_config(backend))
    return -1


def run_jobs(
    stage: str, jobs: Sequence[Job], unit: str = "sample", backend: str = "loky", address: str | None = None
) -> list[Problem]:
    """Run all jobs in parallel and return their problems in the order of the jobs.

    Parameters
    ----------
    backend : "loky" (processes on this machine), "dask" or "ray" (a cluster that sees the same files).
    address : of the cluster's scheduler; None starts a small one on this machine.

    Raises
    ------
    InputError
        If the cluster cannot be reached.
    BatchError
        After all jobs have run, if any failed for an unforeseen reason (a programming error, say).
    """
    if not jobs:
        return []
    quiet = not sys.stderr.isatty()
    problems: list[Problem] = []
    crashes: list[str] = []
    with ExitStack() as stack:
        places = _connect(stack, backend, address)
        # Results come one by one, where the backend can, so that the bar moves.
        kind = "list" if backend == "ray" else "generator"
        parallel = joblib.Parallel(n_jobs=places if places < 0 else min(places, len(jobs)), return_as=kind)
        outcomes = parallel(joblib.delayed(_attempt)(job) for job in jobs)
        bar = tqdm(
            outcomes, total=len(jobs), desc=stage, unit=unit, mininterval=10 if quiet else 0.2, dynamic_ncols=not quiet
        )
        for found, crash in bar:
            problems += [Problem(**{**p.__dict__, "stage": stage}) for p in found]
            if crash:
                crashes.append(crash)
    if crashes:
        raise BatchError(
            f"{stage}: {len(crashes)} of {len(jobs)} samples failed; the others are kept.\n" + "\n".join(crashes)
        )
    return problems
