"""The kernels that finish what bit planes share at once, against tables filled row by row."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from mlfs._kernels import co_sums
from mlfs._kernels import plane_subsets as kernels
from mlfs._kernels.co_sums import AllCounts
from mlfs._kernels.planes import keep_rows, sweep
from tests import naive
from tests.in_full import T, any_table, drawn, edges, n, starts, words


@pytest.mark.parametrize("n_rows", [3, 64, 300, 700])
@pytest.mark.parametrize("n_masks", [1, 3, 4, 6])
def test_what_planes_share(n_rows, n_masks):
    generator = np.random.default_rng([n_rows, n_masks])
    planes, masks = (generator.random((size, n_rows)) < 0.4 for size in (37, n_masks))
    begun = generator.integers(0, 9, (n_masks, 37)).astype(np.int32)
    wanted = (begun + (masks[:, None] & planes).sum(axis=2)).tolist()
    out = begun.copy()
    sweep(words(planes), words(masks), out)
    assert out.tolist() == wanted


@pytest.mark.parametrize("n_rows", [3, 64, 300, 700])
@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_planes_of_some_rows(n_rows, share):
    generator = np.random.default_rng([n_rows, int(10 * share)])
    planes, kept = generator.random((5, n_rows)) < 0.4, generator.random(n_rows) < share
    out = np.zeros((5, -(-int(kept.sum()) // 64)), np.uint64)
    sizes = np.zeros(5, np.int64)
    keep_rows(words(planes), words(kept[None])[0], out, sizes)
    assert out.tolist() == words(planes[:, kept]).tolist()
    assert sizes.tolist() == planes[:, kept].sum(axis=1).tolist()


@pytest.mark.parametrize("n_rows", [3, 300, 700])
@pytest.mark.parametrize("s_levels", [2, 4, 7])
@pytest.mark.parametrize("each", [False, True])
def test_sums_of_planes(n_rows, s_levels, each):
    generator = np.random.default_rng([n_rows, s_levels])
    features = [drawn(generator, n_rows, levels) for levels in (2, 3, 1, 5, 2)]
    labels = [drawn(generator, n_rows, 2) for _ in range(3)]
    s = drawn(generator, n_rows, s_levels, 0.9)
    xlogx = any_table(generator, n_rows)
    planes = np.concatenate([f.planes for f in features])
    first = edges([f.levels - 1 for f in features])
    n_f = planes.sum(axis=1).astype(np.int32)
    n_s = s.planes.sum(axis=1)
    cells = np.array([xlogx.table[n_f[a:b]].sum() for a, b in itertools.pairwise(first)])

    co = (s.planes[:, None] & planes).sum(axis=2).astype(np.int32)
    begun = starts(generator, len(features))
    out = begun.copy()
    memory = np.empty(n_s.size, np.int64)
    co_sums.add_pairs_of_cells(first, n_f, cells, co, n_s, memory, n_rows, xlogx, out)
    assert out.tolist() == (begun + [T(xlogx, f, s) for f in features]).tolist()

    on = np.stack([label.planes[0] for label in labels])
    masks = (on[:, None] & s.planes).reshape(-1, n_rows)
    begun = starts(generator, (len(labels) if each else 1, len(features)))
    out = begun.copy()
    counts = co_sums.Levels(
        n_rows,
        n_f,
        n_s,
        on.sum(axis=1),
        co,
        (on[:, None] & planes).sum(axis=2).astype(np.int32),
        masks.sum(axis=1).reshape(len(labels), -1),
    )
    shared = (masks[:, None] & planes).sum(axis=2).astype(np.int32)
    memory = np.empty((2, n_s.size + 1), np.int64)
    co_sums.add_joint_of_cells(first, counts, shared, *memory, xlogx, out)
    sums = np.array([[T(xlogx, f, s, label) for f in features] for label in labels])
    assert out.tolist() == (begun + (sums if each else sums.sum(axis=0))).tolist()


def in_planes(generator, columns, xlogx):
    """Columns as the kernels take them: planes in any order, and what is known of each."""
    order = generator.permutation(len(columns))
    sizes = np.array([columns[i].levels - 1 for i in order])
    first = np.empty(len(columns), np.int64)
    first[order] = edges(sizes)[:-1]
    return kernels.PlaneColumns(
        words(np.concatenate([columns[i].planes for i in order])),
        first,
        np.array([column.levels for column in columns]),
        np.array([column.mode for column in columns]),
        edges([column.levels for column in columns])[:-1],
        np.array([T(xlogx, column) for column in columns]),
        np.concatenate([n(column) for column in columns]),
    )


def information(a, b, given=None):
    """In nats, from the entropies of naive tables."""
    if given is None:
        return naive.H(a.key) + naive.H(b.key) - naive.H(a.key, b.key)
    both = naive.H(a.key, given.key) + naive.H(b.key, given.key)
    return both - naive.H(given.key) - naive.H(a.key, b.key, given.key)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("levels", [[2, 2, 2, 2], [2, 3, 4, 2]])
def test_information_about_a_few(seed, levels):
    n_rows = (70, 128, 333)[seed]
    generator = np.random.default_rng(seed)
    features = [drawn(generator, n_rows, some, 0.8) for some in (*levels, *levels)]
    picks = [drawn(generator, n_rows, some, 0.8) for some in levels[:3]]
    labels = [drawn(generator, n_rows, some, 0.8) for some in (2, levels[1], 2) * 12]
    labels[0].full[:60] = features[0].full[:60] % 2
    counts = np.arange(1, n_rows + 1)
    plain = counts * np.log(counts)
    shift = 2.0 ** int(62 - np.log2(plain[-1]))  # the sums over labels leave 64 bits on the way
    xlogx = AllCounts(np.array([0, *np.rint(plain * shift).astype(int)]), float(shift))
    start = generator.integers(0, len(picks) + 1, len(features))
    where = generator.permutation(len(features))
    f, s, l = (in_planes(generator, columns, xlogx) for columns in (features, picks, labels))

    shape = (len(picks), len(features))
    pairs, sl_given_f, fl_given_s, again = np.zeros((4, *shape))
    sums = np.zeros((4, len(picks), len(labels), len(features)), np.int64)
    table = np.zeros((f.levels.max(), s.levels.max()), np.int64)
    kernels.subset_pairs(f, s, start, where, n_rows, n_rows * shift, xlogx, table, pairs)
    most = (int(columns.levels.max()) for columns in (f, s, l))
    tables = kernels.Tables.of(*most, len(picks), len(labels), f.planes.shape[1])
    asked = f, s, l, start, where, n_rows * shift, xlogx, tables
    kernels.subset_triples(*asked, kernels.SubsetSums(sl_given_f, fl_given_s, sums))
    none = np.zeros((4, 0, 0, 0), np.int64)
    kernels.subset_triples(*asked, kernels.SubsetSums(again, fl_given_s, none))
    assert (again == sl_given_f).all()

    expected = np.zeros((3, *shape))
    exact = np.zeros_like(sums)
    for i, x in enumerate(features):
        for j in range(start[i], len(picks)):
            z = picks[j]
            expected[0, j, where[i]] = information(x, z)
            expected[1, j, where[i]] = sum(information(z, y, x) for y in labels)
            expected[2, j, where[i]] = sum(information(x, y, z) for y in labels)
            for k, y in enumerate(labels):
                tables = [(x, z, y), (x, z), (x, y), (z, y)]
                exact[:, j, k, where[i]] = [T(xlogx, *columns) for columns in tables]
    assert (sums == exact).all()
    np.testing.assert_allclose([pairs, sl_given_f, fl_given_s], expected, rtol=0, atol=1e-9)
