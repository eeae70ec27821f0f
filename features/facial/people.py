"""Who is who: tracks joined into people by their look, people matched to names by the voice that their mouth moves with.

Mouths tell who speaks: while a name's turn is heard, the face of that name moves its mouth and the others' mouths rest. Over
all turns this gives every track a log-likelihood for every name; people take names one to one so that the sum is largest
(Kuhn 1955, by scipy's linear_sum_assignment). A confidence is a logistic function of how much worse the best other
assignment is. Nobody is recognised: names mean the speakers of this recording's turns and nothing outside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import polars as pl
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.optimize import linear_sum_assignment
from scipy.spatial.distance import squareform
from scipy.special import expit

from features.facial.look import LOOK_SHAPE, differences
from features.normalise import fold_name
from features.schema import GROUP_LABELS

TRACK_PEOPLE_SCHEMA = {
    "track": pl.Int32,
    "person": pl.Int32,  # number within the recording
    "guess": pl.String,  # the likeliest name; null when the face likely belongs to nobody who is listed
    "confidence": pl.Float32,  # 0–1 that the guess is right
    "name": pl.String,  # the guess where it is clearly more likely right than wrong, else null
}
_NAMED_FROM = 0.6
# Spread of the mouth's opening (height over width) within ±0.45 s while a person rests and while they speak: medians and
# log-scale deviations that fit the demo's drawn faces and real clips alike. Wide, for people differ.
_WINDOW_S = 0.45
_REST, _SPEECH = (np.log(0.008), 0.9), (np.log(0.09), 0.6)
_FLOOR = 1e-3
_MOST = 2.0  # nats that one independent look at a mouth may say
_INDEPENDENT_S = 0.5  # looks closer than this say the same thing
_UNLISTED = -2.0  # log-odds that a face belongs to nobody who ever speaks
_JOIN = 11.0  # difference of looks up to which tracks may be one person
_LOOK_SD = 3.5  # usual difference between looks of one person
_ROUNDS = 6
_NEVER = 1e9
_HEARD = 0.15  # share of the loudest sounds of the last minute from which a voice is heard


@dataclass(frozen=True)
class Evidence:
    """What a recording says of its tracks, before any turn is looked at.

    Attributes
    ----------
    tracks : track numbers. [shape=(t,)]
    spans : first and last time of each track. [shape=(t, 2)]
    apart : how different the looks of two tracks are. [shape=(t, t)]
    look_s : when each track's look was known. [shape=(t,)]
    time_s : when each look at a mouth was taken. [shape=(f,)]
    track : index into ``tracks`` of each. [shape=(f,)]
    speaking : log-likelihood ratio of a speaking over a resting mouth; 0 where no voice is heard. [shape=(f,)]
    """

    tracks: np.ndarray
    spans: np.ndarray
    apart: np.ndarray
    look_s: np.ndarray
    time_s: np.ndarray
    track: np.ndarray
    speaking: np.ndarray


def gather(frames: pl.DataFrame, tracks: pl.DataFrame, voice: pl.DataFrame | None) -> Evidence:
    """Collect the evidence of one recording. What is said of a time depends on nothing later than half a second after it.

    Parameters
    ----------
    frames : FRAME_SCHEMA.
    tracks : TRACK_SCHEMA.
    voice : prosodic frames, or None without sound: then a turn counts as heard from start to end.
    """
    faces = frames.filter(pl.col("track").is_not_null()).sort("track", "time_s", maintain_order=True)
    numbers = tracks["track"].to_numpy()
    time, track = faces["time_s"].to_numpy(), np.searchsorted(numbers, faces["track"].to_numpy())
    step = float(np.median(np.diff(np.unique(time)))) if len(np.unique(time)) > 1 else _INDEPENDENT_S
    ratio = min(step / _INDEPENDENT_S, 1.0) * _speaking(time, track, faces["mouth_opening"].to_numpy())
    return Evidence(
        numbers,
        tracks.select("start_s", "end_s").to_numpy(),
        differences(tracks["look"].to_numpy().reshape(-1, *LOOK_SHAPE)),
        tracks["look_s"].to_numpy(),
        time,
        track,
        ratio * _heard(time, voice),
    )


def names_of(turns: pl.DataFrame, participants: Sequence[str]) -> tuple[str, ...]:
    """Everybody whose face may be seen: the participants and all who speak; spellings of one name count once."""
    groups = set(map(fold_name, GROUP_LABELS.values()))
    known: dict[str, str] = {}
    for name in (*participants, *turns["speaker"].drop_nulls()):
        if fold_name(name) not in groups:
            known.setdefault(fold_name(name), name)
    return tuple(known.values())


def _speaking(time: np.ndarray, track: np.ndarray, opening: np.ndarray) -> np.ndarray:
    """Log-likelihood ratio of a speaking over a resting mouth for every face; rows lie by track and time."""
    result = np.zeros(len(time))
    for number in np.unique(track):
        rows = np.flatnonzero(track == number)
        t, values = time[rows], opening[rows].astype(float)
        first, last = np.searchsorted(t, t - _WINDOW_S), np.searchsorted(t, t + _WINDOW_S, "right")
        spread = np.array([values[a:b].std() if b - a > 2 else np.nan for a, b in zip(first, last, strict=True)])
        log = np.log(spread + _FLOOR)
        ratio = _log_density(log, *_SPEECH) - _log_density(log, *_REST)
        result[rows] = np.nan_to_num(np.clip(ratio, -_MOST, _MOST))
    return result


def _log_density(x: np.ndarray, mean: float, sd: float) -> np.ndarray:
    return -(((x - mean) / sd) ** 2) / 2 - np.log(sd)


def _alone(time: np.ndarray, turns: pl.DataFrame, names: tuple[str, ...]) -> np.ndarray:
    """Whether each time lies in a turn of each name and in nobody else's. [shape=(f, n), bool]"""
    inside = np.zeros((len(time), len(names)), bool)
    index = {fold_name(n): i for i, n in enumerate(names)}
    somebody = np.zeros((len(time), 1), bool)
    for speaker, start, end in turns.select("speaker", "start_s", "end_s").iter_rows():
        here = (time >= start) & (time < end)
        if (i := index.get(fold_name(speaker or ""))) is not None:
            inside[:, i] |= here
        else:
            somebody[:, 0] |= here
    return inside & (inside.sum(1, keepdims=True) + somebody == 1)


def _heard(time: np.ndarray, voice: pl.DataFrame | None) -> np.ndarray:
    """Whether a voice is heard around each time: loud beside what was loud in the minute before. [shape=(f,), bool]"""
    if voice is None or not voice.height:
        return np.ones(len(time), bool)
    tenths = (
        voice.select(at=(pl.col("time_s") * 10).floor() / 10, loudness="loudness")
        .group_by("at", maintain_order=True)
        .agg(pl.col("loudness").mean().fill_null(0))
        .with_columns(usual=pl.col("loudness").rolling_quantile(0.95, window_size=600, min_samples=1))
        .with_columns(heard=(pl.col("loudness") > _HEARD * pl.col("usual")).cast(pl.Float64))
    )
    smooth = np.convolve(tenths["heard"].to_numpy(), np.ones(3) / 3, "same")
    at = np.clip(np.searchsorted(tenths["at"].to_numpy(), time, "right") - 1, 0, len(smooth) - 1)
    return smooth[at] > 0.3


def who_is_who(
    evidence: Evidence, turns: pl.DataFrame, participants: Sequence[str], until_s: float = np.inf
) -> pl.DataFrame:
    """Join the tracks into people and name them, from the given turns and what was seen and heard before ``until_s``.

    Parameters
    ----------
    turns : speaker, start_s, end_s.
    participants : names that may be seen though they do not speak.

    Returns
    -------
    TRACK_PEOPLE_SCHEMA, a row a track that starts before ``until_s``, in the order of the tracks.
    """
    rows = np.flatnonzero(evidence.spans[:, 0] < until_s)
    if not len(rows):
        return pl.DataFrame(schema=TRACK_PEOPLE_SCHEMA)
    labels = names_of(turns, participants)
    seen = evidence.time_s < until_s - _WINDOW_S if np.isfinite(until_s) else np.ones(len(evidence.time_s), bool)
    votes = np.zeros((len(evidence.tracks), len(labels)))
    alone = _alone(evidence.time_s[seen], turns, labels)
    np.add.at(votes, evidence.track[seen], evidence.speaking[seen, None] * alone)
    votes = votes[rows]
    known = evidence.look_s[rows] < until_s
    # A look that is not known yet is as far from all others as two people may just be.
    apart = np.where(known[:, None] & known, evidence.apart[np.ix_(rows, rows)], _JOIN + 1e-6)
    together = _together(evidence.spans[rows])
    person = _join(apart, together)
    for _ in range(_ROUNDS):
        names = _best(_of_people(person, votes))[0]
        moved = _reassign(person, votes, apart, together, names)
        if (moved == person).all():
            break
        person = moved
    names, sure = _named_with_confidence(person, votes)
    belongs = _belonging(person, votes, apart, together, names)
    named = [names[p] >= 0 for p in person]
    return pl.DataFrame(
        {
            "track": evidence.tracks[rows],
            "person": person,
            "guess": [labels[names[p]] if n else None for p, n in zip(person, named, strict=True)],
            "confidence": [sure[p] * b if n else None for p, b, n in zip(person, belongs, named, strict=True)],
        },
        schema={k: t for k, t in TRACK_PEOPLE_SCHEMA.items() if k != "name"},
    ).with_columns(name=pl.when(pl.col("confidence") >= _NAMED_FROM).then("guess"))


def _together(spans: np.ndarray) -> np.ndarray:
    """Tracks that are on screen at one time: different people. [shape=(t, t), bool]"""
    start, end = spans[:, 0], spans[:, 1]
    both = (start[:, None] <= end) & (start <= end[:, None])
    np.fill_diagonal(both, False)
    return both


def _join(apart: np.ndarray, together: np.ndarray) -> np.ndarray:
    """People by average linkage that never joins two tracks of one time. Numbered in order of appearance."""
    if len(apart) < 2:
        return np.zeros(len(apart), int)
    distance = np.where(together, _NEVER, apart)
    np.fill_diagonal(distance, 0)
    groups = fcluster(linkage(squareform(distance, checks=False), "average"), _JOIN, "distance")
    _, first, inverse = np.unique(groups, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[inverse]


def _of_people(person: np.ndarray, votes: np.ndarray) -> np.ndarray:
    total = np.zeros((person.max() + 1, votes.shape[1]))
    np.add.at(total, person, votes)
    return total


def _best(scores: np.ndarray) -> tuple[np.ndarray, float]:
    """Name of each person (−1: none of them), one to one, and the sum of their scores. [shape=(people, names)]"""
    people, names = scores.shape
    nobody = np.full((people, people), -np.inf)
    np.fill_diagonal(nobody, _UNLISTED)
    table = np.hstack([scores, nobody])
    table[~np.isfinite(table)] = -1e6
    row, column = linear_sum_assignment(table, maximize=True)
    return np.where(column < names, column, -1), float(table[row, column].sum())


def _named_with_confidence(person: np.ndarray, votes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    scores = _of_people(person, votes)
    names, total = _best(scores)
    sure = np.zeros(len(names))
    for p, name in enumerate(names):
        if name >= 0:
            without = scores.copy()
            without[p, name] = -np.inf
            sure[p] = expit(total - _best(without)[1])
    return names, sure


def _fit(person: np.ndarray, votes: np.ndarray, apart: np.ndarray, names: np.ndarray) -> np.ndarray:
    """How well each track fits each person: by look (mean difference to the person's other tracks) and by voice."""
    people = len(names)
    member = person[:, None] == np.arange(people)
    others = member[None, :, :] & ~np.eye(len(person), dtype=bool)[:, :, None]
    count = others.sum(1)
    distance = np.where(others, apart[:, :, None], 0).sum(1) / np.maximum(count, 1)
    look = -((np.where(count > 0, distance, _JOIN) / _LOOK_SD) ** 2) / 2
    voice = np.full((len(person), people), _UNLISTED)
    voice[:, names >= 0] = votes[:, names[names >= 0]]
    return look + voice


def _reassign(
    person: np.ndarray, votes: np.ndarray, apart: np.ndarray, together: np.ndarray, names: np.ndarray
) -> np.ndarray:
    """Move every track to the person that it fits best, changing places with a track of the same time where need be."""
    fit = _fit(person, votes, apart, names)
    moved = person.copy()
    for track in range(len(person)):
        gain, target, partner = max(
            ((*_gain(track, p, moved, fit, together),) for p in range(len(names))), key=lambda g: g[0]
        )
        if gain > 1e-9:
            if partner >= 0:
                moved[partner] = moved[track]
            moved[track] = target
    return np.unique(moved, return_inverse=True)[1]


def _gain(track: int, target: int, person: np.ndarray, fit: np.ndarray, together: np.ndarray) -> tuple[float, int, int]:
    """What is won when a track goes to another person: (gain, that person, the track that takes its place or −1)."""
    here = person[track]
    if target == here:
        return 0.0, target, -1
    rivals = np.flatnonzero(together[track] & (person == target))
    gain = fit[track, target] - fit[track, here]
    if not len(rivals):
        return float(gain), target, -1
    rival = int(rivals[0])
    if len(rivals) > 1 or (together[rival] & (person == here) & (np.arange(len(person)) != track)).any():
        return -np.inf, target, -1
    return float(gain + fit[rival, here] - fit[rival, target]), target, rival


def _belonging(
    person: np.ndarray, votes: np.ndarray, apart: np.ndarray, together: np.ndarray, names: np.ndarray
) -> np.ndarray:
    """How sure it is that each track belongs to its person and not to another one. [shape=(t,), 0–1]"""
    fit = _fit(person, votes, apart, names)
    best = [
        max((_gain(t, p, person, fit, together)[0] for p in range(len(names)) if p != person[t]), default=-np.inf)
        for t in range(len(person))
    ]
    return expit(-np.array(best))
