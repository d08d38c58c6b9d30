"""A selection in a notebook: short as text, safe as HTML, whole as a frame."""

from __future__ import annotations

from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.errors import DataError

NASTY = "<script>alert(1)</script>&\x1b[31m"


def table(d=8):
    generator = np.random.default_rng(0)
    X = generator.integers(0, 3, (50, d))
    return X, (X[:, :2] > generator.integers(0, 2, (50, 2))).astype(int)


class Tags(HTMLParser):
    """Checks that what is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen, self.text = [], [], ""

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.seen.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.text += data


def read(html):
    parser = Tags()
    parser.feed(html)
    assert parser.open == []
    return parser


def test_the_text_is_one_short_line():
    selection = mlfs.select(table(2000), "mim", 1500)
    assert "\n" not in repr(selection)
    assert len(repr(selection)) < 200
    assert repr(selection).startswith("<Selection by mim: 1500 of 2,000 features for 2 labels: x")
    local = mlfs.select(table(), "mlfs_local", 2)
    assert "for each label" in repr(local)


def test_data_are_one_short_line_too():
    data = mlfs.data.from_arrays(*table(2000))
    assert repr(data) == "<Dataset <memory>: 50 rows, 2,000 features, 2 labels>"
    assert repr(mlfs.prepare(data)) == f"<Prepared of {data!r}>"


@pytest.mark.parametrize("criterion", ["jmi", "mlfs_local", "mlcfs"])
def test_the_html_has_the_picks_the_settings_and_nothing_that_runs(criterion):
    X, Y = table()
    frame = pd.DataFrame(X).add_prefix("f").rename(columns={"f0": NASTY, "f1": NASTY + "2"})
    labels = pd.DataFrame(Y, columns=["a", "<b>"])
    found = read(mlfs.select((frame, labels), criterion, 4)._repr_html_())
    assert "script" not in found.seen
    assert "\x1b" not in found.text
    assert "settings" in found.text
    assert found.seen.count("table") == (2 if criterion == "jmi" else 3)


def test_a_long_ranking_is_cut():
    html = mlfs.select(table(500), "mim", 500)._repr_html_()
    assert read(html).seen.count("tr") < 150
    assert "and 400 more" in html


def test_the_frame_has_a_row_for_each_pick():
    selection = mlfs.select(table(), "jmi", 5)
    frame = selection.to_frame()
    assert frame["index"].tolist() == list(selection.indices)
    assert frame["score"].tolist() == selection.scores.tolist()
    assert {"rank", "name", "relevance", "redundancy", "margin", "ties"} <= set(frame.columns)
    each = mlfs.select(table(), "mlfs_local", 3).to_frame()
    assert each["label"].value_counts().tolist() == [3, 3]


def test_transform_keeps_the_selected_columns_in_the_order_of_the_table():
    X, Y = table()
    frame = pd.DataFrame(X).add_prefix("f")
    selection = mlfs.select((frame, Y), "mim", 3)
    wanted = X[:, sorted(selection.indices)]
    assert np.array_equal(selection.transform(X), wanted)
    assert np.array_equal(selection.transform(sp.csr_array(X)).toarray(), wanted)
    assert np.array_equal(selection.transform(frame[frame.columns[::-1]]).to_numpy(), wanted)
    with pytest.raises(DataError, match="X has 5 columns, but the selection is of 8 features"):
        selection.transform(X[:, :5])
