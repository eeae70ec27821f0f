"""Faces of turns: the speaker's, the partner's and the others', each described by statistics, events and synchrony.

Who is who is decided anew for every turn from the turns and frames up to its end, so nothing of a turn depends on a later one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import polars as pl

from features.dictionary import Definition
from features.facial.people import Evidence, gather, who_is_who
from features.facial.schema import EXTRACTOR
from features.normalise import fold_name
from features.schema import GROUP_LABELS, THERAPIST

ROLES = {
    "speaker": "the speaker",
    "partner": "the partner (whom the turn addresses; where a client of a couple addresses both or nobody, the other client)",
    "others": "all named people but the speaker and the partner, averaged frame by frame",
}
#: Signals that are followed over a turn: mean of these columns.
SIGNALS: dict[str, tuple[str, ...]] = {
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
    "eye_opening": ("eye_opening_left", "eye_opening_right"),
    "mouth_opening": ("mouth_opening",),
    "yaw_deg": ("yaw_deg",),
    "pitch_deg": ("pitch_deg",),
    "roll_deg": ("roll_deg",),
}
#: An event starts when a signal rises over the first value after it was under the second.
EVENTS = {"smile": (0.45, 0.3), "brow_raise": (0.45, 0.3), "brow_lower": (0.35, 0.2), "blink": (0.5, 0.3)}
_SYNCHRONOUS = ("smile", "brow_raise", "brow_lower", "yaw_deg", "pitch_deg")
_LAG_S, _SYNCHRONY_S = 0.5, 1.5
_EVENT_S = 1.0  # on screen for less than this, a rate a minute means nothing
_STATISTICS = {
    "mean": "mean",
    "sd": "standard deviation",
    "p10": "10th percentile",
    "p90": "90th percentile",
    "slope": "least-squares slope a second",
}


def _unit(signal: str, statistic: str) -> str:
    unit = "degrees" if signal.endswith("_deg") else "height/width" if signal.endswith("_opening") else "0–1"
    return f"{unit} a second" if statistic == "slope" else unit


def _of_role(role: str, whose: str) -> dict[str, Definition]:
    prefix = f"face_{role}"
    return {
        f"{prefix}__on_screen_share": Definition(
            "0–1",
            EXTRACTOR,
            f"share of the turn's frames that show {whose}; null when faces are shown that have no name",
        ),
        f"{prefix}__height_share__mean": Definition("0–1", EXTRACTOR, f"face height over frame height of {whose}"),
        f"{prefix}__blur__mean": Definition(
            "grey levels", EXTRACTOR, f"sharpness of {whose}: spread of the Laplacian at 84 pixels; low is blurred"
        ),
        f"{prefix}__confidence__mean": Definition("0–1", EXTRACTOR, f"how sure the name of the face of {whose} is"),
        **{
            f"{prefix}__{signal}__{key}": Definition(
                _unit(signal, key), EXTRACTOR, f"{text} of {signal} of {whose}; null under two frames on screen"
            )
            for signal in SIGNALS
            for key, text in _STATISTICS.items()
        },
        **{
            f"{prefix}__{event}_onsets__per_minute": Definition(
                "a minute on screen",
                EXTRACTOR,
                f"how often {whose} starts to show {event}: rises over {high} after it was under {low}; "
                f"null under {_EVENT_S:g} s on screen",
            )
            for event, (high, low) in EVENTS.items()
        },
    }


DEFINITIONS: dict[str, Definition] = {
    "face__frames": Definition("count", EXTRACTOR, "analysed frames within the turn; null without video"),
    "face__on_screen_share": Definition("0–1", EXTRACTOR, "share of the turn's frames with at least one face"),
    "face__count__mean": Definition("faces", EXTRACTOR, "mean number of faces on screen"),
    "face__shots": Definition("count", EXTRACTOR, "number of shots that the turn touches"),
    **{k: v for role, whose in ROLES.items() for k, v in _of_role(role, whose).items()},
    "face_mutual__both_on_screen_share": Definition(
        "0–1", EXTRACTOR, "share of the turn's frames that show speaker and partner together"
    ),
    **{
        f"face_mutual__{signal}__synchrony": Definition(
            "−1–1",
            EXTRACTOR,
            f"largest Pearson correlation of the speaker's and the partner's {signal} at lags up to ±{_LAG_S:g} s, over the "
            f"frames that show both; null under {_SYNCHRONY_S:g} s (after Boker et al. 2002, one window a turn)",
        )
        for signal in _SYNCHRONOUS
    },
}


def faces_of_turns(
    turns: pl.DataFrame,
    frames: pl.DataFrame,
    tracks: pl.DataFrame,
    voice: pl.DataFrame | None,
    participants: Sequence[str],
) -> pl.DataFrame:
    """Describe every turn of one recording by the faces seen in it.

    Parameters
    ----------
    turns : TURN_SCHEMA, one sample in order.
    frames, tracks : FRAME_SCHEMA and TRACK_SCHEMA.
    voice : prosodic frames, None without sound.
    participants : names that may be seen though they do not speak.

    Returns
    -------
    A row a turn, columns of DEFINITIONS.
    """
    evidence = gather(frames, tracks, voice)
    faces = _Faces(frames)
    rows = []
    for i, (speaker, target, scenario, start, end) in enumerate(
        turns.select("speaker", "target", "scenario", "start_s", "end_s").iter_rows()
    ):
        part = faces.between(start, end)
        row: dict[str, float | None] = dict.fromkeys(DEFINITIONS)
        if part is not None:
            so_far = turns.head(i + 1)
            names = _names(evidence, so_far, participants, end)
            partner = _partner(speaker, target or [], scenario, participants)
            row |= _describe(part, {"speaker": fold_name(speaker or ""), "partner": partner}, names)
        rows.append(row)
    return pl.DataFrame(rows, schema=dict.fromkeys(DEFINITIONS, pl.Float32))


def _names(
    evidence: Evidence, turns: pl.DataFrame, participants: Sequence[str], until_s: float
) -> dict[int, tuple[str, float]]:
    """Folded name and confidence of every track whose name is sure enough."""
    found = who_is_who(evidence, turns, participants, until_s).filter(pl.col("name").is_not_null())
    return {t: (fold_name(g), c) for t, g, c in found.select("track", "name", "confidence").iter_rows()}


def _partner(speaker: str | None, target: Sequence[str], scenario: str, participants: Sequence[str]) -> str | None:
    groups = set(map(fold_name, GROUP_LABELS.values()))
    people = [fold_name(t) for t in target if fold_name(t) not in groups]
    if len(people) == 1:
        return people[0]
    clients = [fold_name(p) for p in participants if fold_name(p) != fold_name(THERAPIST)]
    others = [c for c in clients if c != fold_name(speaker or "")]
    return others[0] if scenario == "couple" and len(clients) == 2 and len(others) == 1 else None


class _Faces:
    """The frames of a recording as arrays, with the onsets of expressions marked."""

    def __init__(self, frames: pl.DataFrame) -> None:
        merged = frames.select(
            "time_s",
            "shot",
            "track",
            "height_share",
            "blur",
            *(pl.mean_horizontal(parts).alias(f"_{name}") for name, parts in SIGNALS.items()),
        ).sort("time_s", "track", maintain_order=True)
        self.time = merged["time_s"].to_numpy()
        self.shot = merged["shot"].to_numpy()
        self.track = merged["track"].fill_null(-1).to_numpy()
        columns = [f"_{s}" for s in SIGNALS] + ["height_share", "blur"]
        self.values = merged.select(pl.col(columns).cast(pl.Float64).fill_null(np.nan)).to_numpy()
        self.onsets = np.stack([self._onsets(list(SIGNALS).index(e), *EVENTS[e]) for e in EVENTS], 1)
        steps = np.diff(np.unique(self.time))
        self.step_s = float(np.median(steps)) if len(steps) else 0.0

    def _onsets(self, signal: int, high: float, low: float) -> np.ndarray:
        """Where the signal of a track rises over ``high`` after it was under ``low``. [shape=(rows,), bool]"""
        result = np.zeros(len(self.time), bool)
        ready: dict[int, bool] = {}
        for row, (track, value) in enumerate(zip(self.track, self.values[:, signal], strict=True)):
            if value > high:
                result[row] = ready.get(track, False)
                ready[track] = False
            elif value < low:
                ready[track] = True
        return result

    def between(self, start: float, end: float) -> _Part | None:
        """The rows with start ≤ time < end; None when there are none."""
        first, last = np.searchsorted(self.time, (start, end), "left")
        return _Part(self, slice(int(first), int(last))) if last > first else None


class _Part:
    """The rows of one turn."""

    def __init__(self, faces: _Faces, rows: slice) -> None:
        self.time, self.shot, self.track = faces.time[rows], faces.shot[rows], faces.track[rows]
        self.values, self.onsets, self.step_s = faces.values[rows], faces.onsets[rows], faces.step_s
        self.times = np.unique(self.time)


def _describe(
    part: _Part, roles: dict[str, str | None], names: dict[int, tuple[str, float]]
) -> dict[str, float | None]:
    on_screen = part.track >= 0
    row: dict[str, float | None] = {
        "face__frames": float(len(part.times)),
        "face__on_screen_share": len(np.unique(part.time[on_screen])) / len(part.times),
        "face__count__mean": float(on_screen.sum() / len(part.times)),
        "face__shots": float(len(np.unique(part.shot))),
    }
    whose = np.array([names.get(int(t), ("", 0.0))[0] for t in part.track], dtype=object)
    sure = np.array([names.get(int(t), ("", np.nan))[1] for t in part.track], dtype=float)
    unnamed = bool((on_screen & (whose == "")).any())
    taken = np.zeros(len(part.time), bool)
    series: dict[str, tuple[np.ndarray, np.ndarray]] = {}
    for role in ROLES:
        rows = ~taken & (whose != "") if role == "others" else (whose == roles[role]) & (whose != "")
        taken |= rows
        row |= _role(part, role, rows, sure, unnamed)
        series[role] = _by_time(part.time[rows], part.values[rows])
    return row | _mutual(part, series["speaker"], series["partner"])


def _by_time(time: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean of the rows of one time, where several people share a role."""
    times, index = np.unique(time, return_inverse=True)
    total = np.zeros((len(times), values.shape[1]))
    np.add.at(total, index, values)
    return times, total / np.maximum(np.bincount(index, minlength=len(times)), 1)[:, None]


def _role(part: _Part, role: str, rows: np.ndarray, sure: np.ndarray, unnamed: bool) -> dict[str, float | None]:
    prefix = f"face_{role}"
    times, values = _by_time(part.time[rows], part.values[rows])
    if not len(times):
        return {f"{prefix}__on_screen_share": None if unnamed else 0.0}
    row: dict[str, float | None] = {
        f"{prefix}__on_screen_share": len(times) / len(part.times),
        f"{prefix}__height_share__mean": float(values[:, -2].mean()),
        f"{prefix}__blur__mean": float(values[:, -1].mean()),
        f"{prefix}__confidence__mean": float(sure[rows].mean()),
    }
    if len(times) >= 2:
        signals = values[:, : len(SIGNALS)]
        p10, p90 = np.percentile(signals, (10, 90), axis=0)
        centred = times - times.mean()
        slope = centred @ (signals - signals.mean(0)) / (centred @ centred)
        table = {"mean": signals.mean(0), "sd": signals.std(0), "p10": p10, "p90": p90, "slope": slope}
        row |= {f"{prefix}__{s}__{k}": float(table[k][n]) for n, s in enumerate(SIGNALS) for k in _STATISTICS}
    seconds = rows.sum() * part.step_s
    if seconds >= _EVENT_S:
        counts = part.onsets[rows].sum(0)
        row |= {
            f"{prefix}__{e}_onsets__per_minute": float(60 * c / seconds) for e, c in zip(EVENTS, counts, strict=True)
        }
    return row


def _mutual(
    part: _Part, speaker: tuple[np.ndarray, np.ndarray], partner: tuple[np.ndarray, np.ndarray]
) -> dict[str, float | None]:
    both, mine, theirs = np.intersect1d(speaker[0], partner[0], return_indices=True)
    row: dict[str, float | None] = {}
    if len(speaker[0]) and len(partner[0]):
        row["face_mutual__both_on_screen_share"] = len(both) / len(part.times)
    if len(both) * part.step_s < _SYNCHRONY_S:
        return row
    for signal in _SYNCHRONOUS:
        n = list(SIGNALS).index(signal)
        correlations = list(_lagged(both, speaker[1][mine, n], partner[1][theirs, n], part.step_s))
        row[f"face_mutual__{signal}__synchrony"] = max(correlations, default=None)
    return row


def _lagged(time: np.ndarray, a: np.ndarray, b: np.ndarray, step_s: float) -> Iterator[float]:
    """Correlations of two series at every lag, over stretches without a hole."""
    for lag in range(-round(_LAG_S / step_s), round(_LAG_S / step_s) + 1):
        first, second = (slice(max(-lag, 0), len(a) - max(lag, 0)), slice(max(lag, 0), len(a) - max(-lag, 0)))
        whole = np.abs(time[second] - time[first] - lag * step_s) < step_s / 2
        x, y = a[first][whole], b[second][whole]
        if len(x) * step_s >= _SYNCHRONY_S / 2 and min(x.std(), y.std()) > 1e-6:
            yield float(np.corrcoef(x, y)[0, 1])
