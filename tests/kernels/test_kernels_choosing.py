"""The kernels that compare candidate scores against plain sorting."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numba.core import config

from mlfs._kernels import choosing

EXAMPLES = 60 if config.DISABLE_JIT else 100
# equal, equal but for rounding, clearly apart, and without a bound
FINITE = st.sampled_from([0.0, 0.5, 0.5 + 1e-13, 0.5 - 1e-13, 0.5 - 1e-10, -3.0])
SCORES = FINITE | st.sampled_from([np.inf, -np.inf])
SIZES = st.sampled_from([0.0, 0.25, -40.0, 1e6, np.inf])


@st.composite
def candidate_scores(draw, most=9):
    """Scores, open candidates, columns, relevance, totals and the forced candidate."""
    n = draw(st.integers(0, most))
    values = draw(st.sampled_from([FINITE, SCORES]))
    some = {"min_size": n, "max_size": n}
    scores = np.array(draw(st.lists(values, **some)), float)
    is_open = np.array(draw(st.lists(st.sampled_from([True, True, False]), **some)), bool)
    features = np.array(draw(st.permutations(range(n))), np.int64)
    relevance = np.array(draw(st.lists(SIZES.filter(np.isfinite), **some)), float)
    total = np.array(draw(st.lists(SIZES, **some)), float)
    may = np.flatnonzero(is_open).tolist()
    forced = draw(st.sampled_from(may)) if may and draw(st.integers(0, 3)) == 3 else -1
    return scores, is_open, features, relevance, total, forced


def in_order(scores, among):
    """The candidates that have a score, the best first, of equal ones the first."""
    return sorted((f for f in among if scores[f] > -np.inf), key=lambda f: -scores[f])


def slack(relevance, total):
    return 1e-12 * max(1.0, abs(relevance) + (abs(total) if np.isfinite(total) else 0.0))


@settings(max_examples=EXAMPLES, deadline=None)
@given(candidate_scores(), st.booleans())
def test_the_pick_the_next_and_the_tied(current, with_total):
    scores, is_open, features, relevance, total, forced = current
    found = choosing.leaders(scores, is_open, features, relevance, total, with_total, forced)
    order = in_order(scores, [f for f in np.flatnonzero(is_open) if f != forced])
    if forced >= 0:
        assert found == (forced, order[0] if order else -1, 0, np.inf)
        return
    if not order:
        assert found == (-1, -1, 0, np.inf)
        return
    best = order[0]
    limit = scores[best] - slack(relevance[best], total[best] if with_total else 0.0)
    tied = sorted((f for f in order if scores[f] >= limit), key=lambda f: features[f])
    if len(tied) > 1:
        assert found == (tied[0], tied[1], len(tied) - 1, limit)
    else:
        assert found == (best, order[1] if order[1:] else -1, 0, limit)


@settings(max_examples=EXAMPLES, deadline=None)
@given(candidate_scores(), st.randoms())
def test_the_second_best_of_some(current, random):
    scores, is_open, _, relevance, total, forced = current
    some = random.sample(range(scores.size), random.randint(0, scores.size))
    found = choosing.leaders_of(np.array(some, np.int64), scores, is_open, relevance, total, forced)
    order = in_order(scores, [f for f in some if is_open[f] and f != forced])
    if not order:
        assert found == (-np.inf, 0.0)
        return
    second = order[0] if forced >= 0 else order[1] if order[1:] else None
    assert found == (
        -np.inf if second is None else scores[second],
        slack(relevance[order[0]], total[order[0]]),
    )


@settings(max_examples=EXAMPLES, deadline=None)
@given(candidate_scores(), st.randoms(), SCORES)
def test_those_that_lack_terms_and_might_lead(current, random, least):
    bounds, is_open = current[:2]
    folded = np.array([random.randint(0, 3) for _ in bounds], np.int64)
    out = np.full(bounds.size, -7)
    n = choosing.stale_ones(bounds, is_open, folded, 2, least, out)
    expected = [
        f
        for f in range(bounds.size)
        if is_open[f] and folded[f] < 2 and bounds[f] != -np.inf and bounds[f] >= least
    ]
    assert out[:n].tolist() == expected
    assert (out[n:] == -7).all()
