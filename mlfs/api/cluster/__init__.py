"""Counting on a cluster: blocks of a table are held by workers, and the search stays here.

`clusters` finds the cluster that a user means. `layouts` chooses whether workers have rows or
columns; `pieces` and `column_pieces` cut data in memory into what each worker needs. Data that
workers read themselves are `remote_data`, read by `part_reader` and coded by `remote_counted`;
`remote_products` multiplies them with vectors for the first principal component.
`block_actor` is what a worker runs; `dask_session` starts actors, asks them and makes lost ones
again. `label_searches` are searches for some labels each, on the jobs of `shared_jobs`.
Only `dask_cluster`, `dask_workers` and `dask_session` import dask.distributed; a worker that is
started here loads `local_worker`.
"""
