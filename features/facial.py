"""Faces in a video: found on overlapping tiles, followed, and measured one by one with MediaPipe's Face Landmarker.

MediaPipe's detector is short-range: it sees faces from about half the height of its picture. So the picture is searched
in square tiles of several sizes at shot starts and at intervals, found faces are followed from frame to frame, and the
landmarker gets an enlarged crop of each. A crop is analysed on its own, so a face's values do not depend on where it
stands in the frame or on who else is there.
"""

from __future__ import annotations

import os
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import polars as pl

from features.media import read_frames
from features.problems import Problem
from features.store import made_from, write_parquet
from features.weights import FACE_LANDMARKER_SHA256, face_landmarker

os.environ.setdefault("GLOG_minloglevel", "2")  # MediaPipe's start-up lines are not for the user

EXTRACTOR = "facial-1"
#: The landmarker's blendshapes in its order, without "_neutral".
BLENDSHAPES = (
    "brow_down_left",
    "brow_down_right",
    "brow_inner_up",
    "brow_outer_up_left",
    "brow_outer_up_right",
    "cheek_puff",
    "cheek_squint_left",
    "cheek_squint_right",
    "eye_blink_left",
    "eye_blink_right",
    "eye_look_down_left",
    "eye_look_down_right",
    "eye_look_in_left",
    "eye_look_in_right",
    "eye_look_out_left",
    "eye_look_out_right",
    "eye_look_up_left",
    "eye_look_up_right",
    "eye_squint_left",
    "eye_squint_right",
    "eye_wide_left",
    "eye_wide_right",
    "jaw_forward",
    "jaw_left",
    "jaw_open",
    "jaw_right",
    "mouth_close",
    "mouth_dimple_left",
    "mouth_dimple_right",
    "mouth_frown_left",
    "mouth_frown_right",
    "mouth_funnel",
    "mouth_left",
    "mouth_lower_down_left",
    "mouth_lower_down_right",
    "mouth_press_left",
    "mouth_press_right",
    "mouth_pucker",
    "mouth_right",
    "mouth_roll_lower",
    "mouth_roll_upper",
    "mouth_shrug_lower",
    "mouth_shrug_upper",
    "mouth_smile_left",
    "mouth_smile_right",
    "mouth_stretch_left",
    "mouth_stretch_right",
    "mouth_upper_up_left",
    "mouth_upper_up_right",
    "nose_sneer_left",
    "nose_sneer_right",
)
#: One row a frame and face; a frame without a face is one row with ``track`` null, so that time never shifts.
FRAME_SCHEMA: dict[str, Any] = {
    "time_s": pl.Float64,
    "shot": pl.Int32,
    "track": pl.Int32,
    "x": pl.Float32,
    "y": pl.Float32,
    "width": pl.Float32,
    "height": pl.Float32,
    "height_share": pl.Float32,
    "yaw_deg": pl.Float32,
    "pitch_deg": pl.Float32,
    "roll_deg": pl.Float32,
    "blur": pl.Float32,
    **dict.fromkeys(BLENDSHAPES, pl.Float32),
}
_CROP_PX = 320  # side of the enlarged crop; the landmark network itself works at 256
_CROP_SIDE = 2.0  # crop side over face height: the detector inside wants room around the face
# A cut changes many cells of the shrunken picture at once: either a third of them, or far more than in the frames before.
_CHANGED = 25  # summed L, a, b difference from which a cell counts as changed
_CUT_SHARE, _CUT_SHARE_RELATIVE, _CUT_RATIO, _CUT_MEMORY = 0.33, 0.07, 6.0, 15


@dataclass(frozen=True)
class FaceSettings:
    """How a video is analysed; the fields are those of ``face`` in params.yaml."""

    rate_hz: float
    search_every_s: float
    tile_scales: tuple[float, ...]
    min_detection: float
    max_faces: int

    def made_from(self, video_sha256: str) -> dict[str, Any]:
        """What identifies an output: the film, this extractor, its weights and settings."""
        settings = {k: list(v) if isinstance(v, tuple) else v for k, v in self.__dict__.items()}
        return {
            "extractor": EXTRACTOR,
            "weights_sha256": FACE_LANDMARKER_SHA256,
            "input_sha256": video_sha256,
            "settings": settings,
        }


@dataclass
class _Track:
    number: int
    box: np.ndarray  # x, y, width, height in pixels


@dataclass(frozen=True)
class _Measured:
    box: np.ndarray
    values: dict[str, float]


class FaceAnalyser:
    """Finds, follows and measures faces in the frames of one video, in order."""

    def __init__(self, settings: FaceSettings) -> None:
        from mediapipe.tasks.python import BaseOptions, vision

        self.settings = settings
        model = face_landmarker()
        with zipfile.ZipFile(model) as bundle:
            detector = bundle.read("face_detector.tflite")
        self._detector = vision.FaceDetector.create_from_options(
            vision.FaceDetectorOptions(
                base_options=BaseOptions(model_asset_buffer=detector), min_detection_confidence=settings.min_detection
            )
        )
        self._landmarker = vision.FaceLandmarker.create_from_options(
            vision.FaceLandmarkerOptions(
                base_options=BaseOptions(model_asset_path=str(model)),
                num_faces=1,
                output_face_blendshapes=True,
                output_facial_transformation_matrixes=True,
            )
        )
        self._tracks: list[_Track] = []
        self._next_track = 0
        self._shot = 0
        self._small: np.ndarray | None = None
        self._changes: list[float] = []
        self._searched_at = -np.inf

    def close(self) -> None:
        self._detector.close()
        self._landmarker.close()

    def analyse(self, time_s: float, image: np.ndarray) -> list[dict[str, Any]]:
        """Return a row of FRAME_SCHEMA for every face, or one row with null values if there is none.

        Parameters
        ----------
        image : [shape=(h, w, 3), uint8, BGR]
        """
        if self._is_cut(image):
            self._shot += 1
            self._tracks = []
            self._searched_at = -np.inf
        faces = self._follow(image)
        lost = len(faces) < len(self._tracks)
        if lost or time_s - self._searched_at >= self.settings.search_every_s:
            self._searched_at = time_s
            faces = self._search(image, faces)
        self._tracks = [track for track, _ in faces]
        base = {"time_s": time_s, "shot": self._shot}
        rows = [
            base
            | {
                "track": track.number,
                "x": m.box[0],
                "y": m.box[1],
                "width": m.box[2],
                "height": m.box[3],
                "height_share": m.box[3] / image.shape[0],
            }
            | m.values
            for track, m in sorted(faces, key=lambda f: f[0].number)
        ]
        return rows or [base]

    def _is_cut(self, image: np.ndarray) -> bool:
        small = cv2.cvtColor(cv2.resize(image, (64, 36), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2LAB).astype(
            np.int16
        )
        before, self._small = self._small, small
        if before is None:
            return False
        share = float((np.abs(small - before).sum(2) > _CHANGED).mean())
        usual = (
            float(np.median(self._changes)) if len(self._changes) > 2 else 1.0
        )  # too little seen: only the share decides
        cut = share > _CUT_SHARE or (share > _CUT_SHARE_RELATIVE and share > _CUT_RATIO * usual)
        self._changes = [] if cut else [*self._changes[-_CUT_MEMORY:], share]
        return cut

    def _follow(self, image: np.ndarray) -> list[tuple[_Track, _Measured]]:
        kept: list[tuple[_Track, _Measured]] = []
        for track in self._tracks:
            measured = self._measure(image, track.box)
            if measured is not None and all(_overlap(measured.box, other.box) < 0.4 for _, other in kept):
                kept.append((_Track(track.number, measured.box), measured))
        return kept

    def _search(self, image: np.ndarray, faces: list[tuple[_Track, _Measured]]) -> list[tuple[_Track, _Measured]]:
        """Add faces that are not followed yet."""
        result = list(faces)
        for box in self._detect_on_tiles(image):
            if len(result) >= self.settings.max_faces:
                break
            if any(_overlap(box, m.box) > 0.25 for _, m in result):
                continue
            measured = self._measure(image, box)
            if measured is not None and all(_overlap(measured.box, m.box) < 0.4 for _, m in result):
                result.append((_Track(self._next_track, measured.box), measured))
                self._next_track += 1
        return result

    def _detect_on_tiles(self, image: np.ndarray) -> list[np.ndarray]:
        """Boxes of all faces that the detector sees on any tile, the surest of overlapping ones, left to right."""
        height, width = image.shape[:2]
        found: list[tuple[float, np.ndarray]] = []
        for scale in self.settings.tile_scales:
            side = max(int(min(height, width) * scale), 32)
            for top in _steps(height, side):
                for left in _steps(width, side):
                    tile = cv2.resize(
                        image[top : top + side, left : left + side], (256, 256), interpolation=cv2.INTER_AREA
                    )
                    for detection in self._detector.detect(_picture(tile)).detections:
                        box = detection.bounding_box
                        rect = np.array([box.origin_x, box.origin_y, box.width, box.height]) * (side / 256)
                        found.append((detection.categories[0].score, rect + np.array([left, top, 0, 0])))
        kept: list[np.ndarray] = []
        for _, box in sorted(found, key=lambda f: -f[0]):
            if all(_overlap(box, other) < 0.3 for other in kept):
                kept.append(box)
        return sorted(kept, key=lambda b: b[0])

    def _measure(self, image: np.ndarray, box: np.ndarray) -> _Measured | None:
        """Run the landmarker on an enlarged crop around ``box``; None if it sees no face there."""
        side = _CROP_SIDE * max(box[2], box[3])
        left, top = box[0] + box[2] / 2 - side / 2, box[1] + box[3] / 2 - side / 2
        scale = _CROP_PX / side
        matrix = np.array([[scale, 0, -left * scale], [0, scale, -top * scale]])
        crop = cv2.warpAffine(
            image,
            matrix,
            (_CROP_PX, _CROP_PX),
            flags=cv2.INTER_LINEAR if scale > 0.5 else cv2.INTER_AREA,
            borderMode=cv2.BORDER_REPLICATE,
        )
        result = self._landmarker.detect(_picture(crop))
        if not result.face_landmarks:
            return None
        points = np.array([(p.x, p.y) for p in result.face_landmarks[0]], np.float32) * side + np.array(
            [left, top], np.float32
        )
        low, high = points.min(0), points.max(0)
        centre = (low + high) / 2
        if not (0 <= centre[0] < image.shape[1] and 0 <= centre[1] < image.shape[0]):
            return None
        values = {n: float(c.score) for n, c in zip(BLENDSHAPES, result.face_blendshapes[0][1:], strict=True)}
        yaw, pitch, roll = _angles(np.asarray(result.facial_transformation_matrixes[0])[:3, :3])
        values |= {"yaw_deg": yaw, "pitch_deg": pitch, "roll_deg": roll, "blur": _blur(image, low, high)}
        return _Measured(np.array([*low, *(high - low)]), values)


def _steps(length: int, side: int) -> list[int]:
    """Starts of tiles of ``side`` at half-tile steps that together cover ``length``."""
    last = max(length - side, 0)
    return sorted({*range(0, last, max(side // 2, 1)), last})


def _picture(image: np.ndarray) -> Any:
    import mediapipe

    return mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=cv2.cvtColor(image, cv2.COLOR_BGR2RGB))


def _overlap(a: np.ndarray, b: np.ndarray) -> float:
    """Intersection over the smaller box: a face found twice at different sizes is still one face."""
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return float(max(width, 0) * max(height, 0) / max(min(a[2] * a[3], b[2] * b[3]), 1e-9))


def _angles(rotation: np.ndarray) -> tuple[float, float, float]:
    """Yaw, pitch and roll in degrees from a rotation matrix (Tait–Bryan angles, order y–x–z)."""
    pitch = np.arcsin(np.clip(-rotation[1, 2], -1, 1))
    yaw = np.arctan2(rotation[0, 2], rotation[2, 2])
    roll = np.arctan2(rotation[1, 0], rotation[1, 1])
    return float(np.degrees(yaw)), float(np.degrees(pitch)), float(np.degrees(roll))


def _blur(image: np.ndarray, low: np.ndarray, high: np.ndarray) -> float:
    """Standard deviation of the Laplacian on the face at 64 pixels: low where the face is out of focus or smeared."""
    x0, y0 = np.maximum(low.astype(int), 0)
    x1, y1 = np.minimum(high.astype(int) + 1, (image.shape[1], image.shape[0]))
    face = cv2.cvtColor(image[y0:y1, x0:x1], cv2.COLOR_BGR2GRAY)
    return float(cv2.Laplacian(cv2.resize(face, (64, 64), interpolation=cv2.INTER_AREA), cv2.CV_32F).std())


def extract_faces(sample_id: str, video: Path, video_sha256: str, out: Path, settings: FaceSettings) -> list[Problem]:
    """Analyse a whole video into ``out`` (Parquet of FRAME_SCHEMA); return at once if it is already there.

    Raises
    ------
    InputError
        If the video cannot be opened.
    """
    source = settings.made_from(video_sha256)
    done = made_from(out)
    if done is not None and {k: v for k, v in done.items() if k != "problems"} == source:
        return [Problem(**p) for p in done["problems"]]
    out.unlink(missing_ok=True)  # made from another film: must not outlive it if this one fails
    problems: list[Problem] = []
    rows: list[dict[str, Any]] = []
    analyser = FaceAnalyser(settings)
    try:
        for frame in read_frames(video, settings.rate_hz, problems):
            rows += analyser.analyse(frame.time_s, frame.image)
    finally:
        analyser.close()
    problems = [Problem(**{**p.__dict__, "sample_id": sample_id}) for p in problems]
    write_parquet(out, pl.DataFrame(rows, schema=FRAME_SCHEMA), source | {"problems": [p.__dict__ for p in problems]})
    return problems
