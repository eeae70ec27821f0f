"""Words: worked examples, cues without names, embeddings that are null where there is no text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

from features.annotations import Annotations
from features.embedding import Embedder
from features.normalise import has_mojibake, normalise_text, words
from features.textual import count_words, cue_text, textual_features
from tests.conftest import HashEmbedder, features_of


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("Itâ€™s fine—really.", "It's fine -- really."),
        ("  “Well”,\n I   said -- no ", '"Well", I said -- no'),
        ("cafe\u0301", "café"),
        ("", ""),
    ],
)
def test_normalised_text(given: str, expected: str) -> None:
    assert normalise_text(given) == expected
    assert normalise_text(expected) == expected


def test_mojibake_is_told_from_foreign_letters() -> None:
    assert has_mojibake("donâ€™t")
    assert not has_mojibake("Zoë, naïve, “quoted”")


def test_words_are_the_benchmarks() -> None:
    assert words("I can't -- well, I won't go at 7:30!") == ["i", "can't", "well", "i", "won't", "go", "at", "7", "30"]


def test_counts_of_a_worked_example() -> None:
    found = count_words("I'm sorry. We never talk -- do you always listen to me?")
    expected = {
        "words": 11, "questions": 1, "exclamations": 0, "restarts": 1, "ends_with_question": 1, "i_words": 2, "we_words": 1,
        "you_words": 1, "other_words": 0, "negations": 1, "absolutist": 2, "apology": 1, "hedges": 0,
    }  # fmt: skip
    assert {k: found[f"text__{k}"] for k in expected} == expected
    assert found["text__type_token_ratio"] == 1
    assert count_words("")["text__type_token_ratio"] is None


def test_cues_hold_descriptions_and_no_names() -> None:
    turn = {
        "facial_expressions": [{"person": "Ada", "description": "smiles"}],
        "body_posture": [],
        "tone_of_voice": "soft",
    }
    assert cue_text(turn, ("facial_expressions", "body_posture")) == "smiles"
    assert cue_text(turn, ("tone_of_voice",)) == "soft"


def test_nothing_said_is_null_and_not_zero(corpus: Annotations) -> None:
    turns = corpus.turns.head(3).with_columns(text=pl.Series(["Yes.", "", "No."]), tone_of_voice=pl.lit(""))
    found = textual_features(turns, HashEmbedder())
    assert found["text__minilm"].is_null().to_list() == [False, True, False]
    assert found["cue_audio__minilm"].null_count() == 3
    assert found["text__words"].to_list() == [1, 0, 1]


def test_every_column_is_in_the_dictionary_of_a_whole_table(corpus: Annotations, features: pl.DataFrame) -> None:
    from features.dictionary import dictionary, feature_group
    from pipeline.align import DEFINITIONS

    described = dictionary(features, DEFINITIONS)
    assert sorted(described["column"]) == sorted(DEFINITIONS)
    assert set(described["group"]) == {"key", "structure", "text", "prosody", "face", "cue_audio", "cue_visual"}
    assert feature_group("face_largest__jaw_open__mean") == "face"
    assert all(described["unit"]) and all(described["source"]) and all(described["definition"])  # noqa: PT018
    with pytest.raises(KeyError):
        dictionary(features.with_columns(text__new=1), DEFINITIONS)
    assert features_of(corpus.turns).equals(features)


def test_real_embeddings_know_meaning_and_are_cached(tmp_path: Path) -> None:
    texts = ["I am so angry with you.", "You make me furious.", "We bought a new sofa.", ""]
    file = tmp_path / "cache.parquet"
    found = Embedder(file).embed(texts)
    assert found.shape == (4, 384)
    assert np.allclose(np.linalg.norm(found[:3], axis=1), 1, atol=1e-3)
    assert np.isnan(found[3]).all()
    assert found[0] @ found[1] > found[0] @ found[2] + 0.2
    again = Embedder(file)
    again._encode = None  # type: ignore[assignment,method-assign] # whatever is asked of the model now fails
    assert np.array_equal(again.embed(texts), found, equal_nan=True)


def test_an_embedding_does_not_depend_on_its_neighbours_in_the_batch() -> None:
    texts = ["No.", "I never said that you were wrong about the money, I said that I was tired of it."]
    together = Embedder().embed(texts)
    apart = np.vstack([Embedder().embed([t]) for t in texts])
    assert np.allclose(together, apart, atol=2e-5)
