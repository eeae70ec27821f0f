"""Stage align: one row a turn with all features, and the dictionary that explains every column."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial

import polars as pl

from features import alignment, structural, textual
from features.dictionary import Definition, dictionary
from features.facial import faces_of_turns, track_file
from features.facial.turns import DEFINITIONS as FACE_DEFINITIONS
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
    **FACE_DEFINITIONS,
}


_MEASURES = ("prosodic", "facial")


def measured_features(
    turns: pl.DataFrame, frames: Mapping[str, pl.DataFrame], participants: Sequence[str]
) -> pl.DataFrame:
    """Prosody and face of one sample's turns, one row a turn; null for what has no frames.

    ``frames`` holds what there is of ``prosodic`` and ``facial`` frames and of face ``tracks``, by that name.
    """
    voice = frames.get("prosodic")
    prosody = (
        _nulls(alignment.PROSODY_DEFINITIONS, turns.height)
        if voice is None
        else alignment.prosody_of_turns(voice, list(turns.select("start_s", "end_s").iter_rows()))
    )
    faces = (
        faces_of_turns(turns, frames["facial"], frames["tracks"], voice, participants)
        if "facial" in frames
        else _nulls(FACE_DEFINITIONS, turns.height)
    )
    return pl.concat([prosody, faces], how="horizontal")


def _nulls(columns: Mapping[str, Definition], rows: int) -> pl.DataFrame:
    return pl.DataFrame({c: pl.Series(c, [None] * rows, pl.Float32) for c in columns})


def feature_table(
    turns: pl.DataFrame,
    text: pl.DataFrame,
    frames_of: Callable[[str], Mapping[str, pl.DataFrame]],
    participants: Mapping[str, Sequence[str]],
) -> pl.DataFrame:
    """All features of a corpus, a row a turn, in the order of ``turns``.

    Parameters
    ----------
    turns : TURN_SCHEMA.
    text : of features.textual, the same rows.
    frames_of : gives a sample's frames, as measured_features wants them.
    participants : the people of each sample.
    """
    structure: list[dict[str, float | None]] = []
    measured = []
    joined = turns.join(
        text.select("sample_id", "turn", "text__words"), on=["sample_id", "turn"], how="left", maintain_order="left"
    )
    for sample in joined.partition_by("sample_id", maintain_order=True):
        sample_id = sample["sample_id"][0]
        structure += structural.structural_features(structural.turn_views(sample, sample["text__words"].to_list()))
        measured.append(measured_features(sample, frames_of(sample_id), participants.get(sample_id, ())))
    return pl.concat(
        [
            turns.select(*KEYS),
            pl.DataFrame(structure, schema=dict.fromkeys(structural.COLUMNS, pl.Float32)),
            text.drop("sample_id", "turn"),
            pl.concat(measured),
        ],
        how="horizontal",
    )


def frames_on_disk(corpus: Corpus, sample_id: str) -> dict[str, pl.DataFrame]:
    """What there is of a sample's voice and face frames and face tracks."""
    paths = {kind: corpus.data / kind / f"{sample_key(sample_id)}.parquet" for kind in _MEASURES}
    paths["tracks"] = track_file(paths["facial"])
    return {kind: pl.read_parquet(path) for kind, path in paths.items() if path.is_file()}


def _ends_too_early(sample_id: str, end_s: float, frames: Mapping[str, pl.DataFrame]) -> Iterator[Problem]:
    for kind in (k for k in _MEASURES if k in frames):
        last = frames[kind]["time_s"].max()
        if isinstance(last, float) and last < end_s - 1:
            message = (
                f"the {kind} frames end at {last:.1f} s, the annotations at {end_s:.1f} s; turns beyond have nulls"
            )
            yield Problem("align", "recording shorter than annotations", message, sample_id, time_s=last)


def main(corpus: Corpus, params: Params) -> None:
    turns = pl.read_parquet(corpus.data / "turns.parquet")
    text = pl.read_parquet(corpus.data / "textual.parquet")
    ends = turns.group_by("sample_id", maintain_order=True).agg(pl.col("end_s").max())
    frames_of = partial(frames_on_disk, corpus)
    samples = pl.read_parquet(corpus.data / "samples.parquet")
    participants = dict(samples.select("sample_id", "participants").iter_rows())
    table = feature_table(turns, text, frames_of, participants)
    write_parquet(corpus.data / "features" / "turns.parquet", table)
    with atomic(corpus.data / "features" / "dictionary.csv") as temporary:
        dictionary(table, DEFINITIONS).write_csv(temporary, float_precision=4)
    corpus.write_problems("align", [p for i, end in ends.iter_rows() for p in _ends_too_early(i, end, frames_of(i))])
    print(f"align: {table.height} turns × {sum('__' in c for c in table.columns)} features")


if __name__ == "__main__":
    run(main)
