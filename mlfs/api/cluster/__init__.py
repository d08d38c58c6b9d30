"""Counting on a cluster of dask.distributed: workers hold some columns each, the search stays here.

`connection` finds the cluster that a user means and waits for what its workers do; `held` has what
a worker runs and what is asked of it; `elsewhere` are data that workers read themselves.
`label_searches` are searches label by label, each on one worker.
Only `connection` imports dask.distributed, which waits and recovers: what a worker has that is lost
is made again on another one.
"""
