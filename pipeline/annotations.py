"""Fetch the benchmark's public annotations from the authors' repository and check their totals."""

from __future__ import annotations

import sys
import urllib.error
import urllib.request
from pathlib import Path

from features.annotations import read_annotations
from features.errors import InputError
from features.store import atomic
from models.paper import TABLE_3
from pipeline.stage import Corpus

COMMIT = "0d0b0793e23157c7af76d1d301e63fc705b27f2a"
ADDRESS = f"https://raw.githubusercontent.com/Tomsawyerhu/RESCUE-bench/{COMMIT}/data/benchmark_191.jsonl"
CHARACTERS = 6_503_370
TARGET = Corpus("rescue").raw / "annotations" / "benchmark_191.jsonl"


def fetch(address: str, target: Path) -> None:
    """Download the file; it stands at ``target`` only if its length and totals are the published ones."""
    try:
        with urllib.request.urlopen(address, timeout=60) as answer:
            content: bytes = answer.read()
    except (urllib.error.URLError, TimeoutError, OSError) as error:
        raise InputError(
            f"{address} cannot be reached ({error}). Get data/benchmark_191.jsonl of "
            f"github.com/Tomsawyerhu/RESCUE-bench, commit {COMMIT}, in another way, put it at {target}, "
            f"and run: make repro CORPUS=rescue"
        ) from error
    text = content.decode("utf-8", "replace")
    if len(text) != CHARACTERS:
        raise InputError(f"{address}: expected {CHARACTERS} characters, found {len(text)}; nothing was written")
    with atomic(target) as temporary:
        temporary.write_bytes(content)
        _check_totals(temporary)


def _check_totals(file: Path) -> None:
    samples = read_annotations(file).samples
    for scenario in ("couple", "family"):
        part = samples.filter(scenario=scenario)
        for what, found in (("samples", part.height), ("turns", int(part["turns"].sum()))):
            if found != TABLE_3[what, scenario]:
                raise InputError(
                    f"{file.name}: expected {TABLE_3[what, scenario]:g} {scenario} {what} (the paper's Table 3), "
                    f"found {found}; nothing was written"
                )


def main() -> None:
    try:
        fetch(ADDRESS, TARGET)
    except InputError as error:
        sys.exit(f"error: {error}")
    print(f"{TARGET}: fetched and checked. Now run: make repro CORPUS=rescue")


if __name__ == "__main__":
    main()
