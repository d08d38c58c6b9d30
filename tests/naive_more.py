"""The oracle, continued: criteria of the field beyond the papers behind mlfs.

The conventions are those of `tests.naive`, which has the entropies. Each formula is written out
as its paper or the authors' program has it, one label at a time, and summed over the labels.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import fsum, prod, sqrt

from tests.naive import SU, I, I_fs, R, h, interaction, joint, mean, ratio, whole

ROUNDING = 1e-12


def J_betagamma(f, S, X, Y, P=None, *, beta=1.0, gamma=1.0):
    """Brown et al. (2012), the linear family."""
    return fsum(
        I(X[f], l)
        - beta * fsum(I(X[f], X[s], about=(l,)) for s in S)
        + gamma * fsum(I(X[f], X[s], l) for s in S)
        for l in Y
    )


def J_mri(f, S, X, Y, P=None):
    weight = 2 / (len(S) + 1)
    return J_betagamma(f, S, X, Y, beta=weight, gamma=weight)


def J_cfr(f, S, X, Y, P=None):
    if not S:
        return R(f, X, Y)
    return fsum(I(X[f], l, X[s]) - interaction(X[f], X[s], l) for s in S for l in Y)


def J_dcsf(f, S, X, Y, P=None):
    if not S:
        return R(f, X, Y)
    return fsum(
        I(X[f], l, X[s]) + I(X[s], l, X[f]) - I(X[f], X[s], about=(l,)) for s in S for l in Y
    )


def label_relevance(f, X, Y):
    """Sum over the ordered pairs of labels of I(f;l|l')."""
    return fsum(I(X[f], Y[i], Y[j]) for i in range(len(Y)) for j in range(len(Y)) if i != j)


def J_lrfs(f, S, X, Y, P=None):
    return label_relevance(f, X, Y) - mean(I_fs(f, s, X, Y) for s in S)


def supplements(f, X, Y):
    """Zhang, Liu, Gao & Song (2021): what l' adds to I(f;l), over the ordered pairs of labels."""
    pairs = [(l, k) for i, l in enumerate(Y) for j, k in enumerate(Y) if i != j]
    return [max(0.0, I(X[f], l, k) - I(X[f], l, about=(k,))) for l, k in pairs]


def J_lsmfs(f, S, X, Y, P=None):
    return R(f, X, Y) + fsum(supplements(f, X, Y)) - fsum(I_fs(f, s, X, Y) for s in S)


def J_mlsmfs(f, S, X, Y, P=None):
    return R(f, X, Y) + max(supplements(f, X, Y)) - fsum(I_fs(f, s, X, Y) for s in S)


def J_tcrfs(f, S, X, Y, P=None):
    q = len(Y)
    return label_relevance(f, X, Y) / (q * (q - 1)) + mean(
        mean(I(X[f], l, X[s]) + I(X[s], l, X[f]) - interaction(X[f], X[s], l) for l in Y) for s in S
    )


def J_njmim(f, S, X, Y, P=None):
    if not S:
        return R(f, X, Y)

    def together(s):
        pairs = [(joint(X[f], X[s]), l) for l in Y]
        return fsum(ratio(I(fs, l), h(joint(fs, l))) for fs, l in pairs)

    return min(together(s) for s in S)


def J_fcbf(f, S, X, Y, P=None, *, delta=0.0):
    """Yu & Liu (2003): a picked feature removes what it tells at least as much of as the labels."""
    own = mean(SU(X[f], l) for l in Y)
    if own < delta or any(SU(X[f], X[s], Y) >= own - ROUNDING for s in S):
        return float("-inf")
    return own


def J_igmf(f, S, X, Y, P=None):
    return fsum(SU(X[f], l) for l in Y)


def J_enm(f, S, X, Y, P=None):
    return sqrt(fsum(I(X[f], l) ** 2 for l in Y))


def J_gmm(f, S, X, Y, P=None):
    known = [I(X[f], l) for l in Y]
    return prod(i if i > ROUNDING else 0.0 for i in known) ** (1 / len(Y))


def J_nmifs(f, S, X, Y, P=None):
    def share(s, l):
        least = min(h(X[f], about=(X[s], l)), h(X[s], about=(X[f], l)))
        return ratio(I(X[f], X[s], about=(l,)), least)

    return fsum(I(X[f], l) - mean(share(s, l) for s in S) for l in Y)


def J_mifs_u(f, S, X, Y, P=None, *, beta=1.0):
    def redundancy(s, l):
        return ratio(I(X[s], l), h(X[s], about=(l,))) * I(X[f], X[s], about=(l,))

    return fsum(I(X[f], l) - beta * fsum(redundancy(s, l) for s in S) for l in Y)


def J_miq(f, S, X, Y, P=None, *, floor=0.001):
    if not S:
        return R(f, X, Y)
    return R(f, X, Y) / max(mean(I_fs(f, s, X, Y) for s in S), floor)


# Several picks at once ---------------------------------------------------------------------------


def J_cmi(f, S, X, Y, P=None):
    """All picks as one variable; what adds nothing is never taken."""
    if not S:
        return R(f, X, Y)
    added = fsum(I(X[f], l, *(X[s] for s in S)) for l in Y)
    return added if added > ROUNDING else float("-inf")


def J_jmi3(f, S, X, Y, P=None):
    if not S:
        return R(f, X, Y)
    if len(S) == 1:
        return fsum(I(joint(X[f], X[S[0]]), l) for l in Y)
    triples = [(joint(joint(X[f], X[s]), X[t]), l) for s in S for t in S if s != t for l in Y]
    return fsum(I(fst, l) for fst, l in triples) / 2


def J_relaxmrmr(f, S, X, Y, P=None):
    return fsum(
        I(X[f], l)
        - mean(I(X[f], X[s], about=(l,)) - I(X[f], X[s], l) for s in S)
        - mean(I(X[f], X[s], X[t], about=(l,)) for s in S for t in S if s != t)
        for l in Y
    )


def gini_gain(x, l):
    """sum_xl p(x,l)^2 / p(x) - sum_l p(l)^2."""
    x, l = whole(x, l)
    n = len(l)
    within = fsum(c**2 / x.count(a) for (a, _), c in Counter(zip(x, l, strict=True)).items())
    return ratio(within, n) - ratio(fsum(c**2 for c in Counter(l).values()), n**2)


def J_jim(f, S, X, Y, P=None):
    if not S:
        return fsum(gini_gain(X[f], l) for l in Y)
    return fsum(gini_gain(joint(X[f], X[s]), l) for s in S for l in Y)


# Several labels at once --------------------------------------------------------------------------


def J_fimf(f, S, X, Y, P=None, *, labels=10):
    """Lee & Kim (2015): label pairs are looked at among the labels of greatest entropy."""
    ranked = sorted(range(len(Y)), key=lambda l: (-round(h(Y[l]), 12), l))
    chosen = [Y[l] for l in ranked[:labels]]
    return R(f, X, Y) - fsum(interaction(X[f], a, b) for a, b in combinations(chosen, 2))
