"""Stage media: look at every sample's recording and extract its sound as 16 kHz mono FLAC."""

from __future__ import annotations

import polars as pl

from features.batch import Job, run_jobs
from features.media import INFO_SCHEMA, examine, find_recordings
from features.store import remove_others, sample_key, stack, write_parquet
from pipeline.params import Params
from pipeline.stage import Corpus, run


def main(corpus: Corpus, params: Params) -> None:
    ids = pl.read_parquet(corpus.data / "samples.parquet")["sample_id"].to_list()
    recordings, problems = find_recordings(corpus.raw / "media", ids)
    audio, info = corpus.data / "audio", corpus.data / "media"
    for folder in (audio, info):
        folder.mkdir(parents=True, exist_ok=True)
    keys = {i: sample_key(i) for i in recordings}
    jobs = [
        Job(i, examine, (i, path, audio / f"{keys[i]}.flac", info / f"{keys[i]}.parquet", params.media.sample_rate_hz))
        for i, path in recordings.items()
    ]
    problems += run_jobs("media", jobs, **params.executor.model_dump())
    remove_others(audio, {f"{k}.flac" for k in keys.values()})
    remove_others(info, {f"{k}.parquet" for k in keys.values()})
    described = stack([info / f"{keys[i]}.parquet" for i in ids if i in keys], lambda: pl.DataFrame(schema=INFO_SCHEMA))
    write_parquet(corpus.data / "media.parquet", described)
    corpus.write_problems("media", problems)
    print(f"media: {len(recordings)} of {len(ids)} samples have a recording")


if __name__ == "__main__":
    run(main)
