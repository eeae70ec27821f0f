"""Voices from a source–filter model with known F0.

The source is a sum of harmonics of a known F0 contour with a falling spectrum; the filter is a set of formant
resonances that moves from vowel to vowel (Fant 1960; formant values after Peterson & Barney 1952, rounded).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

SAMPLE_RATE = 16_000
FRAME = 160  # 10 ms
#: First four formants in Hz of a neutral adult vocal tract.
_VOWELS = np.array(
    [
        [730, 1090, 2440, 3400],
        [530, 1840, 2480, 3500],
        [390, 1990, 2550, 3600],
        [570, 840, 2410, 3300],
        [440, 1020, 2240, 3200],
        [640, 1190, 2390, 3350],
    ],
    dtype=float,
)
_BANDWIDTHS = np.array([70, 90, 120, 160], dtype=float)
_SYLLABLES_PER_WORD = 1.4


@dataclass
class Speech:
    """One spoken turn. ``signal`` at 16 kHz; the others at 10 ms a step: F0 in Hz (NaN where unvoiced) and opening 0–1."""

    signal: np.ndarray
    f0_hz: np.ndarray
    opening: np.ndarray
    pauses: int


def synthesise(
    duration_s: float, words: int, f0_hz: float, loudness_db: float, tract: float, rng: np.random.Generator
) -> Speech:
    """Speak ``words`` words within ``duration_s`` seconds.

    Parameters
    ----------
    f0_hz : the turn's median F0.
    loudness_db : level relative to a common reference (RMS 0.05 of full scale).
    tract : factor on the formants; above 1 for a shorter vocal tract.
    """
    steps = max(int(duration_s * SAMPLE_RATE) // FRAME, 12)
    opening, voiced, vowel, hiss, pauses = _plan(steps, words, rng)
    progress = np.linspace(0, 1, steps)
    wobble = np.interp(
        np.arange(steps),
        np.arange(0, steps + 25, 25),
        rng.normal(0, 0.03, steps // 25 + 2)[: len(np.arange(0, steps + 25, 25))],
    )
    f0 = f0_hz * (1.06 - 0.12 * progress) * np.exp(wobble)
    signal = _harmonics(f0, opening * voiced, vowel, tract, rng) + _hiss(hiss, rng)
    loud = signal[np.repeat(opening > 0.15, FRAME)]
    level = np.sqrt(np.mean(loud**2)) if loud.size else 1.0
    signal = signal / max(level, 1e-9) * 0.05 * 10 ** (loudness_db / 20)
    return Speech(signal, np.where(voiced * opening > 0.08, f0, np.nan), opening, pauses)


def _plan(
    steps: int, words: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int]:
    """Lay syllables and pauses over the turn: mouth opening, voicing, vowel, friction per 10 ms, and the pauses' number."""
    syllables = max(round(words * _SYLLABLES_PER_WORD), 1)
    weights = rng.uniform(0.75, 1.25, syllables)
    pause_after = np.zeros(syllables)
    if syllables > 8 and steps > 180:
        count = min(1 + syllables // 14, 3)
        where = rng.choice(np.arange(3, syllables - 3), size=count, replace=False)
        pause_after[where] = rng.uniform(30, 55, count)
    speech_steps = steps - pause_after.sum()
    lengths = weights / weights.sum() * speech_steps
    opening, voiced, hiss = np.zeros(steps), np.zeros(steps), np.zeros(steps)
    vowel = np.zeros((steps, 4))
    at = 0.0
    for length, pause in zip(lengths, pause_after, strict=True):
        start, stop = round(at), min(round(at + length), steps)
        onset = min(round(0.18 * length), 8) if rng.random() < 0.5 else 0
        n = stop - start - onset
        if n > 0:
            rise = np.sin(np.pi * (np.arange(n) + 0.5) / n) ** 0.6
            opening[start + onset : stop] = rise * rng.uniform(0.6, 1.0)
            voiced[start + onset : stop] = 1
            hiss[start : start + onset] = rng.uniform(0.1, 0.3)
        vowel[start:stop] = _VOWELS[int(rng.integers(len(_VOWELS)))]
        at += length + pause
        if pause:
            vowel[stop : round(at)] = vowel[max(stop - 1, 0)]
    vowel[vowel[:, 0] == 0] = _VOWELS[0]
    kernel = np.ones(5) / 5
    return (
        opening,
        voiced,
        np.stack([np.convolve(np.pad(v, 2, "edge"), kernel, "valid") for v in vowel.T], 1),
        hiss,
        int((pause_after > 0).sum()),
    )


def _harmonics(
    f0: np.ndarray, amplitude: np.ndarray, formants: np.ndarray, tract: float, rng: np.random.Generator
) -> np.ndarray:
    steps = len(f0)
    grid = (np.arange(steps) + 0.5) * FRAME
    samples = np.arange(steps * FRAME)
    f0_fine = np.interp(samples, grid, f0)
    phase = 2 * np.pi * np.cumsum(f0_fine) / SAMPLE_RATE
    signal = np.zeros(steps * FRAME)
    shimmer = 1 + rng.normal(0, 0.03, steps)
    for k in range(1, int(7200 / f0.min()) + 1):
        frequency = k * f0[:, None]
        centre, width = formants * tract, _BANDWIDTHS
        response = np.prod(centre**2 / np.sqrt((frequency**2 - centre**2) ** 2 + (frequency * width) ** 2), axis=1)
        gain = amplitude * shimmer * response / k**1.1 * (frequency[:, 0] < 7200)
        if gain.max() > 1e-4:
            signal += np.interp(samples, grid, gain) * np.sin(k * phase)
    return signal


def _hiss(level: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    noise = rng.normal(0, 1, len(level) * FRAME)
    noise = np.diff(noise, prepend=0.0)  # friction is bright: a first difference lifts the highs
    return noise * np.repeat(level, FRAME) * 0.5
