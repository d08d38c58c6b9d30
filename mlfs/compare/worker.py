"""A process that runs jobs of a comparison: `python -m mlfs.compare.worker`.

It reads jobs from standard input and writes records to standard output, as pickles.
When its parent ends, standard input ends too, and the worker exits at once.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from typing import IO, Any


def send(stream: IO[bytes], message: Any) -> None:
    """Write a message."""
    pickle.dump(message, stream)
    stream.flush()


def main() -> None:
    """Run jobs until standard input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides what Ctrl-C means
    inbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
    source = os.fdopen(os.dup(0), "rb")
    target = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what is printed must not mix with the records

    from mlfs.compare.work import JobRunner  # before the thread: it imports what it unpickles

    threading.Thread(target=_listen, args=(source, inbox), daemon=True).start()
    runner = JobRunner(inbox.get())
    _answer(target, None)
    while True:
        for record in runner.do(inbox.get()):
            _answer(target, record)
        _answer(target, None)


def _answer(target: IO[bytes], message: Any) -> None:
    """Send a message to the parent; without a parent, end."""
    try:
        send(target, message)
    except OSError:
        os._exit(0)


def _listen(source: IO[bytes], inbox: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            inbox.put(pickle.load(source))  # noqa: S301 -- from our parent, over a pipe
    except (EOFError, pickle.UnpicklingError):  # the parent is gone, perhaps in mid-sentence
        os._exit(0)
    except BaseException:  # noqa: BLE001 -- whatever it is, nothing can be done without a parent
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


if __name__ == "__main__":
    main()
