"""Speed and memory against the machine's limit and against peers: ``python -m benchmarks``.

Each case runs in a process of its own on inputs that a seed makes, or on real files where
``MLFS_SHARED_DATA`` names their folder. Numbers are of the machine that ran them.
"""
