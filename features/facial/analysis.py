"""Finds, follows and measures the faces of one video, frame after frame.

The detector is short-range: it sees faces from about a seventh of its picture's height. So the frame is searched in
overlapping square tiles of several sizes at shot starts and at intervals; a face that is found is followed forwards by its
landmarks, and backwards through the frames since the last search, so that its presence starts when it really did.
Every face is measured on an upright picture of its own: its values do not depend on where it stands or on who else is there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import cv2
import numpy as np
from scipy.special import expit

from features.facial.geometry import (
    Region,
    cover,
    decode,
    head_pose,
    landmark_picture,
    openings,
    region_of_detection,
    region_of_landmarks,
)
from features.facial.look import difference, look
from features.facial.networks import DETECTOR_SIDE, LANDMARK_SIDE, FaceNetworks
from features.facial.schema import BLENDSHAPES
from features.facial.shots import CutDetector

_MIN_PRESENCE = 0.5  # MediaPipe's default
_MIN_DETECTOR = 0.2  # on a followed face: less than for finding, for heads turn away
_CONFIRM_S = 0.5  # how often the detector looks at a followed face
_SAME_FACE = 0.4  # share of the smaller box from which two boxes are one face
_OTHER_PERSON = 22.0  # change of look between two frames that no movement makes: a cut that went unnoticed
_LOOK_MEMORY = 0.2
_STEP = 0.6  # of a tile's side: a face of up to 0.4 of it lies whole in some tile
_KNOWN = 0.7  # a tile that a face covers so far shows nothing but that face


@dataclass(frozen=True)
class FaceSettings:
    """How a video is analysed; the fields are those of ``face`` in params.yaml."""

    rate_hz: float
    search_every_s: float
    tile_scales: tuple[float, ...]
    min_detection: float
    max_faces: int
    landmarks: bool


@dataclass(frozen=True)
class Face:
    """One measured face.

    ``box``: x, y, width, height in pixels; ``points`` [shape=(478, 3)] in pixels; ``confirmed_s``: when the detector last
    looked at it.
    """

    box: np.ndarray
    points: np.ndarray
    values: dict[str, float]
    look: np.ndarray
    confirmed_s: float


@dataclass
class Moment:
    """One analysed frame: its time, its shot, and the faces on it by track."""

    time_s: float
    shot: int
    image: np.ndarray = field(repr=False)
    faces: dict[int, Face]


class FaceAnalyser:
    """Takes the frames of one video in order; gives them back with their faces, late by up to a search interval."""

    def __init__(self, settings: FaceSettings, networks: FaceNetworks | None = None) -> None:
        self.settings = settings
        self._networks = networks or FaceNetworks()
        self._cuts = CutDetector()
        self._waiting: list[Moment] = []
        self._looks: dict[int, np.ndarray] = {}
        self._tracks = 0
        self._shot = 0
        self._searched_at = -np.inf

    def push(self, time_s: float, image: np.ndarray) -> list[Moment]:
        """Analyse the next frame and return the moments that are now final, oldest first.

        Parameters
        ----------
        image : [shape=(h, w, 3), uint8, BGR]
        """
        final: list[Moment] = []
        followed: dict[int, Face] = self._waiting[-1].faces if self._waiting else {}
        if self._cuts.is_cut(image):
            final, followed = self.finish(), {}
            self._shot += 1
            self._searched_at = -np.inf
        moment = Moment(time_s, self._shot, image, {})
        moment.faces |= self._follow(moment, followed)
        self._waiting.append(moment)
        lost = len(moment.faces) < len(followed)
        if lost or time_s - self._searched_at >= self.settings.search_every_s:
            self._searched_at = time_s
            self._search(moment)
            final, self._waiting = final + self._waiting[:-1], self._waiting[-1:]
        return final

    def finish(self) -> list[Moment]:
        """The moments that still wait; call it after the last frame."""
        final, self._waiting, self._looks = self._waiting, [], {}
        return final

    def _follow(self, moment: Moment, faces: dict[int, Face]) -> dict[int, Face]:
        """The same faces on the next (or previous) frame, without those that are gone."""
        kept: dict[int, Face] = {}
        for track, before in faces.items():
            face = self._measure(moment, region_of_landmarks(before.points), before)
            if face is None or self._is_taken(face.box, kept):
                continue
            usual = self._looks.setdefault(track, face.look)
            if difference(usual, face.look) > _OTHER_PERSON:
                continue
            known = np.where(np.isfinite(face.look), face.look, usual)
            self._looks[track] = np.where(np.isfinite(usual), usual + _LOOK_MEMORY * (known - usual), known)
            kept[track] = face
        return kept

    def _search(self, moment: Moment) -> None:
        """Add the faces that are not followed yet, here and on the waiting frames before."""
        for box, eyes in self._detect_on_tiles(moment.image, [f.box for f in moment.faces.values()]):
            if len(moment.faces) >= self.settings.max_faces:
                return
            if self._is_taken(box, moment.faces):
                continue
            first = self._measure(moment, region_of_detection(box, eyes))
            # Looking again from the landmarks gives the region that following will use: values start where they go on.
            face = None if first is None else self._measure(moment, region_of_landmarks(first.points), first)
            if face is None or self._is_taken(face.box, moment.faces):
                continue
            track, self._tracks = self._tracks, self._tracks + 1
            moment.faces[track] = face
            for earlier in reversed(self._waiting[:-1]):
                back = self._follow(earlier, {track: face})
                if not back or self._is_taken(back[track].box, earlier.faces):
                    break
                face = back[track]
                earlier.faces[track] = face

    @staticmethod
    def _is_taken(box: np.ndarray, faces: dict[int, Face]) -> bool:
        return any(cover(box, other.box) > _SAME_FACE for other in faces.values())

    def _detect_on_tiles(self, image: np.ndarray, known: list[np.ndarray]) -> list[tuple[np.ndarray, np.ndarray]]:
        """Box and eyes of every face that the detector sees on any tile, in pixels of the frame, left to right.

        Tiles that lie within a ``known`` face are left out.
        """
        found: list[tuple[float, np.ndarray, np.ndarray]] = []
        for left, top, side in self._tiles(image.shape[0], image.shape[1]):
            if any(_shared_part((left, top, side), box) > _KNOWN for box in known):
                continue
            tile = image[top : top + side, left : left + side]
            regressors, logits = self._networks.detect(_detector_picture(tile)[None])
            here = decode(regressors[0], logits[0], self.settings.min_detection)
            for box, eyes, score in zip(here.boxes, here.eyes, here.scores, strict=True):
                found.append((float(score), box * side + (left, top, 0, 0), eyes * side + (left, top)))
        kept: list[tuple[np.ndarray, np.ndarray]] = []
        for _, box, eyes in sorted(found, key=lambda f: -f[0]):
            if all(cover(box, other) <= _SAME_FACE for other, _ in kept):
                kept.append((box, eyes))
        return sorted(kept, key=lambda f: float(f[0][0]))

    def _tiles(self, height: int, width: int) -> Iterator[tuple[int, int, int]]:
        """Left, top and side of every tile."""
        for scale in self.settings.tile_scales:
            side = max(int(min(height, width) * scale), 32)
            for top in _steps(height, side):
                for left in _steps(width, side):
                    yield left, top, side

    def _measure(self, moment: Moment, region: Region, before: Face | None = None) -> Face | None:
        """Run the networks on one region; None if they see no face there. ``before``: the face a frame earlier or later."""
        image = moment.image
        picture = landmark_picture(image, region)
        found, presence = self._networks.landmarks(picture[None])
        if presence[0] < _MIN_PRESENCE:
            return None
        points = region.to_frame(found[0], LANDMARK_SIDE)
        low, high = points[:, :2].min(0), points[:, :2].max(0)
        middle = (low + high) / 2
        if not (0 <= middle[0] < image.shape[1] and 0 <= middle[1] < image.shape[0]):
            return None
        small = cv2.resize(picture, (DETECTOR_SIDE, DETECTOR_SIDE), interpolation=cv2.INTER_AREA)
        if before is not None and abs(moment.time_s - before.confirmed_s) < _CONFIRM_S:
            confirmed_s, score = before.confirmed_s, before.values["detector_score"]
        else:
            confirmed_s, score = moment.time_s, float(expit(float(self._networks.detect(small[None])[1].max())))
        if score < _MIN_DETECTOR:
            return None
        scores = self._networks.blendshapes(points[None, :, :2])[0]
        values = {
            "height_share": float((high - low)[1] / image.shape[0]),
            "detector_score": score,
            "presence": float(presence[0]),
            "blur": _blur(small),
            **head_pose(points, image.shape[0]),
            **openings(points),
            **dict(zip(BLENDSHAPES, map(float, scores[1:]), strict=True)),
        }
        box = np.array([*low, *(high - low)])
        return Face(box, points, values, look(image, box), confirmed_s)


def _steps(length: int, side: int) -> list[int]:
    """Starts of tiles of ``side`` that cover ``length``, evenly, at most _STEP of a side apart."""
    last = max(length - side, 0)
    count = int(np.ceil(last / (_STEP * side)))
    return [round(last * k / max(count, 1)) for k in range(count + 1)]


def _shared_part(tile: tuple[int, int, int], box: np.ndarray) -> float:
    """Share of a tile (left, top, side) that a box covers."""
    left, top, side = tile
    width = min(left + side, box[0] + box[2]) - max(left, box[0])
    height = min(top + side, box[1] + box[3]) - max(top, box[1])
    return float(max(width, 0) * max(height, 0)) / side**2


def _detector_picture(image: np.ndarray) -> np.ndarray:
    small = cv2.resize(image, (DETECTOR_SIDE, DETECTOR_SIDE), interpolation=cv2.INTER_AREA)
    return cv2.cvtColor(small, cv2.COLOR_BGR2RGB)


def _blur(picture: np.ndarray) -> float:
    """Spread of the Laplacian over the face, which fills the middle of the picture: low where it is out of focus or smeared."""
    edge = picture.shape[0] // 6
    face = cv2.cvtColor(picture[edge:-edge, edge:-edge], cv2.COLOR_RGB2GRAY)
    return float(cv2.Laplacian(face, cv2.CV_32F).std())
