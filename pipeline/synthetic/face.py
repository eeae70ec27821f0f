"""Faces drawn from OpenCV primitives, with known jaw, brow, smile and eyelid values.

A face is drawn on a canonical canvas and placed into a frame by an affine map, so that its
expression does not depend on where, how large or how tilted it appears. No image of a real person is involved.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import cv2
import numpy as np

# Geometry is written in units of a 384 × 480 design; the canvas itself has half as many pixels, which is enough for
# faces of up to 300 pixels and four times as fast.
CANVAS_SCALE = 0.5
DESIGN_WIDTH, DESIGN_HEIGHT = 384, 480
CANVAS_WIDTH, CANVAS_HEIGHT = int(DESIGN_WIDTH * CANVAS_SCALE), int(DESIGN_HEIGHT * CANVAS_SCALE)
#: Vertical extent of the face itself (hairline to chin at rest) in the design.
FACE_TOP, FACE_BOTTOM = 96.0, 384.0
FACE_HEIGHT = FACE_BOTTOM - FACE_TOP
CENTRE_X = DESIGN_WIDTH / 2
CENTRE_Y = (FACE_TOP + FACE_BOTTOM) / 2
_SHIFT = 4  # sub-pixel bits of OpenCV's drawing calls: values move smoothly, not by whole pixels
_DARK = (38, 30, 36)

Colour = tuple[int, int, int]


@dataclass(frozen=True)
class FaceLook:
    """What stays the same about one drawn person. Colours are BGR, 0–255."""

    skin: Colour
    hair: Colour
    iris: Colour
    clothes: Colour
    width: float = 1.0
    long_hair: bool = False


@dataclass(frozen=True)
class FaceState:
    """What changes from frame to frame; every value runs from 0 (at rest) to 1, except the head's angles.

    ``yaw`` and ``roll`` are in degrees; positive yaw turns the face to the picture's right,
    positive roll tilts it counter-clockwise.
    """

    jaw: float = 0.0
    brow_up: float = 0.0
    brow_down: float = 0.0
    smile: float = 0.0
    blink: float = 0.0
    yaw: float = 0.0
    roll: float = 0.0


def _shade(colour: Colour, factor: float) -> Colour:
    b, g, r = (min(int(channel * factor), 255) for channel in colour)
    return b, g, r


def _fixed(*values: float) -> tuple[int, ...]:
    return tuple(round(v * CANVAS_SCALE * (1 << _SHIFT)) for v in values)


def _line(thickness: int) -> int:
    return thickness if thickness < 0 else max(1, round(thickness * CANVAS_SCALE))


def _points(points: np.ndarray) -> np.ndarray:
    return np.round(points * CANVAS_SCALE * (1 << _SHIFT)).astype(np.int32).reshape(-1, 1, 2)


def _ellipse(
    image: np.ndarray,
    x: float,
    y: float,
    rx: float,
    ry: float,
    colour: tuple[int, ...],
    thickness: int = -1,
    start: float = 0.0,
    end: float = 360.0,
) -> None:
    axes = _fixed(max(rx, 0.1), max(ry, 0.1))
    cv2.ellipse(image, _fixed(x, y), axes, 0, start, end, colour, _line(thickness), cv2.LINE_AA, _SHIFT)


def _curve(image: np.ndarray, points: np.ndarray, colour: Colour, thickness: int) -> None:
    cv2.polylines(image, [_points(points)], False, colour, _line(thickness), cv2.LINE_AA, _SHIFT)


def _fill(image: np.ndarray, points: np.ndarray, colour: tuple[int, ...]) -> None:
    cv2.fillPoly(image, [_points(points)], colour, cv2.LINE_AA, _SHIFT)


@dataclass
class FacePainter:
    """Draws one person; the parts that never move are painted once."""

    look: FaceLook
    _body_colour: np.ndarray = field(init=False, repr=False)
    _body_alpha: np.ndarray = field(init=False, repr=False)
    _light: np.ndarray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        body = self._paint_body()
        self._body_colour, self._body_alpha = cv2.cvtColor(body, cv2.COLOR_BGRA2BGR), cv2.extractChannel(body, 3)
        ys, xs = np.mgrid[0:CANVAS_HEIGHT, 0:CANVAS_WIDTH].astype(np.float32) / CANVAS_SCALE
        # Light from above left, falling off towards the cheeks: the landmark network expects a solid, not a disc.
        radius = ((xs - CENTRE_X + 22) / 128) ** 2 + ((ys - CENTRE_Y + 36) / 190) ** 2
        self._light = cv2.merge([np.clip(1.1 - 0.26 * radius, 0.6, 1.1)] * 3)

    def _paint_body(self) -> np.ndarray:
        look = self.look
        body = np.zeros((CANVAS_HEIGHT, CANVAS_WIDTH, 4), np.uint8)

        def ellipse(x: float, y: float, rx: float, ry: float, colour: Colour) -> None:
            _ellipse(body, x, y, rx, ry, (*colour, 255))

        if look.long_hair:
            ellipse(CENTRE_X, CENTRE_Y + 10, 128 * look.width, 190, _shade(look.hair, 0.8))
        ellipse(CENTRE_X, 500, 180, 96, look.clothes)
        neck = np.array([[CENTRE_X - 46, 340], [CENTRE_X + 46, 340], [CENTRE_X + 46, 440], [CENTRE_X - 46, 440]])
        _fill(body, neck, (*_shade(look.skin, 0.72), 255))
        ellipse(CENTRE_X, 426, 58, 24, _shade(look.skin, 0.74))
        ellipse(CENTRE_X, FACE_TOP + 74, 116 * look.width, 112, look.hair)
        for side in (-1, 1):
            ellipse(CENTRE_X + side * 103 * look.width, CENTRE_Y + 2, 15, 30, _shade(look.skin, 0.8))
        return body

    def paint(self, state: FaceState) -> np.ndarray:
        """Return the canonical canvas. [shape=(240, 192, 4), uint8, BGRA]"""
        look, width = self.look, self.look.width
        drop = 44.0 * state.jaw
        shape = np.zeros((CANVAS_HEIGHT, CANVAS_WIDTH), np.uint8)
        _ellipse(shape, CENTRE_X, CENTRE_Y - 14, 102 * width, 130, (255,))
        _ellipse(shape, CENTRE_X, CENTRE_Y + 42 + drop * 0.45, 84 * width, 102 + drop * 0.5, (255,))
        skin = np.full((CANVAS_HEIGHT, CANVAS_WIDTH, 3), look.skin, np.uint8)
        self._features(skin, CENTRE_X + 1.15 * state.yaw, state, drop)  # features slide over the head as it turns
        lit = cv2.multiply(skin, self._light, dtype=cv2.CV_8U)
        weight = shape.astype(np.float32) / 255
        colour = cv2.blendLinear(lit, self._body_colour, weight, 1 - weight)
        canvas = cv2.merge([*cv2.split(colour), cv2.max(self._body_alpha, shape)])
        _fill(canvas, self._fringe(width), (*_shade(look.hair, 1.05), 255))
        return canvas

    @staticmethod
    def _fringe(width: float) -> np.ndarray:
        """Outline of the hair over the forehead."""
        return np.array(
            [
                [CENTRE_X - 104 * width, 150],
                [CENTRE_X - 96 * width, 96],
                [CENTRE_X - 40, 60],
                [CENTRE_X + 40, 60],
                [CENTRE_X + 96 * width, 96],
                [CENTRE_X + 104 * width, 150],
                [CENTRE_X + 76 * width, 116],
                [CENTRE_X + 10, 104],
                [CENTRE_X - 70 * width, 118],
            ]
        )

    def _features(self, image: np.ndarray, cx: float, state: FaceState, drop: float) -> None:
        look = self.look
        eye_y = CENTRE_Y - 22
        near, far = 1.0 - 0.006 * state.yaw, 1.0 + 0.006 * state.yaw
        for side, squeeze in ((-1, near), (1, far)):
            x = cx + side * 43 * squeeze
            _ellipse(image, x, eye_y, 29 * squeeze, 17, _shade(look.skin, 0.86))
            openness = 1.0 - state.blink
            _ellipse(
                image,
                x,
                eye_y,
                22 * squeeze,
                10.5 * openness + 0.6,
                (236, 238, 240) if openness > 0.12 else _shade(look.skin, 0.7),
            )
            if openness > 0.12:
                iris = min(9.5, 10.5 * openness + 1.0)
                _ellipse(image, x + 0.25 * state.yaw, eye_y, 9.5, iris, look.iris)
                _ellipse(image, x + 0.25 * state.yaw, eye_y, 4.4, min(4.4, iris), (12, 10, 10))
                _ellipse(image, x + 0.25 * state.yaw - 3, eye_y - 3, 1.8, min(1.8, iris), (250, 250, 250))
            lid = eye_y + 8.0 * state.blink
            _ellipse(image, x, lid, 23 * squeeze, 11.5 * openness + 1.5, _DARK, 3, 190, 350)
            _ellipse(image, x, eye_y, 23 * squeeze, 11.0 * openness + 1.5, _shade(look.skin, 0.55), 2, 15, 165)
            lift = -20.0 * state.brow_up + 9.0 * state.brow_down
            inner = lift * 1.15 + 5.0 * state.brow_down
            brow = np.array(
                [
                    [x - side * 27 * squeeze, eye_y - 24 + inner - 3 * state.brow_up],
                    [x - side * 6, eye_y - 31 + lift],
                    [x + side * 14 * squeeze, eye_y - 31 + lift * 0.9],
                    [x + side * 30 * squeeze, eye_y - 24 + lift * 0.7],
                ]
            )
            _curve(image, brow, _shade(look.hair, 0.75), 9)
        # nose: bridge shadow, tip, nostrils
        tip = CENTRE_Y + 38
        _curve(
            image,
            np.array([[cx - 12, eye_y + 4], [cx - 13 + 0.2 * state.yaw, tip - 18], [cx - 19, tip + 2]]),
            _shade(look.skin, 0.82),
            3,
        )
        _ellipse(image, cx + 0.25 * state.yaw, tip - 4, 14, 13, _shade(look.skin, 1.08))
        for side in (-1, 1):
            _ellipse(image, cx + side * 17 + 0.15 * state.yaw, tip + 2, 8, 7, _shade(look.skin, 0.9))
            _ellipse(image, cx + side * 9 + 0.15 * state.yaw, tip + 8, 5, 3, _shade(look.skin, 0.45))
        # cheeks' folds show a smile from afar
        if state.smile > 0.05:
            for side in (-1, 1):
                _ellipse(
                    image,
                    cx + side * 50,
                    CENTRE_Y + 62,
                    14,
                    26,
                    _shade(look.skin, 0.8),
                    2,
                    300 if side > 0 else 140,
                    400 if side > 0 else 240,
                )
        self._mouth(image, cx + 0.1 * state.yaw, state, drop)

    def _mouth(self, image: np.ndarray, cx: float, state: FaceState, drop: float) -> None:
        lip: Colour = (96, 86, 176)
        half = 37.0 + 11.0 * state.smile - 5.0 * state.jaw
        y = CENTRE_Y + 82
        corner = y - 11.0 * state.smile + 0.3 * drop
        t = np.linspace(-1, 1, 21)
        bow = 1 - t**2
        top_outer = np.stack(
            [cx + t * half, corner + (y - 9 - corner) * bow - 2.5 * np.exp(-(((np.abs(t) - 0.25) / 0.2) ** 2))], 1
        )
        top_inner = np.stack([cx + t * half * 0.92, corner + (y - 1 - corner) * bow], 1)
        low_inner = np.stack([cx + t * half * 0.92, corner + (y + 1 + drop - corner) * bow], 1)
        low_outer = np.stack([cx + t * half, corner + (y + 13 + drop * 1.04 - corner) * bow], 1)
        if drop > 1.5:
            _fill(image, np.concatenate([top_inner, low_inner[::-1]]), (34, 22, 58))
            teeth = np.stack([cx + t * half * 0.7, np.minimum(top_inner[:, 1] + 7, low_inner[:, 1])], 1)
            _fill(
                image,
                np.concatenate([np.stack([cx + t * half * 0.7, top_inner[:, 1]], 1), teeth[::-1]]),
                (225, 228, 232),
            )
        _fill(image, np.concatenate([top_outer, top_inner[::-1]]), lip)
        _fill(image, np.concatenate([low_inner, low_outer[::-1]]), _shade(lip, 1.12))
        if drop <= 1.5:
            _curve(image, top_inner, _shade(lip, 0.45), 2)
        _ellipse(image, cx, y + 28 + drop, 22, 5, _shade(self.look.skin, 0.86), 2, 200, 340)


def place(frame: np.ndarray, canvas: np.ndarray, x: float, y: float, height: float, roll: float = 0.0) -> None:
    """Blend a painted canvas into ``frame`` so that the face's centre is at (x, y) and its height is ``height`` pixels.

    ``frame`` is changed in place. [shape=(h, w, 3), uint8, BGR] Parts outside the frame are cut off.
    """
    scale = height / (FACE_HEIGHT * CANVAS_SCALE)
    centre = (CENTRE_X * CANVAS_SCALE, CENTRE_Y * CANVAS_SCALE)
    matrix = cv2.getRotationMatrix2D(centre, roll, scale)
    matrix[:, 2] += (x - centre[0], y - centre[1])
    corners = (
        np.array([[0, 0, 1], [CANVAS_WIDTH, 0, 1], [0, CANVAS_HEIGHT, 1], [CANVAS_WIDTH, CANVAS_HEIGHT, 1]]) @ matrix.T
    )
    left, top = np.maximum(np.floor(corners.min(0)).astype(int), 0)
    right, bottom = np.minimum(np.ceil(corners.max(0)).astype(int), (frame.shape[1], frame.shape[0]))
    if left >= right or top >= bottom:
        return
    matrix[:, 2] -= (left, top)
    if scale < 0.8:
        canvas = cv2.GaussianBlur(canvas, (0, 0), 0.4 / scale)  # else the small face shows stair steps
    warped = cv2.warpAffine(canvas, matrix, (int(right - left), int(bottom - top)), flags=cv2.INTER_LINEAR)
    weight = warped[..., 3].astype(np.float32) / 255
    region = frame[top:bottom, left:right]
    region[:] = cv2.blendLinear(
        cv2.cvtColor(warped, cv2.COLOR_BGRA2BGR), np.ascontiguousarray(region), weight, 1 - weight
    )
