"""Experiments on the cells of `docs/published.md` that differ: other readings of the papers."""
