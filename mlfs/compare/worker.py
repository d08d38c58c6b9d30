"""A process that runs cells of a comparison: `python -m mlfs.compare.worker`.

It reads the settings, as a pickle, and then numbers of cells from standard input, and writes
records to standard output, as pickles. When its parent ends, standard input ends too, and the
worker exits at once.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import threading
from typing import IO


def main() -> None:
    """Run cells until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    source, target = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not mix with the records

    from mlfs.compare.work import CellRunner  # what is printed on import must not, either

    settings = pickle.load(source)  # noqa: S301 -- from our parent, over a pipe
    runner, cells = CellRunner(settings), settings.cells()
    numbers: queue.SimpleQueue[int] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(source, numbers), daemon=True).start()
    while True:
        record = runner.run(cells[numbers.get()])
        try:
            pickle.dump(record, target)
            target.flush()
        except OSError:  # the parent is gone
            os._exit(0)


def _listen(source: IO[bytes], numbers: queue.SimpleQueue[int]) -> None:
    for line in source:
        numbers.put(int(line))
    os._exit(0)  # the parent is gone


if __name__ == "__main__":
    main()
