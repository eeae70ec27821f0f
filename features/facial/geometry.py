"""The steps around the face networks: anchors, merging of detections, upright crops, head pose, openings.

Constants are those of MediaPipe's graphs (face_detector_graph.cc, face_landmarker_graph.cc, detections_to_rects_calculator.cc);
the pose is a weighted orthogonal Procrustes fit of the canonical face (Gower & Dijksterhuis 2004), as in MediaPipe's
face geometry, but with a weak-perspective camera, so that it does not depend on where in the frame the face stands.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

import cv2
import numpy as np
from scipy.special import expit

from features.facial.networks import DETECTOR_SIDE, LANDMARK_SIDE, canonical_face

_STRIDES = ((8, 2), (16, 6))  # pixels a cell of the detector's two grids, and anchors a cell
_MERGE_OVERLAP = 0.3
_ROOM = 1.5  # side of the landmark network's picture over the face's
_EYE_CORNERS = (33, 263)
_FIELD_OF_VIEW_DEG = 63.0  # vertical, MediaPipe's assumption about an unknown camera
#: Indices of the landmarks between which eyes and mouth open (MediaPipe's face mesh).
_EYES = {"left": (386, 374, 362, 263), "right": (159, 145, 33, 133)}  # upper lid, lower lid, the two corners
_MOUTH = (13, 14, 78, 308)  # inner lips, inner corners


@dataclass(frozen=True)
class Detections:
    """Faces found in pictures. Coordinates in the picture's sides.

    Attributes
    ----------
    boxes : [shape=(n, 4)] x, y, width, height.
    eyes : [shape=(n, 2, 2)] the person's right and left eye.
    scores : [shape=(n,)] 0–1.
    """

    boxes: np.ndarray
    eyes: np.ndarray
    scores: np.ndarray


@dataclass(frozen=True)
class Region:
    """A square of the frame, turned so that the face in it is upright. Pixels; ``angle`` in radians, clockwise."""

    x: float
    y: float
    side: float
    angle: float

    def to_frame(self, points: np.ndarray, side: int) -> np.ndarray:
        """Points of a ``side`` pixels wide picture of this region, in the frame's pixels. [shape=(n, 3)]"""
        scale = self.side / side
        x, y = (points[:, 0] - side / 2) * scale, (points[:, 1] - side / 2) * scale
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        return np.stack([self.x + cos * x - sin * y, self.y + sin * x + cos * y, points[:, 2] * scale], 1)

    def picture(self, image: np.ndarray, side: int) -> np.ndarray:
        """The region as an upright square picture; outside the frame its edge is repeated. [shape=(side, side, 3)]"""
        scale = self.side / side
        cos, sin = scale * np.cos(self.angle), scale * np.sin(self.angle)
        half = side / 2 - 0.5
        inverse = np.array(
            [[cos, -sin, self.x - 0.5 - half * (cos - sin)], [sin, cos, self.y - 0.5 - half * (sin + cos)]]
        )
        flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
        return cv2.warpAffine(image, inverse, (side, side), flags=flags, borderMode=cv2.BORDER_REPLICATE)


def _anchors() -> np.ndarray:
    """Centres of the detector's 896 anchors, in the picture's sides. [shape=(896, 2)]"""
    centres = []
    for stride, count in _STRIDES:
        cells = DETECTOR_SIDE // stride
        y, x = np.mgrid[:cells, :cells]
        centres.append(np.repeat(np.stack([x.ravel() + 0.5, y.ravel() + 0.5], 1) / cells, count, axis=0))
    return np.concatenate(centres)


_ANCHORS = _anchors()


def decode(regressors: np.ndarray, logits: np.ndarray, minimum: float) -> Detections:
    """Faces in one picture from the detector's raw answers, merged by weighted non-maximum suppression.

    Parameters
    ----------
    regressors : [shape=(896, 16)]
    logits : [shape=(896,)]
    minimum : the least score, 0–1.
    """
    scores = expit(logits.astype(np.float64))
    keep = np.flatnonzero(scores >= minimum)
    values = regressors[keep] / DETECTOR_SIDE
    centres = values[:, :2] + _ANCHORS[keep]
    eyes = values[:, 4:8].reshape(-1, 2, 2) + _ANCHORS[keep][:, None]
    return merge(Detections(np.hstack([centres - values[:, 2:4] / 2, values[:, 2:4]]), eyes, scores[keep]))


def merge(found: Detections) -> Detections:
    """One detection a face: the score-weighted mean of those that overlap, with the best of their scores."""
    left = list(np.argsort(-found.scores, kind="stable"))
    boxes, eyes, scores = [], [], []
    while left:
        best = found.boxes[left[0]]
        group = [i for i in left if overlap(best, found.boxes[i]) > _MERGE_OVERLAP]
        weights = found.scores[group] / found.scores[group].sum()
        boxes.append(weights @ found.boxes[group])
        eyes.append(np.tensordot(weights, found.eyes[group], 1))
        scores.append(found.scores[left[0]])
        left = [i for i in left if i not in group]
    return Detections(np.array(boxes).reshape(-1, 4), np.array(eyes).reshape(-1, 2, 2), np.array(scores))


def overlap(a: np.ndarray, b: np.ndarray) -> float:
    """Intersection over union of two boxes (x, y, width, height)."""
    shared = _shared(a, b)
    return shared / max(float(a[2] * a[3] + b[2] * b[3]) - shared, 1e-9)


def cover(a: np.ndarray, b: np.ndarray) -> float:
    """Intersection over the smaller box: a part of a face, found on a small tile, is still that face."""
    return _shared(a, b) / max(float(min(a[2] * a[3], b[2] * b[3])), 1e-9)


def _shared(a: np.ndarray, b: np.ndarray) -> float:
    width = min(a[0] + a[2], b[0] + b[2]) - max(a[0], b[0])
    height = min(a[1] + a[3], b[1] + b[3]) - max(a[1], b[1])
    return float(max(width, 0) * max(height, 0))


def region_of_detection(box: np.ndarray, eyes: np.ndarray) -> Region:
    """Where the landmark network should look, from a detection in the frame's pixels."""
    (x0, y0), (x1, y1) = eyes
    side = _ROOM * max(box[2], box[3])
    return Region(
        float(box[0] + box[2] / 2), float(box[1] + box[3] / 2), float(side), float(np.arctan2(y1 - y0, x1 - x0))
    )


def region_of_landmarks(points: np.ndarray) -> Region:
    """Where to look in the next frame, from this frame's landmarks in pixels. [shape=(478, 3)]"""
    flat = points[:, :2]
    right, left = flat[_EYE_CORNERS[0]], flat[_EYE_CORNERS[1]]
    angle = float(np.arctan2(left[1] - right[1], left[0] - right[0]))
    cos, sin = np.cos(angle), np.sin(angle)
    upright = flat @ np.array([[cos, -sin], [sin, cos]])
    low, high = upright.min(0), upright.max(0)
    centre = np.array([[cos, -sin], [sin, cos]]) @ ((low + high) / 2)
    return Region(float(centre[0]), float(centre[1]), float(_ROOM * (high - low).max()), angle)


@cache
def _pose_basis() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The landmarks that the pose is fitted to, their places on the canonical face around its middle, their weights."""
    face, weights = canonical_face()
    basis = np.flatnonzero(weights)
    w = weights[basis, None] / weights.sum()
    return basis, face[basis] - (w * face[basis]).sum(0), w


def head_pose(points: np.ndarray, frame_height: int) -> dict[str, float]:
    """Turn of the head in degrees and its distance, from landmarks in pixels. [shape=(478, 3)]

    Positive yaw turns the face to the picture's right, positive pitch down, positive roll tilts it counter-clockwise.
    ``distance_cm`` assumes a vertical field of view of 63°, as MediaPipe does: only its ratios within a shot mean anything.
    """
    basis, face, w = _pose_basis()
    seen = points[basis] * (1, -1, -1)
    a, b = face, seen - (w * seen).sum(0)
    u, stretch, vt = np.linalg.svd((w * b).T @ a)
    flip = np.array([1, 1, np.sign(np.linalg.det(u @ vt))])
    rotation = (u * flip) @ vt
    pixels_per_cm = (stretch * flip).sum() / (w * a**2).sum()
    pitch = np.arcsin(np.clip(-rotation[1, 2], -1, 1))
    yaw = np.arctan2(rotation[0, 2], rotation[2, 2])
    roll = np.arctan2(rotation[1, 0], rotation[1, 1])
    focal = frame_height / 2 / np.tan(np.radians(_FIELD_OF_VIEW_DEG / 2))
    return {
        "yaw_deg": float(np.degrees(yaw)),
        "pitch_deg": float(np.degrees(pitch)),
        "roll_deg": float(np.degrees(roll)),
        "distance_cm": float(focal / pixels_per_cm),
    }


def openings(points: np.ndarray) -> dict[str, float]:
    """How far eyes and mouth are open, as height over width (eyes: Soukupová & Čech 2016). [shape=(478, 3)]"""

    def ratio(upper: int, lower: int, one: int, other: int) -> float:
        height = float(np.linalg.norm(points[upper] - points[lower]))
        return height / max(float(np.linalg.norm(points[one] - points[other])), 1e-9)

    return {f"eye_opening_{side}": ratio(*eye) for side, eye in _EYES.items()} | {"mouth_opening": ratio(*_MOUTH)}


def landmark_picture(image: np.ndarray, region: Region) -> np.ndarray:
    """What the landmark network looks at. [shape=(256, 256, 3), uint8, RGB] from a BGR frame"""
    return cv2.cvtColor(region.picture(image, LANDMARK_SIDE), cv2.COLOR_BGR2RGB)
