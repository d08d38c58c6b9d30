"""The tables of a report, the same in all files, written as Markdown, LaTeX and for a terminal."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from mlfs.compare.contest import Contest
from mlfs.compare.overlap import Overlap
from mlfs.compare.report.charts import file_names
from mlfs.compare.report.wording import caption, findings, left_out, setting_rows
from mlfs.compare.results import NO_ROWS, CsvRows, Results
from mlfs.errors import printable

PARTS = ("mean", "sd", "rank")  # of a cell
WIDE = 8  # methods that stand beside each other; more stand below each other
PAIRS = ("", "against", "wins-ties-losses", "Wilcoxon min(R+, R-)", "p", "p (Holm)", "effect r")
PAIRS_OF_SPLITS = ("", "against", "wins-ties-losses", "t", "p", "p (Holm)", "effect d")
POSTERIOR = ("P(better)", "P(equal)", "P(worse)")


class TableCell(NamedTuple):
    """A cell: text, rank in brackets, whether it is bold, its rows in a file, its shade."""

    text: str
    rank: str = ""
    is_bold: bool = False
    rows: str = ""
    shade: float = math.nan


@dataclass(frozen=True)
class TextTable:
    """Rows of cells under a head, which may be empty.

    Parameters
    ----------
    head : sequence of str
        The names of the columns.
    rows : sequence of sequences of TableCell
        As many cells as columns each.
    title : str
        What stands above it.
    file : str
        The file that the rows of its cells are in.
    """

    head: Sequence[str]
    rows: Sequence[Sequence[TableCell]]
    title: str = ""
    file: str = "results.csv"


def table_of(head: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> TextTable:
    """A table of plain texts."""
    return TextTable(head, [list(map(TableCell, row)) for row in rows], title)


def short(value: float, digits: int = 3) -> str:
    """A number as a table shows it.

    Examples
    --------
    >>> short(0.12345), short(float("nan")), short(1234.5)
    ('0.123', '-', '1234.500')
    """
    return "-" if math.isnan(value) else f"{value:.{digits}f}"


def rank_table(
    contest: Contest, csv_rows: CsvRows = NO_ROWS, parts: Collection[str] = PARTS
) -> TextTable:
    """Means, spreads and ranks; a row for each data set, or for each of many methods.

    `parts` are those of a cell that are shown.
    """
    cells = [
        [_only(cell, parts) for cell in _entries(contest, row, csv_rows)]
        for row in range(len(contest.data))
    ]
    averages = [TableCell(short(value, 2)) for value in contest.average_ranks]
    if len(contest.methods) <= WIDE:
        rows = [[TableCell(name), *line] for name, line in zip(contest.data, cells, strict=True)]
        rows.append([TableCell("average rank", is_bold=True), *averages])
        return TextTable(("data", *contest.methods), rows)
    order = np.argsort(contest.average_ranks, kind="stable").tolist()
    rows = [
        [TableCell(contest.methods[j]), averages[j], *(line[j] for line in cells)] for j in order
    ]
    return TextTable(("method", "average rank", *contest.data), rows)


def _only(cell: TableCell, parts: Collection[str]) -> TableCell:
    """Some parts of a cell; a rank alone stands without brackets."""
    text = cell.text if "sd" in parts else cell.text.partition(" ± ")[0]
    if "mean" not in parts:
        return cell._replace(text=cell.rank or "-", rank="")
    return cell._replace(text=text, rank=cell.rank if "rank" in parts else "")


def _entries(contest: Contest, row: int, csv_rows: CsvRows) -> list[TableCell]:
    """The cells of a data set, one for each method."""
    means, sds = contest.mean[row], contest.sd[row]
    best = np.nanmax if contest.higher_is_better else np.nanmin
    top = best(means) if np.isfinite(means).any() else math.nan
    place = np.flatnonzero(contest.complete == row)
    ranks = contest.ranks[place[0]] if place.size else [math.nan] * means.size
    data = contest.data[row]
    numbers = [
        csv_rows.numbers([(contest.metric, data, criterion, model, n) for n in sizes])
        for criterion, model, sizes in contest.parts
    ]
    return [
        TableCell(
            short(mean) if math.isnan(sd) else f"{short(mean)} ± {short(sd)}",
            "" if math.isnan(rank) else f"{rank:g}",
            bool(mean == top),
            number,
        )
        for mean, sd, rank, number in zip(means, sds, ranks, numbers, strict=True)
    ]


def pair_table(contest: Contest) -> TextTable | None:
    """The tests of all pairs; None if no pair is tested."""
    if not (contest.pairs or contest.pairs_of_splits):
        return None
    head, tests = PAIRS, "Wilcoxon and Bayesian signed-rank tests of all pairs"
    if not contest.pairs:
        head = PAIRS_OF_SPLITS
        tests = "Corrected resampled and Bayesian t-tests of all pairs of methods"
    rows = [
        [
            contest.methods[pair.first],
            contest.methods[pair.second],
            f"{pair.wins}-{pair.ties}-{pair.losses}",
            f"{pair.statistic:g}",
            f"{pair.p:.3g}",
            f"{pair.p_holm:.3g}",
            short(pair.effect, 2),
            *(f"{share:.2f}" for share in (pair.p_better, pair.p_equal, pair.p_worse)),
        ]
        for pair in contest.pairs or contest.pairs_of_splits
    ]
    return table_of((*head, *POSTERIOR), rows, tests)


def stability_table(overlap: Overlap) -> TextTable:
    """How alike the selections of the splits are."""
    rows = [
        [data, criterion, *(short(value) for value in values)]
        for (data, criterion), values in overlap.stability.items()
    ]
    head = ("data", "criterion", "Nogueira", "Kuncheva", "Jaccard")
    return table_of(head, rows, "Stability over the splits")


def agreement_table(overlap: Overlap) -> TextTable | None:
    """Which criteria choose the same features; None of a single one."""
    if len(overlap.criteria) < 2:
        return None
    rows = [
        [TableCell(name, is_bold=True), *(TableCell(short(value, 2), shade=value) for value in row)]
        for name, row in zip(overlap.criteria, overlap.shared.tolist(), strict=True)
    ]
    return TextTable(("", *overlap.criteria), rows, "Shared features, |A and B| / |A or B|")


LONGEST_MARKDOWN = 2000
# Marks of emphasis may stay as they are; links and images may not.
MARKDOWN_SIGNS = str.maketrans(
    {**{char: "\\" + char for char in "\\|[]`"}, "<": "&lt;", ">": "&gt;", "&": "&amp;"}
)


def markdown(
    results: Results,
    compared: Sequence[Contest],
    shared: Sequence[Overlap],
    parts: Collection[str] = PARTS,
) -> str:
    """All tables, a section each."""
    lines = ["# Comparison", ""]
    lines += [f"- {name}: {_markdown_text(value)}" for name, value in setting_rows(results)]
    lines += [f"- note: {_markdown_text(note)}" for note in results.notes]
    if results.interrupted:
        lines.append("- interrupted: not all cells are done")
    for contest in compared:
        lines += [
            "",
            f"## {_markdown_text(caption(contest))}",
            *_markdown_table(rank_table(contest, NO_ROWS, parts)),
            "",
        ]
        lines += map(_markdown_text, findings(contest))
        lines += _markdown_table(pair_table(contest))
    for overlap in shared:
        lines += ["", f"## Which features are chosen, n = {_markdown_text(overlap.n)}"]
        lines += _markdown_table(stability_table(overlap)) + _markdown_table(
            agreement_table(overlap)
        )
    failed = results.failed()
    lines += ["", "## Failed", ""] if failed else []
    for record in failed:
        names = ", ".join(f"{key} {value}" for key, value in record["cell"].items())
        lines.append(f"- {_markdown_text(names)}: {_markdown_text(record['note'])}")
    return "\n".join(lines) + "\n"


def _markdown_table(table: TextTable | None) -> list[str]:
    """The lines of a table, after an empty one; none of no table."""
    if table is None:
        return []
    lines = ["", f"{table.title}:", ""] if table.title else [""]
    rows = [map(_markdown_text, table.head), ["---"] * len(table.head)]
    rows += [map(_markdown_cell, row) for row in table.rows]
    return [*lines, *("| " + " | ".join(row) + " |" for row in rows)]


def _markdown_cell(cell: TableCell) -> str:
    text = _markdown_text(cell.text)
    text = f"**{text}**" if cell.is_bold else text
    return f"{text} ({cell.rank})" if cell.rank else text


def _markdown_text(text: str) -> str:
    """A name from a file must not end a cell of a table or a line, or become markup."""
    return " ".join(printable(text, LONGEST_MARKDOWN).translate(MARKDOWN_SIGNS).split())


def summary(results: Results, compared: Sequence[Contest]) -> str:
    """The summary for a terminal: for every metric the methods with means and average ranks."""
    lines: list[str] = []
    lacking: dict[str, None] = {}
    across_models = any(not contest.model for contest in compared)  # models too, not only criteria
    several = len(results.settings.models) > 1 and across_models
    for contest in compared:
        if contest.n != compared[-1].n or (several and contest.model):
            continue
        lines.append(caption(contest))
        order = np.argsort(contest.average_ranks, kind="stable")
        width = max(len(name) for name in contest.methods)
        ranks = [short(value, 2) for value in contest.average_ranks]
        for j in order.tolist():
            value = short(contest.means[j])
            lines.append(f"  {contest.methods[j]:<{width}}  {value}  rank {ranks[j]}")
        lines.append(f"  {findings(contest)[-1]}")
        lacking |= dict.fromkeys(left_out(contest))
    lines += lacking
    return "\n".join(lines) + "\n" if lines else "nothing is done yet\n"


LONGEST_LATEX = 2000
MOST = 60  # rows of a table that a page of paper holds
PAGE, GAP = 90, 2  # characters of a line, and of the space between two columns
LATEX_SIGNS = str.maketrans(
    {
        **{char: "\\" + char for char in "&%$#_{}"},
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "±": r"$\pm$",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


def latex(results: Results, compared: Sequence[Contest], parts: Collection[str] = PARTS) -> str:
    """A table for each metric, number of features and model, each with a label.

    One that is wider than a page goes on in another, with the same first column.
    """
    version = str(results.settings.to_dict()["mlfs"])
    lines = [f"% made by mlfs {version}; needs \\usepackage{{booktabs}}"]
    names = file_names((c.metric, c.n, c.model or "all") for c in compared)
    for contest, name in zip(compared, names, strict=True):
        title = f"{caption(contest)}."
        said = " ".join([title, *findings(contest)])
        for number, table in enumerate(_in_pages(rank_table(contest, NO_ROWS, parts)), 1):
            label = name if number == 1 else f"{name}-{number}"
            lines += _latex_table(table, said if number == 1 else f"{title} Continued.", label)
        pairs = pair_table(contest)
        if pairs is not None and len(pairs.rows) > MOST:
            lines += ["", f"% {pairs.title}: {len(pairs.rows)} rows, which are in tables.md"]
        elif pairs is not None:
            lines += _latex_table(pairs, f"{title} {pairs.title}.", f"{name}-pairs")
    return "\n".join(lines) + "\n"


def _in_pages(table: TextTable) -> Iterator[TextTable]:
    """The columns of a table that fit beside each other on a page, behind the first one."""
    widths = [
        GAP + max(len(head), *(len(row[j].text) + len(row[j].rank) for row in table.rows))
        for j, head in enumerate(table.head)
    ]
    start = 1
    while start < len(widths):
        end, width = start + 1, widths[0] + widths[start]
        while end < len(widths) and width + widths[end] <= PAGE:
            width, end = width + widths[end], end + 1
        rows = [[row[0], *row[start:end]] for row in table.rows]
        yield replace(table, head=[table.head[0], *table.head[start:end]], rows=rows)
        start = end


def _latex_table(table: TextTable, sentence: str, label: str) -> list[str]:
    """The lines of a table, after an empty one; rows with a bold name are set apart."""
    rows = []
    for row in table.rows:
        rows += [r"\midrule"] if row[0].is_bold else []
        rows.append(" & ".join(map(_latex_cell, row)) + r" \\")
    return [
        "",
        r"\begin{table}",
        r"\footnotesize",
        rf"\caption{{{_latex_text(sentence)}}}",
        rf"\label{{tab:{label}}}",
        rf"\begin{{tabular}}{{l{'r' * (len(table.head) - 1)}}}",
        r"\toprule",
        " & ".join(map(_latex_text, table.head)) + r" \\",
        r"\midrule",
        *rows,
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]


def _latex_cell(cell: TableCell) -> str:
    mean, plus_minus, sd = cell.text.partition(" ± ")
    rank = f" ({cell.rank})" if cell.rank else ""
    if plus_minus:
        return (rf"$\mathbf{{{mean}}}\pm {sd}$" if cell.is_bold else rf"${mean}\pm {sd}$") + rank
    text = "--" if cell.text == "-" else _latex_text(cell.text)
    return (rf"\textbf{{{text}}}" if cell.is_bold else text) + rank


def _latex_text(text: str) -> str:
    return printable(text, LONGEST_LATEX).translate(LATEX_SIGNS)
