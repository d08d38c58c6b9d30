"""`mlfs warm`: compile what is compiled at first use, as for the image of a container."""

from __future__ import annotations

import time
import warnings

import click

from mlfs.cli.console import Console, pass_console
from mlfs.cli.help import Command
from mlfs.cli.shared_options import talking


@click.command(
    cls=Command,
    short_help="compile the kernels now, instead of at first use",
    examples=[
        ("mlfs warm", "some seconds, once after each installation"),
        ("NUMBA_CACHE_DIR=/opt/kernels mlfs warm", "into a folder that the image keeps"),
    ],
)
@talking
@pass_console
def warm(console: Console, /) -> int:
    """Compile what reading, selecting and the audit need, so that nobody waits at first use.

    Compiled kernels are kept beside the package, else in the user's cache folder, or in the folder
    that NUMBA_CACHE_DIR names.
    """
    import numpy as np
    import scipy.sparse as sp

    from mlfs.api.selecting import select_silently
    from mlfs.auditing.auditor import audit
    from mlfs.data.delimited.csv_reader import read
    from mlfs.data.request import Request
    from mlfs.datasets import load_songs

    start, songs = time.perf_counter(), load_songs()
    rows = "".join(f"{i % 7},{i / 8},{'uvw'[i % 3]},{i % 2}\n" for i in range(2000))
    table = read(f"a,b,c,y\n{rows}".encode(), "table", Request(labels="y"))
    counts = sp.random_array((400, 60), density=0.1, rng=np.random.default_rng(0)).tocsr()
    Y = (np.arange(400) % 2)[:, None] * np.ones((1, 3), np.int64)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data in (songs, table, (counts, Y)):
            for criterion, n in (("scls", "auto"), ("jmi", 2), ("mrmr", 2)):
                select_silently(data, criterion, n)
            audit(data)
        select_silently(songs, "blanket", None)
        select_silently(songs, "jmi", 3, correction="expected")
    console.note(f"compiled what a selection needs in {time.perf_counter() - start:.1f} s")
    return 0
