"""Shot boundaries: a cut changes much of the picture at once, and by more than things that move."""

from __future__ import annotations

import cv2
import numpy as np

_COLUMNS, _ROWS = 64, 36
_REACH = 2  # cells that things may have moved between two frames without having changed
_CHANGED = 25  # summed L, a, b difference from which a cell counts as changed
# Measured on the demo's films and real clips at 5 and 10 frames a second: cuts change 0.029 of the cells or more, movement
# up to 0.05, but then the frames before have moved as well.
_SHARE, _SHARE_RELATIVE, _RATIO, _MEMORY = 0.12, 0.025, 4.0, 15


class CutDetector:
    """Told one frame after another, says at which ones a new shot starts."""

    def __init__(self) -> None:
        self._before: np.ndarray | None = None
        self._changes: list[float] = []

    def is_cut(self, image: np.ndarray) -> bool:
        """Whether this frame belongs to another shot than the one before. [shape=(h, w, 3), uint8, BGR]"""
        small = cv2.resize(image, (_COLUMNS, _ROWS), interpolation=cv2.INTER_AREA)
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
    """Least difference of every cell from the cells around the same place a frame earlier. [shape=(36, 64)]"""
    padded = np.pad(before, ((_REACH, _REACH), (_REACH, _REACH), (0, 0)), "edge")
    shifts = range(2 * _REACH + 1)
    differences = [np.abs(padded[y : y + _ROWS, x : x + _COLUMNS] - now).sum(2) for y in shifts for x in shifts]
    return np.minimum.reduce(differences)
