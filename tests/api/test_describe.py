"""The figures of a data set: published imbalance, known traps of real files, small cases."""

from __future__ import annotations

import json

import numpy as np
import pytest
import scipy.sparse as sp

from mlfs.api.describe import describe
from mlfs.data.dataset import Column, Dataset, Label, Source
from mlfs.information.imbalance import imbalance
from tests.shared import shared_data


def look(name):
    from mlfs.data import read

    return describe(read(shared_data(name)))


def test_bibtex_has_one_pair_of_equal_columns():
    seen = look("bibtex/bibtex.arff")
    assert seen.duplicate_columns == [[951, 1823]]
    assert seen.sparse
    assert (seen.rows, seen.features, seen.labels, seen.labelsets) == (7395, 1836, 159, 2856)
    assert "1 (iupap = xxiii)" in seen.table()


def test_genbase_has_its_constant_columns_and_an_identifier():
    seen = look("genbase/genbase.arff")
    assert len(seen.constant_columns) == 1073
    assert seen.identifier_columns == [0]
    assert "identifiers          protein\n" in seen.table()


def test_languagelog_has_rows_without_labels():
    assert look("languagelog/langlog.arff").rows_without_labels == 207


def test_birds_has_rows_without_labels():
    parts = [look(f"birds/birds-{part}.arff") for part in ("train", "test")]
    assert sum(part.rows_without_labels for part in parts) == 294


# --- small cases ------------------------------------------------------------------------------


def small(sparse):
    X = np.array(
        [
            [0, 0.5, 0.5, 7, np.nan, 0, np.nan],
            [1, 0.0, 0.0, 7, 1.0, -0.0, np.nan],
            [0, 2.0, 2.0, 7, 1.0, 0, np.nan],
            [0, np.nan, np.nan, 7, 1.0, 0, np.nan],
        ]
    )
    Y = np.array([[1, 0, 0], [1, 1, 0], [0, -1, 0], [0, 0, 0]], dtype=np.int8)
    columns = (Column("a", "nominal", ("n", "y")), *(Column(c) for c in "bcdefg"))
    return Dataset(
        sp.csr_array(X) if sparse else X,
        sp.csr_array(Y) if sparse else Y,
        columns,
        (Label("p"), Label("q"), Label("never\x1b")),
        np.ones(4),
        (("id", "a string"),),
        Source("x.arff", "arff", "toy", "the option"),
        ("a note",),
    )


@pytest.mark.parametrize("sparse", [False, True])
def test_every_figure_of_a_small_table(sparse):
    seen = describe(small(sparse))
    assert (seen.rows, seen.features, seen.labels) == (4, 7, 3)
    assert (seen.cardinality, seen.density) == (0.75, 0.25)
    assert (seen.labelsets, seen.rows_without_labels) == (4, 2)
    assert seen.label_frequency == {"max": 2, "min": 0}
    assert seen.labels_without_positives == ["never\x1b"]
    assert (seen.ir, seen.cvir) == (1.5, pytest.approx(0.5**0.5 / 1.5))
    assert seen.column_kinds == {"numeric": 6, "nominal": 1}
    assert seen.constant_columns == [3, 5, 6]
    assert seen.duplicate_columns == [[1, 2]]
    assert (seen.missing_features, seen.missing_columns, seen.missing_labels) == (7, 4, 1)
    assert seen.sparse is sparse
    assert seen.filled == 19 / 28
    assert seen.weighted
    assert seen.left_out == [["id", "a string"]]
    assert seen.source["labels_by"] == "the option"


def test_the_json_has_the_promised_keys_first():
    described = json.loads(json.dumps(describe(small(True)).to_dict()))
    promised = "rows features labels cardinality density labelsets ir cvir"
    assert " ".join(described).startswith(promised)


def test_the_table_escapes_what_came_from_the_file():
    text = describe(small(False)).table()
    assert "\x1b" not in text
    assert "labels on no row     1 (never\\x1b)" in text
    assert "constant columns     3 (d, f, g)" in text


def test_dense_and_sparse_tell_the_same():
    dense, sparse = (describe(small(kind)).to_dict() for kind in (False, True))
    assert {k for k in dense if dense[k] != sparse[k]} == {"sparse"}


def test_columns_are_equal_by_what_their_values_mean():
    X = np.array([[0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    columns = (
        Column("a", "nominal", ("NO", "YES")),
        Column("b", "nominal", ("YES", "NO")),
        Column("c", "nominal", ("YES", "NO")),
    )
    data = Dataset(X, np.ones((2, 1), np.int8), columns, (Label("l"),))
    assert describe(data).duplicate_columns == []


def test_no_label_anywhere_is_no_crash():
    data = Dataset(np.zeros((3, 0)), np.zeros((3, 2), np.int8), (), (Label("a"), Label("b")))
    seen = describe(data)
    assert (seen.ir, seen.cvir, seen.labelsets) == (None, None, 1)
    assert "imbalance IR" in seen.table()
    nothing = Dataset(np.zeros((0, 1)), np.zeros((0, 0), np.int8), (Column("a"),), ())
    assert describe(nothing).cardinality == 0


def test_imbalance_of_classes_counts_all_but_the_first():
    table = [[5, 3, 2], [8, 2, 0], [10, 0, 0]]
    assert imbalance(table).ir_l.tolist() == pytest.approx([1, 2.5, np.nan], nan_ok=True)
    assert imbalance([4]).cvir == 0
    assert np.isnan(imbalance([0, 0]).ir)
