"""Texts that are cut into pieces anywhere are read as in one piece: data, notes and errors.

Longer texts are read in pieces in `test_pieces`.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mlfs.data import Limits, files, read, sparse_rows
from tests.any_dataset import assert_same, outcome

BOM = "\ufeff"
HEAD = '# mlfs {"features": ["u", "v", "w"], "nominal": {"1": ["a", "b"]}, "labels": ["7", "2"], '
SMALL = {
    "svm": [
        "1,5 1:0.5 3:2\n 2:1 # no label\n\n5\n1 7:300 qid:3\n",
        "-1 1:1\n1 2:1\n-1 1:3",
        "0 0:1\n\n\n3 1:1\n0 1:1\n4 1:1 # c\n",
        f'{HEAD}"values": {{}}}}\n7,2 1:2\n 2:1\n2 3:1\n',
        f'{HEAD}"values": {{}}}}\n7 1:2\n 2:1\n2 2:5\n 2:7\n',
        "1 1:1\n2 1:x\n3 1:1\n4 1:y\n",
        "1 1:1\n2 1:1\n-3,-4 1:1\n-9 1:1\n",
        "1 1:1\n2 1:1\n3 2:1 2:2\n",
        "1 1:1\n\u00e9 1:1\n",
        "# only\n# comments\n\n",
        "1\n2\n3\n",
    ],
    "xmc": [
        "4 9 6\n0,3 0:0.5 2:1\n\n5 8:1\n 1:1\n\n\n",
        "3 2 2\r\n0 0:1\r\n1 1:1\r\n1 1:7",
        "3 2 2\n0 0:1\n1 1:1\n",
        "2 2 2\n0 0:1\n1 1:1\n\n0 0:1\n\n",
        "3 2 2\n0 0:1\n1 9:1\n1 9:1\n",
        "4 2 2\n0 0:1\n1 0:1\n7,9 1:1\n8 1:1\n",
        "4 2 2\n0 0:1\n0 0:1 x\n7 1:1\n8 1:1 y\n",
        "2 2 2\n\n\n",
    ],
}
ARFF = "@relation t\n@attribute a {u,v}\n@attribute b real\n@attribute y %s\n@data\n%s"
SMALL["arff"] = [
    ARFF % ("numeric", "u,1,0\n%c\n\nv,2.5,1,{2}\nv,?,1\n"),
    (ARFF % ("{0,1}", "\n%x\n{1 2.5}\n{0 v,2 1}\n{}\n{2 1},{0.5}\n")).replace("\n", "\r\n"),
    ARFF % ("real", "{2 3}\n{0 v}\n{1 300,2 4}\n{2 3}\n"),
    ARFF % ("string", "u,1,'p|q'\nv,2,q\nu,3,r|p\n"),
    ARFF % ("string", "{1 1,2 'p|q'}\n{0 v}\n{2 ?}\n{2 r}\n"),
    ARFF % ("{0,1}", "u,1,0\nv,2,1\nv,x,1\nw,2,0\n"),
    ARFF % ("{0,1}", "u,1,0\nv,2\n\nv,1,1,1\n"),
    ARFF.replace("{u,v}", "{}") % ("{0,1}", "{1 1}\n{2 1}\n{1 2}\n"),
    ARFF % ("{p,q,r}", "u,1,p\nv,2,q\n"),
    ARFF % ("{p,q,r}", "{1 1}\n{0 v}\n{2 r}\n"),
    ARFF % ("real", "\r"),
    ARFF % ("{0,1}", "%none\n\n"),
    (ARFF % ("{0,1}", "u,1,0\nv,2,1\nu,3,0")).replace("\n", "\r"),
]
SMALL["csv"] = [
    "a,b,y\n1,u,0\n2,v,1\n\n,w,0\nNA,u,1",
    'a,b,y\n"x\ny",1,0\n"p ""q""\n\nr",2,1\n3,3,0\n"z",2,1\n',
    '"a","b","y"\n"",1,"0"\n"s,t",2,"1"\n"NA",3,"0"\n',
    "a,b,y\n1,2,0\n2,3,1\n3,u,1\n4,5,0\nv,6,0\n",
    "a,b,y\n1,2,p|q\n2,3,\n3,1,r|p\n3,2,NA\n",
    "a,b,y\n1,2,3\n2,3,inf\n3,1,4\n3,1,-inf\n",
    "a,b,y\n1,2,0\n2,inf,1\ninf,1,1\n1,1e999,1\n",
    "a,b,y\n1,2,0\n1,2\n1,2,0,4\n",
    'a,b,y\n1,2,0\n1,"x,1\n1,2,1\n2,3,1\n',
    'a,b,y\n1,2,0\n1,x"x",1\n1,"2,1\n',
    "a,b,y\r\n1,2,0\r\n2,2,1\r\n1,2,2\r\n",
    "a,b,y\n1,\u00e9,yes\n2,\u00fc,no\n1,\udcff,no\n",
    "a,b,y\n\n\n \n",
]
OPTIONS = {"svm": {}, "xmc": {}, "arff": {"labels": "y"}, "csv": {"labels": "y"}}
TOKENS = {
    "svm": [" ", "1:1 ", "2:2", "1 1:1\n", "-1", "\n", "#", "qid:1", "0:1", "\r\n", ",2 3:9\n"],
    "arff": ["u", ",", "{", "}", "{0 v}\n", "{1 2,2 1}\n", "u,1,0\n", "%x\n", "\r", "'", ",{2}\n"],
    "csv": ["u", ",", '"', '"",', "1,2,0\n", "v,3,1\n", '"x\ny",?,1\n', "\r\n", "inf", "|", " "],
}
TOKENS["xmc"] = [token for token in TOKENS["svm"] if token != "#"]
HEADS = {"svm": "", "xmc": "3 4 4\n", "csv": "a,b,y\n", "arff": ARFF % ("real", "")}
LIMITED = ("max_cells=1", "max_cells=9", "max_cells=300")


def assert_alike(path, size, monkeypatch, **options):
    """One piece and pieces of a size have the same answer."""
    wanted, message = outcome(lambda: read(path, **options))
    with monkeypatch.context() as patch:
        patch.setattr(files, "PIECE", size)
        found, said = outcome(lambda: read(path, **options))
    assert said == message, size
    if wanted is not None:
        assert_same(found, wanted)
        assert found.table.shape == wanted.table.shape


@pytest.mark.parametrize(
    ("form", "text"), [(form, text) for form, texts in SMALL.items() for text in texts]
)
def test_a_small_text_is_cut_anywhere(form, text, tmp_path, monkeypatch):
    path = tmp_path / f"a.{form}"
    content = text.encode(errors="surrogateescape")
    path.write_bytes(content)
    options = OPTIONS[form]
    for size in range(1, len(content), 1 + (form == "arff")):
        assert_alike(path, size, monkeypatch, **options)
    for limit in LIMITED:
        limits = Limits().raised([limit])
        for size in (1, 20):
            assert_alike(path, size, monkeypatch, limits=limits, **options)
    path.write_bytes(BOM.encode() + content)
    for more in ({"classes": True}, {"numeric_targets": True}):
        for size in (4, 9):
            assert_alike(path, size, monkeypatch, **more, **options)


@pytest.mark.parametrize("form", list(TOKENS))
def test_any_text_in_pieces(form, tmp_path_factory):
    path = tmp_path_factory.mktemp("pieces") / f"a.{form}"
    tokens = st.lists(st.sampled_from(TOKENS[form]), min_size=1, max_size=20)

    @settings(max_examples=50)
    @given(tokens, st.integers(1, 200), st.sampled_from(["real", "{0,1}"]))
    def check(body, size, kind):
        path.write_text((HEADS.get(form) or ARFF % (kind, "")) + "".join(body), newline="")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sparse_rows, "SMALL", 0)  # with the kernel
            assert_alike(path, size, patch, **OPTIONS[form])

    check()


def test_a_first_piece_has_as_many_rows_as_there_may_be(tmp_path, monkeypatch):
    path = tmp_path / "a.arff"
    path.write_text(ARFF % ("{0,1}", "{1 1}\n" * 40))
    limits = Limits().raised(["max_cells=700"])
    monkeypatch.setattr(files, "PIECE", 130)
    _, message = outcome(lambda: read(path, labels="y", limits=limits))
    assert "768 cells (a feature" in message
