"""Files that are whole or not there, and per-sample outputs that know what they were made from."""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import polars as pl

MADE_FROM = "rescue_made_from"
_TEMPORARY = ".part"


@contextmanager
def atomic(path: Path) -> Iterator[Path]:
    """Yield a temporary path beside ``path`` that becomes ``path`` if the block succeeds and vanishes if it fails."""
    path.parent.mkdir(parents=True, exist_ok=True)
    # The suffix stays last: writers choose a format by it.
    temporary = path.with_name(f".{path.stem}.{os.getpid()}{_TEMPORARY}{path.suffix}")
    try:
        yield temporary
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_text(path: Path, text: str) -> None:
    with atomic(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def write_json(path: Path, value: Any) -> None:
    """Write JSON with a fixed key order, so that equal values give equal bytes."""
    write_text(path, json.dumps(value, ensure_ascii=False, indent=1, sort_keys=True, allow_nan=False) + "\n")


def write_parquet(path: Path, frame: pl.DataFrame, made_from: Mapping[str, Any] | None = None) -> None:
    """Write a frame as zstd Parquet; ``made_from`` (input hash, extractor, parameters) goes into its metadata."""
    metadata = {} if made_from is None else {MADE_FROM: json.dumps(made_from, sort_keys=True)}
    with atomic(path) as temporary:
        frame.write_parquet(temporary, compression="zstd", metadata=metadata)


def made_from(path: Path) -> dict[str, Any] | None:
    """Return what a Parquet file says it was made from; None when the file is not there, broken, or does not say."""
    try:
        text = pl.read_parquet_metadata(path).get(MADE_FROM)
        return None if text is None else json.loads(text)
    except (OSError, ValueError, pl.exceptions.PolarsError):
        return None


def file_hash(path: Path) -> str:
    """SHA-256 of a file's content."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while block := stream.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def sample_key(sample_id: str) -> str:
    """A file name for a sample that is safe on every file system and differs between any two ids.

    Ids may hold slashes, "..", or differ in case only; the eight digits of their hash keep the keys apart.

    >>> sample_key("anna_and_ben/001")
    'anna_and_ben_001-e4b0d6c0'
    """
    readable = re.sub(r"[^A-Za-z0-9]+", "_", sample_id).strip("_")[:60] or "sample"
    return f"{readable}-{hashlib.sha256(sample_id.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def remove_others(folder: Path, keep: set[str]) -> None:
    """Delete files in an output folder that belong to no current sample, and what a killed run left."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_file() and path.name not in keep:
            path.unlink()


def stack(paths: list[Path], empty: Callable[[], pl.DataFrame]) -> pl.DataFrame:
    """Read Parquet files of one schema below one another; ``empty()`` gives the schema when there are none."""
    return pl.concat([pl.read_parquet(p) for p in paths]) if paths else empty()
