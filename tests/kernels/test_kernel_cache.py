"""Compiled kernels are kept where that can be, and work where it cannot."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from numba.core import config

from mlfs._kernels import jit
from mlfs._kernels.jit import KeptCode

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


DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "flipped": lambda whole: whole[:40] + bytes([whole[40] ^ 4]) + whole[41:],
    "cut": lambda whole: whole[:-1],
    "empty": lambda whole: b"",
    "pickle": lambda whole: b"cbuiltins\nexit\n(I7\ntR.",
}


@pytest.fixture
def code(tmp_path: Path) -> KeptCode:
    code = KeptCode(str(tmp_path), "kernel", "stamp")
    code.save("key", [1, 2])
    return code


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_not_loaded(code: KeptCode, damage: str) -> None:
    (file,) = code.folder.iterdir()
    assert code.load("key") == [1, 2]
    file.write_bytes(DAMAGES[damage](file.read_bytes()))
    assert code.load("key") is None
    code.save("key", [3])
    assert code.load("key") == [3]


def test_other_types_and_other_sources_have_other_files(code: KeptCode) -> None:
    assert code.load("another key") is None
    assert KeptCode(str(code.folder.parent), "kernel", "later").load("key") is None


@pytest.mark.skipif(os.name != "posix", reason="there are no modes")
def test_nothing_is_loaded_that_others_can_write(code: KeptCode) -> None:
    (file,) = code.folder.iterdir()
    assert code.folder.stat().st_mode & 0o777 == 0o700
    assert file.stat().st_mode & 0o777 == 0o600
    code.folder.chmod(0o770)
    with pytest.warns(UserWarning, match="others can write to the folder"):
        assert code.load("key") is None
    code.save("second", 2)
    code.folder.chmod(0o700)
    assert code.load("second") is None
    file.chmod(0o666)
    assert code.load("key") is None
    file.chmod(0o600)
    elsewhere = file.rename(code.folder / "elsewhere")
    file.symlink_to(elsewhere)
    assert code.load("key") is None


@pytest.mark.slow
def test_damaged_code_is_compiled_anew(package: Path, tmp_path: Path) -> None:
    where = {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    printed(run(package, **where))
    (file,) = (tmp_path / "cache").rglob("*fill_xlogx*.nbc")
    file.write_bytes(DAMAGES["flipped"](file.read_bytes()))
    assert printed(run(package, **where)).endswith(" 0\n")
    assert printed(run(package, **where)).endswith(" 1\n")


FORK = """
import os, threading, time
import numba
from mlfs._kernels import jit

def compile_some():
    for k in range(3):
        numba.njit(eval(f"lambda a: a * {k} + a ** 2"))(2.0)

thread = threading.Thread(target=compile_some)
thread.start()
time.sleep(0.02)
child = os.fork()
if not child:
    numba.njit(lambda a: a + 1)(2.0)
    os._exit(0)
print(os.waitpid(child, 0)[1])
thread.join()
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_fork_waits_for_a_thread_that_compiles() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORK],
        capture_output=True, text=True, check=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(Path(jit.__file__).parents[2])},
    )  # fmt: skip
    assert done.stdout == "0\n"
