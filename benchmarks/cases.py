"""The cases: what is run on which input, and the time that we want for it."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks.inputs import SHAPES, Shape, quick

__all__ = ["CASES", "QUICK", "Case", "chosen", "reduced"]


@dataclass(frozen=True)
class Case:
    """One thing that is measured.

    Parameters
    ----------
    kind : str
        ``select``, ``order``, ``file``, ``compare``, ``read``, ``shell`` or ``growth``.
    source : str
        The input, a name of `SHAPES`; or a real file below the shared folder.
    what : str
        The criterion, the format or the axis.
    n : int
        Features to pick.
    goal : float or None
        Seconds that we want it to take on two quiet cores.
    heavy : bool
        It takes minutes or gigabytes; left out of the quick run.
    """

    kind: str
    source: str
    what: str
    n: int = 0
    goal: float | None = None
    heavy: bool = False
    shape: Shape | None = None

    @property
    def name(self) -> str:
        """As ``--case`` takes it."""
        return "/".join((self.kind, self.source.split("/")[0], self.what))


def _all(kind: str, source: str, n: int, **goals: int | None) -> list[Case]:
    shape = SHAPES.get(source)
    return [
        Case(kind, source, what, n, None if ms is None else ms / 1e3, shape=shape)
        for what, ms in goals.items()
    ]


CASES = (
    *_all("select", "bin10k", 50, mim=3, mrmr=3, cmim=3, jmi=8, jim=16, cmi=1_000, jmi3=1_000),
    *_all("select", "disc10k", 50, mim=20, mrmr=30, cmim=30, jmi=80),
    *_all("select", "wide200", 50, mim=20, mrmr=27, cmim=23, jmi=120),
    *_all("select", "tallbin", 50, mim=31, mrmr=55, cmim=48, jmi=50),
    *_all("select", "tall38", 50, mim=None, mrmr=None, cmim=None, jmi=None),
    *_all("select", "bibtexlike", 86, scls=15, ami=15, mdmr=80, d2f=90, jmi=90, pmu=150),
    *_all("select", "bibtexlike", 184, mlfs_local=3_000),
    *_all("select", "deliciouslike", 127, scls=50, ami=50, mdmr=200, d2f=235, jmi=235, pmu=750),
    *_all("select", "emotionslike", 36, scls=None, jmi=None, pmu=None),
    *_all("select", "medicallike", 100, scls=None, jmi=None),
    *_all("order", "bibtexlike", 0, full=1_000),
    *_all("read", "disc10k", 0, arff=None, csv=None),
    *_all("read", "bibtexlike", 0, arff=None),
    Case("file", "bibtex/bibtex.arff", "arff"),
    Case("file", "rcv1subset1/rcv1subset1-raw.arff.xz", "scls", 100, 0.5),
    Case("file", "rcv1subset1/rcv1subset1-raw.arff.xz", "jmi", 100, 5.0, heavy=True),
    Case("compare", "bibtex/bibtex.arff", "alone", 86),
    Case("compare", "bibtex/bibtex.arff", "together", 86),
    Case("shell", "bibtex/bibtex.arff", "warm", 20, 0.7),
    Case("shell", "bibtex/bibtex.arff", "cold", 20, 3.0),
    *(
        Case("growth", source, axis, 20, shape=SHAPES[source])
        for source, axis in (
            *(("bin10k", axis) for axis in ("rows", "columns", "n")),
            *(("bibtexlike", axis) for axis in ("rows", "columns", "labels", "n", "density")),
        )
    ),
    Case("select", "million", "scls", 100, heavy=True, shape=SHAPES["million"]),
)


QUICK = {
    *("select/bin10k/mim", "select/bin10k/mrmr", "select/bin10k/cmim", "select/bin10k/jmi"),
    *("select/disc10k/jmi", "select/wide200/mrmr", "select/tallbin/mrmr"),
    *("select/bibtexlike/scls", "select/bibtexlike/jmi", "select/bibtexlike/mlfs_local"),
    *("select/deliciouslike/scls", "select/deliciouslike/pmu", "order/bibtexlike/full"),
    *("read/disc10k/arff", "read/disc10k/csv", "read/bibtexlike/arff", "file/bibtex/arff"),
    *("shell/bibtex/warm", "shell/bibtex/cold", "growth/bin10k/rows", "growth/bibtexlike/labels"),
}


def chosen(filters: list[str], *, quick: bool = False, heavy: bool = True) -> list[Case]:
    """The cases whose names contain one of the filters; without any, all of the run."""
    if filters:
        return [case for case in CASES if any(part in case.name for part in filters)]
    if quick:
        return [case for case in CASES if case.name in QUICK]
    return [case for case in CASES if heavy or not case.heavy]


def reduced(case: Case) -> Case:
    """The same on a smaller input and with fewer picks; there is no goal for it."""
    shape = None if case.shape is None else quick(case.shape)
    n = max(1, case.n // 4) if case.kind == "select" else case.n
    goal = case.goal if case.kind in {"file", "shell"} else None
    return Case(case.kind, case.source, case.what, n, goal, case.heavy, shape)
