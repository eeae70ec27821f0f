"""A page per recording where one sees at a glance who was found, who was taken for whom, and when they were on screen."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import polars as pl

from features.facial.people import names_of
from features.media import find_recordings, picture_at
from features.normalise import fold_name
from features.schema import THERAPIST
from features.store import sample_key
from pipeline import figures
from pipeline.stage import Corpus

_PICTURES = 3  # of each person, from different tracks
_SIDE_PX = 112
_ROOM = 1.9  # side of the picture over the face's height


def contact_sheets(corpus: Corpus, show_faces: bool) -> list[dict[str, Any]]:
    """One sheet a recording: number, group, strip (SVG), people with pictures (JPEG as data addresses).

    Without ``show_faces`` there are no pictures, and people go by their part (client 1, therapist), not by their name.
    """
    samples = pl.read_parquet(corpus.data / "samples.parquet")
    turns = pl.read_parquet(corpus.data / "turns.parquet")
    people = pl.read_parquet(corpus.data / "people.parquet")
    recordings, _ = find_recordings(corpus.raw / "media", samples["sample_id"].to_list())
    sheets = []
    for sample_id, number, group, participants in samples.select(
        "sample_id", "number", "group", "participants"
    ).iter_rows():
        tracks = people.filter(sample_id=sample_id)
        own_turns = turns.filter(sample_id=sample_id)
        if not tracks.height:
            continue
        names = names_of(own_turns, participants)
        labels = {fold_name(n): n if show_faces else _part(n, names) for n in names}
        frames = pl.read_parquet(corpus.data / "facial" / f"{sample_key(sample_id)}.parquet")
        sheets.append(
            {
                "number": number,
                "group": group if show_faces else None,
                "strip": figures.presence(_spoken(own_turns, labels), _shown(tracks, labels), _cuts(frames)),
                "named_s": float((tracks["end_s"] - tracks["start_s"]).filter(tracks["name"].is_not_null()).sum()),
                "shown_s": float((tracks["end_s"] - tracks["start_s"]).sum()),
                "people": _people(tracks, frames, recordings[sample_id], labels) if show_faces else [],
            }
        )
    return sheets


def _part(name: str, names: Sequence[str]) -> str:
    clients = [n for n in names if fold_name(n) != fold_name(THERAPIST)]
    return f"client {clients.index(name) + 1}" if name in clients else THERAPIST.lower()


def _spoken(turns: pl.DataFrame, labels: dict[str, str]) -> list[tuple[str, float, float]]:
    """(who, start, end) of every turn of somebody who may be seen."""
    rows = turns.select("speaker", "start_s", "end_s").iter_rows()
    return [(labels[fold_name(s)], a, b) for s, a, b in rows if s and fold_name(s) in labels]


def _shown(tracks: pl.DataFrame, labels: dict[str, str]) -> list[tuple[str | None, float, float, float]]:
    """(who or None, start, end, confidence) of every track."""
    rows = tracks.select("name", "start_s", "end_s", "confidence").iter_rows()
    return [(labels[fold_name(n)] if n else None, a, b, c or 0.0) for n, a, b, c in rows]


def _cuts(frames: pl.DataFrame) -> list[float]:
    return frames.group_by("shot").agg(pl.col("time_s").min())["time_s"].sort().to_list()[1:]


def _people(tracks: pl.DataFrame, frames: pl.DataFrame, film: Path, labels: dict[str, str]) -> list[dict[str, Any]]:
    result = []
    for (person,), part in tracks.group_by(["person"], maintain_order=True):
        named = part.filter(pl.col("name").is_not_null())
        names = {
            labels[fold_name(str(n))]: float(rows["confidence"].mean())  # type: ignore[arg-type]
            for (n,), rows in named.group_by(["name"], maintain_order=True)
        }
        longest = part.sort("frames", descending=True, maintain_order=True).head(_PICTURES)
        pictures = [_picture(frames.filter(track=t), film) for t in longest["track"].sort()]
        result.append(
            {
                "person": person,
                "names": names,
                "seconds": float((part["end_s"] - part["start_s"]).sum()),
                "unnamed_s": float((part["end_s"] - part["start_s"]).filter(part["name"].is_null()).sum()),
                "pictures": [p for p in pictures if p],
            }
        )
    return sorted(result, key=lambda p: (not p["names"], *p["names"]))


def _picture(face: pl.DataFrame, film: Path) -> str | None:
    """The track's most frontal frame, cut out around the face."""
    best = face.sort(pl.col("yaw_deg").abs() + pl.col("pitch_deg").abs(), maintain_order=True).row(0, named=True)
    image = picture_at(film, best["time_s"])
    if image is None:
        return None
    side = _ROOM * max(best["height"], best["width"])
    scale = side / _SIDE_PX
    left, top = best["x"] + best["width"] / 2 - side / 2, best["y"] + best["height"] / 2 - side / 2
    inverse = np.array([[scale, 0, left], [0, scale, top]])
    cut = cv2.warpAffine(
        image,
        inverse,
        (_SIDE_PX, _SIDE_PX),
        flags=cv2.INTER_AREA | cv2.WARP_INVERSE_MAP,
        borderMode=cv2.BORDER_REPLICATE,
    )
    _, jpeg = cv2.imencode(".jpg", cut, [cv2.IMWRITE_JPEG_QUALITY, 82])
    return "data:image/jpeg;base64," + base64.b64encode(jpeg.tobytes()).decode()
