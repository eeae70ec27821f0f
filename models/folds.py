"""Grouped cross-validation: a couple or family is in one fold only, so no people are in training and test at once."""

from __future__ import annotations

import polars as pl


def assign_folds(samples: pl.DataFrame, folds: int) -> dict[str, int]:
    """Give every group a fold, per scenario, so that folds hold about equally many turns.

    The largest group goes first, each into the fold with the fewest turns so far; ties go to the lower number. A scenario
    with fewer groups than folds leaves one group out at a time. The result depends on the samples alone.
    """
    result: dict[str, int] = {}
    for (_,), part in samples.group_by(["scenario"], maintain_order=True):
        sizes = part.group_by("group").agg(pl.col("turns").sum()).sort(["turns", "group"], descending=[True, False])
        load = [0] * min(folds, sizes.height)
        for group, turns in sizes.iter_rows():
            fold = load.index(min(load))
            result[group] = fold
            load[fold] += turns
    return result
