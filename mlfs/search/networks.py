"""Label structures computed from counts, or given: the order of a chain, its parents, a tree.

MLFS and MLCFS take the parents of each label from them, and classifier chains use them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlfs._kernels.choosing import TIE
from mlfs.criteria import Criterion
from mlfs.data.dataset import Dataset
from mlfs.data.first_component import first_component, in_three_levels
from mlfs.errors import UnknownName, UsageError, check_name, plural, printable
from mlfs.information.for_search import (
    among_labels,
    cmi_given_codes,
    cmi_given_features,
    cmi_given_labels,
    label_pair,
)
from mlfs.information.info import Info
from mlfs.search.greedy import greedy
from mlfs.search.label_parents import Structure, numbered_names


class _ParentGain(Criterion):
    """Eq. (33) of Sun & Kudo: I(a;l) + 1/|pa| sum_{p in pa} I(l;p|a), for a candidate parent a."""

    def relevance(self, info: Info) -> np.ndarray:
        return info.mi_fL

    def term(self, info: Info, s: int) -> np.ndarray:
        return info.cmi_sL_given_f(s)

    def score(self, relevance: np.ndarray, total: np.ndarray, picked: list[int]) -> np.ndarray:
        return relevance + total / len(picked)


def check_most_parents(k: Any) -> None:
    """Refuse what is no greatest number of parents, nor None."""
    if k is not None and (isinstance(k, bool) or not isinstance(k, (int, np.integer)) or k < 0):
        msg = f"is the greatest number of parents of a label, not {printable(repr(k))}"
        raise UsageError(msg, option="k")


def k_parents(
    info: Info, order: tuple[int, ...], k: int | None = None, names: Sequence[str] | None = None
) -> Structure:
    """Give each label the k best of its predecessors, by eq. (33).

    Parameters
    ----------
    info : Info
        The data.
    order : tuple of int
        The order of the chain.
    k : int, optional
        The greatest number of parents; ceil(0.8 q) by default, as in the paper.
    names : sequence of str, optional
        The names of the labels; ``y0, y1, ...`` by default.
    """
    q = info.q
    names = numbered_names(q) if names is None else tuple(names)
    k = math.ceil(0.8 * q) if k is None else k
    among = among_labels(info)
    parents: list[tuple[int, ...]] = [()] * q
    for position, label in enumerate(order):
        before = sorted(order[:position])
        if len(before) <= k:
            parents[label] = tuple(before)
        elif k > 0:
            search = greedy(_ParentGain(), among.for_label(label).only(before), k)
            parents[label] = tuple(np.sort(search.picks.columns).tolist())
    note = f"at most {plural(k, 'parent')} by eq. (33)"
    return Structure("chain", names, tuple(order), tuple(parents), note=note)


def chain_order_cheap(info: Info, component: np.ndarray) -> tuple[int, ...]:
    """Order the labels by Algorithm 2, with one coded column in place of all features.

    Parameters
    ----------
    info : Info
        The data.
    component : ndarray of int
        The first principal component in three levels.
    """
    return _greedy_order(cmi_given_codes(info, component))


def chain_order_full(info: Info) -> tuple[int, ...]:
    """Order the labels by Algorithm 2 on all features, with the second term of eq. (47)."""
    return _greedy_order(cmi_given_features(info), info)


def _greedy_order(cmi: np.ndarray, info: Info | None = None) -> tuple[int, ...]:
    """Order labels by their information about one another: `cmi` is I(a;b|x), (q, q)."""
    q = cmi.shape[0]
    is_open = np.ones(q, bool)
    score = np.zeros(q)
    for column in range(q):
        score += cmi[column]
    order: list[int] = []
    gain = np.zeros(q)
    for _ in range(q):
        best = _lowest_best(score if not order else gain, is_open)
        if info is not None and order:
            # sum over the earlier l of I(Y_best; Y_l | Y_j), for every j that is still open
            gain += cmi_given_labels(info, best, order) / len(order)
        gain += cmi[best]
        order.append(best)
        is_open[best] = False
    return tuple(order)


def _lowest_best(score: np.ndarray, is_open: np.ndarray) -> int:
    values = np.where(is_open, score, -np.inf)
    top = values.max()
    return int(np.flatnonzero(values >= top - TIE * max(1.0, abs(top)))[0])


def information_tree(info: Info, names: Sequence[str] | None = None) -> Structure:
    """Link the labels by the maximum spanning tree of I(a;b) / min(H(a), H(b)).

    The root is the label that shares most with all others; every other label has one parent.
    """
    q = info.q
    shared = np.zeros((q, q))
    for label in range(q):
        mi, h_f, h_l = label_pair(info, label)
        least = np.minimum(h_f, h_l)
        np.divide(mi, least, out=shared[label], where=least > 0)
    np.fill_diagonal(shared, 0.0)
    root = _lowest_best(shared.sum(axis=0), np.ones(q, bool)) if q else 0
    order, parents = [root], [()] * q  # type: list[int], list[tuple[int, ...]]
    link, best = np.full(q, root), shared[root].copy()
    is_open = np.arange(q) != root
    while is_open.any():
        label = _lowest_best(best, is_open)
        parents[label] = (int(link[label]),)
        order.append(label)
        is_open[label] = False
        nearer = is_open & (shared[label] > best + TIE)
        link[nearer], best[nearer] = label, shared[label][nearer]
    note = "maximum spanning tree on I(a;b) / min(H(a), H(b))"
    names = numbered_names(q) if names is None else tuple(names)
    return Structure("tree", names, tuple(order), tuple(parents), note=note)


KINDS = ("chain", "tree")
ORDERS = {
    "cheap": "labels ordered by Algorithm 2 on the first principal component in three levels",
    "full": "labels ordered by Algorithm 2 on all features",
    "given": "labels in the order of their columns",
}


def network_for(network: Any, dataset: Dataset) -> Structure:
    """The label network that a user gives, as a structure or as the parents of each label."""
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
    raise UnknownName("label network", repr(network), KINDS)


def learned_network(
    kind: str,
    dataset: Dataset,
    info: Info,
    weights: np.ndarray | None,
    order: str = "cheap",
    k: int | None = None,
) -> Structure:
    """Learn a label network.

    Parameters
    ----------
    kind : {"chain", "tree"}
        What is learned.
    dataset, info, weights
        The data.
    order, k
        How the chain is made, see `mlfs.label_network`.
    """
    check_name(kind, "label network", KINDS)
    check_name(order, "order of labels", ORDERS)
    if kind == "tree":
        return information_tree(info, dataset.label_names)
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
