"""The memory that counting may take changes no answer; too little of it is reported."""

from __future__ import annotations

import numpy as np
import pytest

from mlfs import DataError, UsageError, select
from mlfs.counting.codes import Codes
from mlfs.counting.counts import Counts
from mlfs.counting.memory import Budget, bytes_of
from mlfs.criteria import available
from mlfs.information.exact import ExactInfo
from mlfs.information.for_search import table_of
from mlfs.information.table import Table

NOTHING = Budget(cache=0, kept=0, labels=0)


def problem(seed: int, rows: int = 90) -> tuple[np.ndarray, np.ndarray]:
    generator = np.random.default_rng(seed)
    X = (generator.random((rows, 12)) < generator.choice([0.05, 0.5], 12)).astype(int)
    X[:, 0] += generator.integers(0, 3, rows)
    Y = (generator.random((rows, 5)) < [0.05, 0.1, 0.3, 0.5, 0.9]).astype(int)
    Y[:, 1] ^= X[:, 1]
    return X, Y


@pytest.mark.parametrize("name", available())
def test_little_memory_changes_no_bit(name):
    X, Y = problem(3)
    one = select((X, Y), name, 5)
    two = select((X, Y), name, 5, max_memory=100_000)
    assert one.indices == two.indices
    assert one.scores.tobytes() == two.scores.tobytes()


@pytest.mark.parametrize("word", ["cmi_sL_given_f", "cmi_fL_given_s", "interaction_fsL"])
@pytest.mark.parametrize("seed", range(3))
def test_one_label_at_a_time_gives_the_same_bits(seed, word):
    x, y = (Codes.from_dense(part) for part in problem(seed))
    counts, positions = Counts.of(x, y)
    roomy, tight = (
        ExactInfo(Table(counts, 5, np.full(5, -1), positions=positions, budget=budget))
        for budget in (Budget(), NOTHING)
    )
    assert table_of(tight).label_pairs.labels_at_once(0) == 1
    for s in range(12):
        assert getattr(roomy, word)(s).tobytes() == getattr(tight, word)(s).tobytes()
    assert roomy.mi_fL.tobytes() == tight.mi_fL.tobytes()
    assert roomy.interaction_fLL.tobytes() == tight.interaction_fLL.tobytes()
    assert table_of(tight).cache.bytes == 0


@pytest.mark.parametrize(
    ("given", "size"),
    [
        (1, 1),
        ("12", 12),
        ("2GB", 2 * 10**9),
        ("1.5 kib", 1536),
        ("3m", 3 * 10**6),
        ("1 TB", 10**12),
    ],
)
def test_amounts_of_memory(given, size):
    assert bytes_of(given) == size


def test_half_of_what_is_there_is_taken_by_default():
    assert bytes_of(None) > 1 << 20


@pytest.mark.parametrize("given", [0, -1, "", "0GB", "GB", "2 potatoes", True, 1.5, [1]])
def test_what_is_no_amount_of_memory(given):
    with pytest.raises(UsageError, match="max_memory is a number of bytes"):
        select(problem(0), "mim", 2, max_memory=given)


def test_data_that_do_not_fit_are_refused():
    with pytest.raises(
        DataError, match=r"max_memory is 0 kB, but counting takes at least \d+ kB: raise it"
    ):
        select(problem(0), "mim", 2, max_memory=900)
