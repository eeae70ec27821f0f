"""Words of a turn: counts by small published word classes, and the sentence embedding; the annotated cues likewise.

Every value of a turn is computed from that turn alone.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl

from features.dictionary import Definition
from features.embedding import DIMENSIONS, MODEL, Embedder
from features.normalise import normalise_text, words

EXTRACTOR = "textual-1"
_PENNEBAKER = "word class after Pennebaker et al. 2015 (LIWC categories; own short list)"

#: Word classes: name → (source, definition, words).
_CLASSES: dict[str, tuple[str, str, frozenset[str]]] = {
    "i_words": (
        _PENNEBAKER,
        "first person singular pronouns",
        frozenset(["i", "me", "my", "mine", "myself", "i'm", "i've", "i'd", "i'll"]),
    ),
    "we_words": (
        "we-talk, Seider et al. 2009",
        "first person plural pronouns",
        frozenset(["we", "us", "our", "ours", "ourselves", "we're", "we've", "we'd", "we'll", "let's"]),
    ),
    "you_words": (
        "you-talk, Simmons et al. 2005",
        "second person pronouns",
        frozenset(["you", "your", "yours", "yourself", "yourselves", "you're", "you've", "you'd", "you'll"]),
    ),
    "other_words": (
        _PENNEBAKER,
        "third person pronouns",
        frozenset(
            [
                "he",
                "him",
                "his",
                "she",
                "her",
                "hers",
                "they",
                "them",
                "their",
                "theirs",
                "he's",
                "she's",
                "they're",
                "himself",
                "herself",
                "themselves",
            ]
        ),
    ),
    "negations": (
        _PENNEBAKER,
        "negations",
        frozenset(
            [
                "no",
                "not",
                "never",
                "nothing",
                "nobody",
                "none",
                "nor",
                "neither",
                "cannot",
                "can't",
                "don't",
                "won't",
                "didn't",
                "doesn't",
                "isn't",
                "wasn't",
                "aren't",
                "weren't",
                "wouldn't",
                "couldn't",
                "shouldn't",
                "haven't",
                "hasn't",
                "hadn't",
                "ain't",
            ]
        ),
    ),
    "absolutist": (
        "absolutist words, Al-Mosaiwi & Johnstone 2018",
        "words of all or nothing",
        frozenset(
            [
                "absolutely",
                "all",
                "always",
                "complete",
                "completely",
                "constant",
                "constantly",
                "definitely",
                "entire",
                "entirely",
                "ever",
                "every",
                "everyone",
                "everything",
                "full",
                "must",
                "never",
                "nothing",
                "totally",
                "whole",
            ]
        ),
    ),
    "hedges": (
        "hedges, Hyland 1998 (own short list)",
        "words that soften a claim",
        frozenset(
            [
                "maybe",
                "perhaps",
                "probably",
                "possibly",
                "somewhat",
                "might",
                "guess",
                "seems",
                "seem",
                "kinda",
                "sorta",
                "apparently",
            ]
        ),
    ),
    "agreement": (
        _PENNEBAKER,
        "tokens of assent",
        frozenset(
            [
                "yes",
                "yeah",
                "yep",
                "okay",
                "ok",
                "right",
                "exactly",
                "true",
                "sure",
                "agree",
                "absolutely",
                "mm-hm",
                "mhm",
                "mm",
            ]
        ),
    ),
    "apology": (
        "apology words, Schumann 2014 (own short list)",
        "apologies",
        frozenset(["sorry", "apologize", "apologise", "apology", "forgive", "regret"]),
    ),
    "politeness": (
        "politeness markers, Danescu-Niculescu-Mizil et al. 2013",
        "thanks and please",
        frozenset(["please", "thank", "thanks", "grateful", "appreciate"]),
    ),
    "fillers": (_PENNEBAKER, "fillers", frozenset(["um", "uh", "er", "erm", "hmm", "hm", "well", "like"])),
    "feeling_words": (
        _PENNEBAKER,
        "words that name feeling",
        frozenset(
            [
                "feel",
                "feels",
                "feeling",
                "felt",
                "feelings",
                "emotion",
                "emotions",
                "heart",
                "hurt",
                "hurts",
                "hurting",
                "sad",
                "angry",
                "afraid",
                "scared",
                "lonely",
                "happy",
                "ashamed",
                "love",
                "loved",
                "anxious",
                "safe",
                "pain",
            ]
        ),
    ),
    "cause_words": (
        _PENNEBAKER,
        "words of cause and insight",
        frozenset(
            [
                "because",
                "cause",
                "why",
                "reason",
                "think",
                "thought",
                "know",
                "realize",
                "realise",
                "understand",
                "since",
                "therefore",
            ]
        ),
    ),
}
_RESTART = re.compile(r" -- ")
_AUDIO_CUES = ("tone_of_voice",)
_VISUAL_CUES = ("facial_expressions", "body_posture", "self_directed_behavior", "interaction_behavior")

_COUNTS = {
    "text__words": Definition("words", "runs of letters, digits and apostrophes", "number of words"),
    "text__characters": Definition("characters", "normalised text", "length of the turn's text"),
    "text__questions": Definition("count", "question marks", "number of question marks"),
    "text__exclamations": Definition("count", "exclamation marks", "number of exclamation marks"),
    "text__restarts": Definition("count", "transcription's --", "number of breaks and restarts"),
    "text__ends_with_question": Definition("0/1", "question marks", "1 if the text ends with a question mark"),
    "text__type_token_ratio": Definition("0–1", "Johnson 1944", "different words over words; null without words"),
    **{f"text__{name}": Definition("count", source, text) for name, (source, text, _) in _CLASSES.items()},
}
DEFINITIONS: dict[str, Definition] = {
    **_COUNTS,
    "text__minilm": Definition("unit vector, 384", MODEL, "sentence embedding of the turn's text; null without text"),
    "cue_audio__words": Definition("words", "annotators' tone_of_voice", "words in the annotation of the voice"),
    "cue_audio__minilm": Definition(
        "unit vector, 384", MODEL, "embedding of the annotation of the voice; null without one"
    ),
    **{
        f"cue_visual__{field}": Definition("count", f"annotators' {field}", f"number of annotations in {field}")
        for field in _VISUAL_CUES
    },
    "cue_visual__minilm": Definition(
        "unit vector, 384", MODEL, "embedding of all visual annotations together; null without any"
    ),
}


def count_words(text: str) -> dict[str, float | None]:
    """Return the count features of one normalised text.

    >>> found = count_words("I'm sorry, we never talk -- do you listen?")
    >>> found["text__i_words"], found["text__we_words"], found["text__restarts"], found["text__ends_with_question"]
    (1, 1, 1, 1)
    """
    tokens = words(text)
    return {
        "text__words": len(tokens),
        "text__characters": len(text),
        "text__questions": text.count("?"),
        "text__exclamations": text.count("!"),
        "text__restarts": len(_RESTART.findall(f"{text} ")),
        "text__ends_with_question": int(text.rstrip("\"' ").endswith("?")),
        "text__type_token_ratio": len(set(tokens)) / len(tokens) if tokens else None,
        **{f"text__{name}": sum(t in members for t in tokens) for name, (_, _, members) in _CLASSES.items()},
    }


def cue_text(turn: Mapping[str, object], fields: Sequence[str]) -> str:
    """Join a turn's cue annotations into one normalised text; names of people are left out."""
    parts: list[str] = []
    for field in fields:
        value = turn[field]
        parts += [value] if isinstance(value, str) else [item["description"] for item in value]  # type: ignore[attr-defined]
    return normalise_text("; ".join(p for p in parts if p))


def textual_features(turns: pl.DataFrame, embedder: Embedder) -> pl.DataFrame:
    """Return the textual and cue features of turns (TURN_SCHEMA), one row a turn, keyed by sample_id and turn."""
    rows = list(turns.select("text", *_AUDIO_CUES, *_VISUAL_CUES).iter_rows(named=True))
    audio = [cue_text(row, _AUDIO_CUES) for row in rows]
    visual = [cue_text(row, _VISUAL_CUES) for row in rows]
    counts = pl.DataFrame(
        [
            count_words(row["text"])
            | {"cue_audio__words": len(words(a))}
            | {f"cue_visual__{f}": len(row[f]) for f in _VISUAL_CUES}
            for row, a in zip(rows, audio, strict=True)
        ],
        schema=dict.fromkeys([*_COUNTS, "cue_audio__words", *(f"cue_visual__{f}" for f in _VISUAL_CUES)], pl.Float32),
    )
    embedded = {
        "text__minilm": embedder.embed([row["text"] for row in rows]),
        "cue_audio__minilm": embedder.embed(audio),
        "cue_visual__minilm": embedder.embed(visual),
    }
    columns = [_vectors(name, values) for name, values in embedded.items()]
    return turns.select("sample_id", "turn").hstack(counts).hstack(columns)


def _vectors(name: str, values: np.ndarray) -> pl.Series:
    present = pl.Series(~np.isnan(values[:, 0]))
    column = pl.Series(name, values, dtype=pl.Array(pl.Float32, DIMENSIONS))
    return pl.select(pl.when(present).then(column).otherwise(None).alias(name)).to_series()
