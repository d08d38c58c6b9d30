"""What a fit says of itself, and the line that `mlfs train` makes of it."""

from __future__ import annotations

import numpy as np
import pytest

from mlfs.cli.console import Console
from mlfs.cli.progress import Waiting
from mlfs.errors import UsageError
from mlfs.models import make, reporting
from mlfs.models.progress_reports import Progress

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X @ np.random.default_rng(1).normal(size=(3, 2)) + X[:, :2] > 0).astype(int)


def test_a_mixture_says_which_tree_and_which_step():
    told: list[Progress] = []
    with reporting(told.append):
        make("mc", n_trees=2, max_iter=1).fit(X, Y)
    make("mc", n_trees=2, max_iter=1).fit(X, Y)
    assert [one.what for one in told if not one.total and len(one.what) == 1] == [
        ("tree 1",), ("tree 2",), ("all rows",),
    ]  # fmt: skip
    places = [one[:3] for one in told]
    assert (("tree 2", "EM step 1 of at most 1", "classifiers"), 1, 2) in places
    assert (("tree 1", "tree of labels"), 0, 2) in places


def test_an_ensemble_says_which_member():
    told: list[Progress] = []
    with reporting(told.append):
        make("ecc", n_estimators=2).fit(X, Y)
    assert [one.what[0] for one in told if len(one.what) == 1] == [
        "member 1 of 2", "member 2 of 2",
    ]  # fmt: skip


def test_what_is_told_prints_as_a_line_and_not_too_often(capsys):
    with reporting(print):
        make("occ", n=2, threshold="scut").fit(X, Y)
    lines = capsys.readouterr().out.splitlines()
    assert lines[:2] == ["fold 1 of 5", "fold 1 of 5: features of label 1 of 2"]
    assert lines[2].startswith("fold 1 of 5: features of label 2 of 2 (0 s left")
    assert "all rows: classifiers 1 of 2" in lines
    with reporting(print, every=1000):
        make("occ", n=2).fit(X, Y)
    assert len(capsys.readouterr().out.splitlines()) == 1
    with pytest.raises(UsageError, match="tell is a function, such as print, not 1"), reporting(1):
        pass


def test_the_line_says_how_long_a_part_goes_on():
    line = Waiting(Console(), "training mc")
    assert line.line(line.began + 2) == "training mc: 2 s (Ctrl-C stops it)"
    line.tell(Progress(("tree 1", "classifiers"), 0, 4))
    line.tell(Progress(("tree 1", "classifiers"), 1, 4, 40.0))
    shown = line.line(line._told + 10)
    assert shown.startswith("training mc: tree 1: classifiers 2 of 4: ")
    assert shown.endswith(", 30 s left of this (Ctrl-C stops it)")
