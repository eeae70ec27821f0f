"""Frames to turns: a turn holds the frames whose time lies in [start, end), and is described by their statistics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from features.dictionary import Definition
from features.facial import EXTRACTOR as FACIAL
from features.prosodic import EXTRACTOR as PROSODIC
from features.prosodic import HOP_S, SIGNALS

_STATISTICS = {"mean": "mean", "sd": "standard deviation", "p10": "10th percentile", "p90": "90th percentile"}
_MINIMUM_FRAMES = 2
_UNITS = {
    "loudness": "openSMILE loudness",
    "f0_semitone": "semitones from 27.5 Hz",
    "f0_hz": "Hz",
    "jitter": "share of the period",
    "rms_db": "dB full scale",
    "f1_hz": "Hz",
    "f2_hz": "Hz",
    "f3_hz": "Hz",
    "slope_0_500": "dB/Hz",
    "slope_500_1500": "dB/Hz",
}
#: Expressions that are followed over a turn: blendshapes averaged over both sides.
EXPRESSIONS: dict[str, tuple[str, ...]] = {
    "smile": ("mouth_smile_left", "mouth_smile_right"),
    "frown": ("mouth_frown_left", "mouth_frown_right"),
    "brow_raise": ("brow_inner_up",),
    "brow_outer_raise": ("brow_outer_up_left", "brow_outer_up_right"),
    "brow_lower": ("brow_down_left", "brow_down_right"),
    "blink": ("eye_blink_left", "eye_blink_right"),
    "eye_wide": ("eye_wide_left", "eye_wide_right"),
    "eye_squint": ("eye_squint_left", "eye_squint_right"),
    "look_down": ("eye_look_down_left", "eye_look_down_right"),
    "jaw_open": ("jaw_open",),
    "lip_press": ("mouth_press_left", "mouth_press_right"),
    "lip_pucker": ("mouth_pucker",),
    "cheek_squint": ("cheek_squint_left", "cheek_squint_right"),
    "nose_sneer": ("nose_sneer_left", "nose_sneer_right"),
}
_POSE = ("yaw_deg", "pitch_deg", "roll_deg", "height_share")
_FACE_SIGNALS = (*EXPRESSIONS, *_POSE)

PROSODY_DEFINITIONS: dict[str, Definition] = {
    "prosody__seconds": Definition("s", PROSODIC, "sound that was analysed within the turn; null without sound"),
    "prosody__voiced_share": Definition("0–1", PROSODIC, "share of the turn's frames that are voiced"),
    **{
        f"prosody__{signal}__{key}": Definition(
            _UNITS.get(signal, "dB" if signal.endswith("_db") else "as in eGeMAPSv02"),
            PROSODIC,
            f"{text} of {signal} over the turn's frames; null under two frames",
        )
        for signal in SIGNALS
        for key, text in _STATISTICS.items()
    },
}
FACE_DEFINITIONS: dict[str, Definition] = {
    "face__frames": Definition("count", FACIAL, "analysed frames within the turn; null without video"),
    "face__on_screen_share": Definition("0–1", FACIAL, "share of the turn's frames with at least one face"),
    "face__count__mean": Definition("faces", FACIAL, "mean number of faces on screen"),
    "face__shots": Definition("count", FACIAL, "number of shots that the turn touches"),
    **{
        f"face_largest__{signal}__{key}": Definition(
            "degrees" if signal.endswith("_deg") else "0–1",
            FACIAL,
            f"{text} of {signal} of the largest face on screen; null under two such frames",
        )
        for signal in _FACE_SIGNALS
        for key, text in _STATISTICS.items()
    },
}


def statistics(values: np.ndarray) -> dict[str, float | None]:
    """Mean, sd, p10 and p90 of the finite values; all null when there are fewer than two."""
    finite = values[np.isfinite(values)]
    if len(finite) < _MINIMUM_FRAMES:
        return dict.fromkeys(_STATISTICS)
    p10, p90 = np.percentile(finite, (10, 90))
    return {"mean": float(finite.mean()), "sd": float(finite.std()), "p10": float(p10), "p90": float(p90)}


def _slices(time: np.ndarray, spans: Sequence[tuple[float, float]]) -> list[slice]:
    """Rows of sorted ``time`` that lie in each half-open span [start, end)."""
    starts, ends = np.array(spans, float).reshape(-1, 2).T
    return [
        slice(a, b)
        for a, b in zip(np.searchsorted(time, starts, "left"), np.searchsorted(time, ends, "left"), strict=True)
    ]


def prosody_of_turns(frames: pl.DataFrame, spans: Sequence[tuple[float, float]]) -> pl.DataFrame:
    """Describe each span of seconds by the voice frames within it (prosodic.FRAME_SCHEMA); one row a span."""
    time = frames["time_s"].to_numpy()
    voiced = frames["voiced"].to_numpy()
    signals = {s: frames[s].cast(pl.Float64).fill_null(np.nan).to_numpy() for s in SIGNALS}
    rows = []
    for part in _slices(time, spans):
        row: dict[str, float | None] = {
            "prosody__seconds": (part.stop - part.start) * HOP_S if part.stop > part.start else None
        }
        row["prosody__voiced_share"] = float(voiced[part].mean()) if part.stop > part.start else None
        for signal, values in signals.items():
            row |= {f"prosody__{signal}__{k}": v for k, v in statistics(values[part]).items()}
        rows.append(row)
    return pl.DataFrame(rows, schema=dict.fromkeys(PROSODY_DEFINITIONS, pl.Float32))


def faces_of_turns(frames: pl.DataFrame, spans: Sequence[tuple[float, float]]) -> pl.DataFrame:
    """Describe each span of seconds by the faces seen within it (facial.FRAME_SCHEMA); one row a span."""
    merged = frames.with_columns(pl.mean_horizontal(parts).alias(f"_{name}") for name, parts in EXPRESSIONS.items())
    largest = (
        merged.sort("time_s", "height", descending=[False, True], nulls_last=True)
        .group_by("time_s", maintain_order=True)
        .agg(
            pl.col("track").count().alias("faces"),
            pl.first("shot"),
            *(pl.first(c) for c in (*(f"_{n}" for n in EXPRESSIONS), *_POSE)),
        )
    )
    time, faces, shot = (largest[c].to_numpy() for c in ("time_s", "faces", "shot"))
    signals = {
        name: largest[f"_{name}" if name in EXPRESSIONS else name].cast(pl.Float64).fill_null(np.nan).to_numpy()
        for name in _FACE_SIGNALS
    }
    rows = []
    for part in _slices(time, spans):
        frames_here = part.stop - part.start
        some = frames_here > 0
        row: dict[str, float | None] = {
            "face__frames": frames_here or None,
            "face__on_screen_share": float((faces[part] > 0).mean()) if some else None,
            "face__count__mean": float(faces[part].mean()) if some else None,
            "face__shots": float(len(np.unique(shot[part]))) if some else None,
        }
        for signal, values in signals.items():
            row |= {f"face_largest__{signal}__{k}": v for k, v in statistics(values[part]).items()}
        rows.append(row)
    return pl.DataFrame(rows, schema=dict.fromkeys(FACE_DEFINITIONS, pl.Float32))
