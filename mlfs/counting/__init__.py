"""Counting: coded columns come in, whole numbers go out. The only place where a
selection looks at coded rows.

`codes` holds coded columns, `row_lists` and `bit_planes` are the two layouts of a column group
(`column_groups`), `counts` is what all other packages ask, and `blocks` is what it needs of one
block of rows. `anchor` and `label_columns` are what is counted with all features, `subset_planes`
counts a few candidates alone. `parallel` shares the work among threads, `memory` bounds what is
kept, `xlogx` and `weights` keep sums exact.
"""
