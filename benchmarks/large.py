"""Large files: what a selection from one takes, in memory and processor time.

``python -m benchmarks.large FOLDER`` makes the files that are not there and selects from each with
the command, in a process of its own; ``--against CHECKOUT`` (a folder with an environment `.venv`)
does so with another version in the same run, turn by turn. ``--share 0.1`` makes them a tenth as
large. JSON goes to standard output.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

__all__ = ["FILES", "make", "measure"]

BLOCK = 20_000  # rows that are repeated, in other orders
LIMITS = ("max_cells=8G", "max_decompressed=64G")
CHILD = """
import json, os, sys
command, most = sys.argv[2:], int(sys.argv[1])
pid = os.fork()
if not pid:
    import resource
    if most:
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(command[0], command)
_, status, used = os.wait4(pid, 0)
print(json.dumps({"code": os.waitstatus_to_exitcode(status), "peak_mb": used.ru_maxrss / 1024,
                  "cpu": used.ru_utime + used.ru_stime}))
"""


def _repeated(stream: BinaryIO, lines: list[bytes], n: int, rng: np.random.Generator) -> None:
    for start in range(0, n, len(lines)):
        order = rng.permutation(len(lines))[: n - start]
        stream.write(b"".join([lines[i] for i in order.tolist()]))


def _bits(rng: np.random.Generator, d: int, n: int = BLOCK) -> np.ndarray:
    X = (rng.random((n, d)) < 0.4).astype(np.uint8)
    X[:, -1] = (X[:, 0] & X[:, 1]) | (rng.random(n) < 0.1)
    return X


def _digits(X: np.ndarray) -> list[bytes]:
    text = np.full((X.shape[0], 2 * X.shape[1]), ord(","), np.uint8)
    text[:, ::2] = X + ord("0")
    text[:, -1] = ord("\n")
    return [row.tobytes() for row in text]


def _csv(stream: BinaryIO, n: int, rng: np.random.Generator) -> None:
    stream.write((",".join([f"f{j}" for j in range(99)] + ["y"]) + "\n").encode())
    _repeated(stream, _digits(_bits(rng, 100)), n, rng)


def _arff(stream: BinaryIO, n: int, rng: np.random.Generator) -> None:
    names = [f"@attribute f{j} {{0,1}}\n" for j in range(99)]
    head = ["@relation t\n", *names, "@attribute y {0,1}\n", "@data\n"]
    stream.write("".join(head).encode())
    _repeated(stream, _digits(_bits(rng, 100)), n, rng)


def _decimals(stream: BinaryIO, n: int, rng: np.random.Generator) -> None:
    stream.write((",".join([f"f{j}" for j in range(99)] + ["y"]) + "\n").encode())
    X, y = rng.normal(size=(BLOCK, 99)), rng.integers(0, 2, BLOCK)
    X[:, 0] += y
    rows = zip(X.tolist(), y.tolist(), strict=True)
    lines = [(",".join([f"{x:.6f}" for x in row]) + f",{label}\n").encode() for row, label in rows]
    _repeated(stream, lines, n, rng)


def _entries(rng: np.random.Generator, d: int, each: int) -> Iterator[tuple[int, np.ndarray]]:
    for _ in range(BLOCK):
        columns = np.unique((d * rng.random(each) ** 2).astype(np.int64))
        yield int(columns[0] < 20), columns + 1


def _svmlight(stream: BinaryIO, n: int, rng: np.random.Generator) -> None:
    lines = [
        (f"{label} " + " ".join([f"{j}:1" for j in columns.tolist()]) + "\n").encode()
        for label, columns in _entries(rng, 50_000, 60)
    ]
    _repeated(stream, lines, n, rng)


def _sparse_arff(stream: BinaryIO, n: int, rng: np.random.Generator) -> None:
    head = [f"@attribute f{j} numeric\n" for j in range(50_000)]
    head = ["@relation t\n", "@attribute y {0,1}\n", *head, "@data\n"]
    stream.write("".join(head).encode())
    lines = [
        ("{" + "0 1," * label + ",".join([f"{j} 1" for j in columns.tolist()]) + "}\n").encode()
        for label, columns in _entries(rng, 50_000, 60)
    ]
    _repeated(stream, lines, n, rng)


def _npz(stream: BinaryIO, n: int, rng: np.random.Generator) -> None:
    X = np.tile(_bits(rng, 101), (-(-n // BLOCK), 1))[:n]
    np.savez(stream, X=np.ascontiguousarray(X[:, :100]), Y=X[:, 100:])


def _parquet(stream: BinaryIO, n: int, rng: np.random.Generator) -> None:
    import pyarrow as pa
    from pyarrow import parquet

    block = _bits(rng, 101, 1_000_000).astype(np.int64)
    names = [*(f"f{j}" for j in range(100)), "y"]
    table = pa.table({name: block[:, j] for j, name in enumerate(names)})
    with parquet.ParquetWriter(stream, table.schema) as writer:
        for start in range(0, n, 1_000_000):
            writer.write_table(table.slice(0, min(1_000_000, n - start)))


Maker = Callable[[BinaryIO, int, np.random.Generator], None]
FILES: dict[str, tuple[str, int, Maker, list[str]]] = {
    "csv of 0/1": ("bits.csv", 5_000_000, _csv, ["--labels", "y"]),
    "csv of decimals": ("decimals.csv", 4_400_000, _decimals, ["--labels", "y"]),
    "arff {0,1}": ("bits.arff", 5_000_000, _arff, ["--labels", "y"]),
    "sparse arff": ("sparse.arff", 2_050_000, _sparse_arff, ["--labels", "y"]),
    "svmlight": ("sparse.svm", 2_050_000, _svmlight, []),
    "npz uint8": ("bytes.npz", 10_000_000, _npz, []),
    "parquet of 0/1": ("bits.parquet", 10_000_000, _parquet, ["--labels", "y"]),
}


def make(name: str, folder: Path, share: float) -> Path:
    """Make a file, if it is not there."""
    file, rows, write, _ = FILES[name]
    path = folder / f"{share:g}-{file}"
    if not path.exists():
        part = path.with_name(f"{path.name}.part")
        with part.open("wb") as stream:
            write(stream, int(rows * share), np.random.default_rng(1))
        part.rename(path)
    return path


def measure(python: Path, path: Path, options: list[str], most: int) -> dict[str, Any]:
    """Select five features from a file with the command of an environment."""
    command = [str(python), "-m", "mlfs", "select", "-q", "-c", "mrmr", "-n", "5", *options]
    for limit in LIMITS:
        command += ["--limit", limit]
    run = [sys.executable, "-S", "-c", CHILD, str(most), *command, str(path)]
    root = python.parent.parent.parent  # mlfs is imported from where it is run
    done = subprocess.run(run, capture_output=True, text=True, check=True, cwd=root)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    if found["code"]:
        found["error"] = done.stderr.strip()[-300:]
    return found


def main() -> None:
    """Measure as the command line says."""
    parser = argparse.ArgumentParser("python -m benchmarks.large", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--share", type=float, default=1.0)
    parser.add_argument("--only", action="append", choices=[*FILES])
    parser.add_argument("--against", type=Path)
    parser.add_argument("--most", type=float, default=0, help="GB that a process may take")
    chosen = parser.parse_args()
    checkouts = {"this": Path(sys.executable)}
    if chosen.against:
        checkouts["other"] = chosen.against / ".venv" / "bin" / "python"
    for name in chosen.only or FILES:
        path = make(name, chosen.folder.resolve(), chosen.share)
        for checkout, python in checkouts.items():
            most = int(chosen.most * 1e9)
            found = measure(python, path, FILES[name][3], most)
            found = {
                "file": name,
                "megabytes": path.stat().st_size / 1e6,
                "checkout": checkout,
                **found,
            }
            sys.stdout.write(json.dumps(found) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
