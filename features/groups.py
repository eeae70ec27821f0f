"""Which samples belong to the same people: the unit that must never be split between training and test."""

from __future__ import annotations

from collections.abc import Sequence

import networkx as nx

from features.normalise import fold_name

#: Names that say a role and not who somebody is; two families may both have a "Father".
GENERIC_NAMES = frozenset(
    {
        "father",
        "mother",
        "dad",
        "mom",
        "mum",
        "parent",
        "parents",
        "son",
        "daughter",
        "brother",
        "sister",
        "child",
        "kid",
        "baby",
        "husband",
        "wife",
        "partner",
        "spouse",
        "grandfather",
        "grandmother",
        "grandpa",
        "grandma",
        "uncle",
        "aunt",
        "cousin",
        "client",
        "patient",
        "man",
        "woman",
        "boy",
        "girl",
        "stepfather",
        "stepmother",
        "unknown",
        "speaker",
        "therapist",
        "couple",
        "family",
    }
)


def group_samples(samples: Sequence[tuple[str, str, Sequence[str]]]) -> dict[str, str]:
    """Return each sample's group.

    Couples are told apart by the folder in their sample id. Families all lie in one folder, so they are the connected
    components of samples that share a person's name (generic names apart).

    Parameters
    ----------
    samples : (sample_id, scenario, participants) of every sample.

    Returns
    -------
    sample_id → group, ``couple_01`` … and ``family_01`` … numbered in the order of first appearance. Numbers, not names,
    because groups appear in reports.
    """
    graph = nx.Graph()
    for sample_id, scenario, participants in samples:
        graph.add_node(sample_id)
        if scenario == "couple":
            graph.add_edge(sample_id, ("folder", sample_id.split("/")[0] if "/" in sample_id else sample_id))
        else:
            for name in map(fold_name, participants):
                if name not in GENERIC_NAMES:
                    graph.add_edge(sample_id, ("person", name))
    component = {node: i for i, nodes in enumerate(nx.connected_components(graph)) for node in nodes}
    numbers: dict[str, dict[int, int]] = {"couple": {}, "family": {}}
    result = {}
    for sample_id, scenario, _ in samples:
        seen = numbers[scenario]
        number = seen.setdefault(component[sample_id], len(seen) + 1)
        result[sample_id] = f"{scenario}_{number:02d}"
    return result
