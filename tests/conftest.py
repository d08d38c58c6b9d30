"""How hypothesis draws: the same examples in every run, so that a failure is there again.

``pytest --hypothesis-profile=wander`` draws others each time.
"""

from __future__ import annotations

import gc

from hypothesis import settings

settings.register_profile("same", derandomize=True, database=None, deadline=None, max_examples=40)
settings.register_profile("wander", deadline=None, max_examples=200)
settings.load_profile("same")


def pytest_collection_finish() -> None:
    """Let the garbage collector pass over the tests themselves: ten thousand items stay anyway."""
    gc.collect()
    gc.freeze()
