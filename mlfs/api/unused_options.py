"""Refuse options that the selection would not use."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from mlfs.api.options import OPTIONS, is_auto, is_fdr
from mlfs.criteria import Criterion
from mlfs.errors import UsageError, printable, setting

NUMBERS = {
    "auto": "an automatic number of features",
    "auto or fdr": "an automatic number of features, or one by false discoveries",
}


def refuse_unused(
    name: str,
    criterion: Criterion,
    values: Mapping[str, Any],
    set_by_user: Collection[str] = (),
) -> None:
    """Raise `UsageError` if an option is set that this selection does not use.

    Parameters
    ----------
    name : str
        The name of the criterion.
    criterion : Criterion
        The criterion.
    values : mapping
        The options of the selection. A value that is not the default was set by the user.
    set_by_user : collection of str
        The options that the user gave even if they have the default values; only a command line
        can know.

    Examples
    --------
    >>> from mlfs import criteria
    >>> refuse_unused("mim", criteria.get("mim")[1], {"n": 5, "alpha": 0.1})
    Traceback (most recent call last):
    mlfs.errors.UsageError: alpha is only used for an automatic number of features, or one by \
false discoveries, and n is 5: leave it out, or ask for auto or fdr
    """
    if criterion.network is False and values.get("network") is not None:
        msg = f"is given, and the criterion {printable(name)} uses no label network: leave it out"
        raise UsageError(msg, option="network")
    tested = ("alpha", "seed") if values.get("at_least") else ()  # at_least tests as auto does
    for use in (*NUMBERS, "chain"):
        named = [option for option in OPTIONS if option.only_for == use and option.name in values]
        options = [option for option in named if option.name not in tested]
        unused = [
            o.name
            for o in options
            if o.name in set_by_user or not _is_default(values[o.name], o.default)
        ]
        if not unused:
            continue
        if use == "chain":
            why = _why_no_chain(name, criterion, values)
        else:
            why = _why_not(use, values.get("n"))
            if unused == ["seed"] and draws(values):
                why = ""
        if why:
            verb, it = ("is", "it") if len(unused) == 1 else ("are", "them")
            if "k" in unused:  # as the number of features is called elsewhere
                why += "; the number of features is n, in a transformer n_features_to_select"
            raise UsageError(f"{verb} only used for {why.format(it)}", option=tuple(unused))


def draws(values: Mapping[str, Any]) -> bool:
    """Whether halves of the rows, or permutations of the labels, are drawn."""
    asked = values.get("resamples") is not None or values.get("permutations") is not None
    return asked or is_fdr(values.get("n"))


def _is_default(value: Any, default: Any) -> bool:
    return value is default or bool(np.isscalar(value) and value == default)


def _why_not(use: str, n: Any) -> str:
    if (is_auto(n) and "auto" in use) or (is_fdr(n) and "fdr" in use):
        return ""
    shown = "not given" if n is None else printable(repr(n))
    return f"{NUMBERS[use]}, and {setting('n')} is {shown}: leave {{}} out, or ask for {use}"


def _why_no_chain(name: str, criterion: Criterion, values: Mapping[str, Any]) -> str:
    network = values.get("network")
    use = "a label network that is learned as a chain"
    if criterion.network is False:
        return f"{use}, and the criterion {printable(name)} uses none: leave {{}} out"
    kind = network or ("chain" if criterion.network is True else criterion.network)
    if kind == "chain":
        return ""
    shown = "a tree" if isinstance(kind, str) else "given"
    return f"{use}, and the network is {shown}: leave {{}} out"


def refuse_on_cluster(values: Mapping[str, Any]) -> None:
    """Raise `UsageError` if a cluster is given for what does not count on one.

    Examples
    --------
    >>> refuse_on_cluster({"cluster": "local:2", "estimator": "gaussian"})
    Traceback (most recent call last):
    mlfs.errors.UsageError: cluster is given, but the estimator gaussian counts nothing: leave one \
of the two out
    """
    if values.get("cluster") is None:
        return
    if values.get("estimator") == "gaussian":
        why = "the estimator gaussian counts nothing"
        raise UsageError(f"is given, but {why}: leave one of the two out", option="cluster")
