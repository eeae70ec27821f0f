"""Frames to turns: a turn holds the frames whose time lies in [start, end), and is described by their statistics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from features.dictionary import Definition
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
