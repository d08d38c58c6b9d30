"""A process may fork while another of its threads imports or computes: the child goes on."""

from __future__ import annotations

import subprocess
import sys

import pytest

PROGRAM = """
import functools, os, threading, time
import numpy as np
import mlfs
from mlfs.information import exact

X = np.arange(60).reshape(20, 3) % 5 % 3
Y = (X[:, :1] > 1).astype(int)
mlfs.select((X, Y), "mrmr", 2)
locks = [one.lock for kind in vars(exact).values() if isinstance(kind, type)
         for one in vars(kind).values()
         if isinstance(one, functools.cached_property) and hasattr(one, "lock")]
held, done = threading.Event(), threading.Event()

def hold():
    for lock in locks:
        lock.acquire()
    held.set()
    done.wait(30)

threading.Thread(target=hold, daemon=True).start()
held.wait()
child = os.fork()
if not child:
    mlfs.select((X, Y), "mrmr", 2)
    os._exit(7)
for _ in range(200):
    ended, status = os.waitpid(child, os.WNOHANG)
    if ended:
        break
    time.sleep(0.1)
else:
    os.kill(child, 9)
done.set()
print(os.waitstatus_to_exitcode(status) if ended else "the child waits")
"""


@pytest.mark.skipif(not hasattr(__import__("os"), "fork"), reason="this system does not fork")
def test_a_child_does_not_wait_for_threads_that_stayed_behind() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", PROGRAM],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "7", done.stderr
