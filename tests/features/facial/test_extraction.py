"""Whole films: against drawn faces, whose place and expression are known, and against real clips."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from benchmarks.truth_faces import match, settings_of
from features.facial import FRAME_SCHEMA, TRACK_SCHEMA, extract_faces, track_file
from features.store import file_hash
from pipeline.params import load_params
from tests.conftest import ROOT, Film

SETTINGS = settings_of(load_params(ROOT / "params.yaml").face)


def analyse(path: Path, folder: Path) -> pl.DataFrame:
    out = folder / "faces.parquet"
    assert extract_faces("s", path, file_hash(path), out, SETTINGS) == []
    return pl.read_parquet(out)


@pytest.fixture(scope="module")
def found(film: Film, tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    return analyse(film.path, tmp_path_factory.mktemp("faces"))


@pytest.fixture(scope="module")
def matched(film: Film, found: pl.DataFrame) -> pl.DataFrame:
    return match(found, film.frames)


def test_nearly_all_true_faces_are_found(matched: pl.DataFrame) -> None:
    assert matched.height > 200
    assert matched["found_x"].is_not_null().mean() > 0.95  # type: ignore[operator]


def test_hardly_any_face_is_found_where_there_is_none(found: pl.DataFrame, matched: pl.DataFrame) -> None:
    assert found["track"].count() <= 1.01 * matched.height


def test_frames_without_a_face_keep_their_place_in_time(film: Film, found: pl.DataFrame) -> None:
    times = found["time_s"].unique().sort()
    assert np.allclose(np.diff(times.to_numpy()), 1 / SETTINGS.rate_hz, atol=0.002)
    assert times[-1] > film.frames["time_s"].max() - 0.15  # type: ignore[operator]
    empty = found.filter(pl.col("track").is_null())
    assert empty.select(pl.all().exclude("time_s", "shot")).null_count().row(0) == (empty.height,) * (found.width - 2)


def test_expressions_and_pose_follow_the_truth(matched: pl.DataFrame) -> None:
    for true, measured, least in (
        ("jaw", "jaw_open", 0.9),
        ("jaw", "mouth_opening", 0.9),
        ("blink", "eye_blink_left", 0.7),
        ("yaw", "yaw_deg", 0.9),
        ("roll", "roll_deg", 0.7),
        ("brow_up", "brow_inner_up", 0.6),
    ):
        correlations = [
            np.corrcoef(part[true], part[f"found_{measured}"])[0, 1]
            for _, part in matched.drop_nulls("found_x").group_by("person")
            if part[true].std() > 0.02  # type: ignore[operator]
        ]
        assert np.median(correlations) > least, (true, correlations)


def test_yaw_is_in_degrees_with_the_drawings_sign(matched: pl.DataFrame) -> None:
    turned = matched.filter(pl.col("yaw").abs() > 8, pl.col("found_x").is_not_null())
    assert (turned["yaw"].sign() == turned["found_yaw_deg"].sign()).mean() > 0.95  # type: ignore[operator]


def test_shots_are_told_apart(film: Film, found: pl.DataFrame) -> None:
    assert found["shot"].max() + 1 == film.frames["shot"].n_unique()  # type: ignore[operator]


def test_a_track_lives_in_one_shot_and_is_described(found: pl.DataFrame, film: Film, tmp_path: Path) -> None:
    out = tmp_path / "f.parquet"
    extract_faces("s", film.path, file_hash(film.path), out, SETTINGS)
    tracks = pl.read_parquet(track_file(out))
    assert tracks.schema == pl.Schema(TRACK_SCHEMA)
    seen = found.drop_nulls("track").group_by("track").agg(
        pl.col("shot").n_unique(), pl.col("time_s").min().alias("start"), pl.col("time_s").max().alias("end"), n=pl.len()
    )  # fmt: skip
    assert seen["shot"].max() == 1
    joined = tracks.join(seen, on="track")
    assert joined.height == tracks.height
    assert (joined["start"] == joined["start_s"]).all()
    assert (joined["end"] == joined["end_s"]).all()
    assert (joined["n"] == joined["frames"]).all()


def test_scores_and_sizes_let_later_use_filter(found: pl.DataFrame) -> None:
    faces = found.drop_nulls("track")
    for score in ("detector_score", "presence"):
        assert faces[score].is_between(0, 1).all()
        assert faces[score].median() > 0.7  # type: ignore[operator]
    assert faces["height_share"].is_between(0.1, 0.5).all()
    near = faces.filter(pl.col("height_share") > 0.3)["distance_cm"].median()
    far = faces.filter(pl.col("height_share") < 0.2)["distance_cm"].median()
    assert far > 1.5 * near  # type: ignore[operator]
    assert faces.select(pl.col(list(FRAME_SCHEMA)).null_count()).row(0) == (0,) * len(FRAME_SCHEMA)


def test_landmarks_are_written_on_request(media_folder: Path, tmp_path: Path) -> None:
    asked = SETTINGS.__class__(**{**SETTINGS.__dict__, "landmarks": True})
    extract_faces("s", media_folder / "single_face.mp4", "x", tmp_path / "f.parquet", asked)
    faces = pl.read_parquet(tmp_path / "f.parquet").drop_nulls("track")
    points = faces["landmarks"].to_numpy().reshape(faces.height, 478, 3)
    assert np.allclose(points[:, :, 0].min(1), faces["x"], atol=0.01)
    assert np.allclose(points[:, :, 1].max(1), faces["y"] + faces["height"], atol=0.01)


def test_no_face_is_found_where_a_real_clip_has_none(media_folder: Path, tmp_path: Path) -> None:
    found = analyse(media_folder / "no_face.mp4", tmp_path)
    assert found.height > 20
    assert found["track"].null_count() == found.height


def test_a_real_face_starts_and_ends_when_it_does(media_folder: Path, tmp_path: Path) -> None:
    """Looked at frame by frame: it is there from the first frame to the one at 2.37 s, then the picture turns black."""
    found = analyse(media_folder / "face_noface.mov", tmp_path)
    shown = found.drop_nulls("track")["time_s"]
    assert shown.min() < 0.2  # type: ignore[operator]
    assert abs(shown.max() - 2.37) < 0.2  # type: ignore[operator]
    assert found["time_s"].max() > 6  # type: ignore[operator]


def test_a_real_close_up_is_one_face_in_one_shot(media_folder: Path, tmp_path: Path) -> None:
    found = analyse(media_folder / "WolfgangLanger_Pexels.mp4", tmp_path)
    assert found["track"].unique().to_list() == [0]
    assert found["shot"].unique().to_list() == [0]


def test_analysing_again_with_the_same_settings_does_nothing(film: Film, tmp_path: Path) -> None:
    out = tmp_path / "f.parquet"
    digest = file_hash(film.path)
    extract_faces("s", film.path, digest, out, SETTINGS)
    before = out.stat().st_mtime_ns
    extract_faces("s", film.path, digest, out, SETTINGS)
    assert out.stat().st_mtime_ns == before
    track_file(out).unlink()  # half of the output is no output
    extract_faces("s", film.path, digest, out, SETTINGS)
    assert track_file(out).is_file()


def test_a_film_gives_the_same_bytes_again(film: Film, tmp_path: Path) -> None:
    for name in ("a", "b"):
        extract_faces("s", film.path, "x", tmp_path / f"{name}.parquet", SETTINGS)
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()
    assert track_file(tmp_path / "a.parquet").read_bytes() == track_file(tmp_path / "b.parquet").read_bytes()
