"""Pieces of text files: names, numbers, blanks; and two readers of one format compared."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from mlfs._kernels import tokens
from mlfs.data.dataset import Dataset
from mlfs.errors import MlfsError
from tests.fuzz.cases import Case, Finding
from tests.fuzz.readers.in_pieces import same
from tests.fuzz.readers.reader import Reader, dense

NAMES = ["a", "b", "x1", "é", "a b", "x'y", "label", "0", "-1", "nan", "?", "日本", "a,b",
         "a\tb",          'q"q', "%c", "{", "}", "\\", "A" * 300, "=1+1", "\x1b[31m", "😀", "#", "a:b", "y|z"]  # fmt: skip
NUMBERS = ["0", "1", "-1", "2", "3.5", "1e3", "-0.0", ".5", "5.", "1e-5", "123456789.25", "007",
           "9007199254740993.0", "1e22", "1e23", "4.9e-324", "1.7976931348623157e308", "0.1",
           "123456789012345678901234567890.5", "1E+2"]  # fmt: skip
ODD_NUMBERS = ["nan", "inf", "-inf", "1e309", "1_0", "+1", "٣", "１", "0x1", "1e", "--1", "",
               " ", "1 2", "?", "NA", "1e99999", "1" * 400, "\xa01", "1\x00", "1\u2028", "e5"]  # fmt: skip
BLANKS = ["", "", "", " ", "\t", "  "]
ENDS = ["\n", "\n", "\n", "\n", "\r\n", "\r"]


def number(rng: random.Random, trouble: float) -> str:
    """A number as text, rarely one that is none."""
    if rng.random() < trouble:
        return rng.choice(ODD_NUMBERS)
    if rng.random() < 0.5:
        return rng.choice(NUMBERS)
    return rng.choice((str(rng.randint(-99, 99)), repr(rng.uniform(-9, 9)), f"{rng.random():.3g}"))


def names(rng: random.Random, count: int, prefix: str, odd: float) -> list[str]:
    """Different names."""
    found: dict[str, None] = {}
    while len(found) < count:
        name = rng.choice(NAMES) if rng.random() < odd else f"{prefix}{len(found)}"
        if name in found:
            name += f"_{len(found)}"
        found[name] = None
    return list(found)


class Compiled(Reader):
    """A reader with a compiled part: what that reads, the careful part has to read alike."""

    def careful(self, case: Case) -> Dataset | str:
        """Read without the compiled part."""
        compiled = tokens.is_compiled
        tokens.is_compiled = lambda: False
        try:
            return self.reading(case.content, f"t{self.suffix}", self.request(case))
        except MlfsError as error:
            return str(error)
        finally:
            tokens.is_compiled = compiled

    def compare(self, case: Case, found: Dataset | str) -> None:
        same(found, self.careful(case))
        expected: Any = case.options.get("whole")
        if expected is None:
            return
        if isinstance(found, str):
            raise Finding(f"a sound file is refused: {found}")
        for name, own in (("X", found.X), ("Y", found.Y)):
            wanted = np.array(expected[name], dtype=float).reshape(found.shape[0], -1)
            if not np.array_equal(dense(own), wanted, equal_nan=True):
                raise Finding(f"{name} is not what was written")


__all__ = ["BLANKS", "ENDS", "NAMES", "NUMBERS", "ODD_NUMBERS", "Compiled", "names", "number"]
