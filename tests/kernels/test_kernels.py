"""The small kernels by themselves; counting is tested through Info, tokens through ARFF."""

from __future__ import annotations

import pytest

from mlfs._kernels import jit


def test_a_kernel_works_where_no_cache_can_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def njit(*, cache: bool = False, nogil: bool, **_: bool) -> object:
        asked.append((cache, nogil))
        if cache:
            raise RuntimeError("cannot cache function: no locator available")
        return lambda function: function

    monkeypatch.setattr(jit.numba, "njit", njit)
    assert jit.compiled(abs)(-3) == 3
    assert asked == [(True, True), (False, True)]


def test_a_disk_that_fails_keeps_nobody_from_computing() -> None:
    class File:
        """What keeps the code of a kernel, on a disk that is full."""

        def _data_name(self, number: int) -> str:
            return f"kernel.{number}.nbc"

        def _load_index(self) -> dict[str, str]:
            raise AttributeError("Can't get attribute 'Gone'")

        def load(self, key: object) -> None:
            raise EOFError

        def save(self, key: object, data: object) -> None:
            raise OSError(28, "No space left on device")

    file = File()
    jit._make_safe(file)
    file.save("key", b"code")
    assert file.load("key") is None
    assert file._load_index() == {}
    assert file._data_name(1) == f"{jit.PROCESS}-kernel.1.nbc"
