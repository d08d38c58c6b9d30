"""Markov blankets: of known networks, and beside a search written with plain loops."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import chi2, hypergeom

import mlfs
from mlfs.counting.independence import Independence
from mlfs.search.blankets import Blankets
from tests.naive_networks import draw, network

# ---- twins ------------------------------------------------------------------------------------


def naive_test(x, y, given):
    """G² by loops, and its p-value with the mean over all permutations as degrees of freedom."""
    strata = {}
    for i in range(len(x)):
        strata.setdefault(tuple(z[i] for z in given), []).append(i)
    told = mean = 0.0
    for rows in strata.values():
        n = len(rows)
        for a, b in itertools.product({x[i] for i in rows}, {y[i] for i in rows}):
            n_a, n_b = (sum(c[i] == v for i in rows) for c, v in ((x, a), (y, b)))
            n_ab = sum(x[i] == a and y[i] == b for i in rows)
            told += 2 * n_ab * math.log(n_ab * n / (n_a * n_b)) if n_ab else 0.0
            for k in range(1, min(n_a, n_b) + 1):
                mean += hypergeom.pmf(k, n, n_a, n_b) * 2 * k * math.log(k * n / (n_a * n_b))
    return (1.0, 0.0) if mean < 1e-9 else (chi2.sf(told, mean), told / 2)


def naive_admitted(p_of, target, v, members, p, alpha, most):
    """The greatest p-value of a variable, or the subset of the members that separates it."""
    worst = max(p, p_of(v, target, ())[0])
    for size in range(1, most + 1):
        for subset in itertools.combinations(members, size):
            worst = max(worst, p_of(v, target, subset)[0])
            if worst > alpha:
                return None, subset
    return worst, None


def naive_neighbours(p_of, target, variables, alpha, most, first=()):
    """Semi-interleaved HITON-PC; `first` are members that stay."""
    members, apart = dict(first), {}
    tested = {v: p_of(v, target, ()) for v in variables if v != target}
    apart |= {v: () for v, (p, _) in tested.items() if p > alpha}
    dependent = [v for v in tested if v not in apart]
    for v in sorted(dependent, key=lambda v: (tested[v][0], -tested[v][1], v)):
        p, subset = naive_admitted(p_of, target, v, members, 0.0, alpha, most)
        if subset is None:
            members[v] = p
        else:
            apart[v] = subset
    for v in [v for v in reversed(members) if v not in first]:
        p, subset = naive_admitted(
            p_of, target, v, [z for z in members if z != v], members.pop(v), alpha, most
        )
        if subset is None:
            members[v] = p
        else:
            apart[v] = subset
    return members, apart


def naive_blanket(p_of, label, d, q, alpha, most):
    """HITON-MB with labels as variables, which are taken out in the end."""
    variables = range(d + q)
    members, apart = naive_neighbours(p_of, label, variables, alpha, most)
    direct = {v: p for v, p in members.items() if v < d}
    out = {v: ("direct", p, -1) for v, p in direct.items()}
    for child, edge in direct.items():
        for spouse in naive_neighbours(p_of, child, variables, alpha, most)[0]:
            known = spouse in out or spouse not in apart
            if spouse >= d or known or child in apart[spouse]:
                continue
            p = p_of(spouse, label, (*apart[spouse], child))[0]
            if p <= alpha:
                out[spouse] = ("spouse", max(p, edge), child)
    blocked = {v: [z for z in given if z >= d] for v, given in apart.items()}
    blocked = {v: zs for v, zs in blocked.items() if zs and v < d and v not in out}
    again, _ = naive_neighbours(p_of, label, blocked, alpha, most, direct)
    out |= {v: ("through", p, blocked[v][0]) for v, p in again.items() if v not in direct}
    ordered = sorted(out, key=lambda v: (out[v][1], v))
    passing = [r for r, v in enumerate(ordered, 1) if out[v][1] <= alpha * r / (d + q - 1)]
    return {v: out[v] for v in ordered[: max(passing, default=0)]}


def independence_of(data):
    levels = data.max(axis=0) + 1
    return Independence(lambda j: (data[:, j], int(levels[j])), len(data))


@pytest.mark.parametrize("seed", range(4))
def test_a_test_is_that_of_loops(seed):
    random = np.random.default_rng(seed)
    data = random.integers(0, [2, 3, 2, 3], (40, 4))
    data[:, 1] = np.where(random.random(40) < 0.6, data[:, 0], data[:, 1])
    tests = independence_of(data)
    for given in ((), (2,), (2, 3)):
        p, told = tests.test(0, 1, given)
        expected = naive_test(data[:, 0], data[:, 1], [data[:, z] for z in given])
        assert (p, told) == pytest.approx(expected, rel=1e-7, abs=1e-12)


def test_rows_with_a_missing_value_are_left_out():
    data = np.random.default_rng(0).integers(0, 2, (60, 3))
    data[:7, 1] = 2
    tests = Independence(lambda j: (data[:, j], 2), 60)
    assert tests.test(0, 2, (1,)) == independence_of(data[7:]).test(0, 2, (1,))
    assert len(tests) == 1
    assert tests.test(2, 0, (1,)) is tests.test(0, 2, (1,))


@pytest.mark.parametrize("seed", range(4))
def test_a_p_value_that_is_not_needed_exactly_is_bounded(seed):
    random = np.random.default_rng(seed)
    data = random.integers(0, [2, 3, 2, 3], (400, 4))
    data[:, 1] = np.where(random.random(400) < 0.3, data[:, 0], data[:, 1])
    exact = independence_of(data)
    p = exact.test(0, 1, (2, 3))[0]
    assert 0.0 < p < 0.05
    for least in (0.0, p / 10, p * 10, 0.9):
        tests = independence_of(data)
        assert tests.greater(least, 0, 1, (2, 3)) == max(least, p)
        assert len(tests) == (least < 0.9)  # the bound sufficed
        assert tests.greater(0.0, 1, 0, (3, 2)) == p
        assert tests.test(0, 1, (2, 3)) == exact.test(0, 1, (2, 3))


@pytest.mark.parametrize("seed", range(6))
def test_a_blanket_is_that_of_loops(seed):
    net = network("child")
    names = sorted(net)[seed : seed + 9]
    drawn = draw(net, 150, seed)
    data = np.stack([drawn[name] for name in names], axis=1)
    d, q = 6, 3
    tests, known = independence_of(data), {}

    def p_of(a, b, given):
        key = (*sorted((a, b)), *sorted(given))
        if key not in known:
            known[key] = naive_test(data[:, key[0]], data[:, key[1]], [data[:, z] for z in key[2:]])
        return known[key]

    blankets = Blankets(tests, range(d), range(d, d + q), 0.1, 2)
    for label in range(d, d + q):
        expected = naive_blanket(p_of, label, d, q, 0.1, 2)
        got = blankets.blanket(label)
        assert {v: (m.kind, m.via) for v, m in got.items()} == {
            v: (kind, via) for v, (kind, _, via) in expected.items()
        }
        for v, member in got.items():
            assert member.p == pytest.approx(expected[v][1], rel=1e-6, abs=1e-12)


# ---- known networks ---------------------------------------------------------------------------


def true_blanket(net, name):
    children = [v for v, (_, parents) in net.items() if name in parents]
    return {*net[name][1], *children, *(p for c in children for p in net[c][1])} - {name}


@pytest.mark.parametrize(
    ("name", "algorithm", "precision", "recall"),
    [
        ("child", "hiton", 0.95, 0.9),
        ("child", "iamb", 0.9, 0.9),
        ("child", "inter-iamb", 0.9, 0.9),
        ("alarm", "hiton", 0.93, 0.85),
    ],
)
def test_blankets_of_known_networks_are_found(name, algorithm, precision, recall):
    net, shares = network(name), []
    drawn = draw(net, 5000, seed=0)
    for target in net:
        others = [v for v in net if v != target]
        X = np.stack([drawn[v] for v in others], axis=1)
        data = mlfs.data.from_arrays(X, drawn[target][:, None], feature_names=others, classes=True)
        chosen = mlfs.select(data, "blanket", parameters={"algorithm": algorithm})
        true, got = true_blanket(net, target), {*chosen.names}
        shares.append(
            (len(got & true) / max(1, len(got)) if got else 1.0, len(got & true) / len(true))
        )
    found = np.mean(shares, axis=0)
    assert found[0] > precision
    assert found[1] > recall


# ---- reasons ----------------------------------------------------------------------------------


def chain(n=3000, seed=0):
    """Cause to first to second label; child of the first label and of a spouse; a column alone."""
    random = np.random.default_rng(seed)

    def noisy(x, share=0.1):
        return np.where(random.random(n) < share, 1 - x, x)

    cause, spouse, alone = random.integers(0, 2, (3, n))
    first = noisy(cause)
    second = noisy(first)
    child = noisy(first & spouse, 0.05)
    X, Y = np.stack([cause, spouse, child, alone], 1), np.stack([first, second], 1)
    names = ["cause", "spouse", "child", "alone"]
    return mlfs.data.from_arrays(X, Y, feature_names=names, label_names=["first", "second"])


def test_each_column_has_its_reason():
    chosen = mlfs.select(chain(), "blanket")
    reasons = {
        label: dict(zip(ranking.names, (c.reason for c in ranking.certainty), strict=True))
        for label, ranking in chosen.labels.items()
    }
    assert reasons["first"] == {
        "cause": "direct",
        "child": "direct",
        "spouse": "spouse of first, by child",
    }
    assert reasons["second"] == {"cause": "through first", "child": "through first"}
    first = chosen.to_dict()["labels"][0]["selected"][0]
    assert first["reason"] == "direct"
    assert first["p"] < 1e-6
    assert "in the blanket" in str(mlfs.explain(chain(), chosen, ["cause"]))


def test_iamb_looks_again_without_labels():
    chosen = mlfs.select(chain(), "blanket", parameters={"algorithm": "iamb"})
    assert {*chosen.labels["first"].names} == {"cause", "child", "spouse"}
    assert "through first" in {c.reason for c in chosen.labels["second"].certainty}


def test_a_copy_stands_for_the_other():
    random = np.random.default_rng(0)
    x = random.integers(0, 2, 500)
    y = np.where(random.random(500) < 0.1, 1 - x, x)
    chosen = mlfs.select((np.stack([x, x, random.integers(0, 2, 500)], 1), y[:, None]), "blanket")
    assert chosen.indices == (0,)


def test_noise_is_seldom_in_a_blanket():
    found = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        data = random.integers(0, 2, (200, 30)), random.integers(0, 2, (200, 2))
        found += len(mlfs.select(data, "blanket")) > 0
    assert found <= 8  # two labels, each at a level of 0.05


def test_what_cannot_be_tested_is_refused():
    with pytest.raises(mlfs.UsageError, match="count a whole number of times"):
        mlfs.select(chain(50), "blanket", sample_weight=np.linspace(1, 2, 50) ** 2)
    with pytest.raises(ValueError, match="algorithm is one of hiton, iamb"):
        mlfs.select(chain(50), "blanket", parameters={"algorithm": "x"})


def test_columns_that_all_depend_on_each_other_are_tested_by_few_sets():
    asked = set()

    class AllDependent:
        def test(self, a, b, given=()):
            asked.add((min(a, b), max(a, b), tuple(sorted(given))))
            return 0.0, float(a + b)

        def greater(self, least, a, b, given=()):
            return max(least, self.test(a, b, given)[0])

    found = Blankets(AllDependent(), range(25), [25], 0.05, 3).blanket(25)
    assert len(found) == 25
    most = sum(math.comb(18, size) for size in range(4))
    assert len(asked) <= 26 * 25 * 2 * most  # each of two variables, on its way in and again
    for a, b, given in asked:
        assert len({a, b, *given}) == 2 + len(given) <= 5


def test_it_says_once_how_long_blankets_take(monkeypatch):
    random = np.random.default_rng(0)
    X = random.normal(size=(200, 12)) + random.normal(size=(200, 1))
    Y = X[:, [0, 4, 8]] + random.normal(size=(200, 3)) > 0
    monkeypatch.setattr("mlfs.search.blankets.LONG", 0.0)
    with pytest.warns(mlfs.MlfsWarning, match=r"take about \d+ s: a smaller max_given") as told:
        mlfs.select((X, Y), "blanket")
    assert len([w for w in told if "blankets take" in str(w.message)]) == 1
