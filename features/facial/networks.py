"""The three networks of MediaPipe's Face Landmarker, run by LiteRT from the unchanged official file.

MediaPipe's own graph gives no presence score, runs its detector again for every picture, and finds faces in whole frames
only. The networks themselves are plain TFLite files in the bundle; the steps around them are in features/facial/geometry.py.
"""

from __future__ import annotations

import os
import struct
import zipfile
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
from scipy.special import expit

from features.weights import face_landmarker

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")  # LiteRT's start-up lines are not for the user

DETECTOR_SIDE = 128
LANDMARK_SIDE = 256
LANDMARKS = 478
#: The 146 landmarks that the blendshape network reads (MediaPipe, face_blendshapes_graph.cc).
_BLENDSHAPE_LANDMARKS = [
    0, 1, 4, 5, 6, 7, 8, 10, 13, 14, 17, 21, 33, 37, 39, 40, 46, 52, 53, 54, 55, 58, 61, 63, 65, 66, 67, 70, 78, 80, 81, 82,
    84, 87, 88, 91, 93, 95, 103, 105, 107, 109, 127, 132, 133, 136, 144, 145, 146, 148, 149, 150, 152, 153, 154, 155, 157,
    158, 159, 160, 161, 162, 163, 168, 172, 173, 176, 178, 181, 185, 191, 195, 197, 234, 246, 249, 251, 263, 267, 269, 270,
    276, 282, 283, 284, 285, 288, 291, 293, 295, 296, 297, 300, 308, 310, 311, 312, 314, 317, 318, 321, 323, 324, 332, 334,
    336, 338, 356, 361, 362, 365, 373, 374, 375, 377, 378, 379, 380, 381, 382, 384, 385, 386, 387, 388, 389, 390, 397, 398,
    400, 402, 405, 409, 415, 454, 466, 468, 469, 470, 471, 472, 473, 474, 475, 476, 477,
]  # fmt: skip


class FaceNetworks:
    """Detector, landmark and blendshape network: pictures in, arrays out, batch first. One thread; one object a worker."""

    def __init__(self) -> None:
        with zipfile.ZipFile(face_landmarker()) as bundle:
            self._detector = _Network(bundle.read("face_detector.tflite"), ("regressors", "classificators"))
            self._landmarks = _Network(bundle.read("face_landmarks_detector.tflite"), ("Identity", "Identity_1"))
            self._blendshapes = _Network(bundle.read("face_blendshapes.tflite"), ("StatefulPartitionedCall:0",))

    def detect(self, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Raw answers of the short-range detector.

        Parameters
        ----------
        images : [shape=(n, 128, 128, 3), uint8, RGB]

        Returns
        -------
        (regressors [shape=(n, 896, 16)], logits [shape=(n, 896)])
        """
        found = [self._detector(image.astype(np.float32) / 127.5 - 1) for image in images]
        return np.array([f[0] for f in found]).reshape(-1, 896, 16), np.array([f[1] for f in found]).reshape(-1, 896)

    def landmarks(self, images: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Landmarks in pixels of the picture and the presence of a face, 0–1.

        Parameters
        ----------
        images : [shape=(n, 256, 256, 3), uint8, RGB]

        Returns
        -------
        (points [shape=(n, 478, 3)], presence [shape=(n,)])
        """
        found = [self._landmarks(image.astype(np.float32) / 255) for image in images]
        return np.array([f[0] for f in found]).reshape(-1, LANDMARKS, 3), expit([float(f[1].item()) for f in found])

    def blendshapes(self, points: np.ndarray) -> np.ndarray:
        """52 blendshape scores, "_neutral" first, from landmarks in pixels. [shape=(n, 478, 2)] → [shape=(n, 52)]"""
        return np.array([self._blendshapes(p[_BLENDSHAPE_LANDMARKS])[0] for p in points]).reshape(-1, 52)


class _Network:
    def __init__(self, model: bytes, outputs: tuple[str, ...]) -> None:
        from ai_edge_litert.interpreter import Interpreter

        self._interpreter = Interpreter(model_content=model, num_threads=1)
        self._interpreter.allocate_tensors()
        details = {d["name"]: d["index"] for d in self._interpreter.get_output_details()}
        self._outputs = [details[name] for name in outputs]
        self._input = self._interpreter.get_input_details()[0]["index"]

    def __call__(self, one: np.ndarray) -> list[np.ndarray]:
        self._interpreter.set_tensor(self._input, one[None].astype(np.float32))
        self._interpreter.invoke()
        return [self._interpreter.get_tensor(i) for i in self._outputs]


@cache
def canonical_face() -> tuple[np.ndarray, np.ndarray]:
    """MediaPipe's canonical face and how much each of its points counts for the head's pose.

    Returns
    -------
    (points [shape=(468, 3)] in centimetres: x to the picture's right, y up, z towards the viewer; weights [shape=(468,)])
    """
    with zipfile.ZipFile(face_landmarker()) as bundle:
        message = bundle.read("geometry_pipeline_metadata_landmarks.binarypb")
    weights = np.zeros(468)
    vertices = np.empty(0)
    for field, value in _fields(message):
        if field == 1:  # the mesh, whose field 3 is the vertex buffer: x, y, z, u, v a vertex
            vertices = np.array([_float(v) for f, v in _fields(value) if f == 3])
        elif field == 2:  # a landmark of the Procrustes basis: id, weight
            landmark = dict(_fields(value))
            weights[landmark.get(1, 0)] = _float(landmark[2])
    return vertices.reshape(468, 5)[:, :3], weights


def _float(four_bytes: bytes) -> float:
    return float(struct.unpack("<f", four_bytes)[0])


def _fields(message: bytes) -> Iterator[tuple[int, Any]]:
    """Fields of a protocol buffer as (number, value): an int for a varint, bytes for all else."""
    at = 0

    def varint() -> int:
        nonlocal at
        value = shift = 0
        while True:
            byte = message[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    while at < len(message):
        key = varint()
        kind = key & 7
        if kind == 0:
            yield key >> 3, varint()
            continue
        length = {1: 8, 2: 0, 5: 4}[kind] or varint()
        yield key >> 3, message[at : at + length]
        at += length
