"""Generated data: sizes, seeds, copies, cubes, and the neighbourhood of the published table."""

from __future__ import annotations

import re

import numpy as np
import pytest

from benchmarks.generated import PRESETS, hypercubes, preset
from mlfs.discretize import encode, learn
from mlfs.errors import UnknownName, UsageError
from mlfs.information.imbalance import imbalance

PUBLISHED = {  # cardinality, label sets, IR, CVIR of the paper's table 3
    "data40-10": (1.260, 57, 2.235, 0.400),
    "data80-10": (1.182, 53, 1.466, 0.400),
    "data120-20": (1.404, 227, 1.810, 0.368),
    "data160-20": (1.378, 219, 1.698, 0.354),
    "data400-60": (2.187, 1302, 1.444, 0.214),
    "data800-60": (2.147, 1302, 1.478, 0.251),
}


@pytest.mark.parametrize("name", PRESETS)
def test_presets_lie_in_the_neighbourhood_of_the_published_table(name):
    seen = []
    for seed in range(5):
        Y = preset(name, seed=seed).Y
        _, ir, cvir = imbalance(Y.sum(axis=0))
        seen.append((Y.sum(axis=1).mean(), len(np.unique(Y, axis=0)), ir, cvir))
    np.testing.assert_allclose(np.mean(seen, axis=0), PUBLISHED[name], rtol=0.4)


@pytest.mark.parametrize("name", PRESETS)
def test_presets_have_the_published_sizes_and_mixture(name):
    data = preset(name)
    features, labels = (int(part) for part in re.findall(r"\d+", name))
    assert data.shape == (PRESETS[name].rows, features, labels)
    kinds = [column.split("_")[0] for column in data.feature_names]
    assert [kinds.count(kind) for kind in ("rel", "irr", "red")] == [
        features // 2,
        features // 4,
        features // 4,
    ]


def test_the_same_seed_gives_the_same_bits():
    once, again, other = (hypercubes(200, 16, 5, seed=seed) for seed in (3, 3, 4))
    assert once.X.tobytes() == again.X.tobytes()
    assert once.Y.tobytes() == again.Y.tobytes()
    assert once.columns == again.columns
    assert once.X.tobytes() != other.X.tobytes()


def test_copies_are_named_after_what_they_copy():
    data = hypercubes(50, 20, 4, redundant=12, irrelevant=2)
    place = {name: j for j, name in enumerate(data.feature_names)}
    copies = [name for name in place if name.startswith("red_")]
    assert len(copies) == 12
    for name in copies:
        original = name.split("_of_")[1]
        np.testing.assert_array_equal(data.X[:, place[name]], data.X[:, place[original]])
    assert len({name.split("_of_")[1] for name in copies}) == 6


@pytest.mark.parametrize("n_rows", [1, 7, 100, 501])
@pytest.mark.parametrize("n_labels", [1, 3, 20])
def test_exactly_the_rows_asked_for_come(n_rows, n_labels):
    data = hypercubes(n_rows, 8, n_labels, seed=n_rows)
    assert data.shape == (n_rows, 8, n_labels)
    assert np.abs(data.X).max() <= 1
    assert set(np.unique(data.Y)) <= {0, 1}


def test_without_noise_every_label_is_a_box_of_its_rows():
    data = hypercubes(400, 12, 4, noise=0, relevant_per_label=2, seed=2)
    relevant = data.X[:, :6]
    assert (data.Y.sum(axis=1) >= 1).all()
    for label in data.Y.T.astype(bool):
        low, high = relevant[label].min(axis=0), relevant[label].max(axis=0)
        inside = ((relevant >= low) & (relevant <= high)).all(axis=1)
        np.testing.assert_array_equal(inside, label)


def test_noise_flips_that_share_of_the_labels():
    clean, noisy = (hypercubes(5000, 8, 10, noise=noise, seed=1) for noise in (0, 0.1))
    np.testing.assert_array_equal(clean.X, noisy.X)
    assert (clean.Y != noisy.Y).mean() == pytest.approx(0.1, abs=0.005)


def test_relevant_features_tell_more_than_irrelevant_ones():
    data = preset("data40-10", seed=3)
    coded = encode(data, learn(data))
    told = []
    for j in range(40):
        codes = np.full(500, coded.mode[j])
        part = slice(coded.indptr[j], coded.indptr[j + 1])
        codes[coded.rows[part]] = coded.codes[part]
        told.append(sum(information(codes, y) for y in data.Y.T))
    assert min(told[:20]) > max(told[20:30])


def information(a, b):
    joint = np.zeros((a.max() + 1, b.max() + 1))
    np.add.at(joint, (a, b), 1 / a.size)
    outer = joint.sum(axis=1, keepdims=True) * joint.sum(axis=0, keepdims=True)
    there = joint > 0
    return (joint[there] * np.log(joint[there] / outer[there])).sum()


def test_bad_wishes_are_refused_in_a_sentence():
    with pytest.raises(UnknownName, match="did you mean 'data40-10'"):
        preset("data40")
    with pytest.raises(UsageError, match="0 rows"):
        hypercubes(0, 4, 2)
    with pytest.raises(UsageError, match="leave no relevant one"):
        hypercubes(10, 4, 2, redundant=3, irrelevant=1)
    with pytest.raises(UsageError, match="below 0"):
        hypercubes(10, 4, 2, redundant=-1)
    with pytest.raises(UsageError, match="noise is 2"):
        hypercubes(10, 4, 2, noise=2)
    with pytest.raises(UsageError, match=r"radius is 0\.5 to 0\.1"):
        hypercubes(10, 4, 2, radius=(0.5, 0.1))
    with pytest.raises(UsageError, match="9 relevant features"):
        hypercubes(10, 4, 2, relevant_per_label=9)
