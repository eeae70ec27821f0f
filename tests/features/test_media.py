"""Recordings: real presentation times, sound on the film's clock, and no file that stops the others."""

from __future__ import annotations

from pathlib import Path

import av
import numpy as np
import polars as pl
import pytest
import soundfile

from features.errors import InputError
from features.media import INFO_SCHEMA, examine, find_recordings, read_frames
from features.problems import Problem
from tests.conftest import Film


def look(path: Path, folder: Path) -> tuple[dict[str, object], list[Problem]]:
    problems = examine("s", path, folder / "a.flac", folder / "i.parquet", 16000)
    return pl.read_parquet(folder / "i.parquet").row(0, named=True), problems


def test_frames_carry_their_presentation_times(variable_film: Film) -> None:
    true = variable_film.frames["time_s"].unique().sort().to_numpy()
    assert np.diff(true).std() > 0.02  # the film's rate really varies
    found = np.array([f.time_s for f in read_frames(variable_film.path, 1000, [])])
    assert len(found) == len(true)
    assert np.abs(found - true).max() < 0.002


def test_frames_are_taken_at_the_analysis_rate(film: Film) -> None:
    times = np.array([f.time_s for f in read_frames(film.path, 5, [])])
    assert np.allclose(np.diff(times), 0.2, atol=0.002)


def test_sound_lies_on_the_films_clock(film: Film, tmp_path: Path) -> None:
    info, problems = look(film.path, tmp_path)
    assert problems == []
    signal, rate = soundfile.read(tmp_path / "a.flac")
    assert rate == 16000
    spoken = film.voices.group_by("time_s").agg(pl.col("f0_hz").is_not_null().any()).sort("time_s")["f0_hz"].to_numpy()
    level = np.array([np.abs(b).mean() for b in np.split(signal[: len(spoken) * 160], len(spoken)) if len(b)])
    lags = range(-10, 11)
    match = [np.corrcoef(np.roll(spoken, lag), level)[0, 1] for lag in lags]
    assert abs(lags[int(np.argmax(match))]) <= 2  # within 20 ms
    assert info["width"], info["height"] == (1280, 720)


def test_sound_that_starts_late_is_not_shifted(tmp_path: Path) -> None:
    path = tmp_path / "late.mkv"
    with av.open(str(path), "w") as container:
        video = container.add_stream("mpeg4", rate=10)
        video.width, video.height = 64, 48
        sound = container.add_stream("pcm_s16le", rate=16000, layout="mono")
        tone = (8000 * np.sin(np.arange(16000) * 0.3)).astype(np.int16)
        for i in range(30):
            frame = av.VideoFrame.from_ndarray(np.full((48, 64, 3), i * 8, np.uint8), format="bgr24")
            frame.pts = i
            container.mux(video.encode(frame))
        block = av.AudioFrame.from_ndarray(tone[None], format="s16", layout="mono")
        block.sample_rate, block.pts = 16000, 32000  # two seconds in
        container.mux(sound.encode(block))
        container.mux(sound.encode())
        container.mux(video.encode())
    info, _ = look(path, tmp_path)
    signal, _ = soundfile.read(tmp_path / "a.flac")
    assert np.abs(signal[:31000]).max() == 0
    assert np.abs(signal[32100:33000]).max() > 0.1
    assert info["audio_start_s"] == pytest.approx(2, abs=0.05)


def test_a_film_cut_in_the_middle_is_read_as_far_as_it_goes(film: Film, tmp_path: Path) -> None:
    # Matroska keeps its index along the way, so what is there can be played.
    whole = tmp_path / "whole.mkv"
    with av.open(str(film.path)) as source, av.open(str(whole), "w") as target:
        streams = {s.index: target.add_stream_from_template(s) for s in source.streams}
        for packet in source.demux():
            if packet.dts is not None:
                packet.stream = streams[packet.stream.index]
                target.mux(packet)
    cut = tmp_path / "cut.mkv"
    cut.write_bytes(whole.read_bytes()[: whole.stat().st_size // 2])
    end = film.frames["time_s"].max()
    times = [f.time_s for f in read_frames(cut, 5, [])]
    assert 0.2 * end < times[-1] < 0.8 * end


@pytest.mark.parametrize("content", [b"", b"not a film at all", bytes(5000)], ids=["empty", "text", "zeros"])
def test_a_broken_file_gives_nulls_and_a_problem(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "broken.mp4"
    path.write_bytes(content)
    info, problems = look(path, tmp_path)
    assert not info["has_video"]
    assert not info["has_audio"]
    assert [(p.kind, p.sample_id, p.file) for p in problems] == [("unusable input", "s", "broken.mp4")]
    with pytest.raises(InputError, match=r"broken\.mp4"):
        list(read_frames(path, 5, []))


def test_what_is_done_is_not_done_again(film: Film, tmp_path: Path) -> None:
    look(film.path, tmp_path)
    before = (tmp_path / "a.flac").stat().st_mtime_ns
    look(film.path, tmp_path)
    assert (tmp_path / "a.flac").stat().st_mtime_ns == before


def test_recordings_are_matched_by_sample_id_and_never_outside_the_folder(tmp_path: Path) -> None:
    media = tmp_path / "media"
    (media / "ada_ben").mkdir(parents=True)
    for name in ("ada_ben/001.mp4", "ada_ben__002.wav", "other.mp4"):
        (media / name).write_bytes(b"x")
    (tmp_path / "secret.mp4").write_bytes(b"x")
    found, problems = find_recordings(media, ["ada_ben/001", "ada_ben/002", "../secret", "ada_ben/003"])
    assert {i: p.name for i, p in found.items()} == {"ada_ben/001": "001.mp4", "ada_ben/002": "ada_ben__002.wav"}
    assert [p.kind for p in problems] == ["recording without sample"]


def test_real_clips_are_described(media_folder: Path, tmp_path: Path) -> None:
    info, _ = look(media_folder / "ami_dev00.wav", tmp_path)
    assert (info["has_audio"], info["has_video"], info["audio_rate_hz"]) == (True, False, 16000)
    info, _ = look(media_folder / "single_face.mp4", tmp_path)
    assert info["has_video"]
    assert set(info) == set(INFO_SCHEMA)
