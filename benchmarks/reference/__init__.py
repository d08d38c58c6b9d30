"""The reference benchmark: criteria and baselines on public data, with results that others check.

``python -m benchmarks.reference folds`` makes the folds, ``run`` computes what is missing,
``check`` compares it with what is published, and ``publish`` writes the results, the lock file and
the page. protocol.toml says what is run, and docs/reference-benchmark.md why.
"""
