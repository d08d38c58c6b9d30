"""Label structures as objects: what they must be, and their forms: text, DOT, JSON, picture."""

from __future__ import annotations

import json
import pickle
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from mlfs import DataError, MlfsError, UsageError
from mlfs.models.structures import Given
from mlfs.search.label_parents import Structure, from_order, parents_first

NASTY = 'a "quoted" \\N label\n<b>&lt;\x1b[31m $x_1$'


def structure(**changes):
    parts = {
        "kind": "polytree",
        "names": ("sad", "calm", NASTY, "happy"),
        "order": (1, 3, 0, 2),
        "parents": ((1, 3), (), (0,), ()),
        "weights": {(1, 0): 0.5, (3, 0): 0.25, (0, 2): 1e-3, (1, 1): -2.0},
        "note": "by hand",
    }
    return Structure(**(parts | changes))


@st.composite
def structures(draw, most=7, polytree=False):
    q = draw(st.integers(1, most))
    order = draw(st.permutations(range(q)))
    parents = [()] * q
    group = list(range(q))
    for at, label in enumerate(order):
        chosen = []
        for p in draw(st.lists(st.sampled_from(order[:at]), unique=True) if at else st.just([])):
            if polytree and group[p] == group[label]:
                continue
            old, new = group[p], group[label]
            group = [new if g == old else g for g in group]
            chosen.append(p)
        parents[label] = tuple(sorted(chosen))
    names = draw(st.lists(st.text(max_size=5), min_size=q, max_size=q, unique=True))
    edges = [(p, c) for c, given in enumerate(parents) for p in given]
    weights = {edge: draw(st.floats(allow_nan=False, allow_infinity=False)) for edge in edges}
    return Structure("given", tuple(names), tuple(order), tuple(parents), weights)


# What it says of itself -------------------------------------------------------------------------


@settings(deadline=None)
@given(structures())
def test_properties_are_what_their_names_say(one):
    q = one.q
    links = {frozenset(edge) for edge in one.edges}
    assert one.children == tuple(
        tuple(c for c in range(q) if p in one.parents[c]) for p in range(q)
    )
    assert one.roots == tuple(label for label in range(q) if not one.parents[label])
    assert one.is_forest == all(len(pa) <= 1 for pa in one.parents)
    assert one.most_parents == max(len(pa) for pa in one.parents)
    assert one.is_polytree == (len(links) == q - parts(q, links))
    for label in range(q):
        assert one.levels[label] == longest_way(one, label)
    place = {label: at for at, label in enumerate(one.order)}
    assert all(place[p] < place[c] for p, c in one.edges)


def parts(q, links):
    group = {label: {label} for label in range(q)}
    for a, b in map(tuple, links):
        together = group[a] | group[b]
        for label in together:
            group[label] = together
    return len({frozenset(g) for g in group.values()})


def longest_way(one, label):
    return max((1 + longest_way(one, p) for p in one.parents[label]), default=0)


@settings(deadline=None)
@given(structures())
def test_parents_first_is_an_order_with_parents_first(one):
    order = parents_first(one.parents)
    Structure("given", one.names, order, one.parents)
    levels = [one.levels[label] for label in order]
    assert levels == sorted(levels)


def test_a_circle_has_no_order():
    with pytest.raises(UsageError, match="circle"):
        parents_first([(1,), (0,)])


def test_all_predecessors():
    chain = from_order((2, 0, 1), ("a", "b", "c"))
    assert chain.parents == ((2,), (0, 2), ())
    assert not chain.is_polytree
    assert not chain.is_forest


def test_a_structure_is_a_value():
    one = structure()
    assert one == structure()
    assert hash(one) == hash(structure())
    assert one != structure(note="else")
    assert one != structure(weights={})
    assert pickle.loads(pickle.dumps(one)) == one
    assert clone(Given(one)).structure == one
    numbers = structure(order=np.array([1, 3, 0, 2]), parents=([3, 1], [], np.array([0]), ()))
    assert numbers == one
    assert all(type(label) is int for label in numbers.order)


def test_nothing_is_a_structure_too():
    empty = Structure("independent", (), (), ())
    assert (empty.q, empty.roots, empty.is_polytree, empty.most_parents) == (0, (), True, 0)
    assert Structure.from_dict(empty.to_dict()) == empty
    assert empty.to_text().startswith("independent: 0 labels, 0 edges")
    assert empty.to_dot().startswith("digraph")


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"kind": 3}, "the kind of a structure is a text, not 3"),
        ({"note": None}, "the note of a structure is a text"),
        ({"names": ("a", "b", "c", 4)}, "the name of a label is a text, not 4"),
        ({"names": ("a", "b", "c", "b")}, "two labels are called 'b'"),
        ({"order": (1, 3, 0)}, "the order names 3 of 4 labels"),
        ({"order": (1, 3, 0, 0)}, "the order names 3 of 4 labels"),
        ({"order": (1, 3, 0, 4)}, "a label in the order is a number from 0 to 3, not 4"),
        ({"order": (1, 3, 0, 2.0)}, "a number from 0 to 3, not 2.0"),
        ({"order": (True, 3, 0, 2)}, "a number from 0 to 3, not True"),
        ({"order": (0, 1, 2, 3)}, "the label 'sad' comes before its parent 'calm' in the order"),
        ({"parents": ((1, 3), (), (0,))}, "there are parents for 3 labels, but 4 labels"),
        ({"parents": ((1, -1), (), (0,), ())}, "in the parents of 'sad' is a number"),
        ({"parents": ((1, 1, 3), (), (0,), ())}, "the label 'sad' has the same parent twice"),
        ({"parents": ((1, 3), (1,), (0,), ())}, "'calm' comes before its parent 'calm'"),
        ({"weights": {(1, 2): 1.0}}, "a weight from 'calm' to .*, but no such edge"),
        ({"weights": {(0, 0): 1.0}}, "a weight from 'sad' to 'sad', but no such edge"),
        ({"weights": {(1, 0): float("nan")}}, "the weights are finite numbers, not nan"),
        ({"weights": {(1, 0): 10**400}}, "the weights are finite numbers"),
        ({"weights": {(1, 0): "1"}}, "the weights are finite numbers, not '1'"),
        ({"weights": {3: 1.0}}, "a weight belongs to a pair"),
    ],
)
def test_what_is_no_structure_is_refused(changes, sentence):
    with pytest.raises(UsageError, match=sentence) as caught:
        structure(**changes)
    assert "\x1b" not in str(caught.value)


# Other forms ------------------------------------------------------------------------------------


@settings(deadline=None)
@given(structures())
def test_json_comes_back_whole(one):
    assert Structure.from_dict(json.loads(json.dumps(one.to_dict()))) == one


@settings(deadline=None)
@given(structures(), st.randoms())
def test_renumbered_is_the_same_by_name(one, random):
    names = list(one.names)
    random.shuffle(names)
    other = one.renumbered(names)

    def by_name(s):
        return {(s.names[a], s.names[b]): w for (a, b), w in s.weights.items()}

    assert other.names == tuple(names)
    assert by_name(other) == by_name(one)
    assert {other.names[c]: {other.names[p] for p in pa} for c, pa in enumerate(other.parents)} == {
        one.names[c]: {one.names[p] for p in pa} for c, pa in enumerate(one.parents)
    }
    assert other.renumbered(one.names) == one


@pytest.mark.parametrize(
    ("names", "sentence"),
    [
        (["a", "b", "z"], "the label 'c' is not in the data"),
        (["a", "b"], "the label 'c' is not in the data"),
        (["a", "b", "c", "z"], "the label 'z' is not in the structure"),
    ],
)
def test_other_labels_are_named(names, sentence):
    with pytest.raises(UsageError, match=sentence):
        from_order((0, 1, 2), ("a", "b", "c")).renumbered(names)


def changed(**changes):
    stored = structure().to_dict() | changes
    return {name: value for name, value in stored.items() if value is not ...}


@pytest.mark.parametrize(
    ("foreign", "sentence"),
    [
        (None, "a JSON object is wanted, not None"),
        ([], "a JSON object is wanted"),
        ({}, "the field 'format' is missing"),
        (changed(order=...), "the field 'order' is missing"),
        (changed(extra=1), "the field 'extra' is unknown"),
        (changed(format="mlfs model"), "the format is 'mlfs model', not 'mlfs structure'"),
        (changed(version="1"), "not a label structure"),
        (changed(version=True), "not a label structure"),
        (changed(version=2), "has version 2, and this mlfs reads version 1"),
        (changed(names="abcd"), "names is a list"),
        (changed(parents={}), "parents is a list"),
        (changed(parents=[[], [], [], 3]), "the parents of a label are a list, not 3"),
        (changed(names=["a", "b", "c", ["d"]]), "the name of a label is a text"),
        (changed(order=[0, 1, 2, "3"]), "a number from 0 to 3, not '3'"),
        (changed(order=[0, 1, 2, 3]), "comes before its parent"),
        (changed(weights=[[1, 0]]), r"a weight is \[parent, child, w\]"),
        (changed(weights=[[1, 0, "x"]]), "the weights are finite numbers"),
        (changed(weights=[[1, 0, None]]), "the weights are finite numbers"),
        (changed(weights=[[1, 0, 1], [1, 0, 2]]), "of no edge, or twice"),
        (changed(weights=[[[1], 0, 1]]), "of no edge, or twice"),
        (changed(weights=[[1, 2, 1]]), "no such edge"),
        (changed(weights=[[True, 0, 1]]), "a number from 0 to 3"),
        (changed(kind=["x"]), "the kind of a structure is a text"),
        (changed(note=7), "the note of a structure is a text"),
    ],
)
def test_a_foreign_structure_is_refused_in_a_sentence(foreign, sentence):
    with pytest.raises(DataError, match=sentence):
        Structure.from_dict(foreign)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 5) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(sorted(structure().to_dict())), JUNK)
def test_no_foreign_field_makes_a_traceback(name, value):
    try:
        Structure.from_dict(structure().to_dict() | {name: value})
    except MlfsError as error:
        assert "\n" not in str(error)  # noqa: PT017  # either answer is right


def test_text():
    assert structure(names=("sad", "calm", "x\ty", "happy")).to_text().splitlines() == [
        "polytree: 4 labels, 3 edges (by hand)",
        "place  label  parents",
        "    1  calm   alone (-2)",
        "    2  happy  -",
        "    3  sad    calm (0.5), happy (0.25)",
        "    4  x\\ty   sad (0.001)",
    ]
    assert "\x1b" not in structure().to_text()


def test_dot_says_no_more_than_the_names():
    dot = structure().to_dot()
    assert '  n2 [label="a \\"quoted\\" \\\\N label\\\\n<b>&amp;lt;\\\\x1b[31m $x_1$"];' in dot
    assert '  n1 -> n0 [label="0.5"];' in dot
    assert re.findall(r"n(\d) -> n(\d)", dot) == [("1", "0"), ("3", "0"), ("0", "2")]
    assert [dot.count(brace) for brace in "{}"] == [1, 1]


# Pictures ---------------------------------------------------------------------------------------


@settings(deadline=None)
@given(structures(most=12, polytree=True))
def test_layers_have_parents_above_and_nobody_on_another(one):
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    from mlfs.plots.structures import places_of

    places = np.array(places_of(one)).reshape(-1, 2)
    if one.kind != "chain":
        for parent, child in one.edges:
            assert places[parent, 1] > places[child, 1]
    for level in set(places[:, 1].tolist()):
        there = np.sort(places[places[:, 1] == level, 0])
        assert (np.diff(there) >= 1 - 1e-9).all()


def picture(one):
    """The structure in a figure of its own."""
    from mlfs.plots import label_structure

    figure_module = pytest.importorskip("matplotlib.figure", reason="matplotlib is not installed")
    return label_structure(one, ax=figure_module.Figure().add_subplot()).figure


@pytest.mark.parametrize(
    "one",
    [
        structure(),
        structure(weights={}),
        from_order((2, 0, 1), ("a", "b", "$c_")),
        Structure("independent", ("a", "b"), (0, 1), ((), ())),
        Structure("independent", (), (), ()),
        from_order(tuple(range(12)), tuple("abcdefghijkl")),
    ],
    ids=["polytree", "no weights", "chain", "independent", "empty", "long"],
)
def test_a_picture_shows_every_label_and_every_edge(one, tmp_path):
    figure = picture(one)
    (ax,) = figure.axes
    assert len([words for words in ax.texts if words.get_text()]) == one.q
    assert len([words for words in ax.texts if not words.get_text()]) == len(one.edges)
    assert one.kind in ax.get_title()
    figure.savefig(tmp_path / "structure.png", dpi=40)
    assert (tmp_path / "structure.png").stat().st_size > 500


def test_only_structures_are_drawn():
    with pytest.raises(UsageError, match="only a fitted model with one structure"):
        picture({"a": ["b"]})
