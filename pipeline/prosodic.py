"""Stage prosodic: measure the voice every 10 ms of every sample's sound."""

from __future__ import annotations

import polars as pl

from features.batch import Job, run_jobs
from features.prosodic import extract_voice
from features.store import remove_others
from pipeline.params import Params
from pipeline.stage import Corpus, run


def main(corpus: Corpus, params: Params) -> None:
    media = pl.read_parquet(corpus.data / "media.parquet").filter("has_audio")
    out = corpus.data / "prosodic"
    out.mkdir(parents=True, exist_ok=True)
    jobs = [
        Job(i, extract_voice, (i, corpus.data / "audio" / f"{key}.flac", out / f"{key}.parquet"))
        for i, key in media.select("sample_id", "sample_key").iter_rows()
    ]
    problems = run_jobs("prosodic", jobs, **params.executor.model_dump())
    remove_others(out, {f"{key}.parquet" for key in media["sample_key"]})
    corpus.write_problems("prosodic", problems)


if __name__ == "__main__":
    run(main)
