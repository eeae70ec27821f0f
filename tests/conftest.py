"""What many tests need: a small synthetic corpus, real material where it is at hand, and a fast stand-in embedder."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import polars as pl
import pytest

from features.annotations import Annotations, read_annotations
from features.embedding import DIMENSIONS
from features.textual import textual_features
from pipeline.align import feature_table
from pipeline.demo import write_corpus
from pipeline.params import DemoParams
from pipeline.synthetic.film import Staging, make_film
from pipeline.synthetic.script import make_casts, write_conversation

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


class HashEmbedder:
    """Gives every text its own direction, in no time: what a text means does not matter to the tests that use it."""

    def embed(self, texts: list[str]) -> np.ndarray:
        vectors = [
            np.random.default_rng(int.from_bytes(hashlib.sha256(t.encode()).digest()[:8], "big")).standard_normal(
                DIMENSIONS
            )
            if t
            else np.full(DIMENSIONS, np.nan)
            for t in texts
        ]
        found = np.array(vectors, np.float32).reshape(-1, DIMENSIONS)
        return found / np.linalg.norm(found, axis=1, keepdims=True)


@pytest.fixture(scope="session")
def rescue() -> Annotations:
    """The benchmark's public annotations."""
    file = SHARED / "rescue" / "benchmark_191.jsonl"
    if not file.is_file():
        pytest.skip("the benchmark's annotations are not at ../shared/rescue (they may not be redistributed)")
    return read_annotations(file)


@pytest.fixture(scope="session")
def media_folder() -> Path:
    """Real clips."""
    folder = SHARED / "media"
    if not folder.is_dir():
        pytest.skip("the real clips are not at ../shared/media (they may not be redistributed)")
    return folder


def synthetic(folder: Path, seed: int = 7, **changes: int) -> Annotations:
    """A synthetic corpus without films, read back as a user's file would be."""
    params = DemoParams(
        **{
            "couples": 5, "families": 2, "samples_per_group": 2, "turns_per_sample": 24, "media_samples": 0, "media_turns": 6,
            "frame_rate": 10.0, **changes,
        }
    )  # fmt: skip
    conversations, _ = write_corpus(params, seed)
    file = folder / "demo.jsonl"
    file.write_text("\n".join(json.dumps(c.record()) for c in conversations) + "\n", encoding="utf-8")
    return read_annotations(file)


@pytest.fixture(scope="session")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Annotations:
    """A small synthetic corpus: 5 couples, 2 families, 14 samples."""
    return synthetic(tmp_path_factory.mktemp("corpus"))


def features_of(
    turns: pl.DataFrame,
    frames_of: Callable[[str], dict[str, pl.DataFrame]] = lambda _: {},
    participants: dict[str, list[str]] | None = None,
) -> pl.DataFrame:
    """The feature table of turns, with hashed embeddings."""
    return feature_table(turns, textual_features(turns, HashEmbedder()), frames_of, participants or {})  # type: ignore[arg-type]


@pytest.fixture(scope="session")
def features(corpus: Annotations) -> pl.DataFrame:
    return features_of(corpus.turns)


def row(start: float, end: float, speaker: str = "Ada", **more: Any) -> dict[str, Any]:
    """A hand-made annotation row."""
    return {
        "start_time": start, "end_time": end, "primary_speaker": speaker, "target": ["Ben"],
        "dialogue_cleaned": "I think we should talk about it.", **more,
    }  # fmt: skip


def sample(
    rows: list[dict[str, Any]], sample_id: str = "ada_ben/001", scenario: str = "couple", **more: Any
) -> dict[str, Any]:
    """A hand-made sample in the official format."""
    numbered = [{"row_index": i, **r} for i, r in enumerate(rows, 1)]
    return {"sample_id": sample_id, "scenario": scenario, "participants": ["Ada", "Ben"], "rows": numbered, **more}


class Film(NamedTuple):
    """A synthetic film with what is really in it."""

    path: Path
    turns: pl.DataFrame
    frames: pl.DataFrame
    voices: pl.DataFrame


def make_test_film(folder: Path, staging: Staging) -> Film:
    """Render a film of a couple's first turns, as the demo stage does."""
    rng = np.random.default_rng(11)
    (cast,) = make_casts(1, 0, rng)
    conversation = write_conversation("couple_01/001", cast, 8, rng)
    make_film(conversation, folder / "film.mp4", folder / "truth", 10.0, staging, [3])
    file = folder / "film.jsonl"
    file.write_text(json.dumps(conversation.record()) + "\n", encoding="utf-8")
    read = [pl.read_parquet(folder / f"truth.{kind}.parquet") for kind in ("frames", "voices")]
    return Film(folder / "film.mp4", read_annotations(file).turns, *read)


@pytest.fixture(scope="session")
def film(tmp_path_factory: pytest.TempPathFactory) -> Film:
    return make_test_film(tmp_path_factory.mktemp("film"), Staging())


@pytest.fixture(scope="session")
def variable_film(tmp_path_factory: pytest.TempPathFactory) -> Film:
    return make_test_film(tmp_path_factory.mktemp("variable"), Staging(variable_rate=True))
