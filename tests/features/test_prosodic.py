"""The voice against synthesised voices of known F0."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest
import soundfile

from features.errors import InputError
from features.media import examine
from features.prosodic import FRAME_SCHEMA, extract_voice, prosodic_frames
from features.store import write_parquet
from tests.conftest import Film


@pytest.fixture(scope="module")
def compared(film: Film, tmp_path_factory: pytest.TempPathFactory) -> pl.DataFrame:
    """Found frames beside the true F0 at the same time, where one person at most speaks."""
    folder = tmp_path_factory.mktemp("voice")
    examine("s", film.path, folder / "a.flac", folder / "i.parquet", 16000)
    extract_voice("s", folder / "a.flac", folder / "v.parquet")
    found = pl.read_parquet(folder / "v.parquet").with_columns(step=(pl.col("time_s") * 100).round().cast(pl.Int64))
    speaking = film.voices.drop_nulls("f0_hz").with_columns(step=(pl.col("time_s") * 100).round().cast(pl.Int64))
    true = speaking.group_by("step").agg(true_hz=pl.col("f0_hz").first(), people=pl.len())
    return found.join(true, on="step", how="left").filter(pl.col("people").fill_null(0) <= 1)


def test_f0_is_within_three_percent(compared: pl.DataFrame) -> None:
    both = compared.filter("voiced", pl.col("true_hz").is_not_null())
    assert both.height > 500
    assert ((both["f0_hz"] / both["true_hz"] - 1).abs() < 0.03).mean() > 0.95


def test_voicing_is_right_nearly_always(compared: pl.DataFrame) -> None:
    assert (compared["voiced"] != compared["true_hz"].is_not_null()).mean() < 0.08


def test_unvoiced_frames_have_no_pitch_rather_than_zero(compared: pl.DataFrame) -> None:
    unvoiced = compared.filter(~pl.col("voiced"))
    assert unvoiced["f0_hz"].null_count() == unvoiced.height
    assert unvoiced["loudness"].null_count() == 0


def test_level_in_decibels() -> None:
    tone = (0.5 * np.sin(2 * np.pi * 200 * np.arange(32000) / 16000)).astype(np.float32)
    level = prosodic_frames(tone, 16000)["rms_db"].to_numpy()[20:-20]
    assert np.allclose(level, 20 * np.log10(0.5 / np.sqrt(2)), atol=0.1)  # −9.03 dB


def test_silence_is_not_voiced() -> None:
    frames = prosodic_frames(np.zeros(16000, np.float32), 16000)
    assert not frames["voiced"].any()
    assert frames.schema == FRAME_SCHEMA


@pytest.mark.parametrize("samples", [1, 100, 900])
def test_sound_too_short_to_measure_is_refused_and_leaves_no_old_values(tmp_path: Path, samples: int) -> None:
    out = tmp_path / "v.parquet"
    write_parquet(out, pl.DataFrame(schema=FRAME_SCHEMA), {"extractor": "made from another sound"})
    soundfile.write(tmp_path / "a.flac", np.zeros(samples, np.int16), 16000)
    with pytest.raises(InputError, match=r"a\.flac: expected at least 0\.1 s of sound"):
        extract_voice("s", tmp_path / "a.flac", out)
    assert not out.exists()


def test_a_real_meeting_is_partly_voiced(media_folder: Path, tmp_path: Path) -> None:
    examine("s", media_folder / "ami_dev00.wav", tmp_path / "a.flac", tmp_path / "i.parquet", 16000)
    extract_voice("s", tmp_path / "a.flac", tmp_path / "v.parquet")
    frames = pl.read_parquet(tmp_path / "v.parquet")
    assert 0.1 < frames["voiced"].mean() < 0.9
    assert 70 < frames["f0_hz"].median() < 300
