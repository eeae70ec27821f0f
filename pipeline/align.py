"""Stage align: one row a turn with all features, and the dictionary that explains every column."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from features import alignment, structural, textual
from features.dictionary import dictionary
from features.problems import Problem
from features.store import atomic, sample_key, write_parquet
from pipeline.params import Params
from pipeline.stage import Corpus, run

KEYS = ("sample_id", "turn", "scenario", "group", "start_s", "end_s", "speaker")
DEFINITIONS = {
    **structural.DEFINITIONS,
    **textual.DEFINITIONS,
    **alignment.PROSODY_DEFINITIONS,
    **alignment.FACE_DEFINITIONS,
}


def _measured(corpus: Corpus, turns: pl.DataFrame, problems: list[Problem]) -> pl.DataFrame:
    """Prosody and face of a sample's turns; null where there is no recording."""
    key = sample_key(turns["sample_id"][0])
    spans = list(turns.select("start_s", "end_s").iter_rows())
    parts = []
    for folder, describe, definitions in (
        ("prosodic", alignment.prosody_of_turns, alignment.PROSODY_DEFINITIONS),
        ("facial", alignment.faces_of_turns, alignment.FACE_DEFINITIONS),
    ):
        path: Path = corpus.data / folder / f"{key}.parquet"
        if path.is_file():
            frames = pl.read_parquet(path)
            parts.append(describe(frames, spans))
            last, end = frames["time_s"].max(), turns["end_s"].max()
            if isinstance(last, float) and isinstance(end, float) and last < end - 1:
                message = (
                    f"the {folder} frames end at {last:.1f} s, the annotations at {end:.1f} s; turns beyond have nulls"
                )
                problems.append(
                    Problem("align", "recording shorter than annotations", message, turns["sample_id"][0], time_s=last)
                )
        else:
            parts.append(pl.DataFrame({c: pl.Series(c, [None] * turns.height, pl.Float32) for c in definitions}))
    return pl.concat(parts, how="horizontal")


def main(corpus: Corpus, params: Params) -> None:
    turns = pl.read_parquet(corpus.data / "turns.parquet")
    text = pl.read_parquet(corpus.data / "textual.parquet")
    problems: list[Problem] = []
    structure, measured = [], []
    joined = turns.join(
        text.select("sample_id", "turn", "text__words"), on=["sample_id", "turn"], how="left", maintain_order="left"
    )
    for sample in joined.partition_by("sample_id", maintain_order=True):
        structure += structural.structural_features(structural.turn_views(sample, sample["text__words"].to_list()))
        measured.append(_measured(corpus, sample, problems))
    table = pl.concat(
        [
            turns.select(KEYS),
            pl.DataFrame(structure, schema=dict.fromkeys(structural.COLUMNS, pl.Float32)),
            text.drop("sample_id", "turn"),
            pl.concat(measured),
        ],
        how="horizontal",
    )
    write_parquet(corpus.data / "features" / "turns.parquet", table)
    with atomic(corpus.data / "features" / "dictionary.csv") as temporary:
        dictionary(table, DEFINITIONS).write_csv(temporary, float_precision=4)
    corpus.write_problems("align", problems)
    print(f"align: {table.height} turns × {sum('__' in c for c in table.columns)} features")


if __name__ == "__main__":
    run(main)
