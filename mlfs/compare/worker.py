"""A process that runs jobs of a comparison: `python -m mlfs.compare.worker`.

It reads jobs from standard input and writes records to standard output, as pickles preceded by
their length. When its parent ends, standard input ends too, and the worker exits at once.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import sys
import threading
from typing import IO, Any

LENGTH = 8


def write(stream: IO[bytes], content: bytes) -> None:
    """Write the content of a message."""
    stream.write(len(content).to_bytes(LENGTH, "big"))
    stream.write(content)
    stream.flush()


def read(stream: IO[bytes]) -> bytes:
    """Read the content of the next message; EOFError when there is none."""
    head = stream.read(LENGTH)
    if len(head) < LENGTH:
        raise EOFError
    size = int.from_bytes(head, "big")
    content = stream.read(size)
    if len(content) < size:
        raise EOFError
    return content


def send(stream: IO[bytes], message: Any) -> None:
    """Write a message."""
    write(stream, pickle.dumps(message))


def receive(stream: IO[bytes]) -> Any:
    """Read the next message; EOFError when there is none."""
    return pickle.loads(read(stream))  # noqa: S301 -- from our own parent or child, over a pipe


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
    _answer(target, ("ready", None))
    while True:
        for record in runner.do(inbox.get()):
            _answer(target, ("cell", record))
        _answer(target, ("done", None))


def _answer(target: IO[bytes], message: Any) -> None:
    """Send a message to the parent; without a parent, end."""
    try:
        send(target, message)
    except OSError:
        os._exit(0)


def _listen(source: IO[bytes], inbox: queue.SimpleQueue[Any]) -> None:
    try:
        while True:
            inbox.put(receive(source))
    except EOFError:
        os._exit(0)
    except BaseException:  # noqa: BLE001 -- whatever it is, nothing can be done without a parent
        import traceback

        traceback.print_exc()
        sys.stderr.flush()
        os._exit(1)


if __name__ == "__main__":
    main()
