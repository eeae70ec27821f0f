"""Voice frames from sound: openSMILE eGeMAPSv02 low-level descriptors and librosa's energy, one row every 10 ms.

openSMILE's licence covers research and other non-commercial use only (audEERING); so do the features computed with it.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import soundfile

from features.errors import InputError
from features.problems import Problem
from features.store import file_hash, made_from, write_parquet

EXTRACTOR = "prosodic-1 (openSMILE eGeMAPSv02)"
HOP_S = 0.01

#: Our column → openSMILE's low-level descriptor (Eyben et al. 2016, eGeMAPS). Units are in the names or in DEFINITIONS.
_DESCRIPTORS = {
    "loudness": "Loudness_sma3",
    "alpha_ratio_db": "alphaRatio_sma3",
    "hammarberg_db": "hammarbergIndex_sma3",
    "slope_0_500": "slope0-500_sma3",
    "slope_500_1500": "slope500-1500_sma3",
    "spectral_flux": "spectralFlux_sma3",
    "mfcc_1": "mfcc1_sma3",
    "mfcc_2": "mfcc2_sma3",
    "mfcc_3": "mfcc3_sma3",
    "mfcc_4": "mfcc4_sma3",
    "f0_semitone": "F0semitoneFrom27.5Hz_sma3nz",
    "jitter": "jitterLocal_sma3nz",
    "shimmer_db": "shimmerLocaldB_sma3nz",
    "hnr_db": "HNRdBACF_sma3nz",
    "h1_h2_db": "logRelF0-H1-H2_sma3nz",
    "h1_a3_db": "logRelF0-H1-A3_sma3nz",
    "f1_hz": "F1frequency_sma3nz",
    "f2_hz": "F2frequency_sma3nz",
    "f3_hz": "F3frequency_sma3nz",
}
#: Measured on voiced sound only: openSMILE writes 0 elsewhere, here it is null.
VOICED_ONLY = (
    "f0_semitone",
    "f0_hz",
    "jitter",
    "shimmer_db",
    "hnr_db",
    "h1_h2_db",
    "h1_a3_db",
    "f1_hz",
    "f2_hz",
    "f3_hz",
)
SIGNALS = (*_DESCRIPTORS, "f0_hz", "rms_db")
FRAME_SCHEMA: dict[str, Any] = {"time_s": pl.Float64, "voiced": pl.Boolean, **dict.fromkeys(SIGNALS, pl.Float32)}
_F0_REFERENCE_HZ = 27.5
_PITCH_LAG = 2  # frames between the centres of openSMILE's 20 ms and 60 ms windows of one index
_SILENCE_DB = -100.0


@lru_cache(maxsize=1)
def _smile() -> Any:
    import opensmile

    return opensmile.Smile(opensmile.FeatureSet.eGeMAPSv02, opensmile.FeatureLevel.LowLevelDescriptors)


def prosodic_frames(signal: np.ndarray, rate_hz: int) -> pl.DataFrame:
    """Return the frames of a mono signal.

    Parameters
    ----------
    signal : [shape=(n,), float32, −1 to 1]
    rate_hz : samples a second

    Returns
    -------
    FRAME_SCHEMA; ``time_s`` is the frame's centre. Loudness is openSMILE's perceived loudness, ``rms_db`` the level over
    40 ms in dB of full scale.
    """
    import librosa

    table = _smile().process_signal(signal, rate_hz)
    values = {name: table[column].to_numpy(np.float32) for name, column in _DESCRIPTORS.items()}
    # openSMILE indexes its frames by their starts: 20 ms windows (loudness, spectrum) are centred 10 ms later, the 60 ms
    # windows of everything that depends on pitch 30 ms later. Both go onto one grid of centres.
    for name in VOICED_ONLY:
        if name in values:
            values[name] = np.concatenate([np.zeros(_PITCH_LAG, np.float32), values[name][:-_PITCH_LAG]])
    time = np.arange(len(table)) * HOP_S + HOP_S
    hop = round(HOP_S * rate_hz)
    rms = librosa.feature.rms(y=signal, frame_length=4 * hop, hop_length=hop, center=True)[0]
    level = 20 * np.log10(np.maximum(rms, 10 ** (_SILENCE_DB / 20)))
    level = np.interp(time, np.arange(len(level)) * HOP_S, level)
    voiced = values["f0_semitone"] > 0
    f0_hz = np.float32(_F0_REFERENCE_HZ) * np.exp2(values["f0_semitone"] / 12)
    frame = pl.DataFrame({"time_s": time, "voiced": voiced, **values, "f0_hz": f0_hz, "rms_db": level})
    return (
        frame.select(
            *(
                pl.when(pl.col("voiced")).then(pl.col(name)).otherwise(None).alias(name)
                if name in VOICED_ONLY
                else pl.col(name)
                for name in FRAME_SCHEMA
            )
        )
        .cast(FRAME_SCHEMA)  # type: ignore[arg-type]
        .with_columns(pl.col(SIGNALS).fill_nan(None))
    )


def extract_voice(sample_id: str, flac: Path, out: Path) -> list[Problem]:
    """Analyse a sample's sound into ``out`` (Parquet of FRAME_SCHEMA); return at once if it is already there.

    Raises
    ------
    InputError
        If the sound is too short to hold a frame.
    """
    source = {"extractor": EXTRACTOR, "input_sha256": file_hash(flac)}
    if made_from(out) == source:
        return []
    out.unlink(missing_ok=True)  # made from another sound: must not outlive it if this one fails
    signal, rate = soundfile.read(flac, dtype="float32")
    if len(signal) < rate // 10:
        raise InputError(f"{flac.name}: expected at least 0.1 s of sound; found {len(signal) / rate:.3f} s")
    write_parquet(out, prosodic_frames(signal, rate), source)
    return []
