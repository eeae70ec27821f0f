"""The networks and the steps around them against MediaPipe's own graph, and against geometry that is known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.truth_faces import drawn
from features.facial import BLENDSHAPES
from features.facial.geometry import (
    Detections,
    Region,
    cover,
    decode,
    head_pose,
    landmark_picture,
    merge,
    openings,
    overlap,
    region_of_detection,
    region_of_landmarks,
)
from features.facial.networks import LANDMARK_SIDE, FaceNetworks, canonical_face
from features.media import read_frames
from features.weights import face_landmarker
from pipeline.synthetic.face import FaceState


@pytest.fixture(scope="module")
def networks() -> FaceNetworks:
    return FaceNetworks()


@pytest.fixture(scope="module")
def mediapipe_face() -> Iterator[Callable[[np.ndarray], Any]]:
    """MediaPipe's own answer to one picture, IMAGE mode."""
    import mediapipe
    from mediapipe.tasks.python import BaseOptions, vision

    options = vision.FaceLandmarkerOptions(
        base_options=BaseOptions(model_asset_path=str(face_landmarker())), output_face_blendshapes=True
    )
    with vision.FaceLandmarker.create_from_options(options) as landmarker:

        def look(image: np.ndarray) -> Any:
            rgb = cv2.cvtColor(image, cv2.COLOR_BGR2RGB)
            return landmarker.detect(mediapipe.Image(image_format=mediapipe.ImageFormat.SRGB, data=rgb))

        yield look


def ours(image: np.ndarray, networks: FaceNetworks) -> tuple[np.ndarray, np.ndarray] | None:
    """Landmarks and blendshapes by the same way that MediaPipe goes: letterbox, detector, crop, networks."""
    height, width = image.shape[:2]
    side = max(height, width)
    top, left = (side - height) // 2, (side - width) // 2
    square = np.zeros((side, side, 3), np.uint8)
    square[top : top + height, left : left + width] = image
    small = cv2.cvtColor(cv2.resize(square, (128, 128), interpolation=cv2.INTER_AREA), cv2.COLOR_BGR2RGB)
    regressors, logits = networks.detect(small[None])
    found = decode(regressors[0], logits[0], 0.5)
    if not len(found.scores):
        return None
    region = region_of_detection(found.boxes[0] * side - (left, top, 0, 0), found.eyes[0] * side - (left, top))
    points, _ = networks.landmarks(landmark_picture(image, region)[None])
    in_frame = region.to_frame(points[0], LANDMARK_SIDE)
    return in_frame[:, :2], networks.blendshapes(in_frame[None, :, :2])[0]


def parity(
    images: list[np.ndarray], networks: FaceNetworks, mediapipe_face: Callable[[np.ndarray], Any]
) -> tuple[np.ndarray, np.ndarray]:
    landmarks, shapes = [], []
    for image in images:
        reference, found = mediapipe_face(image), ours(image, networks)
        if not reference.face_landmarks or found is None:
            continue
        points = np.array([(p.x * image.shape[1], p.y * image.shape[0]) for p in reference.face_landmarks[0]])
        landmarks.append(np.linalg.norm(found[0] - points, axis=1) / np.ptp(points, axis=0).max())
        shapes.append(np.abs(found[1] - [c.score for c in reference.face_blendshapes[0]]))
    assert len(landmarks) > 0.9 * len(images)
    return np.array(landmarks), np.array(shapes)


def test_a_drawn_face_is_measured_as_mediapipe_does(
    networks: FaceNetworks, mediapipe_face: Callable[[np.ndarray], Any]
) -> None:
    states = [FaceState(jaw=j, smile=s, yaw=y) for j, s, y in ((0, 0, 0), (0.6, 0, 5), (0.2, 0.7, -8), (0.4, 0.3, 10))]
    images = [drawn([400], s, np.random.default_rng(2), [640])[40:680, 320:960] for s in states]
    landmarks, shapes = parity(images, networks, mediapipe_face)
    assert np.percentile(landmarks, 95) < 0.015
    assert np.percentile(shapes, 95) < 0.07


@pytest.mark.parametrize("clip", ["single_face.mp4", "WolfgangLanger_Pexels.mp4"])
def test_a_real_face_is_measured_as_mediapipe_does(
    networks: FaceNetworks, mediapipe_face: Callable[[np.ndarray], Any], media_folder: Path, clip: str
) -> None:
    images = [f.image for f in read_frames(media_folder / clip, 4, [])]
    landmarks, shapes = parity(images, networks, mediapipe_face)
    assert np.percentile(landmarks, 95) < 0.01
    assert np.percentile(shapes, 95) < 0.06


def test_our_blendshapes_carry_mediapipes_names(mediapipe_face: Callable[[np.ndarray], Any]) -> None:
    picture = drawn([400], FaceState(), np.random.default_rng(2), [640])[40:680, 320:960]
    names = [c.category_name for c in mediapipe_face(picture).face_blendshapes[0]]
    snake = ["".join(f"_{c.lower()}" if c.isupper() else c for c in n) for n in names[1:]]
    assert names[0] == "_neutral"
    assert tuple(snake) == BLENDSHAPES


def test_a_batch_gives_what_single_pictures_give(networks: FaceNetworks) -> None:
    rng = np.random.default_rng(0)
    batch = rng.integers(0, 255, (3, 256, 256, 3)).astype(np.uint8)
    points, presence = networks.landmarks(batch)
    assert (points.shape, presence.shape) == ((3, 478, 3), (3,))
    one, _ = networks.landmarks(batch[1:2])
    assert np.array_equal(one[0], points[1])
    assert networks.blendshapes(points[:, :, :2]).shape == (3, 52)
    assert networks.landmarks(batch[:0])[0].shape == (0, 478, 3)


def test_the_canonical_face_looks_at_us() -> None:
    face, weights = canonical_face()
    assert face.shape == (468, 3)
    assert face[33, 0] < 0 < face[263, 0]  # the right eye is on the picture's left
    assert face[10, 1] > face[152, 1]  # forehead over chin
    assert face[4, 2] == face[:, 2].max()  # the tip of the nose is nearest
    assert 12 < np.ptp(face[:, 1]) < 22  # centimetres
    assert weights.sum() > 0.9


@given(st.floats(-40, 40), st.floats(-30, 30), st.floats(-30, 30), st.floats(0.5, 30), st.floats(0, 2000))
def test_the_pose_is_the_rotation_that_was_made(yaw: float, pitch: float, roll: float, scale: float, x: float) -> None:
    y, p, r = np.radians([yaw, pitch, roll])
    turn_y = np.array([[np.cos(y), 0, np.sin(y)], [0, 1, 0], [-np.sin(y), 0, np.cos(y)]])
    turn_x = np.array([[1, 0, 0], [0, np.cos(p), -np.sin(p)], [0, np.sin(p), np.cos(p)]])
    turn_z = np.array([[np.cos(r), -np.sin(r), 0], [np.sin(r), np.cos(r), 0], [0, 0, 1]])
    points = canonical_face()[0] @ (turn_y @ turn_x @ turn_z).T
    pixels = points * (scale, -scale, -scale) + (x, 300, 0)
    found = head_pose(pixels, 720)
    assert (found["yaw_deg"], found["pitch_deg"], found["roll_deg"]) == pytest.approx((yaw, pitch, roll), abs=1e-4)
    assert found["distance_cm"] == pytest.approx(360 / np.tan(np.radians(31.5)) / scale)


@given(st.floats(-3, 3), st.floats(10, 500), st.floats(-100, 1000), st.floats(-100, 1000))
def test_a_region_and_its_picture_agree(angle: float, side: float, x: float, y: float) -> None:
    region = Region(x, y, side, angle)
    middle, right = region.to_frame(np.array([[128.0, 128, 0], [256, 128, 10]]), 256)
    assert middle[:2] == pytest.approx((x, y))
    assert right[:2] == pytest.approx((x + side / 2 * np.cos(angle), y + side / 2 * np.sin(angle)))
    assert right[2] == pytest.approx(10 * side / 256)


def test_a_region_shows_what_lies_there() -> None:
    image = np.zeros((200, 300, 3), np.uint8)
    image[90:110, 190:210] = 255
    picture = Region(200, 100, 40, 0.0).picture(image, 40)
    assert picture[20, 20, 0] == 255
    assert picture.mean() == pytest.approx(255 / 4, rel=0.15)
    assert Region(-500, -500, 40, 0.3).picture(image, 16).max() == 0  # outside the frame: its edge again


@given(st.floats(-1.2, 1.2))
def test_a_tilted_face_is_looked_at_upright(angle: float) -> None:
    face = canonical_face()[0] * (10, -10, -10)
    cos, sin = np.cos(angle), np.sin(angle)
    tilted = face @ np.array([[cos, sin, 0], [-sin, cos, 0], [0, 0, 1]]) + (300, 200, 0)
    region = region_of_landmarks(tilted)
    assert region.angle == pytest.approx(angle, abs=0.02)
    straight = region_of_landmarks(face)
    assert region.side == pytest.approx(straight.side, rel=0.02)


def test_openings_are_heights_over_widths() -> None:
    points = np.zeros((478, 3))
    points[[78, 308]] = [[0, 0, 0], [4, 0, 0]]
    points[[13, 14]] = [[2, -0.5, 0], [2, 0.5, 0]]
    points[[33, 133]] = [[0, 0, 0], [2, 0, 0]]
    points[[159, 145]] = [[1, -0.3, 0], [1, 0.3, 0]]
    found = openings(points)
    assert found["mouth_opening"] == pytest.approx(0.25)
    assert found["eye_opening_right"] == pytest.approx(0.3)
    assert np.isfinite(found["eye_opening_left"])


def test_overlapping_detections_are_one_face() -> None:
    boxes = np.array([[0, 0, 1, 1], [0.1, 0, 1, 1], [3, 3, 1, 1]], float)
    found = merge(Detections(boxes, np.zeros((3, 2, 2)), np.array([0.8, 0.4, 0.6])))
    assert found.scores.tolist() == [0.8, 0.6]
    assert found.boxes[0] == pytest.approx([0.1 * 0.4 / 1.2, 0, 1, 1])


def test_a_part_of_a_face_is_covered_by_it() -> None:
    whole, part = np.array([0.0, 0, 10, 10]), np.array([2.0, 2, 3, 3])
    assert overlap(whole, part) == pytest.approx(0.09)
    assert cover(whole, part) == cover(part, whole) == 1
    assert overlap(whole, np.array([20.0, 0, 5, 5])) == 0
