"""`python -m tests soak`: end the commands at random moments, and see what they leave and answer.

- kills: `select`, `convert`, `train` and `compare` get SIGKILL, SIGTERM or SIGINT. What is there
  then is the old file, the new one or none, data and label file together; the same command
  afterwards gives the answer of a run that nobody disturbed, and nothing is left beside it, but for
  an unfinished file after SIGKILL.
- full disk: no file may grow beyond a random size (RLIMIT_FSIZE); the old file stays, and the error
  is one sentence.
- cold: eight processes start at the same time on an empty cache of compiled code.

Everything random comes from ``--seed``; only the moments of the signals depend on the machine.
"""

from __future__ import annotations

import argparse
import csv
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
MLFS = [sys.executable, "-m", "mlfs"]
SIGNALS = (signal.SIGKILL, signal.SIGKILL, signal.SIGTERM, signal.SIGINT)
PATIENCE = 300.0  # seconds, after which a command hangs
OLD = b"what was there before\n"
TIMES = {"prepare_seconds", "select_seconds", "fit_seconds", "predict_seconds", "peak_mb"}
BAD_WORDS = ("Traceback", "internal error", "Exception ignored", "Segmentation")


@dataclass
class Work:
    """A command, the files that it writes, and how to read its answer."""

    name: str
    arguments: list[str]
    files: tuple[str, ...]
    answer: Callable[[Path], Any]
    seconds: float = 0.0
    expected: Any = None


@dataclass
class Soak:
    """One run: its folder, its commands, and what was found."""

    folder: Path
    rng: random.Random
    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    works: list[Work] = field(default_factory=list)

    @property
    def cache(self) -> Path:
        """The folder of compiled code."""
        return self.folder / "cache"

    def fault(self, text: str) -> None:
        """Note a fault, and say it at once."""
        self.faults.append(text)
        sys.stdout.write(f"FAULT {len(self.faults)}: {text}\n")
        sys.stdout.flush()

    def start(self, work: Work, out: Path, **more: Any) -> subprocess.Popen[bytes]:
        """Start a command in a session of its own, its output in files of a folder."""
        filled = [part.format(out=out, data=self.folder / "data.arff") for part in work.arguments]
        env = {**os.environ, "PYTHONPATH": str(ROOT), "NUMBA_CACHE_DIR": str(self.cache)}
        env |= more.pop("env", {})
        return subprocess.Popen(
            [*MLFS, *filled], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE, start_new_session=True, **more,
        )  # fmt: skip

    def finish(self, process: subprocess.Popen[bytes], what: str) -> str:
        """Wait for the end; what it said. A traceback, a hang or processes left are faults."""
        try:
            said = process.communicate(timeout=PATIENCE)[1].decode(errors="replace")
        except subprocess.TimeoutExpired:
            process.kill()
            self.fault(f"{what} hangs")
            return ""
        if any(word in said for word in BAD_WORDS):
            if said.rstrip().endswith("KeyboardInterrupt") and "in main\n" not in said:
                self.counts["Ctrl-C while Python itself started"] += 1
                process.returncode = 130
            elif "_raw_object_cache_notify" in said and said.count("Traceback") == 1:
                self.counts["a signal that a callback of llvmlite lost"] += 1
            elif "<function ObjectRef.__del__" in said and said.count("Traceback") == 1:
                self.counts["a half-made object of llvmlite says so on its way down"] += 1
            else:
                self.fault(f"{what} says {said[-1500:]}")
        until = time.monotonic() + 20
        while _alive(process.pid) and time.monotonic() < until:
            time.sleep(0.1)
        if _alive(process.pid):
            self.fault(f"{what} leaves processes")
            os.killpg(process.pid, signal.SIGKILL)
        return said

    def whole(self, work: Work, out: Path, what: str) -> None:
        """Run a command to its end: it answers as if undisturbed, and leaves nothing."""
        process = self.start(work, out)
        said = self.finish(process, what)
        self.counts["whole runs"] += 1
        if process.returncode != 0:
            self.fault(f"{what} ends with {process.returncode}: {said[-500:]}")
        elif work.answer(out) != work.expected:
            self.fault(f"{what} answers otherwise")
        if left := _left(out):
            self.fault(f"{what} leaves {left}")


def _alive(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    return True


def _left(folder: Path) -> list[str]:
    found = (path for path in folder.rglob("*") if path.name.startswith(".mlfs-"))
    return [str(path.relative_to(folder)) for path in found]


# ---- the commands ------------------------------------------------------------------------------


def _bytes(*names: str) -> Callable[[Path], Any]:
    return lambda out: [(out / name).read_bytes() for name in names]


def _ranking(out: Path) -> Any:
    found = json.loads((out / "s.json").read_bytes())
    return [(pick["index"], pick["score"]) for pick in found["selected"]]


def _table(out: Path) -> Any:
    with (out / "report" / "results.csv").open(encoding="utf-8", newline="") as stream:
        return [{k: v for k, v in row.items() if k not in TIMES} for row in csv.DictReader(stream)]


def _predictions(out: Path) -> Any:
    """The predictions of a stored model; its bytes differ each time."""
    import mlfs
    from mlfs.models.model_files import load_stored

    stored = load_stored(str(out / "m.mlfs"))
    X, _ = stored.table.matrix(mlfs.read(str(out.parent / "data.arff")))
    return stored.model.predict_proba(X).tobytes()


def _works() -> list[Work]:
    return [
        Work("select", ["select", "-c", "jmi", "-n", "40", "--force", "-o", "{out}/s.json",
                        "{data}"], ("s.json",), _ranking),
        Work("reduce", ["select", "-q", "-c", "mrmr", "-n", "100", "--force", "-o", "{out}/r.csv",
                        "{data}"], ("r.csv", "r.xml"), _bytes("r.csv", "r.xml")),
        Work("convert", ["convert", "-q", "--force", "{data}", "{out}/c.arff"],
             ("c.arff", "c.xml"), _bytes("c.arff", "c.xml")),
        Work("train", ["train", "-q", "--model", "cc", "--force", "-o", "{out}/m.mlfs", "{data}"],
             ("m.mlfs",), _predictions),
        Work("compare", ["compare", "-q", "-c", "mim", "-c", "random", "-m", "br", "-n", "3",
                         "--folds", "3", "-o", "{out}/report", "{data}"], (), _table),
    ]  # fmt: skip


def prepare(soak: Soak) -> None:
    """Make the data, and let each command run undisturbed, twice: the answers are the same."""
    from benchmarks.generated import hypercubes
    from mlfs.data import write

    write(hypercubes(400, 300, 8, seed=1), soak.folder / "data.arff")
    soak.works = _works()
    for work in soak.works:
        for turn in ("cold", "warm"):
            out = soak.folder / f"{turn}-{work.name}"
            out.mkdir()
            start = time.monotonic()
            process = soak.start(work, out)
            said = soak.finish(process, f"{work.name} ({turn})")
            work.seconds = time.monotonic() - start
            if process.returncode != 0:
                raise SystemExit(f"{work.name} does not run: {said}")
            found = work.answer(out)
            if turn == "warm" and found != work.expected:
                soak.fault(f"{work.name} answers otherwise the second time")
            work.expected = found
        (soak.folder / work.name).mkdir()


# ---- what is done to them ----------------------------------------------------------------------


def kill(soak: Soak) -> None:
    """End a command at a random moment, look at what is there, and perhaps let it finish."""
    work = soak.rng.choice(soak.works)
    out = soak.folder / work.name
    for name in work.files:
        (out / name).write_bytes(OLD)
    if work.name == "compare" and soak.rng.random() < 0.3:
        shutil.rmtree(out / "report", ignore_errors=True)
    sent = soak.rng.choice(SIGNALS)
    what = f"{work.name} after {sent.name}"
    process = soak.start(work, out)
    try:
        process.wait(soak.rng.uniform(0, 1.1) * work.seconds)
        soak.counts["ended before the signal"] += 1
    except subprocess.TimeoutExpired:
        process.send_signal(sent)
        soak.counts[f"kills: {sent.name}"] += 1
        soak.counts["kills"] += 1
    soak.finish(process, what)
    fine = (0, 130, 143, -sent, 128 + sent)
    if process.returncode not in fine:
        soak.fault(f"{what} ends with {process.returncode}")
    if left := _left(out):
        if sent != signal.SIGKILL:
            soak.fault(f"{what} leaves {left}")
        for name in left:  # what SIGKILL leaves has a telling name, and is the user's to delete
            soak.counts["unfinished files after SIGKILL"] += 1
            (out / name).unlink()
    _check_files(soak, work, out, what, sent)
    if soak.rng.random() < 0.3:
        soak.whole(work, out, f"{work.name} in the folder of one that got {sent.name}")


def _check_files(soak: Soak, work: Work, out: Path, what: str, sent: signal.Signals) -> None:
    """All files of a command are the old ones, or all are the new ones."""
    found = [(out / name).read_bytes() if (out / name).exists() else None for name in work.files]
    old = [content == OLD for content in found]
    if not work.files or all(old):
        return
    if any(old) or None in found:
        soak.fault(
            f"{what} has replaced some of its files: {dict(zip(work.files, old, strict=True))}"
        )
    elif work.name == "select":
        try:
            picks = _ranking(out)
        except (ValueError, KeyError, TypeError) as error:
            soak.fault(f"{what} has written a part of a file: {error}")
            return
        if picks != work.expected[: len(picks)]:
            soak.fault(f"{what} has picked otherwise")
        if len(picks) < len(work.expected) and sent != signal.SIGINT:
            soak.fault(f"{what} has written a part of its picks")
    elif work.name != "reduce" and found != work.expected:
        soak.fault(f"{what} has written something else")


def full_disk(soak: Soak) -> None:
    """Let no file grow beyond a random size."""
    work = soak.rng.choice(soak.works[:4])
    out = soak.folder / work.name
    for name in work.files:
        (out / name).write_bytes(OLD)
    most = soak.rng.choice((0, 100, soak.rng.randrange(1, 5000), soak.rng.randrange(1, 200_000)))
    what = f"{work.name} with files of at most {most} bytes"

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

    process = soak.start(work, out, preexec_fn=limited)  # no threads here
    said = soak.finish(process, what)
    soak.counts["full disks"] += 1
    if process.returncode == 0:
        if work.answer(out) != work.expected:
            soak.fault(f"{what} answers otherwise")
    elif process.returncode != 1 or not said.strip().splitlines()[-1].startswith("mlfs: error:"):
        soak.fault(f"{what} ends with {process.returncode}: {said[-300:]}")
    elif any((out / name).read_bytes() != OLD for name in work.files):
        soak.fault(f"{what} has replaced a file")
    if left := _left(out):
        soak.fault(f"{what} leaves {left}")


def cold(soak: Soak, processes: int = 8) -> None:
    """Start processes at the same time on an empty cache."""
    work = soak.works[0]
    with tempfile.TemporaryDirectory(dir=soak.folder) as folder:
        places = [Path(folder) / str(k) for k in range(processes)]
        for place in places:
            place.mkdir()
        env = {"NUMBA_CACHE_DIR": str(Path(folder) / "cache")}
        running = [soak.start(work, place, env=env) for place in places]
        for process, place in zip(running, places, strict=True):
            said = soak.finish(process, "one of eight on a cold cache")
            soak.counts["processes on a cold cache"] += 1
            if process.returncode != 0 or work.answer(place) != work.expected:
                soak.fault(f"one of eight on a cold cache: {process.returncode} {said[-300:]}")


def _parsed(arguments: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m tests soak", description=__doc__)
    parser.add_argument("--kills", type=int, default=100, help="how many signals are sent")
    parser.add_argument("--minutes", type=float, default=1e9, help="or how long, if that is less")
    parser.add_argument("--cold", type=int, default=1, help="how often eight start at a time")
    parser.add_argument("--seed", type=int, default=0)
    return parser.parse_args(arguments)


def main(arguments: list[str]) -> int:
    """Run it; 0 if nothing is wrong."""
    options = _parsed(arguments)
    start = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="mlfs-soak-") as folder:
        soak = Soak(Path(folder), random.Random(options.seed))
        prepare(soak)
        heard = start
        while soak.counts["kills"] < options.kills:
            if time.monotonic() - start > 60 * options.minutes:
                break
            soak.rng.choices((kill, full_disk), (8, 1))[0](soak)
            if time.monotonic() - heard > 30:
                heard = time.monotonic()
                told = f"{soak.counts['kills']} kills, {len(soak.faults)} faults"
                sys.stdout.write(f"{heard - start:.0f} s: {told}\n")
                sys.stdout.flush()
        for work in soak.works:
            soak.whole(work, soak.folder / work.name, f"{work.name} at the end")
        for _ in range(options.cold):
            cold(soak)
    sys.stdout.write("\n")
    for name, count in sorted(soak.counts.items()):
        sys.stdout.write(f"{name:34}{count:8,}\n")
    sys.stdout.write(f"{len(soak.faults)} faults in {time.monotonic() - start:.0f} s, ")
    sys.stdout.write(f"seed {options.seed}\n")
    return 1 if soak.faults else 0
