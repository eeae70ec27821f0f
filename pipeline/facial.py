"""Stage facial: find and measure the faces of every video."""

from __future__ import annotations

import polars as pl

from features.batch import Job, run_jobs
from features.facial import FaceSettings, extract_faces, track_file
from features.media import find_recordings
from features.store import remove_others
from features.weights import face_landmarker
from pipeline.params import Params
from pipeline.stage import Corpus, run


def main(corpus: Corpus, params: Params) -> None:
    media = pl.read_parquet(corpus.data / "media.parquet").filter("has_video")
    recordings, _ = find_recordings(corpus.raw / "media", media["sample_id"].to_list())
    settings = FaceSettings(**params.face.model_dump() | {"tile_scales": tuple(params.face.tile_scales)})
    out = corpus.data / "facial"
    out.mkdir(parents=True, exist_ok=True)
    if media.height:
        face_landmarker()  # fetched once, before the workers need it
    jobs = [
        Job(i, extract_faces, (i, recordings[i], digest, out / f"{key}.parquet", settings))
        for i, key, digest in media.select("sample_id", "sample_key", "content_sha256").iter_rows()
    ]
    problems = run_jobs("facial", jobs, **params.executor.model_dump())
    files = [out / f"{key}.parquet" for key in media["sample_key"]]
    remove_others(out, {f.name for path in files for f in (path, track_file(path))})
    corpus.write_problems("facial", problems)


if __name__ == "__main__":
    run(main)
