"""How hypothesis draws: the same examples in every run, so that a failure is there again.

``pytest --hypothesis-profile=wander`` draws others each time.
"""

from __future__ import annotations

import gc
import os
import random
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

# A busy machine is slow to draw, and that is no fault of a test.
PATIENT = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, database=None, max_examples=40, **PATIENT)
settings.register_profile("wander", max_examples=200, **PATIENT)
settings.load_profile("same")


STATES: dict[tuple[str, str], dict[str, Any]] = {}


@pytest.fixture(autouse=True)
def _same_numbers_in_any_order(request: pytest.FixtureRequest) -> None:
    """Let the generators of a module start anew in each test, whatever ran before."""
    for name, value in vars(request.module).items() if hasattr(request, "module") else ():
        if isinstance(value, np.random.Generator):
            state = STATES.setdefault((request.module.__name__, name), value.bit_generator.state)
            value.bit_generator.state = state


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Ctrl-C as at a terminal, also for children: what runs in the background may ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


ORDER = "MLFS_TEST_ORDER"


def pytest_report_header() -> str | None:
    """Say by which seed the tests are shuffled."""
    seed = os.environ.get(ORDER)
    return f"tests in a random order, again by {ORDER}={seed}" if seed else None


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shuffle the tests where the environment has a seed: no test may need an earlier one."""
    seed = os.environ.get(ORDER)
    if seed:
        items.sort(key=lambda item: item.nodeid)
        random.Random(seed).shuffle(items)


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the tests themselves: ten thousand items stay anyway."""
    gc.collect()
    gc.freeze()
