"""A target that fails in every way that the harness has to notice."""

from __future__ import annotations

import ctypes
import random

from tests.fuzz.cases import Case, Finding, Target

KEPT: list[bytes] = []


class Faulty(Target):
    """The number of the case says how it fails; every other one is sound."""

    name = "faulty"
    grace = 1.0  # a busy machine takes a while to hand out memory
    memory = 64 << 20

    def generate(self, rng: random.Random) -> Case:
        return Case(b"", {"fault": rng.randrange(6)})

    def run(self, case: Case) -> bool:
        fault = case.options["fault"]
        if fault == 0:
            raise Finding("this is wrong")
        if fault == 1:
            raise KeyError("none of ours")
        if fault == 2:
            ctypes.string_at(0)
        if fault == 3:
            while True:
                pass
        if fault == 4:
            KEPT.append(b"x" * (200 << 20))
        return fault == 5
