"""Are the p-values of picks uniform where nothing is left to find, and does ``n="fdr"`` keep alpha?

    python -m benchmarks.path_p_values [problems]

Prints a line for each number of earlier picks, and the false share and the power of fdr and auto.
"""

from __future__ import annotations

import sys

import numpy as np

import mlfs
from mlfs.search.path_tests import path_p_values


def null_problem(
    generator: np.random.Generator, n_picks: int, rows: int = 150, d: int = 12
) -> tuple[np.ndarray, np.ndarray]:
    """Correlated labels that depend on the first columns; the others depend on these alone."""
    X = generator.integers(0, 3, (rows, d))
    told = X[:, :n_picks].sum(axis=1) % 3
    follows = generator.random((rows, d)) < 0.4
    X[:, n_picks:] = np.where(follows, told[:, None], X)[:, n_picks:]
    first = generator.random(rows) < 0.2 + 0.3 * told
    Y = [first]
    for _ in range(3):
        Y.append(np.where(generator.random(rows) < 0.6, Y[-1], generator.random(rows) < 0.4))
    return X, np.column_stack(Y).astype(int)


def null_p_values(n_picks: int, problems: int, permutations: int = 200) -> np.ndarray:
    """The p-value after so many picks of each problem."""
    out = []
    for seed in range(problems):
        X, Y = null_problem(np.random.default_rng([seed, n_picks]), n_picks)
        info = mlfs.prepare((X, Y), correction="none").info
        picked = [*range(n_picks), n_picks]
        *_, (p, _) = path_p_values(info, np.arange(X.shape[1]), picked, permutations, seed)
        out.append(1.0 if p is None else p)
    return np.array(out)


def distance(p_values: np.ndarray) -> float:
    """Kolmogorov's distance of P(p <= x) from x, over the values x that p has.

    Between two of these P(p <= x) is constant, and no p-value from permutations could be uniform.
    """
    ranked = np.sort(p_values)
    share = np.searchsorted(ranked, ranked, side="right") / p_values.size
    return float(np.abs(share - ranked).max())


def planted(generator: np.random.Generator, rows: int = 300, d: int = 40) -> tuple[np.ndarray, ...]:
    """Four columns that tell of three labels, and others that tell nothing."""
    X = generator.integers(0, 2, (rows, d))
    noise = generator.random((rows, 3)) < 0.15
    Y = np.column_stack([X[:, 0], X[:, 1] | X[:, 2], X[:, 1] & X[:, 3]]) ^ noise
    return X, Y.astype(int)


def shares(criterion: str, n: str, problems: int) -> np.ndarray:
    """The share of false picks, and that of the four columns that are found, of each problem."""
    out = []
    for seed in range(problems):
        X, Y = planted(np.random.default_rng(seed))
        found = mlfs.select((X, Y), criterion, n, seed=seed).indices
        true = sum(column < 4 for column in found)
        out.append(((len(found) - true) / max(1, len(found)), true / 4))
    return np.array(out)


def main() -> None:
    """Print both tables."""
    problems = int(sys.argv[1]) if len(sys.argv) > 1 else 2000
    print("earlier picks  distance  5 % level  share below 0.05")
    for n_picks in range(4):
        p_values = null_p_values(n_picks, problems)
        low = float((p_values <= 0.05).mean())
        level = 1.358 / np.sqrt(problems)
        print(f"{n_picks:>13}  {distance(p_values):8.4f}  {level:9.4f}  {low:.4f}")
    print("criterion  n     false share  standard error  found")
    for criterion in ("scls", "jmi", "mrmr"):
        for n in ("fdr", "auto"):
            false, found = shares(criterion, n, problems // 4).T
            error = false.std(ddof=1) / np.sqrt(false.size)
            print(f"{criterion:9}  {n:4}  {false.mean():11.4f}  {error:14.4f}  {found.mean():.3f}")


if __name__ == "__main__":
    main()
