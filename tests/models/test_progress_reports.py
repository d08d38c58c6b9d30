"""What a fit says of itself, and the line that `mlfs train` makes of it."""

from __future__ import annotations

import os
import struct
import sys

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
    assert lines[2].startswith("fold 1 of 5: features of label 2 of 2 (")
    assert "all rows: classifiers 1 of 2" in lines
    with reporting(print, every=1000):
        make("occ", n=2).fit(X, Y)
    assert len(capsys.readouterr().out.splitlines()) == 1
    with pytest.raises(UsageError, match="tell is a function, such as print, not 1"), reporting(1):
        pass


def test_the_line_says_how_long_a_part_goes_on():
    line = Waiting(Console(), "training mc", " on 9 rows")
    assert line.lines(line.began + 2)[:4] == [
        "training mc on 9 rows: 2 s (Ctrl-C stops it)",
        "training mc on 9 rows: 2 s",
        "training mc: 2 s (Ctrl-C stops it)",
        "training mc: 2 s",
    ]
    line.tell(Progress(("tree 1", "classifiers"), 0, 4))
    line.tell(Progress(("tree 1", "classifiers"), 1, 4, 40.0))
    shown = line.lines(line._told + 10)
    assert shown[0].startswith("training mc on 9 rows: tree 1: classifiers 2 of 4: ")
    assert shown[0].endswith(", 30 s left of this (Ctrl-C stops it)")
    assert shown[-1].startswith("tree 1: classifiers 2 of 4: ")


@pytest.mark.parametrize(
    ("columns", "shown"),
    [(30, "the long form"), (13, "short form"), (9, "short fo"), (5, "shor")],
)
def test_the_line_fits_the_terminal_of_stderr_and_is_removed(monkeypatch, columns, shown):
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    reader, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(terminal, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        with Waiting(Console(), "") as line:
            line.draw("the long form", "short form")
        with Waiting(Console(quiet=True), "") as line:
            assert not line.shown
        wanted, seen = f"\r\x1b[K{shown}\r\x1b[K", ""
        while len(seen) < len(wanted):  # a terminal passes on what it has, in parts
            seen += os.read(reader, 1000).decode()
        assert seen == wanted
    os.close(reader)
