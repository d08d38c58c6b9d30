"""The kernels that walk row lists and finish at once, against tables filled row by row."""

from __future__ import annotations

import numpy as np
import pytest

from mlfs._kernels import co_sums, lists, row_walks
from tests.in_full import T, any_table, by_row, drawn, edges, starts


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("each", [False, True])
def test_joint_sums_of_lists(seed, each):
    generator = np.random.default_rng(seed)
    n_rows = 60
    weights = generator.integers(0, 4, n_rows)
    features = [drawn(generator, n_rows, 2, 0.6) for _ in range(6)]
    labels = [drawn(generator, n_rows, 2, 0.6) for _ in range(4)]
    s = drawn(generator, n_rows, 2, 0.6)
    for at in ((0, 3), (1, 2), (1,), (), (0, 1, 2, 3))[seed]:  # labels that never meet s
        labels[at].full[s.full != s.mode] = labels[at].mode
    xlogx = any_table(generator, int(weights.sum()))
    indptr, columns, _ = by_row(features)
    both = [np.intersect1d(label.rows, s.rows) for label in labels]
    ends = edges([rows.size for rows in both])

    def rows_of(*some):
        rows = np.logical_and.reduce([column.full != column.mode for column in some])
        return weights[rows].sum()

    total = int(weights.sum())
    counts = co_sums.TwoLevels(
        total,
        np.array([rows_of(f) for f in features], np.int32),
        int(rows_of(s)),
        np.array([rows_of(label) for label in labels]),
        np.array([rows_of(f, s) for f in features], np.int32),
        np.array([[rows_of(f, label) for f in features] for label in labels], np.int32),
    )
    sums = np.array(
        [[T(xlogx, f, s, label, weights=weights) for f in features] for label in labels]
    )
    begun = starts(generator, (len(labels) if each else 1, len(features)))
    expected = (begun + (sums if each else sums.sum(axis=0))).tolist()

    every = np.arange(len(features) + 1)
    lists = row_walks.Lists(indptr, columns, weights, every, every[:-1].astype(np.int32))
    out, co = begun.copy(), np.zeros(len(features), np.int32)
    grouped = np.concatenate(both)
    row_walks.add_joint_of_lists(lists, grouped, ends[:-1], ends[1:], counts, xlogx, co, out)
    assert out.tolist() == expected
    assert not co.any()

    out = begun.copy()
    shared = np.array([[rows_of(f, s, label) for f in features] for label in labels], np.int32)
    n_sl = np.array([rows_of(s, label) for label in labels])
    co_sums.joints_of_two(shared, counts, n_sl, xlogx, out)
    assert out.tolist() == expected


@pytest.mark.parametrize("has_codes", [True, False])
def test_lists_of_some_rows(has_codes):
    generator = np.random.default_rng(0)
    kept = generator.random(50) < 0.5
    rows = [np.flatnonzero(generator.random(50) < share) for share in (0.3, 0.0, 0.6)]
    codes = [generator.integers(0, 9, part.size) for part in rows]
    place = np.where(kept, np.cumsum(kept) - 1, -1)
    flat = np.concatenate(codes) if has_codes else np.zeros(0, int)
    out, out_codes, ends = np.zeros(99, int), np.zeros(99 * has_codes, int), np.zeros(4, int)
    indptr = edges([part.size for part in rows])
    n = lists.keep_rows(indptr, np.concatenate(rows), flat, place, ends, out, out_codes)
    for j, (part, own) in enumerate(zip(rows, codes, strict=True)):
        span = slice(ends[j], ends[j + 1])
        assert out[span].tolist() == place[part[kept[part]]].tolist()
        assert not has_codes or out_codes[span].tolist() == own[kept[part]].tolist()
    assert n == ends[-1] == sum(int(kept[part].sum()) for part in rows)


@pytest.mark.parametrize("seed", range(8))
def test_rows_that_two_lists_share(seed):
    generator = np.random.default_rng(seed)
    one, other = (np.flatnonzero(generator.random(40) < share) for share in (0.4, 0.1 * seed))
    out = np.empty(one.size, np.int64)
    size = row_walks.shared_rows(one, other, out)
    assert out[:size].tolist() == np.intersect1d(one, other).tolist()


def test_information_of_all_features_is_added_beyond_64_bits():
    generator = np.random.default_rng(0)
    t_fsl, alone, t_fl = generator.integers(-(1 << 60), 1 << 60, (3, 90))
    information = [max(0, int(a + b - c)) for a, b, c in zip(t_fsl, alone, t_fl, strict=True)]
    assert sum(information) > 1 << 63
    assert 0 in information
    out = np.array([5, 7])
    co_sums.add_features(t_fsl, alone, t_fl, out)
    high, low = out.tolist()
    assert (high << co_sums.LOW_BITS) + low == sum(information) + (5 << co_sums.LOW_BITS) + 7
