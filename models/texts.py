"""Gold texts as patterns: the names of the people whom they are about stand as placeholders, to be filled for somebody else."""

from __future__ import annotations

import re

import polars as pl

from features.schema import GROUP_LABELS, THERAPIST

_SPEAKER, _TARGET = "<speaker>", "<target>"


def patterns(table: pl.DataFrame) -> list[str]:
    """The gold texts of ER or VP instances without the names of their speaker and target."""
    return [
        _pattern(text, (person, _SPEAKER), (label, _TARGET))
        for text, person, label in table.select("text", "person", "label").iter_rows()
    ]


def filled(pattern: str, speaker: str) -> str:
    """A pattern said of ``speaker``; the target, which nobody knows, becomes "the partner"."""
    return pattern.replace(_SPEAKER, speaker).replace(_TARGET, "the partner")


def _pattern(text: str, *names: tuple[str | None, str]) -> str:
    for name, placeholder in names:
        if name and name not in (THERAPIST, *GROUP_LABELS.values()):
            text = re.sub(rf"\b{re.escape(name)}\b", placeholder, text)
    return text
