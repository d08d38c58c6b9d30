"""Which columns are labels, and what their values mean."""

# The tables below hold whole sentences.
# ruff: noqa: E501, ISC004

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs.data import read
from mlfs.data.arff.header import escape, unescape
from mlfs.data.labels import label_values, mulan
from mlfs.data.labels.finding import meka_count, resolve
from mlfs.data.request import Request
from mlfs.errors import DataError, MlfsError, ParseError, UnknownName, UsageError

NAMES = ["a", "lab_1", "b", "lab_2", "x,y", "first:2"]
BODY = (
    "@attribute a real\n@attribute l {0,1}\n@attribute m {0,1}\n@attribute b real\n@data\n1,1,0,2\n"
)


def write(folder: Path, relation: str = "t", labels: str | None = "lm", name: str = "t") -> Path:
    path = folder / f"{name}.arff"
    path.write_text(f"@relation '{relation}'\n{BODY}")
    if labels is not None:
        (folder / "t.xml").write_bytes(mulan.document(list(labels)))
    return path


# --- the option


@pytest.mark.parametrize(
    ("spec", "columns"),
    [
        ("b,a", (0, 2)),
        ("b, a", (0, 2)),
        (" b , a ", (0, 2)),
        ("lab_*", (1, 3)),
        ("lab_?,b", (1, 2, 3)),
        ("lab_[1]", (1,)),
        ("first:1", (0,)),
        ("last:2", (4, 5)),
        ("last:2,a", (0, 4, 5)),
        ('"x,y",a', (0, 4)),
        ("x,y", (4,)),
        ("first:2", (5,)),
        (["x,y", "a"], (0, 4)),
        (("a",), (0,)),
    ],
)
def test_what_the_option_says(spec: object, columns: tuple[int, ...]) -> None:
    assert resolve(NAMES, Request(labels=spec), "t.csv").columns == columns


@pytest.mark.parametrize(("spec", "lists"), [("b", True), ("lab_[1]", False), ("last:1", False),
                                             ("a,b", False), (["b"], True)])  # fmt: skip
def test_one_name_alone_may_hold_lists(spec: object, lists: bool) -> None:
    assert resolve(NAMES, Request(labels=spec), "t.csv").lists is lists
    assert not resolve(NAMES, Request(labels=spec, classes=True), "t.csv").lists


@pytest.mark.parametrize(
    ("spec", "kind", "message"),
    [
        ("lab_3", UnknownName, "t.csv: unknown label column 'lab_3': did you mean 'lab_2'?"),
        ("zzz", UnknownName, "t.csv: unknown label column 'zzz': known are: a, lab_1, b, lab_2, x,y, first:2"),
        ("q*", UsageError, "labels has the pattern 'q*', which no column of t.csv fits"),
        ("a,a", UsageError, "labels names the column 'a' twice, by 'a'"),
        ("lab_*,lab_1", UsageError,
         "labels names the column 'lab_1' twice, by 'lab_*' and 'lab_1'"),
        ("last:7", UsageError, "labels is last:7, and last:N wants a number from 1 to 6, the number of "
         "columns of t.csv"),
        ("first:0", UsageError, "labels is first:0, and first:N wants a number from 1 to 6, the number of "
         "columns of t.csv"),
        ("last:-1", UsageError, "labels is last:-1, and last:N wants a number from 1 to 6, the number of "
         "columns of t.csv"),
        ("last:x", UsageError, "labels is last:x, and last:N wants a number from 1 to 6, the number of "
         "columns of t.csv"),
        ("", UsageError, "labels names no column: say names, a pattern, first:N, last:N or @file"),
        ([], UsageError, "labels names no column: say names, a pattern, first:N, last:N or @file"),
        ("last:6", DataError, "t.csv: all 6 columns are labels by --labels last:6, so there is no "
         "feature left"),
        ("@/no/such.txt", UsageError, "cannot read the labels from '/no/such.txt': No such file or "
         "directory"),
    ],
)  # fmt: skip
def test_what_the_option_may_not_say(spec: object, kind: type, message: str) -> None:
    with pytest.raises(kind) as caught:
        resolve(NAMES, Request(labels=spec), "t.csv")
    assert str(caught.value) == message


def test_labels_from_a_file(tmp_path: Path) -> None:
    names = tmp_path / "names.txt"
    names.write_bytes(b"\xef\xbb\xbflab_2\r\n\r\n x,y\r\n")
    assert resolve(NAMES, Request(labels=f"@{names}"), "t.csv").columns == (3, 4)
    names.write_text("b\nlab_9\n")
    with pytest.raises(ParseError, match=r"names\.txt:2:1: unknown label column 'lab_9': did you"):
        resolve(NAMES, Request(labels=f"@{names}"), "t.csv")
    names.write_text("b\nb\n")
    with pytest.raises(ParseError, match=r"names\.txt:2:1: the label 'b' is named twice"):
        resolve(NAMES, Request(labels=f"@{names}"), "t.csv")
    names.write_text("\n")
    with pytest.raises(DataError, match="names no label"):
        resolve(NAMES, Request(labels=f"@{names}"), "t.csv")
    xml = tmp_path / "names.xml"
    xml.write_bytes(mulan.document(["b", "a"]))
    assert resolve(NAMES, Request(labels=f"@{xml}"), "t.csv").columns == (0, 2)


# --- Mulan's XML and MEKA's count


def test_the_order_of_the_labels_is_that_of_the_file(tmp_path: Path) -> None:
    data = read(write(tmp_path, labels="ml"))
    assert data.label_names == ["l", "m"]
    assert data.feature_names == ["a", "b"]
    assert data.source.labels_by == "t.xml"
    assert data.Y.tolist() == [[1, 0]]


@pytest.mark.parametrize("name", ["t", "t-train", "t-test", "t_train", "t-sparse"])
def test_xml_of_the_stem_then_without_the_part(tmp_path: Path, name: str) -> None:
    assert read(write(tmp_path, name=name)).label_names == ["l", "m"]


def test_xml_of_its_own_comes_before_that_of_the_whole(tmp_path: Path) -> None:
    path = write(tmp_path, name="t-train")
    (tmp_path / "t-train.xml").write_bytes(mulan.document(["m"]))
    assert read(path).label_names == ["m"]


def test_the_option_comes_before_all(tmp_path: Path) -> None:
    assert read(write(tmp_path, "t: -C 1"), labels="m").label_names == ["m"]


def test_nothing_says_which(tmp_path: Path) -> None:
    path = write(tmp_path, labels=None)
    with pytest.raises(UsageError) as caught:
        read(path)
    assert str(caught.value) == (
        f"{path}: no label columns are known; looked for labels (not given), the file "
        f"{tmp_path}/t.xml (not there), -C in the relation name (not there); "
        "say for example labels='last:6' or labels='lab_*'"
    )


@pytest.mark.parametrize(
    ("relation", "labels"),
    [
        ("t: -C 2", ["a", "l"]),
        ("t: -c 1 -split-number 5", ["a"]),
        ("t: -split-percentage 50 -C -2", ["m", "b"]),
        ("t:-C 1-weka.filters.unsupervised.instance.NonSparseToSparse", ["a"]),
    ],
)
def test_count_of_meka(tmp_path: Path, relation: str, labels: list[str]) -> None:
    path = tmp_path / "t.arff"
    body = BODY.replace("real", "{1,2,0}")
    path.write_text(f'@relation "{relation}"\n{body}')
    assert read(path, classes=True).label_names == labels


@pytest.mark.parametrize(
    ("relation", "message"),
    [
        ("t: -C 9", "the relation name says -C 9, but there are only 4 columns: correct the number, "
             "or say which columns are labels with labels"),
        ("t: -C 4", "all 4 columns are labels by MEKA -C 4, so there is no feature left"),
        ("t: -C", "after -C in the relation name there must be the number of labels, not ''"),
        ("t: -C 0", "after -C in the relation name there must be the number of labels, not '0'"),
        ("t: -C x", "after -C in the relation name there must be the number of labels, not 'x'"),
        ("t: -C 1 -C 2", "the relation name says both -C 1 and -C 2; say which columns are labels "
         "with labels"),
        ("t: -C 2-weka.filters.unsupervised.attribute.Reorder-R3-last,first-2",
         "the relation name says -C 2, but a Weka filter "
         "(weka.filters.unsupervised.attribute.Reorder) may have moved the columns since; "
         "say labels='first:2' or labels='last:2'"),
    ],
)  # fmt: skip
def test_count_of_meka_that_cannot_be(tmp_path: Path, relation: str, message: str) -> None:
    path = write(tmp_path, relation, None)
    with pytest.raises(DataError) as caught:
        read(path)
    assert str(caught.value) == f"{path}: {message}"


def test_two_sources_agree_or_conflict(tmp_path: Path) -> None:
    folder = tmp_path / "agree"
    folder.mkdir()
    assert read(write(folder, "t: -C 2", "al"), classes=True).notes == ()
    path = write(tmp_path, "t: -C 2", "lm")
    with pytest.raises(DataError, match=r"says -C 2, but .*t\.xml names other label columns"):
        read(path)
    path = write(tmp_path, "t: -C 2-weka.filters.unsupervised.attribute.Remove-R1", "lm")
    assert read(path).label_names == ["l", "m"]
    assert "-C 2" in read(path).notes[0]


def test_a_colon_alone_is_no_option() -> None:
    assert meka_count("a:b -D 3", "t") is None
    assert meka_count("-C 3", "t") is None


def test_names_of_the_xml_that_are_not_there(tmp_path: Path) -> None:
    path = write(tmp_path)
    (tmp_path / "t.xml").write_bytes(mulan.document(["l", "M", "zzzz"]))
    with pytest.raises(DataError) as caught:
        read(path)
    assert "t.xml: 2 of its 3 labels are not columns of the data: 'M', 'zzzz'" in str(caught.value)
    close = tmp_path / "close.arff"
    close.write_text("@attribute label_one {0,1}\n@attribute a real\n@data\n1,1\n")
    (tmp_path / "close.xml").write_bytes(mulan.document(["label_on"]))
    with pytest.raises(DataError, match=r"'label_on' \(closest: 'label_one'\)"):
        read(close)


@pytest.mark.parametrize("name", ["Stellar's Jay", r"Stellar\'s Jay", "'Stellar\\'s Jay'"])
def test_names_match_without_their_escapes(tmp_path: Path, name: str) -> None:
    path = tmp_path / "t.arff"
    path.write_text("@attribute 'Stellar\\'s Jay' {0,1}\n@attribute a real\n@data\n1,1\n")
    (tmp_path / "t.xml").write_bytes(mulan.document([name]))
    assert read(path).label_names == ["Stellar's Jay"]


NESTED = '<label name="l"> <label name="m"/>\n</label>'


def test_a_hierarchy_is_flat() -> None:
    namespace = 'xmlns="http://mulan.sourceforge.net/labels"'
    assert mulan.parse(f"<labels {namespace}>{NESTED}</labels>".encode(), "t") == ["l", "m"]
    deep = "".join(f'<label name="{k}">' for k in range(200_000)) + "</label>" * 200_000
    assert len(mulan.parse(f"<labels>{deep}</labels>".encode(), "t")) == 200_000


LAUGHS = (
    '<!DOCTYPE l [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><labels><label name="&b;"/></labels>'
)


@pytest.mark.parametrize(
    ("xml", "message"),
    [
        (LAUGHS, r"t\.xml:1:1[0-9]*: a document type .* is refused"),
        ('<!DOCTYPE l SYSTEM "file:///etc/passwd"><labels/>', "a document type .* is refused"),
        ('<labels><label name="&x;"/></labels>', "not well-formed XML: undefined entity"),
        ('<labels><label name="a"/>', "not well-formed XML: no element found"),
        ("", "not well-formed XML: no element found"),
        ("<labels></labels>", "names no label"),
        ("<labels><label/></labels>", r"t\.xml:1:9: a <label> has no name"),
        ('<labels><label name="a"/><label name="a"/></labels>', "'a' is named twice"),
        ("<html/>", "starts with <labels>, not with <html>"),
        ('<?xml version="1.0" encoding="nonsense"?><labels/>', r"t\.xml"),
    ],
)
def test_xml_that_is_refused(xml: str, message: str) -> None:
    with pytest.raises(DataError, match=message):
        mulan.parse(xml.encode(), "t.xml")


@settings(max_examples=20)
@given(st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, unique=True))
def test_any_name_passes_through_xml(names: list[str]) -> None:
    if len(set(map(unescape, names))) == len(names):
        found = mulan.parse(mulan.document(names), "t.xml")
        assert mulan.columns(found, names, "t.xml") == list(range(len(names)))


@given(st.text())
def test_escapes_are_undone(text: str) -> None:
    assert unescape(escape(text)) == text


# --- values


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (["0", "1"], [0, 1]),
        (["1", "0"], [1, 0]),
        (["YES", "NO"], [1, 0]),
        (["no", "Yes"], [0, 1]),
        (["TRUE", "FALSE"], [1, 0]),
        (["-1", "1"], [0, 1]),
        (["+1", "-1"], [1, 0]),
        (["1.0", "0.0"], [1, 0]),
        (["0"], [0]),
        (["1"], [1]),
        (["-1"], [0]),
        (["0", "1", "-1"], [0, 1, -1]),
        ([], []),
    ],
)
def test_binary_values_by_value(values: list[str], expected: list[int]) -> None:
    codes = np.append(np.arange(len(values)), -1)
    found, label = label_values.map_label("l", values, codes, Request(), "t")
    assert found.tolist() == [*expected, -1]
    assert label.values == ("0", "1")


@pytest.mark.parametrize(
    "values",
    [["0", "2"], ["a", "b"], ["yes", "0"], ["1", "2"], ["0", "1", "2"], ["1", "1.0"], [""]],
)
def test_other_values_only_as_classes(values: list[str]) -> None:
    codes = np.arange(len(values))
    assert not label_values.is_binary(values)
    with pytest.raises(
        DataError, match=r"t: the label 'l' has the values \{.*take its values as classes"
    ):
        label_values.map_label("l", values, codes, Request(), "t")
    found, label = label_values.map_label("l", values, codes, Request(classes=True), "t")
    assert found.tolist() == codes.tolist()
    assert label.values == tuple(values)


def test_numbers_as_labels() -> None:
    column = np.array([10.0, 2.0, np.nan, 2.0])
    codes, label = label_values.map_numbers("l", column, Request(classes=True), "t")
    assert label.values == ("2", "10")
    assert codes.tolist() == [1, 0, -1, 0]


def test_lists_of_labels() -> None:
    Y, labels = label_values.split_lists(
        "t", ["b; a", None, "", "a;;a"], Request(separator=";"), "t"
    )
    assert [label.name for label in labels] == ["a", "b"]
    assert Y.tolist() == [[1, 1], [-1, -1], [0, 0], [1, 0]]
    _, labels = label_values.split_lists("t", ["10|9", "100"], Request(), "t")
    assert [label.name for label in labels] == ["9", "10", "100"]
    with pytest.raises(DataError, match="names no label in any row"):
        label_values.split_lists("t", ["", None], Request(), "t")


@pytest.mark.parametrize("declared", ["string", "{'u|v',w,''}"])
def test_column_of_lists_in_arff(tmp_path: Path, declared: str) -> None:
    path = tmp_path / "t.arff"
    path.write_text(
        f"@attribute a real\n@attribute tags {declared}\n@data\n1,'u|v'\n2,''\n3,w\n4,?\n"
    )
    data = read(path, labels="tags")
    assert data.label_names == ["u", "v", "w"]
    assert data.Y.tolist() == [[1, 1, 0], [0, 0, 0], [0, 0, 1], [-1, -1, -1]]
    assert data.left_out == ()


def test_a_string_column_may_be_a_plain_label(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text(
        "@attribute a real\n@attribute l string\n@attribute m {0,1}\n@data\n1,no,1\n2,yes,0\n"
    )
    assert read(path, labels="l").Y.tolist() == [[0], [1]]
    assert read(path, labels="l,m").Y.tolist() == [[0, 1], [1, 0]]


def test_many_labels_are_kept_sparse(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text(
        "@attribute l {1,0}\n@attribute m {0,1}\n@attribute a real\n@data\n{}\n{0 0,1 1}\n{1 ?}\n"
    )
    dense = read(path, labels="l,m").Y
    monkeypatch.setattr(label_values, "DENSE_CELLS", 0)
    sparse = read(path, labels="l,m").Y
    assert isinstance(sparse, sp.csr_array)
    assert sparse.toarray().tolist() == dense.tolist() == [[1, 0], [0, 1], [1, -1]]


def test_all_errors_are_ours() -> None:
    assert issubclass(UsageError, MlfsError)
    assert issubclass(UnknownName, LookupError)


@pytest.mark.parametrize("spec", ['"a', 'a,"b', '"a"b,c'])
def test_a_quote_of_the_option_has_to_close(spec: str) -> None:
    with pytest.raises(UsageError, match="quote"):
        resolve(NAMES, Request(labels=spec), "t.csv")


def test_the_case_of_a_value_does_not_matter_within_a_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,l\n1,YES\n2,no\n3,yes\n4,No\n")
    assert read(path, labels="l").Y.tolist() == [[1], [0], [1], [0]]


def test_a_long_list_of_known_names_is_cut() -> None:
    told = str(UnknownName("feature", "?", [f"f{i}\x1b" for i in range(5000)]))
    assert len(told) < 400
    assert "4980 more" in told
    assert "\x1b" not in told


@pytest.mark.parametrize("text", ["{}", "{}.0"])
def test_a_column_of_many_numbers_as_labels_gets_a_note(text, tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("f,t\n" + "".join(f"{i % 3},{text.format(i)}\n" for i in range(12)))
    (note,) = read(path, labels="t").notes
    assert "the 12 different numbers of the column 't' are taken as names of labels" in note
