"""Reads annotations in the official format, from JSON Lines or a folder of JSON files.

What the release contains is accepted; what is odd is kept and reported; what cannot be used is refused, always with
file, line, sample, row and field.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import polars as pl
from pydantic import ValidationError

from features.errors import InputError
from features.groups import group_samples
from features.normalise import fold_name, has_mojibake, normalise_text
from features.problems import Problem
from features.schema import (
    GROUP_LABELS,
    RELATIONS,
    SAMPLE_SCHEMA,
    SCENARIOS,
    STRATEGIES,
    THERAPIST,
    TURN_SCHEMA,
    UTTERANCE_TYPES,
    Row,
)
from features.store import sample_key

FAMILY_FOLDER = "family_therapy"
_MAX_ID = 1000


@dataclass(frozen=True)
class Place:
    """Where in the files something stands."""

    file: str
    line: int | None = None
    sample_id: str | None = None
    row: int | None = None
    field: str | None = None

    def __str__(self) -> str:
        parts = [
            self.file,
            self.line and f"line {self.line}",
            self.sample_id and f"sample {self.sample_id!r}",
            self.row and f"row {self.row}",
            self.field and f"field {self.field}",
        ]
        return ", ".join(str(p) for p in parts if p)


@dataclass
class Sample:
    sample_id: str
    scenario: str
    participants: list[str]
    rows: list[Row]
    place: Place


@dataclass
class Annotations:
    """Everything read. ``turns`` and ``samples`` follow TURN_SCHEMA and SAMPLE_SCHEMA."""

    turns: pl.DataFrame
    samples: pl.DataFrame
    problems: list[Problem]


def _refuse(place: Place, expected: str, found: object, todo: str = "") -> InputError:
    shown = repr(found)
    shown = shown if len(shown) <= 120 else shown[:117] + "..."
    return InputError(f"{place}: expected {expected}; found {shown}.{' ' + todo if todo else ''}")


def read_annotations(path: Path) -> Annotations:
    """Read all samples under ``path``.

    Parameters
    ----------
    path : a ``.jsonl`` file with a sample a line, a ``.json`` file with one, or a folder with either kind at any depth.

    Raises
    ------
    InputError
        At the first thing that cannot be used: not JSON, a truncated line, no rows, a time that is not a number, an end
        before its start, an unknown scenario, or a field of the wrong type.
    """
    problems: list[Problem] = []
    samples: dict[str, Sample] = {}
    for place, record in _records(path, problems):
        sample = _sample(place, record)
        if sample.sample_id in samples:
            problems.append(
                _problem(
                    sample.place,
                    "duplicate sample id",
                    f"first seen in {samples[sample.sample_id].place.file}; this one is left out",
                )
            )
            continue
        samples[sample.sample_id] = sample
        problems += _check(sample)
    if not samples:
        raise InputError(f"{path}: expected at least one annotated sample (.jsonl, or .json with 'rows'); found none")
    return _tables(list(samples.values()), problems)


def _records(path: Path, problems: list[Problem]) -> Iterator[tuple[Place, dict[str, Any]]]:
    if path.is_dir():
        files = sorted(p for p in path.rglob("*") if p.suffix in (".jsonl", ".json") and p.is_file())
        if not files:
            raise InputError(f"{path}: expected .jsonl or .json files; found none")
    elif path.is_file():
        files = [path]
    else:
        raise InputError(
            f"{path}: expected an annotation file or folder; there is none. `make annotations` says where to get it."
        )
    root = path if path.is_dir() else path.parent
    for file in files:
        name = file.relative_to(root).as_posix()
        text = _text(file, name, problems)
        if file.suffix == ".jsonl":
            for number, line in enumerate(text.split("\n"), 1):
                if line.strip():
                    yield Place(name, number), _parse(line, Place(name, number))
        else:
            record = _parse(text, Place(name))
            if "rows" in record or path.is_file():
                record.setdefault("sample_id", file.relative_to(root).with_suffix("").as_posix())
                yield Place(name), record
            else:
                problems.append(_problem(Place(name), "not a sample", "a JSON object without 'rows' is left out"))


def _text(file: Path, name: str, problems: list[Problem]) -> str:
    data = file.read_bytes()
    if data.startswith(b"\xef\xbb\xbf"):
        problems.append(_problem(Place(name), "byte-order mark", "the file starts with one; it is skipped"))
        data = data[3:]
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise _refuse(
            Place(name, line), "UTF-8 text", data[error.start : error.start + 8], "Save the file as UTF-8."
        ) from error


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number of JSON")


def _parse(text: str, place: Place) -> dict[str, Any]:
    try:
        record = json.loads(text, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        cut = "The line may be truncated: get the file again." if not text.rstrip().endswith("}") else ""
        raise _refuse(place, f"one JSON object ({error})", text[:60], cut) from error
    if not isinstance(record, dict):
        raise _refuse(place, "a JSON object with sample_id, scenario and rows", record)
    return record


def _sample(place: Place, record: dict[str, Any]) -> Sample:
    sample_id = record.get("sample_id")
    if not isinstance(sample_id, str) or not sample_id.strip() or len(sample_id) > _MAX_ID:
        raise _refuse(replace(place, field="sample_id"), f"a text of 1 to {_MAX_ID} characters", sample_id)
    place = replace(place, sample_id=sample_id)
    scenario = record.get("scenario")
    if scenario is None:  # the folder form says it by its folder
        scenario = "family" if sample_id.split("/")[0] == FAMILY_FOLDER else "couple"
    if scenario not in SCENARIOS:
        raise _refuse(replace(place, field="scenario"), "couple or family", scenario)
    raw_rows = record.get("rows")
    if not isinstance(raw_rows, list) or not raw_rows:
        raise _refuse(replace(place, field="rows"), "a list of at least one row", raw_rows)
    rows = [_row(replace(place, row=i), raw) for i, raw in enumerate(raw_rows, 1)]
    named = record.get("participants") or []
    named = [named] if isinstance(named, str) else named
    if not isinstance(named, list) or not all(isinstance(p, str) for p in named):
        raise _refuse(replace(place, field="participants"), "a list of names", named)
    labels = {THERAPIST, *GROUP_LABELS.values()}
    participants = [p for p in named if p not in labels] if named else []
    if not participants:
        participants = list(dict.fromkeys(r.primary_speaker for r in rows if r.primary_speaker not in labels))
    return Sample(sample_id, scenario, participants, rows, place)


def _row(place: Place, raw: object) -> Row:
    try:
        row = Row.model_validate(raw)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or None
        raise _refuse(
            replace(place, field=field), first["msg"][0].lower() + first["msg"][1:], first["input"]
        ) from error
    if row.end_time < row.start_time:
        raise _refuse(replace(place, field="end_time"), f"an end at or after the start, {row.start_time}", row.end_time)
    return row


def _problem(place: Place, kind: str, message: str) -> Problem:
    return Problem("ingest", kind, message, place.sample_id, place.file, place.line, place.row, place.field)


def _check(sample: Sample) -> list[Problem]:
    """List what is odd about a sample that can be used."""
    found = []
    known = {fold_name(n) for n in [*sample.participants, THERAPIST, *GROUP_LABELS.values()]}
    relations = {*RELATIONS[sample.scenario], ""}
    previous_end, previous_index = -1.0, 0
    for position, row in enumerate(sample.rows, 1):

        def note(field: str, kind: str, message: str, position: int = position) -> None:
            found.append(_problem(replace(sample.place, row=position, field=field), kind, message))

        if row.start_time < previous_end:
            note(
                "start_time",
                "overlapping turns",
                f"begins {previous_end - row.start_time:.2f} s before the previous turn ends",
            )
        index = row.row_index if row.row_index is not None else position
        if index != previous_index + 1:
            note("row_index", "gap in row_index", f"expected {previous_index + 1}, found {index}")
        if not row.dialogue_cleaned.strip():
            note("dialogue_cleaned", "empty dialogue", "the turn has no words")
        for field, name in [("primary_speaker", row.primary_speaker), *(("target", t) for t in row.target)]:
            if fold_name(name) not in known:
                note(
                    field,
                    f"{'speaker' if field == 'primary_speaker' else 'target'} outside participants",
                    f"{name!r} is not a participant",
                )
        for field, label, allowed in (
            ("relation_pattern", row.relation_pattern, relations),
            ("relation_cycle_state", row.relation_cycle_state, relations),
            ("utterance_type", row.utterance_type, {*UTTERANCE_TYPES, ""}),
            *(("support_strategy", s.strategy_type, {*STRATEGIES[sample.scenario], ""}) for s in row.support_strategy),
        ):
            if label not in allowed:
                note(field, "label outside the taxonomy", f"{label[:60]!r} is not a {sample.scenario} label")
        if has_mojibake(row.dialogue_cleaned):
            note("dialogue_cleaned", "mojibake", "wrongly decoded characters are repaired in the normalised text")
        previous_end, previous_index = max(previous_end, row.end_time), index
    return found


def _tables(samples: list[Sample], problems: list[Problem]) -> Annotations:
    groups = group_samples([(s.sample_id, s.scenario, s.participants) for s in samples])
    turns, table = [], []
    for number, sample in enumerate(samples, 1):
        group = groups[sample.sample_id]
        for position, row in enumerate(sample.rows, 1):
            value = row.model_dump()
            value |= {
                "sample_id": sample.sample_id,
                "scenario": sample.scenario,
                "group": group,
                "turn": position,
                "row_index": position if row.row_index is None else row.row_index,
                "start_s": row.start_time,
                "end_s": row.end_time,
                "speaker": row.primary_speaker.strip(),
                "target": [t.strip() for t in row.target],
                "dialogue": row.dialogue_cleaned,
                "text": normalise_text(row.dialogue_cleaned),
            }
            turns.append({name: value[name] for name in TURN_SCHEMA})
        table.append(
            {
                "sample_id": sample.sample_id,
                "sample_key": sample_key(sample.sample_id),
                "scenario": sample.scenario,
                "group": group,
                "number": number,
                "participants": sample.participants,
                "turns": len(sample.rows),
                "therapist_turns": sum(r.primary_speaker == THERAPIST for r in sample.rows),
                "minutes": sample.rows[-1].end_time / 60,
            }
        )
    return Annotations(pl.DataFrame(turns, schema=TURN_SCHEMA), pl.DataFrame(table, schema=SAMPLE_SCHEMA), problems)
