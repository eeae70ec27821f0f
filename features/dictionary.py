"""The feature dictionary: what every column is, in which unit, from where, and which values were seen."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import polars as pl


class Definition(NamedTuple):
    """One column's meaning. ``source`` names the method or its publication."""

    unit: str
    source: str
    text: str


def feature_group(column: str) -> str:
    """The feature group of a column: its prefix, where ``face_largest`` and its like belong to ``face``; else ``key``."""
    if "__" not in column:
        return "key"
    prefix = column.split("__")[0]
    return "face" if prefix.startswith("face_") else prefix


def dictionary(frame: pl.DataFrame, definitions: Mapping[str, Definition]) -> pl.DataFrame:
    """Describe every column of ``frame``: features (named ``<group>__…``) and the keys that say whose they are.

    Returns
    -------
    One row a column: column, group, unit, type, min, max (null for what is no number), null_share, source, definition.

    Raises
    ------
    KeyError
        If a column has no definition: no column leaves this library unexplained.
    """
    rows = []
    for name in frame.columns:
        column, meaning = frame[name], definitions[name]
        numeric = column.dtype.is_numeric()
        low, high = (column.min(), column.max()) if numeric else (None, None)
        rows.append(
            {
                "column": name,
                "group": feature_group(name),
                "unit": meaning.unit,
                "type": str(column.dtype),
                "min": low,
                "max": high,
                "null_share": round(column.null_count() / max(frame.height, 1), 4),
                "source": meaning.source,
                "definition": meaning.text,
            }
        )
    schema = {
        "column": pl.String,
        "group": pl.String,
        "unit": pl.String,
        "type": pl.String,
        "min": pl.Float64,
        "max": pl.Float64,
        "null_share": pl.Float64,
        "source": pl.String,
        "definition": pl.String,
    }
    return pl.DataFrame(rows, schema=schema)
