"""Run the cells of a table, a fold at a time, each stored as soon as it is done."""

from __future__ import annotations

import json
import signal
import time
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import KFold

from benchmarks import machine
from benchmarks.files import SkipCase
from benchmarks.papers import data
from benchmarks.papers.data import Part
from mlfs.compare import evaluate

__all__ = ["RESULTS", "Paper", "Recipe", "metrics_of", "run", "stored"]

RESULTS = Path(__file__).with_name("results")
LABELS = ("exact_match", "hamming_score", "hamming_loss", "accuracy", "macro_f1", "micro_f1")


class OutOfTime(BaseException):
    """The cell takes longer than it may; nothing that catches errors is to catch it."""


@dataclass(frozen=True)
class Recipe:
    """What one cell, or several that share a model, is made of.

    Parameters
    ----------
    make : callable
        ``make(name of the data, its training rows)`` gives an unfitted model.
    variants : mapping
        Method -> parameters that are set on the fitted model before it predicts.
    note : str
        How it is set up, in a line.
    """

    make: Callable[[str, Part], Any]
    variants: Mapping[str, Mapping[str, Any]]
    note: str


@dataclass(frozen=True)
class Paper:
    """The tables of a paper: how its numbers are measured.

    Parameters
    ----------
    name, number, title : str
        What the command calls it, its number in `published.json`, and what the page says.
    folds : mapping from data to int
        How many folds each data set has; 0 is the published split.
    recipes : mapping from str to Recipe
        What the command calls them.
    measure : callable
        ``measure(model, method, test part)`` gives the metrics.
    spread : str
        What stands behind the paper's +-.
    protocol : str
        How it was run, in Markdown.
    repeats : mapping from data to int
        How many random partitions into folds, where it is more than one.
    """

    name: str
    number: str
    title: str
    folds: Mapping[str, int]
    recipes: Mapping[str, Recipe]
    measure: Callable[[Any, str, Part], dict[str, float]]
    spread: str = ""
    protocol: str = ""
    repeats: Mapping[str, int] = field(default_factory=dict)

    def runs(self, data: str) -> int:
        """How many trainings a cell takes: the folds of so many random partitions, or one."""
        return self.folds[data] * self.repeats.get(data, 1) or 1


def metrics_of(model: Any, method: str, test: Part) -> dict[str, float]:
    """The metrics of predicted labels."""
    del method
    return evaluate(test.Y, np.asarray(model.predict(test.X)), metrics=LABELS)


def stored(name: str, folder: Path = RESULTS) -> dict[str, Any]:
    """What has been measured so far."""
    path = folder / f"{name}.json"
    if path.exists():
        return json.loads(path.read_text(encoding="utf-8"))
    return {"command": f"python -m benchmarks.papers {name}", "machine": "", "cells": {}}


def run(
    paper: Paper,
    *,
    only_data: list[str],
    only: list[str],
    limit: float,
    folder: Path = RESULTS,
    say: Callable[[str], object] = print,
) -> None:
    """Run what is not stored yet; a cell that takes longer than `limit` seconds is left."""
    for name in [one for one in paper.folds if one in only_data or not only_data]:
        for key in [one for one in paper.recipes if one in only or not only]:
            _cell(paper, name, key, limit, folder, say)


def _cell(
    paper: Paper, name: str, key: str, limit: float, folder: Path, say: Callable[[str], object]
) -> None:
    recipe = paper.recipes[key]
    cells = stored(paper.name, folder)["cells"]
    done = cells.get(f"{name}/{next(iter(recipe.variants))}", {})
    total = paper.runs(name)
    first = len(done.get("folds", []))
    if first >= total or "left" in done:
        return
    start = time.perf_counter()
    try:
        for fold in range(first, total):
            with _alarm(limit - (time.perf_counter() - start)):
                found = _fold(paper, name, recipe, fold)
            _store(paper, name, recipe, total, folder, found)
            for method, metrics in found.items():
                say(f"{paper.name} {name} {method} fold {fold + 1}/{total}: {_line(metrics)}")
    except OutOfTime:
        _store(paper, name, recipe, total, folder, f"stopped after {limit / 60:.0f} minutes")
        say(f"{paper.name} {name} {key}: stopped")
    except SkipCase as why:
        say(f"{paper.name} {name} {key}: skipped, {why}")


def _fold(paper: Paper, name: str, recipe: Recipe, fold: int) -> dict[str, dict[str, float]]:
    if paper.folds[name]:
        whole = data.load(name)
        partition, fold = divmod(fold, paper.folds[name])
        folds = KFold(paper.folds[name], shuffle=True, random_state=partition).split(whole.Y)
        rows = list(folds)[fold]
        train, test = whole.at(rows[0]), whole.at(rows[1])
    else:
        train, test = data.load_split(name)
    found = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        start = time.perf_counter()
        model = recipe.make(name, train).fit(train.X, train.Y)
        fitting = time.perf_counter() - start
        for method, parameters in recipe.variants.items():
            if parameters:
                model.set_params(**{k: clone(v) for k, v in parameters.items()})
            start = time.perf_counter()
            metrics = paper.measure(model, method, test)
            seconds = time.perf_counter() - start
            found[method] = {
                **{metric: round(value, 6) for metric, value in metrics.items()},
                "fit_seconds": round(fitting, 2),
                "test_seconds": round(seconds, 3),
            }
    return found


def _store(paper: Paper, name: str, recipe: Recipe, total: int, folder: Path, found: Any) -> None:
    document = stored(paper.name, folder)
    document["machine"] = machine.line({**machine.describe(), "load": None}).rpartition(";")[0]
    for method in recipe.variants:
        cell = document["cells"].setdefault(f"{name}/{method}", {"of": total, "folds": []})
        cell |= {"of": total, "note": recipe.note, "date": datetime.now(UTC).date().isoformat()}
        if isinstance(found, str):
            cell["left"] = found
        else:
            cell["folds"].append(found[method])
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{paper.name}.json"
    scratch = path.with_suffix(".part")
    scratch.write_text(text_of(document), encoding="utf-8")
    scratch.replace(path)


def text_of(document: dict[str, Any]) -> str:
    """JSON, a fold to the line."""
    lines = []
    for key, cell in sorted(document["cells"].items()):
        head = {name: value for name, value in cell.items() if name != "folds"}
        folds = ",\n   ".join(json.dumps(fold) for fold in cell["folds"])
        lines.append(f'  {json.dumps(key)}: {json.dumps(head)[:-1]}, "folds": [\n   {folds}]}}')
    body = ",\n".join(lines)
    command, about = json.dumps(document["command"]), json.dumps(document["machine"])
    return f'{{\n "command": {command},\n "machine": {about},\n "cells": {{\n{body}\n }}\n}}\n'


def _line(metrics: Mapping[str, float]) -> str:
    shown = ("exact_match", "macro_f1", "micro_f1", "cll_loss", "fit_seconds", "test_seconds")
    return ", ".join(f"{name} {metrics[name]:.3f}" for name in shown if name in metrics)


@contextmanager
def _alarm(seconds: float) -> Iterator[None]:
    def ring(*_: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
