"""Run all that must pass: ``python -m tests``, or some of it: ``python -m tests lint types``.

``python -m tests fuzz`` is no part of it: it tries files as long as it is told to; ``oldest`` and
``newest`` are none either: they download other versions, and belong to a release. With a seed in
``MLFS_TEST_ORDER`` the tests run in a random order.
"""

from __future__ import annotations

import importlib
import os
import re
import shlex
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from tests import audit, versions
from tests.processors import fewer_instructions

ROOT = Path(__file__).resolve().parents[1]
FAILED_TESTS: list[str] = []
PYTHON = [sys.executable, "-m"]

# The tests of the kernels and of what is built on them; run once more without the compiler,
# because only then does coverage see inside a kernel.
STATISTIC = "test_the_statistic_is_the_greatest_information_given_the_strata"
LOOPS = "test_a_test_is_that_of_loops"
NAIVE = "test_the_statistic_is_that_of_a_naive_model"
SCREEN = "test_the_screen_loses_no_pair_that_the_model_has"
FEW_ROWS = "test_strata_of_few_rows_are_counted_together_with_the_same_answer"
KERNEL_TESTS = [
    "tests/kernels",
    "tests/information/test_estimators.py",
    "tests/information/test_info.py",
    "tests/information/test_bias.py",
    "tests/information/test_gaussian.py",
    "tests/counting/test_column_groups.py",
    "tests/counting/test_xlogx.py",
    "tests/discretize/test_forms.py",
    "tests/discretize/test_exact_moments.py",
    "tests/discretize/test_table_survey.py",
    "tests/search/test_labels.py",
    f"tests/search/test_blankets.py::{LOOPS}",
    f"tests/search/test_pair_tests.py::{NAIVE}",
    f"tests/search/test_pair_tests.py::{SCREEN}",
    f"tests/search/test_path_tests.py::{STATISTIC}",
    f"tests/search/test_path_tests.py::{FEW_ROWS}",
]

# What is computed with BLAS; run once more as on another processor, where it adds in another order.
BLAS_TESTS = ["tests/test_docs.py", "tests/models/baselines"]

# Neighbours stay together and share what is made once; who is done early takes from others.
WORKERS = ["-n", "auto", "--maxprocesses", "8", "--dist", "worksteal"]
PYTEST = [*PYTHON, "pytest", "-q"]

STEPS: dict[str, list[list[str]]] = {
    "lint": [[*PYTHON, "ruff", "check", "."], [*PYTHON, "ruff", "format", "--check", "."]],
    "types": [[*PYTHON, "mypy"]],
    "docs": [[*PYTHON, "mkdocs", "build", "--strict", "--quiet", "--site-dir", "{scratch}"]],
    "compiled": [[*PYTEST, *WORKERS, "-m", "", "--durations=25"]],
    "interpreted": [
        [*PYTEST, "-m", "not slow and not compiled", "--cov=mlfs/_kernels", *KERNEL_TESTS]
    ],
    "processor": [[*PYTEST, *BLAS_TESTS]],
}

CALLED = {**audit.STEPS, **versions.STEPS}

# Run alone, with options of their own: ``python -m tests fuzz --minutes 10``.
LONG = {
    "fuzz": "tests.fuzz.command",
    "release": "tests.release",
    "soak": "tests.soak",
    "soak-cluster": "tests.soak_cluster",
    "equal-cluster": "tests.equal_on_cluster",
}


# Each keeps one core busy: they run beside the others, the longest first, one for every two cores.
# The others have tests that wait for a process or a signal, and would leave a core idle meanwhile.
ONE_CORE = ("interpreted", "processor", "docs", "types", "lint")

# Bytecode that is not kept is made anew by every worker and every process that a test starts; and
# threads of BLAS and OpenMP that wait do not take a core from the other worker.
ENVIRONMENT = {
    "PYTHONDONTWRITEBYTECODE": "",
    "OPENBLAS_THREAD_TIMEOUT": "4",
    "OMP_WAIT_POLICY": "passive",
}


def run(step: str, scratch: str) -> bool:
    """Run the commands of one step from the root of the checkout; True when all pass."""
    env = dict(os.environ)
    if step == "interpreted":
        env["NUMBA_DISABLE_JIT"] = "1"
    if step == "processor":
        env.update(fewer_instructions())
    if step == "docs":
        env["NO_MKDOCS_2_WARNING"] = "1"  # of Material for MkDocs: about a version not used here
    if step == "compiled":
        env["SCIPY_ARRAY_API"] = "1"  # else scikit-learn skips its checks of array libraries
    if step in CALLED:
        sys.stderr.write(f"\n== {step}\n")
        return CALLED[step](scratch)
    passed = True
    for command in STEPS[step]:
        filled = [part.replace("{scratch}", scratch) for part in command]
        sys.stderr.write(f"\n== {step}: python {' '.join(filled[1:])}\n")
        passed &= shown(filled, env) == 0
    return passed


def shown(command: list[str], env: dict[str, str]) -> int:
    """Run a command, hand on what it prints, keep the tests that it names as failed; its code."""
    with subprocess.Popen(
        command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            sys.stderr.write(line)
            note_failures(line)
    return process.returncode


def note_failures(text: str) -> None:
    """Keep the tests that pytest's short summary names as failed."""
    FAILED_TESTS.extend(
        re.findall(r"^(?:FAILED|ERROR) (.+?\.py::.+?)(?: - |$)", text, re.MULTILINE)
    )


def timed(step: str) -> tuple[bool, float]:
    """Run a step; whether it passed, and its seconds."""
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as scratch:
        passed = run(step, scratch)
    return passed, time.monotonic() - start


def apart(step: str) -> tuple[bool, float]:
    """Run a step in a process of its own, print what it said; whether it passed, its seconds."""
    start = time.monotonic()
    done = subprocess.run(
        [*PYTHON, "tests", step],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    sys.stderr.write(done.stdout)
    note_failures(done.stdout)
    return done.returncode == 0, time.monotonic() - start


def main(names: list[str]) -> int:
    """Run the named steps, or all; 0 when all pass, 1 when one fails, 2 for an unknown name."""
    if names and names[0] in LONG:
        return int(importlib.import_module(LONG[names[0]]).main(names[1:]))
    known = [*STEPS, *CALLED]
    unknown = [name for name in names if name not in known]
    if unknown:
        sys.stderr.write(f"unknown step {unknown[0]!r}: known are {', '.join(known)}\n")
        return 2
    os.environ.update(ENVIRONMENT)
    chosen, start = names or [*STEPS, *audit.STEPS], time.monotonic()
    beside = [name for name in ONE_CORE if name in chosen and len(chosen) > 1]
    with ThreadPoolExecutor(max(1, (os.cpu_count() or 1) // 2)) as pool:
        begun = {name: pool.submit(apart, name) for name in beside}
        results = {name: timed(name) for name in chosen if name not in begun}
        results |= {name: step.result() for name, step in begun.items()}
    sys.stderr.write("\n")
    for name, (passed, seconds) in results.items():
        sys.stderr.write(f"{name:12} {'passed' if passed else 'FAILED'} in {seconds:.0f} s\n")
    if len(results) > 1:
        sys.stderr.write(f"{'all':12} in {time.monotonic() - start:.0f} s\n")
    failed = [name for name, (passed, _) in results.items() if not passed]
    if failed:
        sys.stderr.write(how_to_repeat(failed) + "\n")
    return 1 if failed else 0


def how_to_repeat(steps: list[str]) -> str:
    """Return one line: what failed, and the command that runs it alone."""
    tests = list(dict.fromkeys(FAILED_TESTS))
    order = os.environ.get("MLFS_TEST_ORDER")
    seed = f" (in the order of MLFS_TEST_ORDER={order})" if order else ""
    if not tests:
        return f"failed{seed}: {', '.join(steps)}; run alone: python -m tests {' '.join(steps)}"
    alone = " ".join(shlex.quote(test) for test in tests)
    return f"failed{seed}: {', '.join(steps)}; run alone: python -m pytest -m '' {alone}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
