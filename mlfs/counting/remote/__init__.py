"""Counting where the rows are elsewhere: questions go out, counts come back and are added.

`remote_block` offers what `mlfs.counting.blocks.Block` offers, so `Counts` and all above it need
not know. `holder` is what answers beside the rows, `session` carries questions to all holders,
`remote_group`, `remote_columns` and `remote_subset` are the parts of a block that ask, and `wire`
makes counts small. `subset_sweeps` counts a few candidates beside the rows. Where holders have
columns, `columns_block` asks (and `mlfs.information.held_columns` answers), and `slim_columns`
makes a column small. How a holder is reached (`mlfs.api.cluster`) is not known here.
"""
