"""Measured values beside their goals: shown as a table, written as JSON and Markdown."""

from __future__ import annotations

import platform
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from features.batch import worker_count
from features.store import write_json, write_text


@dataclass(frozen=True)
class Row:
    """One measurement. ``goal`` is a bound, "≥ 0.95" or "≤ 0.2", or None where a figure is only told.

    ``value`` is None where the material is absent; ``note`` then says which.
    """

    name: str
    value: float | None
    unit: str
    goal: str | None = None
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the goal is met; None without a goal or a value."""
        if self.goal is None or self.value is None:
            return None
        sign, bound = self.goal.split()
        return self.value >= float(bound) if sign == "≥" else self.value <= float(bound)


def machine() -> str:
    """The machine in words, without its name."""
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.is_file():
        lines = [line.split(":", 1)[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = lines[0] if lines else model
    return f"{model}, {worker_count()} cores used, Python {platform.python_version()}"


def publish(rows: Iterable[Row], title: str, command: str, json_file: Path, page: Path) -> None:
    """Show the table, write both files, and leave with exit code 1 if a goal is not held."""
    rows = list(rows)
    write_json(
        json_file,
        [{"name": r.name, "value": r.value, "unit": r.unit, "goal": r.goal, "holds": r.holds} for r in rows],
    )
    write_text(page, _markdown(rows, title, command))
    table = Table("", "value", "unit", "goal", "holds", title=title)
    for r in rows:
        table.add_row(r.name, _number(r), r.unit, r.goal or "", _word(r))
    Console(width=None if sys.stdout.isatty() else 140).print(table)
    failed = [r.name for r in rows if r.holds is False]
    if failed:
        sys.exit(f"not held: {'; '.join(failed)}")


def _markdown(rows: list[Row], title: str, command: str) -> str:
    lines = [
        f"# {title}",
        "",
        f"Written by `{command}` on: {machine()}.",
        "",
        "| what | value | unit | goal | holds |",
        "| --- | --- | --- | --- | --- |",
        *(f"| {r.name} | {_number(r)} | {r.unit} | {r.goal or ''} | {_word(r)} |" for r in rows),
    ]
    return "\n".join(lines) + "\n"


def _number(row: Row) -> str:
    return f"– ({row.note})" if row.value is None else f"{row.value:.4g}"


def _word(row: Row) -> str:
    return "" if row.holds is None else "yes" if row.holds else "**no**"
