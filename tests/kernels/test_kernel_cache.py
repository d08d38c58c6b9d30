"""Compiled kernels are kept where that can be, and work where it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from numba.core import config

from mlfs._kernels import jit

pytestmark = pytest.mark.skipif(bool(config.DISABLE_JIT), reason="nothing is compiled")
TABLE = "[0.0, 0.0, 1.386, 3.296]"
CALL = (
    "import numpy as np; from mlfs._kernels.co_sums import fill_xlogx; "
    "table = np.zeros(5, np.int64); fill_xlogx(table, 1000.0); "
    "hits = sum(fill_xlogx.stats.cache_hits.values()); "
    "print((table[:4] / 1000).tolist(), hits)"
)


def environment(package: Path, **more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA")}
    kept.pop("XDG_CACHE_HOME", None)
    return {**kept, "PYTHONPATH": str(package), "PYTHONDONTWRITEBYTECODE": "1", **more}


def run(package: Path, **more: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CALL],
        env=environment(package, **more),
        cwd=package,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def printed(process: subprocess.Popen[str]) -> str:
    out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    return out


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package, as it is installed, without what was compiled."""
    source = Path(jit.__file__).parents[1]
    site = tmp_path / "site"
    shutil.copytree(source, site / "mlfs", ignore=shutil.ignore_patterns("__pycache__"))
    for criterion in (source.parent / "criteria").glob("*.py"):
        shutil.copy(criterion, site / "mlfs" / "criteria")
    return site


@pytest.mark.skipif(os.name != "posix", reason="the home is somewhere else")
def test_kept_in_the_home_where_the_installation_cannot_be_written(
    package: Path, tmp_path: Path
) -> None:
    blocked = package / "mlfs" / "_kernels" / "__pycache__"
    blocked.touch()  # a file in place of the folder keeps even root from writing
    home = tmp_path / "home"
    first = printed(run(package, HOME=str(home)))
    again = printed(run(package, HOME=str(home)))
    assert first.startswith(TABLE)
    assert again.startswith(TABLE)
    assert first.endswith(" 0\n")
    assert again.endswith(" 1\n")
    assert any(home.rglob("*.nbc"))


@pytest.mark.skipif(os.name != "posix", reason="the home is somewhere else")
@pytest.mark.parametrize("name", ["HOME", "NUMBA_CACHE_DIR"])
def test_compiled_anew_where_nothing_can_be_written(package: Path, name: str) -> None:
    blocked = package / "mlfs" / "_kernels" / "__pycache__"
    blocked.touch()
    nowhere = str(blocked / "below")
    found = printed(run(package, **{"HOME": nowhere, name: nowhere}))
    assert found.startswith(TABLE)
    assert found.endswith(" 0\n")


def test_two_processes_compile_at_once(package: Path, tmp_path: Path) -> None:
    where = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    together = [run(package, **where) for _ in range(2)]
    found = [printed(process) for process in together]
    third = printed(run(package, **where))
    assert all(text.startswith(TABLE) for text in [*found, third])
    assert third.endswith(" 1\n")


@pytest.mark.parametrize("suffix", ["nbc", "nbi"])
def test_what_cannot_be_loaded_is_compiled_again(
    package: Path, tmp_path: Path, suffix: str
) -> None:
    where = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    printed(run(package, **where))
    for file in (tmp_path / "cache").rglob(f"*.{suffix}"):
        file.write_bytes(b"cmlfs._kernels.rows\nGone\n.")  # a class that there is no more
    assert printed(run(package, **where)).endswith(" 0\n")
    assert printed(run(package, **where)).endswith(" 1\n")


TYPES = """
import numpy as np
import two_kinds
a = np.arange(3, dtype=np.{kind})
two_kinds.double(a)
print(a.tolist())
"""


def test_two_processes_that_compile_for_other_types_do_not_exchange_their_code(
    package: Path, tmp_path: Path
) -> None:
    (package / "two_kinds.py").write_text(
        "from mlfs._kernels.jit import compiled\n\n\n@compiled\ndef double(a):\n    a *= 2\n"
    )
    kinds = {"int64": "[0, 2, 4]", "float64": "[0.0, 2.0, 4.0]"}
    for _ in range(2):
        together = {
            kind: subprocess.Popen(
                [sys.executable, "-c", TYPES.format(kind=kind)],
                env=environment(package, NUMBA_CACHE_DIR=str(tmp_path / "cache")),
                cwd=package, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            )
            for kind in kinds
        }  # fmt: skip
        for kind, process in together.items():
            assert printed(process).strip() == kinds[kind]
    names = [path.name for path in (tmp_path / "cache").rglob("*two_kinds*.nbc")]
    assert len({name.split("-")[0] for name in names}) == len(names)


@pytest.mark.parametrize(("notebook", "n_lines"), [(True, 1), (False, 0)])
def test_a_notebook_says_once_that_kernels_are_compiled(notebook, n_lines, tmp_path):
    program = "import sys\n" + ("sys.modules['ipykernel'] = sys\n" if notebook else "")
    program += "import numpy as np\nfrom mlfs._kernels import planes\n"
    program += "one = np.ones((1, 1), np.uint64)\n"
    program += "planes.sweep(one, one, np.zeros((1, 1), np.int64))\n"
    program += "planes.sweep(one, one, np.zeros((1, 1), np.int32))\n"
    done = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr.count("mlfs compiles its kernels at first use") == n_lines
