"""Counting on a cluster: blocks of a table are held by workers, and the search stays here.

`layouts` chooses whether workers have rows or columns, `pieces` and `column_pieces` cut data into
what each worker needs to make its block, `block_actor` is what a worker
runs, `dask_session` starts actors, asks them and makes lost ones again, and `clusters` finds the
cluster that a user means. Only `dask_cluster` and `dask_session` import dask.distributed.
"""
