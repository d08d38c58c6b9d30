"""Figure 4 of the oCC paper (Sun & Kudo): five criteria by the number of features.

``python -m benchmarks.papers.figure4`` runs what is missing in ``--cells`` and writes
``results/figure4.tsv``, ``figure4.md`` and ``figure4.svg``. oCC with the order of the columns
(the paper selects an order only after this figure), ceil(0.8 q) parents, linear SVM, 5 folds;
10 % to 100 % of min(d, 200) features. The paper prints curves and no numbers: what can be
compared is which criterion leads.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

import mlfs
from benchmarks.files import SkipCase, real_file
from mlfs.compare.ranks import ranks
from mlfs.compare.report.svg import Axis, Picture, colour, dashes
from mlfs.compare.running import run

__all__ = ["Point", "main", "page", "picture", "read_points", "sizes"]

RESULTS = Path(__file__).with_name("results")
DATA = {
    "yeast": "yeast/yeast.arff",
    "medical": "medical/medical.arff",
    "enron": "enron/enron.arff",
}
CRITERIA = ("mim", "jmi", "mrmr", "mlfs_global", "mlfs_local")
METRICS = {"exact_match": "Exact-Match", "macro_f1": "Macro-F1"}
MODEL = ("occ", {"order": "given"})


class Point(NamedTuple):
    """A point of a curve: mean and standard deviation over the folds."""

    data: str
    metric: str
    criterion: str
    features: int
    mean: float
    sd: float


def sizes(d: int) -> list[int]:
    """10 % to 100 % of min(d, 200).

    Examples
    --------
    >>> sizes(103)[:3], sizes(1001)[-2:]
    ([10, 21, 31], [180, 200])
    """
    most = min(d, 200)
    return [int(share * most / 10 + 0.5) for share in range(1, 11)]


def main(given: list[str]) -> int:
    """Run what is missing and write table, page and picture."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.papers.figure4", description=__doc__
    )
    parser.add_argument("--data", action="append", choices=list(DATA), help="repeatable")
    parser.add_argument("--cells", type=Path, default=Path("benchmark-results/figure4"))
    parser.add_argument("-o", "--output", type=Path, default=RESULTS)
    asked = parser.parse_args(given)
    asked.output.mkdir(parents=True, exist_ok=True)
    table = asked.output / "figure4.tsv"
    for name in asked.data or DATA:
        try:
            points = measured(name, asked.cells / name)
        except SkipCase as why:
            print(f"{name}: skipped, {why}", flush=True)
            continue
        known = [point for point in read_points(table) if point.data != name]
        write_points(table, sorted([*known, *points], key=lambda one: list(DATA).index(one.data)))
    points = read_points(table)
    (asked.output / "figure4.md").write_text(page(points), encoding="utf-8")
    (asked.output / "figure4.svg").write_text(picture(points), encoding="utf-8")
    return 0


def measured(name: str, folder: Path) -> list[Point]:
    """The curves of one data set."""
    data = mlfs.read(real_file(DATA[name]))
    results = run(
        {name: data},
        CRITERIA,
        [MODEL],
        sizes(data.shape[1]),
        folds=5,
        folder=folder,
        order="given",
        on_cell=lambda done, of, _: print(f"{name} {done}/{of}", flush=True),
    )
    for record in results.failed():
        print(record["cell"], record["note"], flush=True)
    return [
        Point(name, metric, criterion, int(n), one.mean, one.sd)
        for metric in METRICS
        for (_, criterion, _, n), one in results.by_size(metric).items()
    ]


def read_points(path: Path) -> list[Point]:
    """The points that `write_points` wrote; none if there is no file."""
    if not path.exists():
        return []
    parts = [line.split("\t") for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    return [Point(*one[:3], int(one[3]), float(one[4]), float(one[5])) for one in parts]


def write_points(path: Path, points: Iterable[Point]) -> None:
    """Write the table at once."""
    lines = ["\t".join(Point._fields)]
    lines += ["\t".join([*map(str, p[:4]), f"{p.mean:.5f}", f"{p.sd:.5f}"]) for p in points]
    scratch = path.with_suffix(".part")
    scratch.write_text("\n".join(lines) + "\n", encoding="utf-8")
    scratch.replace(path)


def page(points: Sequence[Point]) -> str:
    """In Markdown: each criterion's mean over the ten sizes, at the smallest two, and its rank."""
    lines = []
    for metric, title in METRICS.items():
        lines += [f"#### {title}", "", "Mean over the ten sizes (over the two smallest).", ""]
        lines += [f"| data | {' | '.join(CRITERIA)} |", "|---|" + "---|" * len(CRITERIA)]
        placed = []
        for name in dict.fromkeys(point.data for point in points):
            curves = np.array([curve(points, name, metric, one) for one in CRITERIA])
            cells = [f"{one.mean():.3f} ({one[:2].mean():.3f})" for one in curves]
            lines.append(f"| {name} | {' | '.join(cells)} |")
            placed.append(ranks(curves.T, higher_is_better=True).mean(axis=0))
            lines.append(f"| rank on {name} | {' | '.join(f'{one:.2f}' for one in placed[-1])} |")
        total = np.mean(placed, axis=0)
        lines += [f"| **mean rank** | {' | '.join(f'**{one:.2f}**' for one in total)} |", ""]
        order = [CRITERIA[j] for j in np.argsort(total, kind="stable")]
        lines += [f"In this order: {', '.join(order)}.", ""]
    return "\n".join(lines).rstrip() + "\n"


def curve(points: Iterable[Point], data: str, metric: str, criterion: str) -> list[float]:
    """The means of one curve, from few features to many."""
    chosen = [one for one in points if one[:3] == (data, metric, criterion)]
    return [one.mean for one in sorted(chosen, key=lambda one: one.features)]


def picture(points: Sequence[Point]) -> str:
    """The curves, a row for each metric and a column for each data set."""
    names = list(dict.fromkeys(point.data for point in points))
    width, height = 320, 250
    whole = Picture(width * len(names), height * len(METRICS) + 30, "Figure 4 of the oCC paper")
    for row, (metric, title) in enumerate(METRICS.items()):
        for column, name in enumerate(names):
            shown = [one for one in points if (one.data, one.metric) == (name, metric)]
            part = Picture(width, height, f"{title} on {name}")
            _curves(part, shown, title)
            part.text(width / 2 + 25, 12, name, "middle")
            moved = f'<g transform="translate({width * column},{height * row})">'
            whole.parts += [moved, *part.parts, "</g>"]
    for at, name in enumerate(CRITERIA):
        left, top = 60 + 110 * at, height * len(METRICS) + 18
        whole.line([(left, top - 4), (left + 28, top - 4)], colour(at), stroke_width=2,
                   stroke_dasharray=dashes(at))  # fmt: skip
        whole.text(left + 33, top, name)
    return whole.markup() + "\n"


def _curves(part: Picture, shown: Sequence[Point], title: str) -> None:
    values = [one.mean for one in shown]
    margin = 0.05 * (max(values) - min(values) or 1)
    y = Axis(min(values) - margin, max(values) + margin, title, start=200, end=20)
    x = Axis(0, max(one.features for one in shown), "features", start=62, end=310)
    part.axes(x, y)
    for at, name in enumerate(CRITERIA):
        own = sorted((one for one in shown if one.criterion == name), key=lambda one: one.features)
        places = [(x.position(one.features), y.position(one.mean)) for one in own]
        part.line(places, colour(at), stroke_width=2, stroke_dasharray=dashes(at))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
