"""The criteria that the page of an explorer computes: the one place where they are declared.

A criterion is here if its terms are made of numbers about one column, and about two. The page and
`terms_of` read the same declaration; a criterion is offered only where the numbers that come of it
are those of the criterion itself, which missing values or corrections can change.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlfs.criteria import Criterion
from mlfs.information.info import Info

PLACES = 1e-11  # by which a term may differ from that of the criterion
TRIED = 8  # picks whose terms are compared


@dataclass(frozen=True)
class Fold:
    """A criterion as a fold of terms of one pick and each candidate.

    Parameters
    ----------
    parts : tuple of (float, str)
        The term of a pick s is a sum of these: a factor, and ``mi``, I(f;s); ``f_given_s``,
        sum_l I(f;l|s); ``s_given_f``, sum_l I(s;l|f); or ``relevance``, sum_l I(f;l).
    weight : str
        What the sum is multiplied by: ``1``; ``labels``, their number; ``f``, sum_l I(f;l) / H(f);
        ``s``, sum_l I(s;l) / H(s); or ``least``, the number of labels / min(H(f), H(s)). What is
        divided by 0 is 0.
    least : bool
        Fold by the minimum instead of the sum.
    total : float
        The factor of the total in the score.
    over : str
        What the total is divided by: ``1``, ``n``, the number of picks, or ``half``, (n + 1) / 2.
    score : str
        ``sum`` of relevance and total, the ``total`` alone, or the ``least`` of the two.
    skips_constant : bool
        Whether columns without entropy are never picked.
    """

    parts: tuple[tuple[float, str], ...] = ()
    weight: str = "1"
    least: bool = False
    total: float = 0.0
    over: str = "1"
    score: str = "sum"
    skips_constant: bool = False


INTERACTION = ((1.0, "relevance"), (-1.0, "f_given_s"))
FOLDS = {
    "mim": Fold(),
    "mrmr": Fold(((1.0, "mi"),), "labels", total=-1.0, over="n"),
    "mifs": Fold(((1.0, "mi"),), "labels", total=-1.0),
    "ami": Fold(((1.0, "mi"),), total=-1.0),
    "jmi": Fold(((1.0, "s_given_f"),), total=1.0, over="n"),
    "cmim": Fold(((1.0, "f_given_s"),), least=True, total=1.0, score="least"),
    "jmim": Fold(((1.0, "relevance"), (1.0, "s_given_f")), least=True, total=1.0, score="total"),
    "scls": Fold(((1.0, "mi"),), "f", total=-1.0, skips_constant=True),
    "mdmr": Fold(((1.0, "mi"), (-1.0, "f_given_s")), total=-1.0, over="n"),
    "d2f": Fold(INTERACTION, total=-1.0),
    "mri": Fold(INTERACTION, total=-1.0, over="half"),
    "nmifs": Fold(((1.0, "mi"),), "least", total=-1.0, over="n"),
    "mifs_u": Fold(((1.0, "mi"),), "s", total=-1.0),
}


class Arrays(NamedTuple):
    """The numbers that a page has of its candidates; rows are picks, columns are candidates.

    Parameters
    ----------
    relevance, entropy : ndarray, shape (m,)
        sum_l I(f;l) and H(f).
    mi : ndarray, shape (m, m)
        I(f;s).
    given : ndarray, shape (m, m)
        given[s, f] is sum_l I(f;l|s).
    labels : int
        How many labels there are.
    """

    relevance: np.ndarray
    entropy: np.ndarray
    mi: np.ndarray
    given: np.ndarray
    labels: int

    @classmethod
    def of(cls, view: Info) -> Arrays:
        """Count all pairs of the candidates of a view."""
        columns = view.features.tolist()
        mi = np.stack([view.mi_fs(s) for s in columns])
        given = np.stack([view.cmi_fL_given_s(s) for s in columns])
        return cls(np.array(view.mi_fL), np.array(view.h_f), mi, given, view.q)


def terms_of(fold: Fold, arrays: Arrays, s: int) -> np.ndarray:
    """The terms of a pick, by its position, with all candidates: what the page computes."""
    relevance, entropy = arrays.relevance, arrays.entropy
    quantities = {
        "mi": arrays.mi[s],
        "f_given_s": arrays.given[s],
        "s_given_f": arrays.given[:, s],
        "relevance": relevance,
    }
    out = np.zeros(relevance.size)
    for factor, name in fold.parts:
        out = out + factor * quantities[name]
    of_s = np.full(relevance.size, entropy[s])
    ratios = {
        "f": (relevance, entropy),
        "s": (np.full(relevance.size, relevance[s]), of_s),
        "least": (np.full(relevance.size, float(arrays.labels)), np.minimum(entropy, of_s)),
    }
    if fold.weight in ratios:
        above, below = ratios[fold.weight]
        return out * np.divide(above, below, out=np.zeros(out.size), where=below > 0)
    return out * (arrays.labels if fold.weight == "labels" else 1)


def is_faithful(fold: Fold, arrays: Arrays, criterion: Criterion, view: Info) -> bool:
    """Whether relevance and terms are those of the criterion, tried on a few picks."""
    relevance = np.asarray(criterion.relevance(view))
    expected = arrays.relevance
    if fold.skips_constant:
        expected = np.where(arrays.entropy > 0, expected, -np.inf)
    if not np.allclose(relevance, expected, rtol=PLACES, atol=PLACES):
        return False
    if not fold.parts:
        return True
    tried = np.argsort(-arrays.relevance, kind="stable")[:TRIED].tolist()
    shape = relevance.shape
    terms = [np.broadcast_to(criterion.term(view, int(view.features[s])), shape) for s in tried]
    ours = [terms_of(fold, arrays, s) for s in tried]
    return bool(np.allclose(terms, ours, rtol=PLACES, atol=PLACES))
