"""What every stage's command line shares: one corpus as argument, where its files lie, and errors without tracebacks."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from features.batch import BatchError
from features.errors import InputError
from features.problems import Problem, problem_table
from features.store import write_parquet
from pipeline.params import load_params


@dataclass(frozen=True)
class Corpus:
    """Paths of one corpus's inputs and outputs, relative to the repository's root."""

    name: str

    @property
    def raw(self) -> Path:
        return Path("data/raw") / self.name

    @property
    def data(self) -> Path:
        return Path("data") / self.name

    @property
    def report(self) -> Path:
        return Path("reports") / self.name

    def write_problems(self, stage: str, problems: list[Problem]) -> None:
        """Write the stage's problem table and say how many there are."""
        write_parquet(self.data / "problems" / f"{stage}.parquet", problem_table(problems))
        if problems:
            print(f"{stage}: {len(problems)} problems recorded in {self.data}/problems/{stage}.parquet")

    def problems(self) -> pl.DataFrame:
        """All stages' problems below one another."""
        return pl.concat([pl.read_parquet(p) for p in sorted((self.data / "problems").glob("*.parquet"))])


def run(stage: Callable[..., None], *more: str) -> None:
    """Run a stage's function from the command line; what a user can mend ends in a message and exit code 1.

    ``more`` names further positional arguments, passed on as keywords.
    """
    parser = argparse.ArgumentParser(description=sys.modules[stage.__module__].__doc__)
    parser.add_argument("corpus", help="name of the corpus: demo, rescue, or a folder's name under data/raw")
    for name in more:
        parser.add_argument(name)
    arguments = vars(parser.parse_args())
    try:
        stage(Corpus(arguments.pop("corpus")), load_params(), **arguments)
    except (InputError, BatchError) as error:
        sys.exit(f"error: {error}")
    except OSError as error:
        where = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        sys.exit(f"error: {where}. What was already written is kept; mend this and run the same command again.")
    except KeyboardInterrupt:
        sys.exit("interrupted: what is finished is kept; the same command goes on from there")
