"""Does the binning decide, and does a tuned model change the order? Tables of two small runs."""

from __future__ import annotations

import csv
import io
import lzma
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.reference.config import FOLDS, HERE, entries, protocol
from benchmarks.reference.page import TITLES
from mlfs.compare import run
from mlfs.compare.contest import AREA, Contest, contests
from mlfs.compare.ranks import friedman, ranks
from mlfs.compare.resampling import stored_folds
from mlfs.compare.results import Results

__all__ = ["compute_factors"]


def compute_factors(cells: Path) -> None:
    """Run what is missing of both, and write tables and results."""
    kept: list[dict[str, Any]] = []
    lines = [*_binnings(cells, kept), "", *_tuned(cells, kept)]
    (HERE / "factors.md").write_text("\n".join(lines) + "\n", encoding="utf-8")
    text = io.StringIO()
    writer = csv.DictWriter(text, list(kept[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(kept)
    (HERE / "factors.csv.xz").write_bytes(lzma.compress(text.getvalue().encode(), preset=9))


def _run(cells: Path, part: str, models: Sequence[str], **options: str) -> Results:
    asked = protocol()[part]
    known = {one.name: one for one in entries()}
    return run(
        {name: known[name].load()[0] for name in asked["data"]},
        asked["criteria"],
        models,
        list(protocol()["n"]),
        split=stored_folds(FOLDS, {name: known[name].used for name in asked["data"]}),
        metrics=list(protocol()["metrics"]),
        seed=protocol()["seed"],
        folder=cells.with_name("-".join([cells.name, part, *options.values()])),
        predictions=False,
        **options,
    )


def _areas(results: Results, model: str) -> dict[str, Contest]:
    found = contests(results)
    return {one.metric: one for one in found if one.n == AREA and one.model == model}


def _rows(results: Results, bins: str) -> Iterator[dict[str, Any]]:
    """The primary metrics of each cell, to seven digits."""
    for record in results.records:
        found = {metric: f"{record['metrics'][metric]:.7g}" for metric in results.metrics}
        yield {"bins": bins, **record["cell"], **found}


def _binnings(cells: Path, kept: list[dict[str, Any]]) -> list[str]:
    asked = protocol()["binning"]
    areas = []
    for method in asked["bins"]:
        results = _run(cells, "binning", [asked["model"]], bins=method)
        kept += _rows(results, method)
        areas.append(_areas(results, asked["model"]))
    about = f"Average rank of each binning over {len(asked['data'])} data sets, by the area under "
    about += f"the curve with `{asked['model']}`, mean over "
    lines = [
        f"{about}{', '.join(map(_code, asked['criteria']))}:",
        "",
        f"| binning | {' | '.join(TITLES[metric] for metric in areas[0])} |",
        "|---|" + "---|" * len(areas[0]),
    ]
    tables = {
        metric: np.column_stack([area[metric].mean.mean(axis=1) for area in areas])
        for metric in areas[0]
    }
    better = {metric: area.higher_is_better for metric, area in areas[0].items()}
    mean = {
        metric: ranks(table, higher_is_better=better[metric]).mean(axis=0)
        for metric, table in tables.items()
    }
    for at, method in enumerate(asked["bins"]):
        shown = " | ".join(f"{mean[metric][at]:.1f}" for metric in tables)
        lines.append(f"| {_code(method)} | {shown} |")
    p = {
        metric: friedman(table, higher_is_better=better[metric]).f_p
        for metric, table in tables.items()
    }
    tested = ", ".join(f"{TITLES[metric]} p = {value:.2g}" for metric, value in p.items())
    spread = {metric: _spreads(tables[metric], areas, metric) for metric in tables}
    shares = ", ".join(f"{TITLES[metric]} {one:.2f}" for metric, one in spread.items())
    return [
        *lines,
        "",
        f"Friedman's test over the data sets (F_F): {tested}.",
        (
            "The median over the data sets of the range between binnings, divided by the range "
            f"between the criteria: {shares}."
        ),
    ]


def _spreads(table: np.ndarray, areas: Sequence[dict[str, Contest]], metric: str) -> float:
    """How much binnings differ, as a share of how much criteria differ."""
    criteria = np.mean([area[metric].mean for area in areas], axis=0)
    return float(np.median(np.ptp(table, axis=1) / np.ptp(criteria, axis=1)))


def _tuned(cells: Path, kept: list[dict[str, Any]]) -> list[str]:
    from scipy.stats import kendalltau

    asked = protocol()["tuning"]
    plain, tuned = asked["models"]
    results = _run(cells, "tuning", asked["models"])
    kept += _rows(results, "mean-sd")
    before, after = _areas(results, plain), _areas(results, tuned)
    methods = next(iter(before.values())).methods
    lines = [
        (
            f"Average ranks of {len(methods)} methods on {len(asked['data'])} data sets with "
            f"{_code(plain)}, and with {_code(tuned)} tuned inside the training rows by "
            f"{TITLES[asked['tuned_by']]}:"
        ),
        "",
        f"| | {' | '.join(f'{TITLES[one]}, plain | tuned' for one in before)} |",
        "|---|" + "---|" * (2 * len(before)),
    ]
    pairs = [found.average_ranks for metric in before for found in (before[metric], after[metric])]
    for at, name in enumerate(methods):
        lines.append(f"| {_code(name)} | {' | '.join(f'{one[at]:.1f}' for one in pairs)} |")
    agreed = ", ".join(
        f"{TITLES[metric]} {kendalltau(one, other).statistic:.2f}"
        for metric, one, other in zip(before, pairs[::2], pairs[1::2], strict=True)
    )
    gains = ", ".join(
        f"{TITLES[metric]} {np.mean(after[metric].mean - before[metric].mean):+.3f}"
        for metric in before
    )
    return [
        *lines,
        "",
        f"Kendall's tau of the two orders: {agreed}. Mean change by tuning: {gains}.",
    ]


def _code(name: str) -> str:
    return f"`{name}`".replace("|", "\\|")
