"""What a person looks like from afar: colours of face, hair and clothes on a coarse grid around the face.

For telling two to five people of one room apart this is enough, and it is no face recognition: the grid says nothing
about anybody outside the recording. Still it is personal data and is never exported.
"""

from __future__ import annotations

import cv2
import numpy as np

LOOK_SHAPE = (16, 16, 3)  # rows, columns, CIE L*a*b*
_SIDE = 2.6  # side of the grid over the face's height
_DOWN = 0.55  # how far its middle lies under the face's, in face heights: clothes count
_SMOOTH_PX = 64
_MIDDLES = (np.arange(LOOK_SHAPE[0]) + 0.5) / LOOK_SHAPE[0]  # of the cells, in sides of the grid
_BODY_CELLS = 8  # fewer say too little
_CAP = 40.0  # a cell that differs more than this is another thing; how much more does not matter


def _template() -> tuple[np.ndarray, np.ndarray]:
    """Cells that usually hold the head, and those that usually hold the body; the others may be background."""
    rows, columns = np.mgrid[: LOOK_SHAPE[0], : LOOK_SHAPE[1]]
    x = ((columns + 0.5) / LOOK_SHAPE[1] - 0.5) * _SIDE
    y = ((rows + 0.5) / LOOK_SHAPE[0] - 0.5) * _SIDE + _DOWN  # from the face's middle, in face heights
    head = (x / 0.55) ** 2 + ((y + 0.08) / 0.72) ** 2 < 1
    body = (y > 0.75) & (np.abs(x) < 0.3 + 0.3 * (y - 0.75))
    return head, body


_HEAD, _BODY = _template()


def look(image: np.ndarray, box: np.ndarray) -> np.ndarray:
    """The look of the face in ``box`` (x, y, width, height). [shape=LOOK_SHAPE, float32] NaN outside the frame"""
    height = max(box[3], 1.0)
    side = _SIDE * height
    left = box[0] + box[2] / 2 - side / 2
    top = box[1] + box[3] / 2 + _DOWN * height - side / 2
    scale = side / _SMOOTH_PX
    inverse = np.array([[scale, 0, left], [0, scale, top]])
    flags = cv2.INTER_LINEAR | cv2.WARP_INVERSE_MAP
    picture = cv2.warpAffine(image, inverse, (_SMOOTH_PX, _SMOOTH_PX), flags=flags, borderMode=cv2.BORDER_REPLICATE)
    small = cv2.resize(picture, LOOK_SHAPE[:2], interpolation=cv2.INTER_AREA).astype(np.float32) / 255
    grid = cv2.cvtColor(small, cv2.COLOR_BGR2LAB)
    column, row = left + _MIDDLES * side, top + _MIDDLES * side
    grid[(row < 0) | (row >= image.shape[0])] = np.nan
    grid[:, (column < 0) | (column >= image.shape[1])] = np.nan
    return grid


def difference(a: np.ndarray, b: np.ndarray) -> float:
    """How far two looks lie apart, in CIE L*a*b* units: head and body count the same, unless too little body is seen."""
    return float(_difference(a[None], b[None])[0])


def differences(looks: np.ndarray) -> np.ndarray:
    """``difference`` of every two looks. [shape=(n, *LOOK_SHAPE)] → [shape=(n, n)]"""
    return np.array([_difference(one[None], looks) for one in looks]).reshape(len(looks), len(looks))


def _difference(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    cells = np.minimum(np.linalg.norm(a - b, axis=-1), _CAP)
    head, n_head = _mean(cells[:, _HEAD])
    body, n_body = _mean(cells[:, _BODY])
    both = np.where(n_body >= _BODY_CELLS, (head + body) / 2, head)
    return np.where(n_head > 0, both, _CAP)


def _mean(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean over the cells inside the frame, and their number; 0 where there are none. [shape=(n, cells)]"""
    inside = np.isfinite(cells)
    count = inside.sum(1)
    return np.where(inside, cells, 0).sum(1) / np.maximum(count, 1), count
