"""The causes, where known, of cells that differ by more than two standard deviations."""

from __future__ import annotations

from fnmatch import fnmatch

from benchmarks.papers.verdict import Verdict

__all__ = ["REASONS", "reason"]

# paper, data, method, metric (patterns; the first that fits): the cause
REASONS: list[tuple[str, str, str, str, str]] = [
    (
        "occ", "genbase", "ECC", "*",
        ("its published +- is 0.001; over our 25 folds it is 0.018, and the published values lie "
         "within that. Why the mean is lower was not found."),
    ),
    (
        "mixture", "yeast", "MC", "*",
        "one fold was run, so there is no standard deviation; the cell exceeds its time limit.",
    ),
    (
        "occ", "genbase", "*", "*",
        ("the random folds. Over eight random partitions BR gives an exact match of "
        "0.973 to 0.985 and a macro-F1 of 0.685 to 0.778; the partition of the cells with five "
        "folds gives the lowest values."),
    ),
    (
        "occ", "rcv1subset1|bibtex|corel5k", "oCC", "*",
        ("n is 0.1 here; the paper chose it from 0.1 to 0.9 by a rule that it does not state. "
        "Choosing it takes too long on these data; on small data it has a larger effect."),
    ),
    (
        "occ", "*", "oCC", "*",
        ("n: the paper does not state how it was chosen. With seed 0, yeast at n = 0.9 gives "
        "0.212, 0.786, 0.410, 0.634 (published 0.210, 0.787, 0.410, 0.636), emotions at n = 0.3 "
        "gives 0.285, 0.748, 0.581, 0.601 (0.270, 0.767, 0.580, 0.606), enron at n = 0.1 gives "
        "0.151, 0.945, 0.190, 0.536 (0.140, 0.946, 0.194, 0.532)."),
    ),
    (
        "occ", "medical", "EoCC", "*",
        "only two of the five folds were run, and both deviate in the same direction.",
    ),
    (
        "occ", "enron", "EBCC", "hamming_score",
        ("probably a misprint: the published 0.940 lies a whole 0.010 below the 0.950 of ECC, "
        "which we obtain as well, and its other three metrics agree with ours."),
    ),
    (
        "pacc", "enron|rcv1subset1|bibtex", "BR|CC|BCC|PACC", "*",
        ("ours is better. A part is due to the solver: Weka's runs to convergence, ours stops "
        "after 200 steps or at 0.001, which regularises. CC on the first fold of enron has 0.123, "
        "and 0.114 at convergence, which takes ten times as long. The rest is not explained."),
    ),
]  # fmt: skip


def reason(paper: str, one: Verdict) -> str:
    """The cause that is known, or nothing."""
    place = (paper, one.cell.data, one.cell.method, one.cell.metric)
    for *patterns, cause in REASONS:
        if all(_fits(given, pattern) for given, pattern in zip(place, patterns, strict=True)):
            return cause
    return ""


def _fits(given: str, pattern: str) -> bool:
    return any(fnmatch(given, one) for one in pattern.split("|"))
