"""Stage align: one row a turn with all features, and the dictionary that explains every column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial

import polars as pl

from features import alignment, structural, textual
from features.dictionary import Definition, dictionary
from features.problems import Problem
from features.store import atomic, sample_key, write_parquet
from pipeline.params import Params
from pipeline.stage import Corpus, run

KEYS = {
    "sample_id": Definition("name", "annotations", "The sample (a recorded conversation or a part of one)."),
    "turn": Definition("number", "annotations", "Number of the turn in the sample, from 1."),
    "scenario": Definition("label", "annotations", "couple or family."),
    "group": Definition("label", "features/groups.py", "The couple or family. Never split over training and test."),
    "start_s": Definition("s", "annotations", "Start of the turn, on the recording's clock; included."),
    "end_s": Definition("s", "annotations", "End of the turn; not included."),
    "speaker": Definition("name", "annotations", "Who speaks. A name: leave it out of what you share."),
}
DEFINITIONS = {
    **KEYS,
    **structural.DEFINITIONS,
    **textual.DEFINITIONS,
    **alignment.PROSODY_DEFINITIONS,
    **alignment.FACE_DEFINITIONS,
}


_MEASURES = (
    ("prosodic", alignment.prosody_of_turns, alignment.PROSODY_DEFINITIONS),
    ("facial", alignment.faces_of_turns, alignment.FACE_DEFINITIONS),
)


def measured_features(turns: pl.DataFrame, frames: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Prosody and face of one sample's turns, one row a turn; null for what has no frames.

    ``frames`` holds what there is of ``facial`` and ``prosodic`` frames, by that name.
    """
    spans = list(turns.select("start_s", "end_s").iter_rows())
    return pl.concat(
        [
            describe(frames[kind], spans)
            if kind in frames
            else pl.DataFrame({c: pl.Series(c, [None] * turns.height, pl.Float32) for c in definitions})
            for kind, describe, definitions in _MEASURES
        ],
        how="horizontal",
    )


def feature_table(
    turns: pl.DataFrame, text: pl.DataFrame, frames_of: Callable[[str], Mapping[str, pl.DataFrame]]
) -> pl.DataFrame:
    """All features of a corpus, a row a turn, in the order of ``turns``.

    Parameters
    ----------
    turns : TURN_SCHEMA.
    text : of features.textual, the same rows.
    frames_of : gives a sample's frames, as measured_features wants them.
    """
    structure: list[dict[str, float | None]] = []
    measured = []
    joined = turns.join(
        text.select("sample_id", "turn", "text__words"), on=["sample_id", "turn"], how="left", maintain_order="left"
    )
    for sample in joined.partition_by("sample_id", maintain_order=True):
        structure += structural.structural_features(structural.turn_views(sample, sample["text__words"].to_list()))
        measured.append(measured_features(sample, frames_of(sample["sample_id"][0])))
    return pl.concat(
        [
            turns.select(*KEYS),
            pl.DataFrame(structure, schema=dict.fromkeys(structural.COLUMNS, pl.Float32)),
            text.drop("sample_id", "turn"),
            pl.concat(measured),
        ],
        how="horizontal",
    )


def _frames_on_disk(corpus: Corpus, sample_id: str) -> dict[str, pl.DataFrame]:
    paths = {kind: corpus.data / kind / f"{sample_key(sample_id)}.parquet" for kind, _, _ in _MEASURES}
    return {kind: pl.read_parquet(path) for kind, path in paths.items() if path.is_file()}


def _ends_too_early(sample_id: str, end_s: float, frames: Mapping[str, pl.DataFrame]) -> Iterator[Problem]:
    for kind, table in frames.items():
        last = table["time_s"].max()
        if isinstance(last, float) and last < end_s - 1:
            message = (
                f"the {kind} frames end at {last:.1f} s, the annotations at {end_s:.1f} s; turns beyond have nulls"
            )
            yield Problem("align", "recording shorter than annotations", message, sample_id, time_s=last)


def main(corpus: Corpus, params: Params) -> None:
    turns = pl.read_parquet(corpus.data / "turns.parquet")
    text = pl.read_parquet(corpus.data / "textual.parquet")
    ends = turns.group_by("sample_id", maintain_order=True).agg(pl.col("end_s").max())
    frames_of = partial(_frames_on_disk, corpus)
    table = feature_table(turns, text, frames_of)
    write_parquet(corpus.data / "features" / "turns.parquet", table)
    with atomic(corpus.data / "features" / "dictionary.csv") as temporary:
        dictionary(table, DEFINITIONS).write_csv(temporary, float_precision=4)
    corpus.write_problems("align", [p for i, end in ends.iter_rows() for p in _ends_too_early(i, end, frames_of(i))])
    print(f"align: {table.height} turns × {sum('__' in c for c in table.columns)} features")


if __name__ == "__main__":
    run(main)
