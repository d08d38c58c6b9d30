"""The process that runs cases: it may crash, hang or fill its memory; its parent notes where.

It reads one order a line, ``{"target": ..., "seeds": [first, count]}`` or ``{"target": ...,
"files": [...]}``, tells each finding in a line as soon as it is made,
and answers each order with a line at its end. Before each case it writes its number to a file,
so that the parent knows which one ended it.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import resource
import signal
import struct
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.fuzz.cases import Case, Finding, Target, seeded, stored
from tests.fuzz.targets import target

ROOM = 3 << 30  # bytes of addresses beyond those in use: a reader that asks for more is refused
OWN = f"{os.sep}mlfs{os.sep}"
QUICK = "/dev/shm"  # a folder in memory: cases that need a file do not wait for a disk


def _status(field: str) -> int:
    with Path("/proc/self/status").open() as lines:
        for line in lines:
            if line.startswith(field):
                return int(line.split()[1]) << 10
    return 0


def _peak() -> int:
    if sys.platform == "linux":
        return _status("VmHWM")  # what getrusage says includes the process that started this one
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10


@contextlib.contextmanager
def _bounded(one: Target, case: Case) -> Iterator[None]:
    """Let the system end this process, with a traceback, where a case takes too long."""
    seconds = one.grace + one.per_megabyte * len(case.content) / 1e6
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)


def _described(error: BaseException) -> dict[str, str]:
    """What went wrong: its kind (the same for the same fault) and its story."""
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if OWN in frame.filename] or frames
    where = f"{Path(own[-1].filename).name}:{own[-1].name}" if own else ""
    kind = type(error).__name__
    text = str(error)
    shown = f"{kind}: {text.splitlines()[0][:120] if text else ''}"
    if isinstance(error, Finding):
        return {"kind": shown[:60], "story": shown}
    return {"kind": f"{kind} in {where}", "story": "".join(traceback.format_exception(error)[-6:])}


def _one(one: Target, case: Case, answer: dict[str, Any]) -> dict[str, str] | None:
    """Run a case; describe what is wrong, if something is."""
    before = _peak()
    try:
        with _bounded(one, case):
            accepted = one.run(case)
    except Exception as error:  # noqa: BLE001 - this is what is looked for
        return _described(error)
    answer["accepted" if accepted else "refused"] += 1
    grown = _peak() - max(before, answer["base"])
    if grown > one.memory + one.per_byte * len(case.content):
        answer["base"] = _peak()
        return {"kind": "memory", "story": f"{grown >> 20} MiB for {len(case.content)} bytes"}
    return None


def _obey(
    order: dict[str, Any], progress: int, told: Callable[[dict[str, Any]], None]
) -> dict[str, Any]:
    resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    one = target(order["target"])
    answer: dict[str, Any] = {"accepted": 0, "refused": 0, "base": _peak()}
    if sys.platform == "linux":
        most = _status("VmSize") + ROOM
        resource.setrlimit(resource.RLIMIT_AS, (most, resource.RLIM_INFINITY))
    files = [Path(file) for file in order.get("files", [])]
    first, count = order.get("seeds", (0, len(files)))
    start = time.process_time()
    for number in range(first, first + count):
        counts = answer["accepted"], answer["refused"]
        os.pwrite(progress, struct.pack("qqq", number, *counts), 0)
        case = stored(files[number]) if files else seeded(one, number)
        found = _one(one, case, answer)
        if found is not None:
            told({"found": {"number": number, **found}})
    answer["seconds"] = time.process_time() - start
    return answer


def main() -> None:
    """Obey orders until there are no more."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if os.access(QUICK, os.W_OK):
        tempfile.tempdir = QUICK
    faulthandler.enable()
    faulthandler.register(signal.SIGPROF, chain=True)
    warnings.simplefilter("error", RuntimeWarning)
    answers = os.fdopen(os.dup(sys.stdout.fileno()), "w", encoding="utf-8")
    sys.stdout = sys.stderr  # whatever is printed must not be taken for an answer
    progress = os.open(sys.argv[1], os.O_RDWR)

    def told(answer: dict[str, Any]) -> None:
        answers.write(json.dumps(answer) + "\n")
        answers.flush()

    for line in sys.stdin:
        told(_obey(json.loads(line), progress, told))


if __name__ == "__main__":
    main()
