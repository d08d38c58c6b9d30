"""The checks of an audit by number, what they found, and how it is shown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from html import escape
from typing import Any

from mlfs.data.frames import pandas
from mlfs.data.html import table as html_table
from mlfs.errors import UnknownName, UsageError, first_of, plural, printable

LEVELS = ("error", "warning", "note")
SHOWN = 5  # columns, in a line
CHECKS = {
    "M101": "a column is a copy of a label, its opposite, or nearly",
    "M102": "whether a value is missing or usual tells a label",
    "M103": "the order of the rows, or of their dates, tells a label",
    "M104": "a column is made of labels, or holds the shares of one",
    "M201": "a column names the rows",
    "M202": "a column of words is different in most rows",
    "M203": "a column is constant, or nearly",
    "M204": "columns are twins",
    "M205": "a column holds dates, or numbers and a few words",
    "M206": "a number stands for what is missing, or a word is written in several ways",
    "M301": "a label is constant, rare, or follows from another",
    "M302": "rows are there twice, or equal in X and different in Y",
    "M401": "other data differ",
}


@dataclass(frozen=True)
class Finding:
    """One finding of a check.

    Parameters
    ----------
    check : str
        The number of the check, such as ``M101``.
    level : {"error", "warning", "note"}
        How much it matters.
    text : str
        What was found, in a sentence.
    columns, labels : tuple of str
        The columns and labels that it is about.
    numbers : mapping
        What was measured.
    """

    check: str
    level: str
    text: str
    columns: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    numbers: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, repr=False)
class Audit(Sequence[Finding]):
    """The findings of an audit, errors first.

    Parameters
    ----------
    findings : tuple of Finding
        What was found.
    data : str
        What was looked at.
    checks : tuple of str
        The checks that were made.
    """

    findings: tuple[Finding, ...]
    data: str = ""
    checks: tuple[str, ...] = tuple(CHECKS)

    def __len__(self) -> int:
        return len(self.findings)

    def __getitem__(self, index: Any) -> Any:
        return self.findings[index]

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    @property
    def errors(self) -> tuple[Finding, ...]:
        """The findings that matter most: with one of them a model learns what it cannot know."""
        return tuple(finding for finding in self.findings if finding.level == "error")

    def of(self, check: str) -> tuple[Finding, ...]:
        """The findings of one check."""
        if check not in CHECKS:
            raise UnknownName("check of an audit", check, CHECKS)
        return tuple(finding for finding in self.findings if finding.check == check)

    def __repr__(self) -> str:
        counts = [(level, sum(f.level == level for f in self.findings)) for level in LEVELS]
        shown = ", ".join(plural(n, level) for level, n in counts if n) or "nothing found"
        lines = [f"<Audit of {printable(self.data, 60)}: {shown}>"]
        lines += [f"  {f.check} {f.level}: {f.text}" for f in self.findings]
        return "\n".join(lines)

    def table(self) -> str:
        """The findings as text, a line each."""
        if not self.findings:
            return f"nothing found by {plural(len(self.checks), 'check')}\n"
        return "".join(f"{f.check}  {f.level:<7}  {f.text}\n" for f in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Give the JSON document of ``mlfs audit --format json``."""
        return {
            "schema": 1,
            "data": self.data,
            "checks": {check: CHECKS[check] for check in self.checks},
            "findings": [
                {**asdict(f), "columns": list(f.columns), "labels": list(f.labels)}
                for f in self.findings
            ],
        }

    def to_frame(self) -> Any:
        """Give the findings as a frame of pandas, a row each."""
        names = ("check", "level", "text", "columns", "labels", "numbers")
        return pandas().DataFrame([asdict(f) for f in self.findings], columns=names)

    def _repr_html_(self) -> str:
        rows = [
            [f"<b>{f.check}</b>", f.level, escape(f.text), escape(CHECKS[f.check])]
            for f in self.findings
        ]
        head = f"<p><b>Audit</b> of {escape(printable(self.data))}: "
        head += f"{plural(len(rows), 'finding')} of {plural(len(self.checks), 'check')}</p>"
        return f"<div>{head}{html_table(('check', 'level', 'finding', 'what'), rows)}</div>"

    def to_html(self) -> str:
        """Give a page that stands alone."""
        style = (
            "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;"
            "padding:0 1rem;color-scheme:light dark}"
            "td{vertical-align:top;white-space:normal!important}"
        )
        return (
            '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" '
            f'content="width=device-width"><title>Audit of {escape(printable(self.data))}</title>'
            f"<style>{style}</style>{self._repr_html_()}</html>\n"
        )


def listed(names: Iterable[str]) -> str:
    """Names in quotes, the first ones of many.

    Examples
    --------
    >>> listed("abcdefg")
    "'a', 'b', 'c', 'd', 'e' and 2 more"
    """
    names = list(names)
    return first_of((repr(printable(name, 60)) for name in names[:SHOWN]), len(names))


def _parts(given: Any) -> tuple[str, ...]:
    if isinstance(given, str):
        return tuple(part.strip() for part in given.split(","))
    if not isinstance(given, Iterable) or not all(isinstance(part, str) for part in given):
        msg = f"the checks of an audit are named by texts such as 'M1', not {printable(given)}"
        raise UsageError(msg)
    return tuple(given)


def chosen(select: Any, ignore: Any) -> tuple[str, ...]:
    """The checks that are made: those that begin with one of `select`, and with none of `ignore`.

    Examples
    --------
    >>> chosen("M2", ("M203", "M204"))
    ('M201', 'M202', 'M205', 'M206')
    """
    wanted, silenced = _parts(select or "M"), _parts(ignore or ())
    for prefix in (*wanted, *silenced):
        if not prefix or not any(check.startswith(prefix) for check in CHECKS):
            raise UnknownName("check of an audit", str(prefix), CHECKS)
    return tuple(
        check for check in CHECKS if check.startswith(wanted) and not check.startswith(silenced)
    )
