"""All studies by name."""

from __future__ import annotations

from benchmarks.papers.trials import mixture, occ, pacc, pcc

__all__ = ["STUDIES"]

STUDIES = {
    study.name.removeprefix("trials-"): study
    for study in [*pacc.STUDIES, *occ.STUDIES, *pcc.STUDIES, *mixture.STUDIES]
}
