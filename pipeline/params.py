"""params.yaml, typed: a missing, misspelt or out-of-range parameter is refused before any work starts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from features.errors import InputError

PARAMS_FILE = Path("params.yaml")
Group = Literal["structure", "text", "prosody", "face", "cue_audio", "cue_visual"]
Positive = Annotated[float, Field(gt=0)]
Count = Annotated[int, Field(ge=1)]


class _Section(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ExecutorParams(_Section):
    backend: Literal["loky", "dask", "ray"]
    address: str | None


class DemoParams(_Section):
    couples: Count
    families: Count
    samples_per_group: Count
    turns_per_sample: Annotated[int, Field(ge=6)]
    media_samples: Annotated[int, Field(ge=0)]
    media_turns: Annotated[int, Field(ge=6)]
    frame_rate: Positive


class MediaParams(_Section):
    sample_rate_hz: Count


class FaceParams(_Section):
    rate_hz: Positive
    search_every_s: Positive
    tile_scales: Annotated[list[Annotated[float, Field(gt=0.05, le=1)]], Field(min_length=1)]
    min_detection: Annotated[float, Field(gt=0, lt=1)]
    max_faces: Count
    landmarks: bool


class TextParams(_Section):
    batch_size: Count


class TaskParams(_Section):
    context_turns: dict[Literal["ITP", "RPP", "STP", "SSP"], Count | None]


class TfidfParams(_Section):
    min_df: Count
    max_features: Count
    C: Positive


class TrainParams(_Section):
    folds: Annotated[int, Field(ge=2)]
    pca_components: Count
    lightgbm: dict[str, float | int]
    tfidf: TfidfParams
    feature_sets: dict[str, list[Group]]


class EvaluateParams(_Section):
    resamples: Annotated[int, Field(ge=100)]
    confidence: Annotated[float, Field(gt=0.5, lt=1)]


class ReportParams(_Section):
    show_faces: list[str]


class Params(_Section):
    corpora: list[str]
    seed: int
    executor: ExecutorParams
    demo: DemoParams
    media: MediaParams
    face: FaceParams
    text: TextParams
    tasks: TaskParams
    train: TrainParams
    evaluate: EvaluateParams
    report: ReportParams


def load_params(path: Path = PARAMS_FILE) -> Params:
    """Read and check params.yaml.

    Raises
    ------
    InputError
        If the file is not there, is not YAML, or a value is missing, unknown or out of range.
    """
    try:
        return Params.model_validate(yaml.safe_load(path.read_text(encoding="utf-8")))
    except OSError as error:
        raise InputError(
            f"{path}: cannot be read ({error.strerror}). Run the command in the repository's root."
        ) from error
    except yaml.YAMLError as error:
        raise InputError(f"{path}: not valid YAML: {error}") from error
    except ValidationError as error:
        lines = [f"{path}: {'.'.join(map(str, e['loc']))}: {e['msg']}; found {e['input']!r}" for e in error.errors()]
        raise InputError("\n".join(lines)) from error
