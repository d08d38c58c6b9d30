"""Information: whole numbers come in, entropies and mutual information go out.

`info` is the interface that criteria know, with `label_block` for `Info.sum_over_labels`;
`for_search` is what a search asks beside it. `exact` (with `joint_picks`) implements it from
counts, `adjusted` corrects it for chance, `stratified` asks within strata of the rows, and
`gaussian` (on `gaussian_columns`) takes correlations. `table` computes each quantity once and keeps
it, from `triples`; `Subset` in `label_block` does so for a few candidates. `columns_info` joins
what `held_columns` answer, each about some columns, where a table is divided among workers.
`imbalance` has IR and CVIR; `credible` says how sure information is.

The public functions `entropy`, `mutual_information`, `conditional_mutual_information`,
`interaction` and `symmetrical_uncertainty` take data of any kind. They are written in
`mlfs.api.pairwise`, on `pair_matrix`, and imported from there when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlfs.lazy import lazily

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
    "mutual_information",
    "symmetrical_uncertainty",
]
__getattr__ = lazily(__name__, {"mlfs.api.pairwise": FUNCTIONS})  # above this package


def __dir__() -> list[str]:
    return sorted(__all__)
