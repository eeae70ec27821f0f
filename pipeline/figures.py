"""The report's figures, as SVG text that is the same for the same numbers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any, Literal

import matplotlib as mpl
import polars as pl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from models.metrics import Metric

# Okabe & Ito's colours: told apart by colour-blind readers; the marks differ in shape too, for grey print.
BASELINE, LLM, INK, QUIET = "#0072B2", "#D55E00", "#222222", "#8a8a8a"
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "rescue",
    "svg.fonttype": "path",
    "font.family": "DejaVu Sans",
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": QUIET,
    "axes.labelcolor": INK,
    "xtick.color": INK,
    "ytick.color": INK,
    "text.color": INK,
    "axes.titlesize": 10,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
}


@mpl.rc_context(_STYLE)
def leaderboard(results: pl.DataFrame, llms: pl.DataFrame, metric: Metric, scenarios: Sequence[str]) -> str:
    """Baselines with intervals and LLMs as points, best on top, a panel a scenario, all on one axis.

    ``results`` (with a column ``who``) and ``llms`` hold one task's rows of this metric.
    """
    order = _order(results, llms, scenarios[-1])
    figure, axes = _panels(len(scenarios), 1.2 + 0.21 * len(order), share="all")
    place = {who: len(order) - i for i, who in enumerate(order)}
    for axis, scenario in zip(axes, scenarios, strict=True):
        ours, theirs = results.filter(scenario=scenario), llms.filter(scenario=scenario)
        for who, value, low, high in ours.select("who", "value", "low", "high").iter_rows():
            axis.plot([low, high], [place[who]] * 2, color=BASELINE, linewidth=2.2, solid_capstyle="butt", zorder=2)
            axis.plot(value, place[who], "o", color=BASELINE, markersize=5.5, zorder=3)
        for who, value in theirs.select("model", "value").iter_rows():
            axis.plot(
                value, place[who], "D", color=LLM, markersize=5, markerfacecolor="white", markeredgewidth=1.4, zorder=3
            )
        n = ours["n"][0] if ours.height else 0
        axis.set_title(f"{scenario}  (n = {n})")
        axis.set_xlabel(f"{metric.title} ({metric.unit})")
        axis.set_yticks(list(place.values()), list(place))
        axis.set_ylim(0.3, len(order) + 0.7)
        axis.grid(axis="x", color="#e4e4e4", linewidth=0.8)
        axis.set_axisbelow(True)
    for label in axes[0].get_yticklabels():
        label.set_color(BASELINE if label.get_text() in set(results["who"]) else LLM)
    return _svg(figure)


@mpl.rc_context(_STYLE)
def distribution(counts: pl.DataFrame, scenarios: Sequence[str]) -> str:
    """How often each label is the true one. ``counts``: scenario, label, n."""
    longest = max(counts.filter(scenario=s).height for s in scenarios)
    figure, axes = _panels(len(scenarios), 0.9 + 0.24 * longest, share="none", width=4.4)
    for axis, scenario in zip(axes, scenarios, strict=True):
        part = counts.filter(scenario=scenario).sort("n", "label")
        axis.barh(part["label"].to_list(), part["n"].to_list(), color=QUIET, height=0.7)
        total = max(int(part["n"].sum()), 1)
        for y, n in enumerate(part["n"].to_list()):
            axis.text(n, y, f" {n} ({100 * n / total:.0f} %)", va="center", fontsize=8)
        axis.set_title(scenario)
        axis.set_xlabel("instances")
        axis.margins(x=0.28)
    return _svg(figure)


@mpl.rc_context(_STYLE)
def histogram(values: pl.DataFrame, scenarios: Sequence[str], label: str) -> str:
    """How often each whole number from 0 to 10 is the true one. ``values``: scenario, value."""
    figure, axes = _panels(len(scenarios), 2.2, share="none")
    for axis, scenario in zip(axes, scenarios, strict=True):
        axis.hist(
            values.filter(scenario=scenario)["value"].to_numpy(),
            bins=[b - 0.5 for b in range(12)],
            color=QUIET,
            rwidth=0.85,
        )
        axis.set_title(scenario)
        axis.set_xlabel(label)
        axis.set_ylabel("instances")
        axis.set_xticks(range(0, 11, 2))
    return _svg(figure)


@mpl.rc_context(_STYLE)
def confusion(counts: pl.DataFrame, scenarios: Sequence[str]) -> str:
    """Share of each true label's instances (a row) that went to each predicted label.

    ``counts``: scenario, gold, predicted, instances.
    """
    labels = {
        s: sorted({*counts.filter(scenario=s)["gold"], *counts.filter(scenario=s)["predicted"]}) for s in scenarios
    }
    longest = max(map(len, labels.values()))
    figure, axes = _panels(len(scenarios), 1.6 + 0.34 * longest, share="none", width=5.2)
    for axis, scenario in zip(axes, scenarios, strict=True):
        names = labels[scenario]
        n = {
            (g, p): c
            for g, p, c in counts.filter(scenario=scenario).select("gold", "predicted", "instances").iter_rows()
        }
        totals = {g: sum(n.get((g, p), 0) for p in names) for g in names}
        shares = [[n.get((g, p), 0) / totals[g] if totals[g] else 0.0 for p in names] for g in names]
        axis.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
        for y, gold in enumerate(names):
            for x, predicted in enumerate(names):
                if count := n.get((gold, predicted), 0):
                    axis.text(
                        x,
                        y,
                        str(count),
                        ha="center",
                        va="center",
                        fontsize=7.5,
                        color="white" if shares[y][x] > 0.55 else INK,
                    )
        axis.set_xticks(range(len(names)), names, rotation=35, ha="right")
        axis.set_yticks(range(len(names)), names)
        axis.set_title(scenario)
        axis.set_xlabel("predicted")
        axis.set_ylabel("true")
        axis.spines[["left", "bottom"]].set_visible(False)
        axis.tick_params(length=0)
    return _svg(figure)


@mpl.rc_context(_STYLE)
def presence(
    spoken: Sequence[tuple[str, float, float]],
    shown: Sequence[tuple[str | None, float, float, float]],
    cuts: Sequence[float],
) -> str:
    """Who speaks (upper half of a row) and whose face is on screen (lower half) over the time of one recording.

    ``spoken``: who, start and end in seconds. ``shown``: who (None: no name), start, end, confidence. ``cuts``: seconds.
    """
    names = [s[0] for s in spoken] + [s[0] for s in shown if s[0]]
    rows: list[str | None] = list(dict.fromkeys(names))
    if any(who is None for who, *_ in shown):
        rows.append(None)
    figure = Figure(figsize=(9.4, 0.7 + 0.42 * len(rows)), layout="constrained")
    axis = figure.subplots()
    for cut in cuts:
        axis.axvline(cut, color="#d6d6d6", linewidth=0.8, zorder=0)
    for y, who in enumerate(rows):
        turns = [(a, b - a) for name, a, b in spoken if name == who and who is not None]
        axis.broken_barh(turns, (y - 0.36, 0.3), color=INK, linewidth=0)
        for name, a, b, confidence in shown:
            if name == who:
                colour = QUIET if who is None else BASELINE
                axis.broken_barh(
                    [(a, b - a)], (y + 0.04, 0.3), color=colour, alpha=0.25 + 0.75 * confidence, linewidth=0
                )
    axis.set_yticks(range(len(rows)), [who or "no name" for who in rows])
    axis.set_ylim(len(rows) - 0.5, -0.5)
    axis.set_xlim(0, max([b for _, _, b in spoken] + [b for _, _, b, _ in shown]))
    axis.set_xlabel("seconds")
    axis.spines["left"].set_visible(False)
    axis.tick_params(axis="y", length=0)
    return _svg(figure)


def _order(results: pl.DataFrame, llms: pl.DataFrame, scenario: str) -> list[str]:
    ours = results.filter(scenario=scenario).select("who", "value")
    theirs = llms.filter(scenario=scenario).select(who="model", value="value")
    return pl.concat([ours, theirs]).sort("value", "who", descending=[True, False])["who"].to_list()


def _panels(count: int, height: float, share: Literal["none", "all"], width: float = 3.4) -> tuple[Figure, list[Axes]]:
    figure = Figure(figsize=(width * count + 1.6, height), layout="constrained")
    return figure, list(figure.subplots(1, count, sharex=share, sharey=share, squeeze=False)[0])


def _svg(figure: Figure) -> str:
    """The figure as an <svg> element: no XML head, no date, ids that depend on the content only."""
    stream = io.StringIO()
    figure.savefig(stream, format="svg", metadata={"Date": None, "Creator": None})
    text = stream.getvalue()
    return text[text.index("<svg") :]
