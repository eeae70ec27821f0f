"""`make truth`: what the extractors find in material whose truth is known, beside the goals. Needs a finished demo run."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from benchmarks import truth_faces
from benchmarks.table import publish
from pipeline.params import load_params
from pipeline.stage import Corpus

MEDIA = Path("../shared/media")


def main() -> None:
    corpus, params = Corpus("demo"), load_params()
    if not (corpus.data / "people.parquet").is_file():
        sys.exit("error: the demo corpus has not been built. Run make repro first.")
    settings = truth_faces.settings_of(params.face)
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            *truth_faces.finding(corpus, MEDIA, settings, Path(folder)),
            *truth_faces.measuring(corpus, settings),
            *truth_faces.naming(corpus),
            *truth_faces.aligning(corpus),
        ]
    publish(rows, "Extraction against known truth", "make truth", Path("reports/truth.json"), Path("docs/truth.md"))


if __name__ == "__main__":
    main()
