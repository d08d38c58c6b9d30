"""What a fit logs, and the line that `mlfs train` makes of it."""

from __future__ import annotations

import logging
import os
import struct
import sys

import numpy as np
import pytest

from mlfs.cli.console import Console
from mlfs.cli.progress import Waiting
from mlfs.models import make
from mlfs.models.progress_reports import report_each, stage

X = np.random.default_rng(0).normal(size=(60, 3))
Y = (X @ np.random.default_rng(1).normal(size=(3, 2)) + X[:, :2] > 0).astype(int)


@pytest.fixture
def said(caplog):
    """The messages so far."""
    caplog.set_level(logging.DEBUG, "mlfs.models")
    return lambda: [record.getMessage() for record in caplog.records]


def test_a_mixture_says_which_tree_and_which_step(said):
    make("mc", n_trees=2, max_iter=1).fit(X, Y)
    found = said()
    assert [one for one in found if ":" not in one] == ["tree 1", "tree 2", "all rows"]
    assert "tree 2: EM step 1 of at most 1: classifiers 2 of 2" in found
    assert "tree 1: tree of labels 1 of 2" in found


def test_an_ensemble_says_which_member(said):
    make("ecc", n_estimators=2).fit(X, Y)
    assert [one for one in said() if ":" not in one] == ["member 1 of 2", "member 2 of 2"]


def test_thresholds_say_which_fold_and_which_label(said):
    make("occ", n=2, threshold="scut").fit(X, Y)
    found = said()
    assert found[:3] == [
        "fold 1 of 5",
        "fold 1 of 5: features of label 1 of 2",
        "fold 1 of 5: features of label 2 of 2",
    ]
    assert "all rows: classifiers 1 of 2" in found


def test_nothing_is_said_to_nobody(caplog):
    make("ecc", n_estimators=2).fit(X, Y)
    assert not caplog.records


def test_the_line_says_what_a_fit_is_doing(said):
    line = Waiting(Console(), "training mc on 9 rows")
    assert line.line(line.began + 2) == "training mc on 9 rows: 2 s (Ctrl-C stops it)"
    line.shown = True
    with line, stage("tree 1"):
        list(report_each("classifiers", range(2)))
    shown = line.line(line.began + 10)
    assert shown == "training mc on 9 rows: tree 1: classifiers 2 of 2: 10 s (Ctrl-C stops it)"
    with stage("tree 2"):
        assert line.line(line.began + 10) == shown


@pytest.mark.parametrize(
    ("columns", "shown"),
    [(30, "what is done"), (13, "what is done"), (9, "what is "), (5, "what")],
)
def test_the_line_fits_the_terminal_of_stderr_and_is_removed(monkeypatch, columns, shown):
    fcntl, termios = pytest.importorskip("fcntl"), pytest.importorskip("termios")
    reader, terminal = os.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    monkeypatch.setenv("TERM", "xterm")
    with os.fdopen(terminal, "w", encoding="utf-8") as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        with Waiting(Console(), "") as line:
            line.draw("what is done")
        with Waiting(Console(quiet=True), "") as line:
            assert not line.shown
        wanted, seen = f"\r\x1b[K{shown}\r\x1b[K", ""
        while len(seen) < len(wanted):  # a terminal passes on what it has, in parts
            seen += os.read(reader, 1000).decode()
        assert seen == wanted
    os.close(reader)
