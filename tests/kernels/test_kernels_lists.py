"""The kernels that walk row lists and finish at once, against tables filled row by row."""

from __future__ import annotations

import numpy as np
import pytest

from mlfs._kernels import joint, meeting
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
        labels[at].full[s.full != s.base] = labels[at].base
    clogc = any_table(generator, int(weights.sum()))
    indptr, columns, _ = by_row(features)
    both = [np.intersect1d(label.rows, s.rows) for label in labels]
    ends = edges([rows.size for rows in both])

    def off(*some):
        rows = np.logical_and.reduce([column.full != column.base for column in some])
        return weights[rows].sum()

    off_f = np.array([off(f) for f in features], np.int32)
    off_fs = np.array([off(f, s) for f in features], np.int32)
    off_fl = np.array([[off(f, label) for f in features] for label in labels], np.int32)
    off_l = np.array([off(label) for label in labels], np.int32)
    off_sl = np.array([off(s, label) for label in labels], np.int32)
    off_s, total = int(off(s)), int(weights.sum())
    sums = np.array(
        [[T(clogc, f, s, label, weights=weights) for f in features] for label in labels]
    )

    begun = starts(generator, (len(labels) if each else 1, len(features)))
    expected = (begun + (sums if each else sums.sum(axis=0))).tolist()
    out, met = begun.copy(), np.zeros(len(features), np.int32)
    meeting.joint_of_lists(
        indptr,
        columns,
        ends[:-1],
        ends[1:],
        np.concatenate(both),
        weights,
        off_f,
        off_fs,
        off_fl,
        off_s,
        off_l,
        off_sl,
        total,
        clogc,
        met,
        out,
    )
    assert out.tolist() == expected
    assert not met.any()

    out = begun.copy()
    all_three = np.array([[off(f, s, label) for f in features] for label in labels], np.int32)
    meeting.joint_of_meets(
        all_three, off_f, off_fs, off_fl, off_s, off_l, off_sl, total, clogc, out
    )
    assert out.tolist() == expected

    for label, fl, l, wanted in zip(labels, off_fl, off_l, sums, strict=True):
        one, met = np.zeros(len(features), np.int64), np.zeros(len(features), np.int32)
        lists = indptr, columns, s.rows, label.rows, weights
        meeting.joint_of_one(*lists, off_f, off_fs, fl, off_s, l, total, clogc, met, one)
        assert one.tolist() == wanted.tolist()


def test_informations_of_all_features_are_added_beyond_64_bits():
    generator = np.random.default_rng(0)
    t_fsl, alone, t_fl = generator.integers(-(1 << 60), 1 << 60, (3, 90))
    informations = [max(0, int(a + b - c)) for a, b, c in zip(t_fsl, alone, t_fl, strict=True)]
    assert sum(informations) > 1 << 63
    assert 0 in informations
    out = np.array([5, 7])
    joint.add_features(t_fsl, alone, t_fl, out)
    high, low = out.tolist()
    assert (high << joint.LOW_BITS) + low == sum(informations) + (5 << joint.LOW_BITS) + 7
