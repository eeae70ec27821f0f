"""Stage textual: count words and embed the turns' texts and the annotated cues."""

from __future__ import annotations

import polars as pl

from features.embedding import MODEL, Embedder
from features.store import write_parquet
from features.textual import EXTRACTOR, textual_features
from pipeline.params import Params
from pipeline.stage import Corpus, run


def main(corpus: Corpus, params: Params) -> None:
    turns = pl.read_parquet(corpus.data / "turns.parquet")
    embedder = Embedder(corpus.data / "embeddings" / "cache.parquet", params.text.batch_size)
    table = textual_features(turns, embedder)
    write_parquet(corpus.data / "textual.parquet", table, {"extractor": EXTRACTOR, "model": MODEL})
    print(f"textual: {table.height} turns")


if __name__ == "__main__":
    run(main)
