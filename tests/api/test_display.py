"""A selection in a notebook: short as text, safe as HTML, whole as a frame."""

from __future__ import annotations

import dataclasses
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import mlfs
from mlfs.data.frames import naming_half_pairs
from mlfs.errors import DataError, UsageError
from mlfs.search.label_parents import Structure
from tests.compare.test_report import made_up

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


def test_notes_are_seen():
    X, Y = table()
    X[:, 3] = 1
    selection = mlfs.select((X, Y), "mim", 2)
    head, note = repr(selection).split("\n  note: ")
    assert head.endswith("; 1 note>")
    assert note == selection.notes[0]
    assert "1 feature constant once binned" in read(selection._repr_html_()).text


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
    assert np.array_equal(selection.transform(X.tolist()), wanted)
    assert np.array_equal(selection.transform(sp.dia_array(X)).toarray(), wanted)
    numbered = pd.DataFrame(X)  # the names of its columns are numbers
    kept = mlfs.select((numbered, Y), "mim", 3).transform(numbered)
    assert np.array_equal(kept.to_numpy(), wanted)
    gone = frame.drop(columns=selection.names[0])
    with pytest.raises(DataError, match=f"X has no column '{selection.names[0]}', which is sel"):
        selection.transform(gone)
    for odd in (X[0], "songs.csv", [[1, 2], [3]], None, mlfs.data.from_arrays(X, Y)):
        with pytest.raises(DataError, match="X is an array, a sparse matrix or a frame of rows"):
            selection.transform(odd)


def test_a_selection_explains_its_picks_and_with_the_data_the_others():
    data = mlfs.datasets.load_songs()
    selection = mlfs.select(data, "scls", 3)
    assert repr(selection.explain()) == repr(mlfs.explain(data, selection))
    (why,) = selection.explain("brightness")
    assert (why.rank, why.rival) == (2, (15, "distortion"))
    assert selection.explain(2) == [why]
    assert (
        "brightness (index 2): pick 2" in read(selection.explain(["brightness"])._repr_html_()).text
    )
    with pytest.raises(UsageError, match="'tempo' was not picked: to explain why, give data="):
        selection.explain("tempo")
    (other,) = selection.explain("tempo", data)
    assert other == mlfs.explain(data, selection, ["tempo"])[0]
    local = mlfs.select(data, "mlfs_local", 2)
    assert len(local.explain()) == 12


def test_a_structure_is_a_table_of_parents():
    tree = Structure("tree", (NASTY, "b", "c"), (0, 1, 2), ((), (0,), (0,)), {(0, 1): 0.5})
    seen = read(tree._repr_html_())
    assert "tree: 3 labels, 2 edges" in seen.text
    assert "(0.5)" in seen.text
    assert "script" not in seen.seen
    none = Structure("independent", (), (), ())
    assert "0 labels" in read(none._repr_html_()).text


def test_models_show_the_structure_that_they_learned(monkeypatch):
    X, Y = table()
    model = mlfs.models.make("bcc")
    assert "<svg" not in model._repr_mimebundle_()["text/html"].partition("</style>")[2]
    model.fit(X, Y)
    for html in (model._repr_mimebundle_()["text/html"], model._repr_html_()):
        assert "y1     y0 (0.009736)" in html
    assert model._get_doc_link() == "https://pypi.org/project/mlfs-toolkit/"
    monkeypatch.setenv("MLFS_DOCS_URL", "https://docs.example/")
    page = "https://docs.example/reference/models.html#mlfs.models.StructuredClassifier"
    assert page in model._repr_html_()
    link = mlfs.FeatureSelector()._get_doc_link()
    assert link == "https://docs.example/reference/mlfs.html#mlfs.FeatureSelector"


@pytest.mark.parametrize("sparse", [False, True])
def test_a_data_set_shows_its_labels_and_first_rows(sparse):
    X, Y = table(30)
    data = mlfs.data.from_arrays(sp.csr_array(X) if sparse else X, Y, label_names=[NASTY, "b"])
    seen = read(data._repr_html_())
    assert "script" not in seen.seen
    assert f"b{Y[:, 1].sum()} " in seen.text
    assert "and 22 more" in seen.text
    songs = mlfs.datasets.load_songs()
    assert "major" in read(songs.reduced([12])._repr_html_()).text
    assert repr(songs) == "<Dataset songs: 240 rows, 24 features, 6 labels>"


def test_results_show_means_with_the_best_bold():
    html = made_up()._repr_html_()
    seen = read(html)
    assert seen.seen.count("b") >= 1
    assert "exact_match" in seen.text


def test_a_name_that_pandas_cannot_hold_is_named():
    with (
        pytest.raises(DataError, match=r"the name 'b\\\\ud800' holds half a surrogate pair"),
        naming_half_pairs([3, "a", "b\ud800"]),
    ):
        "b\ud800".encode()  # as pandas does, from its version 3 on


def test_html_shows_the_tables_of_labels_and_whole_notes():
    data = mlfs.datasets.load_songs()
    note = "long " * 60 + "remedy"
    selection = dataclasses.replace(mlfs.select(data, "jmi", 3, per_label=True), notes=(note,))
    page = selection._repr_html_()
    assert page.count("<details open>") == len(data.label_names)
    assert "remedy" in page
    assert "remedy" in data.with_changes(notes=(note,))._repr_html_()


@pytest.mark.parametrize("per_label", [False, True])
def test_tables_scroll_where_a_page_is_narrow(per_label):
    html = mlfs.select(table(), "jmi", 2, per_label=per_label)._repr_html_()
    assert html.count("<table>") == 2 + per_label  # picks, by label, and settings
    assert html.count('<div style="overflow-x:auto"><table>') == html.count("<table>")
