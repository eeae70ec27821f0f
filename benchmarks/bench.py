"""`make bench`: speed and memory, as ratios against the bare libraries in the same run."""

from __future__ import annotations

import tempfile
from pathlib import Path

from benchmarks import speed_faces
from benchmarks.table import publish

MEDIA = Path("../shared/media")


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        rows = list(speed_faces.measure(MEDIA, Path(folder)))
    publish(rows, "Speed and memory", "make bench", Path("reports/bench.json"), Path("docs/bench.md"))


if __name__ == "__main__":
    main()
