"""The label network that a criterion uses: computed from counts, or given by the user."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlfs.criteria import Criterion
from mlfs.data.dataset import Dataset
from mlfs.data.first_component import first_component, in_three_levels
from mlfs.errors import UnknownName, UsageError, check_name, plural, printable
from mlfs.information.info import Info
from mlfs.search.label_parents import Structure
from mlfs.search.networks import (
    chain_order_cheap,
    chain_order_full,
    information_tree,
    k_parents,
)

ORDERS = {
    "cheap": "labels ordered by Algorithm 2 on the first principal component in three levels",
    "full": "labels ordered by Algorithm 2 on all features",
    "given": "labels in the order of their columns",
}


def network_for(
    criterion: Criterion,
    network: Any,
    dataset: Dataset,
    info: Info,
    weights: np.ndarray | None,
    order: str,
    k: int | None,
) -> Structure | None:
    """Make the network for a criterion; None if it uses none.

    Parameters
    ----------
    criterion : Criterion
        What it is for; its ``network`` names the kind that it wants by default.
    network : str, Structure, mapping or None
        What the user asks for.
    dataset, info, weights
        The data.
    order, k
        How the chain is made, see `mlfs.select`.
    """
    check_name(order, "order of labels", ORDERS)
    if k is not None and (isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0):
        msg = f"is the greatest number of parents of a label, not {printable(repr(k))}"
        raise UsageError(msg, option="k")
    if criterion.network is False:
        if network is not None:
            msg = f"the criterion {type(criterion).__name__} uses no label network"
            raise UsageError(msg)
        return None
    if isinstance(network, Structure):
        if len(network.parents) != len(dataset.labels):
            msg = (
                f"the network has {plural(len(network.parents), 'label')}, "
                f"but the data have {plural(len(dataset.labels), 'label')}"
            )
            raise UsageError(msg)
        return network.renumbered(dataset.label_names)
    if isinstance(network, Mapping):
        return given_network(network, dataset.label_names)
    default = "chain" if criterion.network is True else criterion.network
    kind = default if network is None else network if isinstance(network, str) else repr(network)
    if kind == "tree":
        return information_tree(info, dataset.label_names)
    if kind != "chain":
        raise UnknownName("label network", kind, ("chain", "tree"))
    if order == "given" or len(dataset.labels) == 1:
        sequence = tuple(range(len(dataset.labels)))
    elif order == "full":
        sequence = chain_order_full(info)
    else:
        sequence = chain_order_cheap(
            info, in_three_levels(first_component(_here(dataset), weights), weights)
        )
    chain = k_parents(info, sequence, k, dataset.label_names)
    return replace(chain, note=f"{ORDERS[order]}; {chain.note}")


def _here(dataset: Dataset) -> Dataset:
    """The data set with X, also where only the workers of a cluster have it."""
    whole = getattr(dataset.table, "whole", None)
    return dataset if whole is None else dataset.with_changes(X=whole())


def given_network(parents: Mapping[Any, Sequence[Any]], names: Sequence[str]) -> Structure:
    """Check the parents of labels that a user gives: known names and no cycle.

    Examples
    --------
    >>> given_network({"b": ["a"]}, ["a", "b"]).parents
    ((), (0,))
    """
    where = {name: i for i, name in enumerate(names)}

    def number(label: Any) -> int:
        if label in where:
            return where[label]
        if isinstance(label, (int, np.integer)) and 0 <= label < len(names):
            return int(label)
        raise UnknownName("label in the network", str(label), names)

    parents_of: dict[int, tuple[int, ...]] = {}
    for label, pa in parents.items():
        if isinstance(pa, str) or not isinstance(pa, Iterable):
            msg = (
                f"the parents of the label {printable(repr(label))} are a list of labels, "
                f"not {printable(repr(pa))}"
            )
            raise UsageError(msg)
        parents_of[number(label)] = tuple(sorted({number(p) for p in pa}))
    order: list[int] = []
    remaining = list(range(len(names)))
    while remaining:
        free = [i for i in remaining if all(p in order for p in parents_of.get(i, ()))]
        if not free:
            msg = (
                f"the network has a circle through the label {printable(names[remaining[0]])!r}: "
                "no label may come before its own parents"
            )
            raise UsageError(msg)
        order += free
        remaining = [i for i in remaining if i not in free]
    return Structure(
        "given",
        tuple(names),
        tuple(order),
        tuple(parents_of.get(i, ()) for i in range(len(names))),
        note="given",
    )
