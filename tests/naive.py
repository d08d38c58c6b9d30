"""The oracle: every formula from scratch, tiny, readable and slow, straight from the papers.

Nothing here comes from mlfs and nothing is carried from one step to the next. A column is a tuple
of values, one a row; None is a missing value. X is a list of columns, Y a list of label columns, P
holds for each label of Y the list of its parents' columns, S the features picked so far.

Rows with a missing value in *any* column of a term are left out of that term. A term about a label
leaves out the rows where that label is missing even if the label is not in the term: `about`. An
information with no label around it is the mean over the labels in play of the same information on
the rows of each. A missing X that is a level of its own is a value like any other, not None.

A new criterion needs its `J_<name>(f, S, X, Y, P=None, **parameters)`, written first, in
`tests/naive_more.py`; the entropies here serve it.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import combinations
from math import exp, fsum, log, sqrt


def mean(values):
    values = list(values)
    return fsum(values) / len(values) if values else 0.0


def ratio(a, b):
    return a / b if b else 0.0


# Entropies ---------------------------------------------------------------------------------------


@lru_cache(maxsize=100_000)
def H(*columns):
    counts = Counter(zip(*columns, strict=True)).values()
    n = sum(counts)
    return fsum(-c / n * log(c / n) for c in counts)


def whole(*columns):
    """The columns on the rows where none of them misses a value."""
    rows = [row for row in zip(*columns, strict=True) if None not in row]
    return list(zip(*rows, strict=True)) or [()] * len(columns)


def h(a, about=()):
    return H(whole(a, *about)[0])


@lru_cache(maxsize=100_000)
def I(a, b, *given, about=()):  # noqa: E743
    a, b, *z = whole(a, b, *given, *about)[: 2 + len(given)]
    return H(a, *z) + H(b, *z) - H(a, b, *z) - H(*z)


def interaction(a, b, c):
    """I(a;b;c) = I(a;b) - I(a;b|c), positive when c makes b redundant."""
    a, b, c = whole(a, b, c)
    return I(a, b) - I(a, b, c)


def joint(a, b):
    return tuple(None if None in pair else pair for pair in zip(a, b, strict=True))


def SU(a, b, Y=((),)):
    """Symmetrical uncertainty, 2 I(a;b) / (H(a) + H(b)), 0 for two constants.

    With labels around it, I and H are means over the labels in play.
    """
    pairs = [whole(a, b, l)[:2] if l else whole(a, b) for l in Y]
    return ratio(2 * mean(I(*ab) for ab in pairs), mean(H(a) + H(b) for a, b in pairs))


def I_fs(f, s, X, Y):
    """I(f;s) with no label around it."""
    return mean(I(X[f], X[s], about=(l,)) for l in Y)


def R(f, X, Y):
    """The information of f about each label alone: sum_l I(f;l)."""
    return fsum(I(X[f], l) for l in Y)


# The papers' criteria ----------------------------------------------------------------------------


def J_mim(f, S, X, Y, P=None):
    return R(f, X, Y)


def J_jmi(f, S, X, Y, P=None):
    return fsum(I(X[f], l) + mean(I(X[s], l, X[f]) for s in S) for l in Y)


def J_mrmr(f, S, X, Y, P=None):
    return fsum(I(X[f], l) - mean(I(X[f], X[s], about=(l,)) for s in S) for l in Y)


def J_mcmfs(f, S, X, Y, P=None):
    """Zhang, Gao, Hu & Li (2020): the greatest relevance to a label, less mean redundancy."""
    return max(I(X[f], l) for l in Y) - mean(I_fs(f, s, X, Y) for s in S)


def J_mlfs_global(f, S, X, Y, P, *, beta=None, gamma=None):
    """Sun & Kudo (42); beta and gamma are means unless given."""

    def weighed(weight, values):
        values = list(values)
        return mean(values) if weight is None else weight * fsum(values)

    return fsum(
        I(X[f], l)
        + weighed(beta, (I(l, p, X[f]) for p in parents))
        + weighed(gamma, (I(l, X[s], X[f]) for s in S))
        for l, parents in zip(Y, P, strict=True)
    )


def J_mlfs_local(f, S, X, Y, P, *, beta=None, gamma=None):
    """Sun & Kudo (43): (42) for one label with its own S."""
    (label,) = Y
    return J_mlfs_global(f, S, X, [label], P, beta=beta, gamma=gamma)


def J_scls(f, S, X, Y, P=None):
    """Lee & Kim (25); a feature without entropy is never taken."""
    if mean(h(X[f], about=(l,)) for l in Y) == 0:
        return float("-inf")

    def share(s):
        return ratio(I_fs(f, s, X, Y), mean(h(X[f], about=(X[s], l)) for l in Y))

    return R(f, X, Y) - fsum(share(s) * R(f, X, Y) for s in S)


def J_ami(f, S, X, Y, P=None):
    """Lee & Kim (2)."""
    return R(f, X, Y) - fsum(I_fs(f, s, X, Y) for s in S)


def J_mdmr(f, S, X, Y, P=None):
    return R(f, X, Y) - mean(I_fs(f, s, X, Y) - fsum(I(X[f], l, X[s]) for l in Y) for s in S)


def J_mlig(f, S, X, Y, P=None, *, r=0.15):
    """Sun, Kudo & Kimura (18); how many are kept is `mlig_sizes`."""
    (label,) = Y
    return I(X[f], label)


def merit(S, X, Y, P=None):
    """Sun, Kudo & Kimura (20)-(21); parents are members, several labels are averaged."""
    members = [X[s] for s in S] + [p for parents in (P or []) for p in parents]
    n = len(members)
    r_yz = mean(SU(z, l) for z in members for l in Y)
    r_zz = mean(SU(a, b, Y) for a, b in combinations(members, 2))
    return ratio(n * r_yz, sqrt(n + n * (n - 1) * r_zz))


def J_mlcfs(f, S, X, Y, P):
    (_label,) = Y
    return merit([*S, f], X, Y, P)


def J_mlcfs_global(f, S, X, Y, P=None):
    return merit([*S, f], X, Y)


# Beyond the papers' set: all of them begin with sum_l I(f;l) -------------------------------------


def J_cmim(f, S, X, Y, P=None):
    return min([R(f, X, Y), *(fsum(I(X[f], l, X[s]) for l in Y) for s in S)])


def J_jmim(f, S, X, Y, P=None):
    if not S:
        return R(f, X, Y)
    return min(fsum(I(joint(X[f], X[s]), l) for l in Y) for s in S)


def J_disr(f, S, X, Y, P=None):
    if not S:
        return R(f, X, Y)
    pairs = [(joint(X[f], X[s]), l) for s in S for l in Y]
    return fsum(ratio(I(fs, l), h(joint(fs, l))) for fs, l in pairs)


def J_d2f(f, S, X, Y, P=None):
    return R(f, X, Y) - fsum(interaction(X[f], X[s], l) for s in S for l in Y)


J_cife = J_d2f


def J_icap(f, S, X, Y, P=None):
    return fsum(I(X[f], l) - fsum(max(0.0, interaction(X[f], X[s], l)) for s in S) for l in Y)


def J_pmu(f, S, X, Y, P=None):
    return J_d2f(f, S, X, Y) - fsum(interaction(X[f], a, b) for a, b in combinations(Y, 2))


# Search, imbalance, label structure --------------------------------------------------------------


def best_first(X, Y, P=None, patience=5):
    """Weka's rule: expand the best open subset; stop after 5 expansions with no better merit.

    Among equals, the subset that was met first is expanded; better means by more than rounding.
    """
    best, stale = (), 0
    best_merit = merit((), X, Y, P)
    opened, met = {best: best_merit}, {frozenset(best)}
    while opened and stale < patience:
        top = max(opened.values())
        here = next(s for s, m in opened.items() if m >= top - 1e-12)
        del opened[here]
        stale += 1
        for f in range(len(X)):
            child = (*here, f)
            if f in here or frozenset(child) in met:
                continue
            met.add(frozenset(child))
            opened[child] = merit(child, X, Y, P)
            if opened[child] > best_merit + 1e-12:
                best, best_merit, stale = child, opened[child], 0
    return best, best_merit


def imbalance(Y):
    """IR(Y_j) of each label (None without positives), IR and CVIR: Sun, Kudo & Kimura (9)."""
    counts = [sum(v == 1 for v in l) for l in Y]
    each = [max(counts) / c if c else None for c in counts]
    kept = [ir for ir in each if ir is not None]
    ir = mean(kept)
    sd = sqrt(ratio(fsum((v - ir) ** 2 for v in kept), len(kept) - 1))
    return each, ir, ratio(sd, ir)


def mlig_sizes(Y, d, r=0.15):
    """How many of d features MLIG keeps for each label: Sun, Kudo & Kimura (19)."""
    each, ir, cvir = imbalance(Y)
    betas = [0.0 if ir_j is None else ir / (ir_j * (cvir + 1)) for ir_j in each]
    alphas = [2 * r * (exp(b) - 1) / (exp(b) + 1) + r for b in betas]
    return [max(1, round(alpha * d)) for alpha in alphas]


def order_gain(a, placed, X, Y, second=True):
    """What label a is worth as the next of the chain: Sun & Kudo, Algorithm 2 and (47).

    The cheap order has one column in X (a binned principal component) and no second term.
    """
    if not placed:
        return fsum(I(Y[a], Y[b], x) for b in range(len(Y)) if b != a for x in X)
    return fsum(
        mean(I(Y[a], Y[b], x) for x in X)
        + (mean(I(Y[b], Y[c], Y[a]) for c in placed[:k]) if second else 0.0)
        for k, b in enumerate(placed)
    )


def parent_gain(p, j, parents, Y):
    """What label p is worth as the next parent of label j: Sun & Kudo (33), alpha a mean."""
    return I(Y[p], Y[j]) + mean(I(Y[j], Y[k], Y[p]) for k in parents)
