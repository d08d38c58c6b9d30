"""Information: whole numbers come in, entropies and mutual information go out.

`info` is the interface that criteria know, with `label_block` for `Info.sum_over_labels`;
`for_search` is what a search asks beside it. `exact` (with `exact_sets`, `joint_picks` and `gini`)
implements it from counts, `adjusted` corrects it for chance, and `gaussian` (on `gaussian_columns`)
takes correlations.
`table` computes each quantity once and keeps it, from `triples`; `subset` does
so for a few candidates. `columns_info` joins what `held_columns` answer, each about some columns,
where a table is divided among workers. `imbalance` has IR and CVIR of the labels.

The public functions `entropy`, `mutual_information`, `conditional_mutual_information`,
`interaction` and `symmetrical_uncertainty` take data of any kind. They are written in
`mlfs.api.pairwise`, on `pair_matrix`; `mlfs/__init__.py` says with `load_functions_by` where they
are, so that this package knows and imports nothing from above.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mlfs.api.pairwise import (
        conditional_mutual_information,
        entropy,
        interaction,
        mutual_information,
        symmetrical_uncertainty,
    )

FUNCTIONS = (
    "conditional_mutual_information",
    "entropy",
    "interaction",
    "mutual_information",
    "symmetrical_uncertainty",
)
__all__ = [
    "FUNCTIONS",
    "conditional_mutual_information",
    "entropy",
    "interaction",
    "load_functions_by",
    "mutual_information",
    "symmetrical_uncertainty",
]


_load: Callable[[str], Any] | None = None


def load_functions_by(load: Callable[[str], Any]) -> None:
    """Say how a public function of this package is found when its name is first used."""
    global _load  # noqa: PLW0603  # set once, when mlfs is imported
    _load = load


def __getattr__(name: str) -> Any:
    if name in FUNCTIONS and _load is not None:
        value = globals()[name] = _load(name)
        return value
    msg = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(msg)


def __dir__() -> list[str]:
    return sorted(__all__)
