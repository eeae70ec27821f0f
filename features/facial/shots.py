"""Shot boundaries: a cut changes much of the picture at once, and by more than things that move."""

from __future__ import annotations

import cv2
import numpy as np

_COLUMNS, _ROWS = 64, 36
_ENOUGH_ROWS = 4 * _ROWS  # of the frame are looked at: four pixels a cell and direction
_REACH = 2  # cells that things may have moved between two frames without having changed
_CHANGED = 25  # summed L, a, b difference from which a cell counts as changed
# Measured on the demo's films and real clips at 5 and 10 frames a second: cuts change 0.017 of the cells or more, movement
# up to 0.045, but then the frames before have moved as well.
_SHARE, _SHARE_RELATIVE, _RATIO, _MEMORY = 0.12, 0.015, 4.0, 15


class CutDetector:
    """Told one frame after another, says at which ones a new shot starts."""

    def __init__(self) -> None:
        self._before: np.ndarray | None = None
        self._changes: list[float] = []

    def is_cut(self, image: np.ndarray) -> bool:
        """Whether this frame belongs to another shot than the one before. [shape=(h, w, 3), uint8, BGR]"""
        sparse = image[:: max(image.shape[0] // _ENOUGH_ROWS, 1), :: max(image.shape[0] // _ENOUGH_ROWS, 1)]
        small = cv2.resize(sparse, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA)
        lab = cv2.cvtColor(small, cv2.COLOR_BGR2LAB).astype(np.int16)
        before, self._before = self._before, lab
        if before is None:
            return False
        share = float((_change(before, lab) > _CHANGED).mean())
        # Too little seen of the shot to know how much moves in it: only a large change decides.
        usual = float(np.median(self._changes)) if len(self._changes) > 2 else np.inf
        cut = share > _SHARE or (share > _SHARE_RELATIVE and share > _RATIO * usual)
        self._changes = [] if cut else [*self._changes[-_MEMORY:], share]
        return cut


def _change(before: np.ndarray, now: np.ndarray) -> np.ndarray:
    """How far every cell lies outside the range of the cells around the same place a frame earlier. [shape=(36, 64)]"""
    reach = np.ones((2 * _REACH + 1, 2 * _REACH + 1), np.uint8)
    over = np.maximum(now - cv2.dilate(before, reach), 0)
    under = np.maximum(cv2.erode(before, reach) - now, 0)
    return (over + under).sum(2)
