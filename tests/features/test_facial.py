"""Faces against drawn faces, whose place and expression are known, and against real clips."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import polars as pl
import pytest

from features.facial import FaceAnalyser, FaceSettings, extract_faces
from features.media import read_frames
from features.store import file_hash
from tests.conftest import Film

SETTINGS = FaceSettings(rate_hz=5.0, search_every_s=2.0, tile_scales=(1.0, 0.5), min_detection=0.6, max_faces=8)


def analyse(path: Path, folder: Path) -> pl.DataFrame:
    out = folder / "faces.parquet"
    assert extract_faces("s", path, file_hash(path), out, SETTINGS) == []
    return pl.read_parquet(out)


@pytest.fixture(scope="module")
def found(film: Film, tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return analyse(film.path, tmp_path_factory.mktemp("faces"))


@pytest.fixture(scope="module")
def matched(film: Film, found: pl.DataFrame) -> pl.DataFrame:
    """Every true face of an analysed frame with the found face nearest to it, if that lies on it."""
    times = found["time_s"].unique().to_list()
    true = film.frames.filter(pl.col("time_s").is_in(times), pl.col("person").is_not_null())
    pairs = true.join(found.filter(pl.col("track").is_not_null()), on="time_s", how="left", suffix="_found")
    distance = ((pl.col("x_found") + pl.col("width") / 2 - pl.col("x")) ** 2
                + (pl.col("y_found") + pl.col("height_found") / 2 - pl.col("y")) ** 2).sqrt() / pl.col("height")  # fmt: skip
    return (
        pairs.with_columns(distance=distance)
        .sort("distance", nulls_last=True)
        .unique(["time_s", "person"], keep="first")
    )


def test_nearly_all_true_faces_are_found(matched: pl.DataFrame) -> None:
    assert matched.height > 100
    assert (matched["distance"] < 0.4).fill_null(False).mean() > 0.95


def test_hardly_any_face_is_found_where_there_is_none(film: Film, found: pl.DataFrame) -> None:
    analysed = film.frames.filter(pl.col("time_s").is_in(found["time_s"].unique().to_list()))
    true = analysed["person"].is_not_null().sum()
    assert found["track"].is_not_null().sum() <= 1.02 * true


def test_frames_without_a_face_keep_their_place_in_time(film: Film, found: pl.DataFrame) -> None:
    times = found["time_s"].unique().sort()
    assert np.allclose(np.diff(times.to_numpy()), 0.2, atol=0.002)
    assert times[-1] > film.frames["time_s"].max() - 0.25


def test_expressions_and_pose_follow_the_truth(matched: pl.DataFrame) -> None:
    good = matched.filter(pl.col("distance") < 0.4)
    for true, measured, least in (
        ("jaw", "jaw_open", 0.9),
        ("yaw", "yaw_deg", 0.9),
        ("roll", "roll_deg", 0.6),
        ("brow_up", "brow_inner_up", 0.5),
    ):
        correlations = [
            np.corrcoef(part[true], part[measured])[0, 1]
            for (_,), part in good.group_by(["person"])
            if part[true].std() > 0.01
        ]
        assert np.mean(correlations) > least, (true, correlations)


def test_shots_are_told_apart(film: Film, found: pl.DataFrame) -> None:
    assert found["shot"].max() + 1 == film.frames["shot"].n_unique()


def test_a_face_measures_the_same_wherever_it_stands(film: Film) -> None:
    frame = next(f for f in read_frames(film.path, 5, []) if f.time_s > 1)
    analyser = FaceAnalyser(SETTINGS)
    first = [r for r in analyser.analyse(0, frame.image) if "jaw_open" in r]
    moved = FaceAnalyser(SETTINGS).analyse(0, np.roll(frame.image, 24, axis=1))
    moved = [r for r in moved if "jaw_open" in r]
    assert len(first) == len(moved) > 0
    for a in first:
        b = min(moved, key=lambda r, a=a: abs(r["x"] - 24 - a["x"]) + abs(r["y"] - a["y"]))
        assert abs(a["jaw_open"] - b["jaw_open"]) < 0.06
        assert abs(a["yaw_deg"] - b["yaw_deg"]) < 3


def test_five_people_are_found_in_one_real_picture(media_folder: Path) -> None:
    image = cv2.imread(str(media_folder / "multi_face.jpg"))
    rows = FaceAnalyser(SETTINGS).analyse(0, image)
    assert len(rows) == 5


def test_no_face_is_found_where_a_real_clip_has_none(media_folder: Path, tmp_path: Path) -> None:
    found = analyse(media_folder / "no_face.mp4", tmp_path)
    assert found.height > 5
    assert found["track"].null_count() == found.height


def test_a_real_face_that_leaves_is_null_for_a_while(media_folder: Path, tmp_path: Path) -> None:
    found = analyse(media_folder / "face_noface.mov", tmp_path)
    per_frame = found.group_by("time_s").agg(pl.col("track").is_not_null().any())["track"]
    assert 0.2 < per_frame.mean() < 0.8


def test_analysing_again_with_the_same_settings_does_nothing(film: Film, tmp_path: Path) -> None:
    out = tmp_path / "f.parquet"
    digest = file_hash(film.path)
    extract_faces("s", film.path, digest, out, SETTINGS)
    before = out.stat().st_mtime_ns
    extract_faces("s", film.path, digest, out, SETTINGS)
    assert out.stat().st_mtime_ns == before
