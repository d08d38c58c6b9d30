"""The compiled code, and nothing else: arrays come in and are filled or returned.

Reading text: `tokens`, with `rows` (ARFF), `cells` (CSV) and `pair_rows` (svmlight, XMC). Columns:
`column_values`, and `packing` for bit slices. Layouts: `planes` and `lists`. Counting:
`row_walks`, `part_walks`, `plane_subsets`, `full_tables`, `pair_tables`; `co_sums`,
`expected_sums` and `strata_sums` make sums of counts, `level_sums` those by the levels of a column.
Normal variables: `gaussian`. Choosing the best: `choosing`. `jit` compiles a kernel once and keeps
it.
"""

from __future__ import annotations

try:
    import numba  # noqa: F401
except ValueError as error:  # such as NUMBA_NUM_THREADS=0
    msg = f"numba does not start: {error} Look at the environment variables named NUMBA_..."
    raise ImportError(msg) from error
