"""Published results: stored folds, and a criterion of one's own ranked against them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlfs
import mlfs.compare.reference
from benchmarks.reference.publishing import write_reference
from mlfs import cli
from mlfs.compare import run
from mlfs.compare.contest import AREA, contests
from mlfs.compare.data_sources import content_digest
from mlfs.compare.reference import Recipe, read_reference, run_against
from mlfs.compare.resampling import stored_folds
from mlfs.compare.results import Results
from mlfs.data.arrays import from_arrays
from mlfs.data.dataset import Dataset
from mlfs.errors import DataError, UsageError
from tests.compare import in_process


def some(seed: int) -> Dataset:
    draw = np.random.default_rng(seed)
    X = draw.random((40, 10))
    return from_arrays(X, (X[:, :2] + 0.3 * draw.random((40, 2)) > 0.6).astype(int))


NAMES = ["a", "b", "c", "d", "e", "f"]
SHARES = [0.1, 0.2, 0.5]


def fold_folder(folder: Path) -> Path:
    import hashlib

    folder.mkdir()
    sums = []
    for seed, name in enumerate(NAMES):
        text = "".join(f"{fold}\n" for fold in np.random.default_rng(seed).permutation(40) % 2)
        (folder / f"{name}.txt").write_text(text)
        sums.append(f"{hashlib.sha256(text.encode()).hexdigest()}  {name}.txt\n")
    (folder / "SHA256SUMS").write_text("".join(sums))
    return folder


@pytest.fixture(autouse=True)
def _in_process(monkeypatch: pytest.MonkeyPatch) -> None:
    in_process.use(monkeypatch)


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Results]:
    folder = tmp_path_factory.mktemp("reference")
    folds = stored_folds(fold_folder(folder / "folds"))
    # through files, as users have them
    data = {}
    for seed, name in enumerate(NAMES):
        mlfs.write(some(seed), str(folder / f"{name}.arff"))
        data[name] = mlfs.read(folder / f"{name}.arff", labels="last:2")
        mlfs.write(data[name], str(folder / f"{name}.npz"))
        data[name] = mlfs.read(folder / f"{name}.npz")
    with pytest.MonkeyPatch.context() as patch:
        in_process.use(patch)
        results = run(data, ["mim", "random"], ["mlnb", "mlknn"], SHARES, split=folds)
    recipes = [
        Recipe(name, (content_digest(one),), (), content_digest(one), ("mlnb", "mlknn"))
        for name, one in data.items()
    ]
    write_reference(folder, results.settings, recipes, results.records, ["macro_f1"])
    return folder, results


def test_a_reference_is_read_as_it_was_written(published: tuple[Path, Results]) -> None:
    folder, results = published
    known = read_reference(folder / "results.csv.xz")
    assert known.settings.to_dict() == results.settings.to_dict()
    for one, other in zip(known.records, results.records, strict=True):
        assert one["cell"] == other["cell"]
        there = {name: value for name, value in other["metrics"].items() if value is not None}
        assert one["metrics"] == pytest.approx(there, rel=1e-6)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("settings", 3),
        ("settings", {}),
        ("data", [{"name": 5, "parts": [], "exclude": [], "digest": "", "models": []}]),
        ("data", None),
        ("metrics", [1]),
        ("metrics", "macro_f1"),
        ("versions", 5),
    ],
)
def test_a_forged_reference_is_one_sentence(
    published: tuple[Path, Results], tmp_path: Path, name: str, value: Any
) -> None:
    folder = tmp_path / "forged"
    shutil.copytree(published[0], folder)
    about = folder / "reference.json"
    about.write_text(json.dumps({**json.loads(about.read_text()), name: value}))
    with pytest.raises(DataError, match="is a damaged reference"):
        read_reference(folder)


def test_a_table_that_unpacks_to_very_much_is_refused(
    published: tuple[Path, Results], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mlfs.compare.reference, "MOST_BYTES", 1000)
    with pytest.raises(DataError, match="unpacks to more than 1,000 bytes"):
        read_reference(published[0])


def test_an_own_criterion_is_ranked_among_all(published: tuple[Path, Results]) -> None:
    folder, results = published
    files = [str(folder / f"{name}.npz") for name in NAMES]
    found = run_against(folder, files, ["betagamma:beta=0,gamma=0"], ["mlnb"])
    assert not found.failed()
    (area,) = [one for one in contests(found) if one.n == AREA]
    assert area.methods == ("mim", "random", "betagamma:beta=0,gamma=0")
    # the same formula as mim on the same folds: the same numbers, to the digits of the table
    assert area.mean[:, 2].tolist() == area.mean[:, 0].tolist()
    assert area.ranks[:, 2].tolist() == area.ranks[:, 0].tolist()
    assert {pair.first for pair in area.pairs} == {2}
    by_hand = [
        (summary := results.by_size("macro_f1"))["a", "mim", "mlnb", str(share)].mean
        for share in SHARES
    ]
    assert summary
    assert area.mean[0, 0] == pytest.approx(np.trapezoid(by_hand, SHARES) / 0.4, rel=1e-6)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("versions", "made with numpy 0.1, and here it is .*requirements.lock"),
        ("data", "is no data set of the reference: its content differs"),
        ("folds", "differs from its digest in SHA256SUMS"),
        ("results", "differs from the digest in reference.json"),
        ("name", "'mim' is in the reference already"),
        ("model", "has no model 'br'; it has mlnb, mlknn"),
    ],
)
def test_what_is_not_the_same_is_refused(
    published: tuple[Path, Results], tmp_path: Path, change: str, message: str
) -> None:
    import shutil

    folder = tmp_path / "reference"
    shutil.copytree(published[0], folder)
    given: dict[str, Any] = {"data": [folder / "a.npz"], "criteria": ["jmi"]}
    if change == "versions":
        path = folder / "reference.json"
        now = mlfs.compare.reference.versions_now()["numpy"]
        text = path.read_text("utf-8")
        path.write_text(text.replace(f'"numpy": "{now}"', '"numpy": "0.1"'), "utf-8")
    if change == "data":
        given["data"] = [some(9)]
    if change == "folds":
        with (folder / "folds" / "a.txt").open("a") as stream:
            stream.write("0\n")
    if change == "results":
        (folder / "results.csv.xz").write_bytes(b"")
    if change == "name":
        given["criteria"] = ["jmi", "mim"]
    if change == "model":
        given["models"] = ["br"]
    with pytest.raises((DataError, UsageError), match=message):
        run_against(folder, **given)


def crafted(published: Path, folder: Path, **changes: Any) -> Path:
    """A copy of a reference whose settings say something else."""
    import json
    import shutil

    shutil.copytree(published, folder)
    path = folder / "reference.json"
    document = json.loads(path.read_text("utf-8"))
    for recipe in document["data"]:
        recipe["models"] += [str(model) for model in changes.get("models", [])]
    document["settings"] |= changes
    path.write_text(json.dumps(document), "utf-8")
    return folder


@pytest.mark.parametrize(
    "model",
    [
        "tests.compare.imported_by_a_reference.Model",
        {"name": "tests.compare.imported_by_a_reference.Model(C=1)", "parameters": {}},
        "sklearn.tree.DecisionTreeClassifier",
        {"name": "tests.compare.imported_by_a_reference.run", "parameters": {"command": "true"}},
    ],
)
def test_a_name_in_a_reference_imports_nothing(
    published: tuple[Path, Results], tmp_path: Path, model: Any
) -> None:
    import sys

    folder = crafted(published[0], tmp_path / "reference", models=["mlnb", model])
    with pytest.raises(DataError, match=r"names the model .*none of mlfs.*only when models="):
        run_against(folder, [published[0] / "a.npz"], ["jmi"])
    assert "tests.compare.imported_by_a_reference" not in sys.modules
    found = run_against(folder, [published[0] / "a.npz"], ["jmi"], ["mlnb"])
    assert not found.failed()


def test_a_model_of_a_reference_that_the_user_names_is_run(
    published: tuple[Path, Results], tmp_path: Path
) -> None:
    tree = "sklearn.tree.DecisionTreeClassifier"
    folder = crafted(published[0], tmp_path / "reference", models=["mlnb", tree])
    found = run_against(folder, [published[0] / "a.npz"], ["jmi"], [tree])
    assert {record["cell"]["model"] for record in found.records} == {tree}


def test_options_of_a_reference_are_those_of_a_comparison(
    published: tuple[Path, Results], tmp_path: Path
) -> None:
    folder = crafted(published[0], tmp_path / "reference", options={"folder": "/tmp/elsewhere"})
    with pytest.raises(DataError, match="has an option 'folder', which no comparison takes"):
        run_against(folder, [published[0] / "a.npz"], ["jmi"])


def test_stored_folds_lie_in_their_folder(tmp_path: Path) -> None:
    folder = fold_folder(tmp_path / "folds")
    (folder / "SHA256SUMS").write_text(f"{'0' * 64}  ../elsewhere.txt\n")
    with pytest.raises(DataError, match=r"names '\.\./elsewhere\.txt', which is no file beside it"):
        stored_folds(folder)


def test_the_command_has_one_report_of_both(
    published: tuple[Path, Results], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder, _ = published
    files = [str(folder / f"{name}.npz") for name in NAMES]
    report = str(tmp_path / "report")
    given = ["compare", "--against", str(folder), "-c", "jmi", "-o", report]
    assert cli.main([*given, "-n", "3", *files]) == 2
    assert "is fixed by the reference" in capsys.readouterr().err
    assert cli.main([*given, *files]) == 0
    said = capsys.readouterr()
    assert "jmi: run here, on 6 of the 6 data sets" in said.err
    assert all(f"macro_f1, {model}, area" in said.out for model in ("mlnb", "mlknn"))
    page = (tmp_path / "report" / "index.html").read_text("utf-8")
    assert all(f"<th>{name}</th>" in page for name in ("mim", "random", "jmi"))
