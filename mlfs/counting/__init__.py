"""Counting: coded columns come in, whole numbers go out.

The only place where a selection looks at coded rows. `counts` is what all other packages ask.
`codes` holds coded columns. `layouts` has the two of a column group (`column_groups`), over the
lists of `entries`. `anchor` and `label_columns` are what is counted with all features.
`subset_planes` counts a few candidates alone, and `parts` divides the rows by several columns,
within which `strata` counts permuted labels; `independence` tests columns given others.
`parallel` shares the work among threads, `memory` bounds what is kept, `xlogx` and `weights` keep
sums exact.
"""
