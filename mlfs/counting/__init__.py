"""Counting: coded columns come in, whole numbers go out. The only place where a
selection looks at coded rows.

`codes` and `label_codes` hold coded columns, `row_lists` and `bit_planes` are the two layouts of a
column group (`column_groups`), `counts` is what all other packages ask, and `blocks` is what it
needs of one block of rows. `anchor`, `label_columns` and `pair_statistics` are what is counted
with all features, `subset_planes` counts a few candidates alone. `parallel` and `threads` share
the work, `memory` and `cache` bound what is kept, `xlogx` and `weights` keep sums exact.
"""
