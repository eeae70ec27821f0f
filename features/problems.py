"""Problems: things that were found wrong and did not stop the work. They are tabled, counted and shown in the report."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass

import polars as pl

SCHEMA = {
    "stage": pl.String,
    "kind": pl.String,
    "sample_id": pl.String,
    "file": pl.String,
    "line": pl.Int64,
    "row": pl.Int64,
    "field": pl.String,
    "time_s": pl.Float64,
    "message": pl.String,
}


@dataclass(frozen=True)
class Problem:
    """One finding. ``kind`` is a short fixed phrase to count by; ``message`` says what was expected and found."""

    stage: str
    kind: str
    message: str
    sample_id: str | None = None
    file: str | None = None
    line: int | None = None
    row: int | None = None
    field: str | None = None
    time_s: float | None = None


def problem_table(problems: Iterable[Problem]) -> pl.DataFrame:
    """Return the problems as a frame, one row a problem, in the order given."""
    return pl.DataFrame([asdict(p) for p in problems], schema=SCHEMA)
