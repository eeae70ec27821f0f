"""Stage demo: write the synthetic corpus (annotations, films, and the truth that only tests read)."""

from __future__ import annotations

import json

import numpy as np

from features.batch import Job, run_jobs
from features.problems import Problem
from features.store import atomic, remove_others, sample_key
from pipeline.params import DemoParams, Params
from pipeline.stage import Corpus, run
from pipeline.synthetic.film import Staging, make_film
from pipeline.synthetic.script import Conversation, make_casts, write_conversation

#: Films, by their number, that are harder than the others.
STAGINGS = {1: Staging(variable_rate=True), 2: Staging(one_look=True), 4: Staging(therapist_unseen=True)}


def write_corpus(params: DemoParams, seed: int) -> tuple[list[Conversation], set[str]]:
    """Write all conversations; the second value names those that get a film (spread over couples and families)."""
    rng = np.random.default_rng([seed, 0])
    casts = make_casts(params.couples, params.families, rng)
    stride = max(len(casts) / max(params.media_samples, 1), 1)
    filmed_casts = {round(i * stride) % len(casts) for i in range(params.media_samples)}
    conversations: list[Conversation] = []
    filmed: set[str] = set()
    for c, cast in enumerate(casts):
        for k in range(params.samples_per_group):
            number = (c - params.couples) * params.samples_per_group + k + 1 if cast.scenario == "family" else k + 1
            sample_id = f"{cast.folder}/{number:03d}"
            short = (
                len(filmed) < params.media_samples
                and k < -(-params.media_samples // len(filmed_casts))
                and c in filmed_casts
            )
            if short:
                filmed.add(sample_id)
            turns = params.media_turns if short else params.turns_per_sample
            conversations.append(write_conversation(sample_id, cast, turns, np.random.default_rng([seed, 1, c, k])))
    return conversations, filmed


def _film(conversation: Conversation, corpus: Corpus, rate: float, staging: Staging, seed: list[int]) -> list[Problem]:
    truth = corpus.raw / "truth" / sample_key(conversation.sample_id)
    make_film(conversation, corpus.raw / "media" / f"{conversation.sample_id}.mp4", truth, rate, staging, seed)
    return []


def main(corpus: Corpus, params: Params) -> None:
    conversations, filmed = write_corpus(params.demo, params.seed)
    with atomic(corpus.raw / "annotations" / "demo.jsonl") as temporary:
        lines = [json.dumps(c.record(), ensure_ascii=False) for c in conversations]
        temporary.write_text("\n".join(lines) + "\n", encoding="utf-8")
    for folder in ("media", "truth"):
        (corpus.raw / folder).mkdir(parents=True, exist_ok=True)
    chosen = [(i, c) for i, c in enumerate(conversations) if c.sample_id in filmed]
    jobs = [
        Job(c.sample_id, _film, (c, corpus, params.demo.frame_rate, STAGINGS.get(n, Staging()), [params.seed, 2, i]))
        for n, (i, c) in enumerate(chosen)
    ]
    run_jobs("demo", jobs, unit="film")
    remove_others(
        corpus.raw / "truth",
        {f"{sample_key(s)}.{kind}.parquet" for s in filmed for kind in ("frames", "voices", "turns")},
    )


if __name__ == "__main__":
    run(main)
