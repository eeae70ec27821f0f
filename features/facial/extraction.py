"""One video's faces, written as two Parquet files: frames × faces, and tracks."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import polars as pl

from features.facial.analysis import FaceAnalyser, FaceSettings, Moment
from features.facial.schema import EXTRACTOR, FRAME_SCHEMA, LANDMARK_COLUMN, TRACK_SCHEMA
from features.media import read_frames
from features.problems import Problem
from features.store import made_from, write_parquet
from features.weights import FACE_LANDMARKER_SHA256

#: Larger frames are shrunk to this before the analysis: faces in them are larger too, and memory stays bounded.
_MAX_HEIGHT = 1080
_CHUNK = 2000  # rows: as Python objects they are thirty times as large as in a column
_LOOK_FRAMES = 10  # of a track make its look: what comes later must not change what was known before


def track_file(frames: Path) -> Path:
    """Where the tracks of a sample's frame file lie."""
    return frames.with_suffix(".tracks.parquet")


def extract_faces(sample_id: str, video: Path, video_sha256: str, out: Path, settings: FaceSettings) -> list[Problem]:
    """Analyse a whole video into ``out`` (FRAME_SCHEMA) and its track file; return at once if both are already there.

    Raises
    ------
    InputError
        If the video cannot be opened.
    """
    options = {k: list(v) if isinstance(v, tuple) else v for k, v in settings.__dict__.items()}
    source = {
        "extractor": EXTRACTOR,
        "weights_sha256": FACE_LANDMARKER_SHA256,
        "input_sha256": video_sha256,
        "settings": options,
    }
    done = made_from(out)
    if done is not None and {k: v for k, v in done.items() if k != "problems"} == source and track_file(out).is_file():
        return [Problem(**p) for p in done["problems"]]
    out.unlink(missing_ok=True)  # made from another film: must not outlive it if this one fails
    problems: list[Problem] = []
    recorder = _Recorder(settings.landmarks)
    analyser = FaceAnalyser(settings)
    for frame in read_frames(video, settings.rate_hz, problems):
        shrink = max(frame.image.shape[0] / _MAX_HEIGHT, 1.0)
        image = frame.image
        if shrink > 1:
            size = (round(image.shape[1] / shrink), round(image.shape[0] / shrink))
            image = cv2.resize(image, size, interpolation=cv2.INTER_AREA)
        recorder.add(analyser.push(frame.time_s, image), shrink)
    recorder.add(analyser.finish(), shrink if recorder.frames else 1.0)
    problems = [Problem(**{**p.__dict__, "sample_id": sample_id}) for p in problems]
    write_parquet(track_file(out), recorder.track_table())
    # Written last: that it is there says that the sample is done.
    write_parquet(out, recorder.frame_table(), source | {"problems": [p.__dict__ for p in problems]})
    return problems


@dataclass
class _Track:
    shot: int
    start_s: float
    end_s: float = 0.0
    frames: int = 0
    look_s: float = 0.0
    looks: list[np.ndarray] = field(default_factory=list)


class _Recorder:
    """Collects moments into columns, and what tracks look like on average."""

    def __init__(self, landmarks: bool) -> None:
        self._schema = FRAME_SCHEMA | (LANDMARK_COLUMN if landmarks else {})
        self._rows: list[dict[str, Any]] = []
        self._chunks: list[pl.DataFrame] = []
        self._tracks: dict[int, _Track] = {}
        self.frames = 0

    def add(self, moments: list[Moment], shrink: float) -> None:
        for moment in moments:
            self.frames += 1
            base = {"time_s": moment.time_s, "shot": moment.shot}
            for track, face in sorted(moment.faces.items()):
                place = dict(zip(("x", "y", "width", "height"), map(float, face.box * shrink), strict=True))
                row: dict[str, Any] = base | {"track": track} | place | face.values
                if "landmarks" in self._schema:
                    row["landmarks"] = (face.points * shrink).ravel().tolist()
                self._rows.append(row)
                self._remember(track, moment, face.look)
            if not moment.faces:
                self._rows.append(base)
        if len(self._rows) >= _CHUNK:
            self._flush()

    def _remember(self, track: int, moment: Moment, look: np.ndarray) -> None:
        known = self._tracks.setdefault(track, _Track(moment.shot, moment.time_s))
        known.end_s = moment.time_s
        known.frames += 1
        if known.frames <= _LOOK_FRAMES:
            known.look_s = moment.time_s
            known.looks.append(look)

    def _flush(self) -> None:
        if self._rows:
            self._chunks.append(pl.DataFrame(self._rows, schema=self._schema))
            self._rows = []

    def frame_table(self) -> pl.DataFrame:
        self._flush()
        return pl.concat(self._chunks) if self._chunks else pl.DataFrame(schema=self._schema)

    def track_table(self) -> pl.DataFrame:
        rows = [
            {
                "track": number,
                "shot": track.shot,
                "start_s": track.start_s,
                "end_s": track.end_s,
                "frames": track.frames,
                "look_s": track.look_s,
                "look": _mean_look(track.looks),
            }
            for number, track in sorted(self._tracks.items())
        ]
        return pl.DataFrame(rows, schema=TRACK_SCHEMA)


def _mean_look(looks: list[np.ndarray]) -> list[float]:
    """Mean of the looks over what lies inside the frame; NaN for cells that never do."""
    stack = np.stack(looks).reshape(len(looks), -1)
    inside = np.isfinite(stack)
    count = inside.sum(0)
    mean = np.where(inside, stack, 0).sum(0) / np.maximum(count, 1)
    return [float(v) for v in np.where(count > 0, mean, np.nan)]
