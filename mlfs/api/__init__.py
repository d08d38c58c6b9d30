"""The public functions: data come in, a `Selection` goes out.

`prepared` reads, bins and counts, `selecting` selects, `explanation` gives reasons, `selector` is
the scikit-learn transformer, and `text` shows results.
"""
