"""The reference benchmark: criteria and baselines on public data, with results that others check.

``python -m benchmarks.reference folds`` makes the folds, ``run`` computes what is missing, and
``publish`` writes the results, the lock file and the page. protocol.toml says what is run, and
docs/protocol.md why.
"""
