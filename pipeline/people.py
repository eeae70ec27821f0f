"""Stage people: who is who on screen, over all turns of every recording."""

from __future__ import annotations

import polars as pl

from features.facial import gather, who_is_who
from features.facial.people import TRACK_PEOPLE_SCHEMA
from features.facial.schema import TRACK_SCHEMA
from features.store import write_parquet
from pipeline.align import frames_on_disk
from pipeline.params import Params
from pipeline.stage import Corpus, run

SCHEMA = {"sample_id": pl.String} | {k: t for k, t in TRACK_SCHEMA.items() if k != "look"} | TRACK_PEOPLE_SCHEMA


def main(corpus: Corpus, params: Params) -> None:
    turns = pl.read_parquet(corpus.data / "turns.parquet")
    samples = pl.read_parquet(corpus.data / "samples.parquet")
    found = []
    for sample_id, participants in samples.select("sample_id", "participants").iter_rows():
        frames = frames_on_disk(corpus, sample_id)
        if "facial" not in frames:
            continue
        evidence = gather(frames["facial"], frames["tracks"], frames.get("prosodic"))
        people = who_is_who(evidence, turns.filter(sample_id=sample_id), participants)
        named = frames["tracks"].drop("look").join(people, on="track", how="left", maintain_order="left")
        found.append(named.select(pl.lit(sample_id).alias("sample_id"), pl.all()).select(*SCHEMA))
    table = pl.concat([pl.DataFrame(schema=SCHEMA), *found])
    write_parquet(corpus.data / "people.parquet", table)
    print(
        f"people: {table.select('sample_id', 'person').n_unique()} people on {table.height} tracks in {len(found)} films"
    )


if __name__ == "__main__":
    run(main)
