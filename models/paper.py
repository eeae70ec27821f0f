"""What the paper (arXiv 2609.09657) says: its tables of counts, the scores of its ten LLMs, and what to know of them."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from features.errors import InputError

LLM_SCHEMA = {
    "model": pl.String,
    "scenario": pl.String,
    "task": pl.String,
    "metric": pl.String,
    "value": pl.Float64,
    "source": pl.String,
}

#: Table 3: the corpus. Keys are (what, scenario).
TABLE_3: dict[tuple[str, str], float] = {
    ("samples", "both"): 191,
    ("samples", "couple"): 174,
    ("samples", "family"): 17,
    ("turns", "both"): 7079,
    ("turns", "couple"): 5875,
    ("turns", "family"): 1204,
    ("minutes", "both"): 1064.8,
    ("therapist turns, %", "both"): 37.4,
}
#: Table 6: instances of each task.
TABLE_6: dict[tuple[str, str], int] = {
    ("ITP", "couple"): 2722,
    ("ITP", "family"): 284,
    ("RPP", "couple"): 1608,
    ("RPP", "family"): 525,
    ("STP", "couple"): 1290,
    ("STP", "family"): 347,
    ("SSP", "couple"): 1290,
    ("SSP", "family"): 347,
    ("ER", "couple"): 844,
    ("ER", "family"): 82,
    ("VP", "couple"): 775,
    ("VP", "family"): 80,
}

#: What a reader must know before setting a baseline beside an LLM. Task "" concerns all tasks.
CAUTIONS: tuple[tuple[str, str, str], ...] = (
    (
        "a",
        "ITP",
        "The benchmark's script hands the LLMs candidate ids that contain “pos” or “neg”, a candidate type and a "
        "boundary type; each of them names the answer. Baselines never see "
        "them, so the LLMs' ITP figures are not comparable with theirs.",
    ),
    (
        "b",
        "",
        "The LLMs answered zero-shot. Baselines were trained, on other couples and families than those they are scored on.",
    ),
    (
        "c",
        "STP",
        "The list of candidates is built from the whole sample, so it shows who will be addressed at some time. "
        "Baselines and LLMs see the same list.",
    ),
    (
        "d",
        "ER",
        "Always answering intensity 7 already matches with 3.89 of 5 on the benchmark, and the paper's ER score "
        "averages that match with the judge's score of the text. An intensity match alone is not that score.",
    ),
    (
        "e",
        "ITP",
        "Instances are balanced by construction: always answering “intervene” gives precision 50, recall 100, F1 66.7.",
    ),
)
#: Tasks whose LLM figures were made with the answer in sight (caution a).
NOT_COMPARABLE = frozenset({"ITP"})


def llm_results(path: Path) -> pl.DataFrame:
    """Read the LLMs' scores (LLM_SCHEMA): percent for ITP, RPP, STP, SSP; 1–5 for a judge; 0–1 for BERTScore.

    Raises
    ------
    InputError
        If the file is not there or not in this form.
    """
    try:
        return pl.read_csv(path, schema=LLM_SCHEMA)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InputError(f"{path}: expected a CSV with the columns {', '.join(LLM_SCHEMA)}; {error}") from error


def counts_against_paper(samples: pl.DataFrame, counts: dict[str, dict[str, int]]) -> pl.DataFrame:
    """Compare a corpus with Tables 3 and 6: table, what, scenario, paper, found, verdict ("same" or the difference).

    ``samples`` is SAMPLE_SCHEMA, ``counts`` the instances of each task and scenario.
    """
    rows = []
    for (what, scenario), paper in TABLE_3.items():
        part = samples if scenario == "both" else samples.filter(scenario=scenario)
        turns, therapist = int(part["turns"].sum()), int(part["therapist_turns"].sum())
        found = {
            "samples": part.height,
            "turns": turns,
            "minutes": round(float(part["minutes"].sum()), 1),
            "therapist turns, %": round(100 * therapist / turns, 1) if turns else 0.0,
        }[what]
        rows.append(("Table 3", what, scenario, float(paper), float(found)))
    rows += [
        ("Table 6", task, scenario, float(paper), float(counts.get(task, {}).get(scenario, 0)))
        for (task, scenario), paper in TABLE_6.items()
    ]
    table = pl.DataFrame(rows, schema=["table", "what", "scenario", "paper", "found"], orient="row")
    return table.with_columns(
        verdict=pl.Series([_verdict(found - paper) for paper, found in table.select("paper", "found").iter_rows()])
    )


def _verdict(difference: float) -> str:
    return "same" if abs(difference) < 0.05 else f"{difference:+g}"
