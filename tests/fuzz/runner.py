"""Start children, give them cases, restart them when one ends, and collect what they find."""

from __future__ import annotations

import contextlib
import json
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.fuzz.cases import CORPUS, corpus

ROOT = Path(__file__).resolve().parents[2]
BATCH = 400
PATIENCE = 120.0  # seconds in which a child does nothing, after which it is ended: it waits


@dataclass
class Found:
    """One kind of fault: how often, and the first case that showed it."""

    target: str
    kind: str
    case: str
    story: str
    count: int = 1


@dataclass
class Tally:
    """What became of the cases of one target."""

    accepted: int = 0
    refused: int = 0
    failed: int = 0
    seconds: float = 0.0

    @property
    def tried(self) -> int:
        """How many cases."""
        return self.accepted + self.refused + self.failed


@dataclass
class Report:
    """What became of all cases; shared by the threads that feed the children."""

    tallies: dict[str, Tally] = field(default_factory=dict)
    found: dict[tuple[str, str], Found] = field(default_factory=dict)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def add(self, name: str, answer: dict[str, Any], cases: list[str] | None) -> None:
        """Add the answer of a child; `cases` are names where the numbers are not seeds."""
        with self.lock:
            tally = self.tallies.setdefault(name, Tally())
            tally.accepted += answer.get("accepted", 0)
            tally.refused += answer.get("refused", 0)
            tally.seconds += answer.get("seconds", 0.0)
            for one in answer["findings"]:
                number = one["number"]
                tally.failed += one["kind"] != "memory"
                case = cases[number] if cases else f"{name}:{number}"
                key = (name, one["kind"])
                if key in self.found:
                    self.found[key].count += 1
                else:
                    self.found[key] = Found(name, one["kind"], case, one["story"])


class Child:
    """A process that runs cases, started when it is needed and again after it ended."""

    def __init__(self, folder: str) -> None:
        self.progress = Path(folder) / f"progress-{id(self)}"
        self.errors = Path(folder) / f"stderr-{id(self)}"
        self.process: subprocess.Popen[str] | None = None
        self.findings: list[dict[str, Any]] = []

    def ask(self, order: dict[str, Any]) -> dict[str, Any] | None:
        """Give an order and wait for the answer; None if the child ended instead."""
        if self.process is None or self.process.poll() is not None:
            self.progress.write_bytes(struct.pack("qqq", -1, 0, 0))
            with self.errors.open("w") as errors:
                self.process = subprocess.Popen(
                    [sys.executable, "-m", "tests.fuzz.child", str(self.progress)],
                    cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=errors,
                    text=True,
                )  # fmt: skip
        self.findings = []
        process = self.process
        assert process.stdin is not None
        assert process.stdout is not None
        answered = threading.Event()
        threading.Thread(target=_watch, args=(process, answered), daemon=True).start()
        try:
            process.stdin.write(json.dumps(order) + "\n")
            process.stdin.flush()
            while line := process.stdout.readline():
                answer: dict[str, Any] = json.loads(line)
                if "found" not in answer:
                    return {**answer, "findings": self.findings}
                self.findings.append(answer["found"])
        except BrokenPipeError:
            pass
        finally:
            answered.set()
        return None

    def death(self) -> dict[str, Any]:
        """How the child ended, in the form of an answer."""
        assert self.process is not None
        code = self.process.wait()
        self._close()
        story = self.errors.read_text(errors="replace")[-3000:]
        frames = [line.strip() for line in story.splitlines() if "/mlfs/" in line]
        where = frames[0].split("/mlfs/")[-1].replace('"', "") if frames else ""
        name = signal.Signals(-code).name if code < 0 else f"exit code {code}"
        name = {"SIGPROF": "too slow", "SIGABRT": "waits or aborts"}.get(name, name)
        number, accepted, refused = struct.unpack("qqq", self.progress.read_bytes())
        found = {"number": number, "kind": f"{name} in {where.split(',')[0]}", "story": story}
        return {"accepted": accepted, "refused": refused, "findings": [*self.findings, found]}

    def stop(self) -> None:
        """End the child."""
        if self.process is None:
            return
        self._close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _close(self) -> None:
        assert self.process is not None
        for pipe in (self.process.stdin, self.process.stdout):
            assert pipe is not None
            with contextlib.suppress(OSError):
                pipe.close()


def _watch(process: subprocess.Popen[str], answered: threading.Event) -> None:
    """End a process that gets nothing done: on a busy machine it is slow, but not still."""
    before = -1
    while not answered.wait(PATIENCE):
        try:
            fields = Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return
        now = int(fields[11]) + int(fields[12])
        if now == before:
            process.send_signal(signal.SIGABRT)
            return
        before = now


def _through(
    child: Child, name: str, first: int, count: int, files: list[str], out: Report
) -> None:
    """Run some cases, going on behind each one that ends the child."""
    stop = first + count
    order: dict[str, Any] = {"target": name, "files": files}
    while first < stop:
        answer = child.ask({**order, "seeds": [first, stop - first]})
        if answer is not None:
            out.add(name, answer, files)
            return
        ended = child.death()
        number = ended["findings"][-1]["number"]
        if number < first:
            raise RuntimeError(f"the child for {name} ended: {ended['findings'][-1]['story']}")
        out.add(name, ended, files)
        first = number + 1


def replay(names: list[str], *, cases: int = 0, start: int = 0) -> Report:
    """Run every file of the corpus, and a number of new cases for each target, in one child."""
    out = Report()
    with tempfile.TemporaryDirectory(prefix="mlfs-fuzz-") as folder:
        child = Child(folder)
        try:
            for name in names:
                files = [str(path) for path in corpus(name)]
                if files:
                    _through(child, name, 0, len(files), files, out)
                if cases:
                    _through(child, name, start, cases, [], out)
        finally:
            child.stop()
    return out


def _batches(names: list[str], start: int, cases: int | None, until: float) -> Iterator[Any]:
    """The corpus, then batches of all targets in turn, up to a number of cases or a time."""
    for name in names:
        files = [str(path) for path in corpus(name)]
        if files:
            yield name, 0, len(files), files
    first = start
    while time.monotonic() < until:
        for name in names:
            left = BATCH if cases is None else min(BATCH, start + cases - first)
            if left <= 0 or time.monotonic() >= until:
                return
            yield name, first, left, []
        first += BATCH


def run(
    names: list[str],
    *,
    start: int = 0,
    cases: int | None = None,
    minutes: float | None = None,
    jobs: int = 1,
    heard: Any = None,
) -> Report:
    """Try the corpus and new cases: the seeds from `start` on, for each target in turn.

    Parameters
    ----------
    names : list of str
        The targets.
    start : int
        The first seed.
    cases : int, optional
        How many cases for each target.
    minutes : float, optional
        How long.
    jobs : int
        How many children work at a time.
    heard : callable, optional
        Called with the report after each batch.
    """
    until = time.monotonic() + 60 * minutes if minutes is not None else float("inf")
    out = Report()
    work = _batches(names, start, cases, until)
    lock = threading.Lock()
    failures: list[BaseException] = []

    def feed(child: Child) -> None:
        try:
            while not failures:
                with lock:
                    batch = next(work, None)
                if batch is None:
                    break
                _through(child, *batch, out)
                if heard is not None:
                    heard(out)
        except BaseException as error:  # noqa: BLE001 - told by the thread that waits
            failures.append(error)
        finally:
            child.stop()

    with tempfile.TemporaryDirectory(prefix="mlfs-fuzz-") as folder:
        threads = [threading.Thread(target=feed, args=(Child(folder),)) for _ in range(jobs)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if failures:
        raise failures[0]
    return out


__all__ = ["CORPUS", "Found", "Report", "Tally", "replay", "run"]
