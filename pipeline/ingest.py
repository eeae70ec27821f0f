"""Stage ingest: read and check the annotations, write one table of turns and one of samples."""

from __future__ import annotations

from features.annotations import read_annotations
from features.store import write_parquet
from pipeline.params import Params
from pipeline.stage import Corpus, run


def main(corpus: Corpus, params: Params) -> None:
    annotations = read_annotations(corpus.raw / "annotations")
    write_parquet(corpus.data / "turns.parquet", annotations.turns)
    write_parquet(corpus.data / "samples.parquet", annotations.samples)
    corpus.write_problems("ingest", annotations.problems)
    print(
        f"ingest: {annotations.samples.height} samples, {annotations.turns.height} turns, "
        f"{annotations.samples['group'].n_unique()} groups"
    )


if __name__ == "__main__":
    run(main)
