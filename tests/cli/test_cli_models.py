"""train, predict, evaluate and structure, through the command's own door."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import signal
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlfs import cli
from mlfs.data import from_arrays, read, write
from mlfs.metrics import METRICS
from mlfs.metrics import evaluate as measure
from mlfs.metrics.top import propensities
from mlfs.models import make, save
from mlfs.models.model_files import load_stored
from mlfs.models.training_table import TrainingTable
from tests.cli.test_cli_process import POSIX, Terminal, mlfs
from tests.compare import in_process
from tests.documents import ROOT
from tests.shared import shared_data

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")
SOME = ["br", "pcc", "occ", "ebcc-ldf", "pacc-ldf"]  # tests/models/test_store.py has them all
UNNAMED = "ignore:X does not have valid feature names"


class Ran:
    """What a run left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def rows(self) -> list[list[str]]:
        return list(csv.reader(io.StringIO(self.out)))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch, tmp_path):
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def go(*arguments: str) -> Ran:
        capsys.readouterr()
        code = cli.main(arguments)
        seen = capsys.readouterr()
        assert "Traceback" not in seen.err
        return Ran(code, seen.out, seen.err)

    return go


@pytest.fixture
def done(run):
    """Run it and expect that it works."""

    def go(*arguments: str) -> Ran:
        seen = run(*arguments)
        assert seen.code == 0, seen.err
        return seen

    return go


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model of logistic regressions on the songs."""
    path = str(tmp_path_factory.mktemp("kept") / "songs.mlfs")
    assert cli.main(["train", "-q", "--model", "pcc", "-o", path, SONGS]) == 0
    return path


def table(path: str, text: str) -> str:
    Path(path).write_text(text)
    return path


ROWS = "1,red,no,0,1\n2,blue,no,0,0\n3,white,yes,1,1\n4,red,yes,1,0\n"
SMALL = "size,colour,big,y,z\n" + 5 * ROWS


@pytest.fixture
def small(done) -> str:
    done("train", "-q", "--model", "cc", "--labels", "y,z", "-o", "s.mlfs", table("s.csv", SMALL))
    return "s.mlfs"


# ---- train -------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SOME)
def test_a_model_is_trained_stored_and_used(done, name: str) -> None:
    done("train", "-q", "--model", name, "-o", "m.mlfs", SONGS)
    rows = done("predict", "-q", "m.mlfs", SONGS).rows
    data = read(SONGS)
    assert rows[0] == data.label_names
    assert len(rows) == 241
    assert {cell for row in rows[1:] for cell in row} <= {"0", "1"}
    X, _ = TrainingTable.learn(data).matrix(data)
    fresh = make(name).fit(X, data.Y)
    assert [list(map(int, row)) for row in rows[1:]] == fresh.predict(X).tolist()


def test_a_model_of_the_command_knows_its_labels_in_python(done) -> None:
    for name in ("br", "ebcc"):
        done("train", "-q", "--model", name, "-o", f"{name}.mlfs", SONGS)
        stored = load_stored(f"{name}.mlfs")
        names = tuple(read(SONGS).label_names)
        assert stored.model.label_names_ == names
        one = stored.model if name == "br" else stored.model.estimators_[0]
        assert one.label_names_ == one.structure_.names == tuple(one.features_) == names


@pytest.mark.parametrize("name", ["cc", "ebcc", "mc"])
def test_a_model_of_the_command_knows_its_columns_in_python(done, name: str) -> None:
    pandas = pytest.importorskip("pandas")
    done("train", "-q", "--model", name, "-o", "m.mlfs", SONGS)
    stored = load_stored("m.mlfs")
    X, _ = stored.table.matrix(read(SONGS))
    frame = pandas.DataFrame(X, columns=stored.table.feature_names)
    with pytest.raises(ValueError, match="same order"):
        stored.model.predict(frame[frame.columns[::-1]])
    with pytest.raises(ValueError, match="unseen at fit time"):
        stored.model.predict(frame.rename(columns={frame.columns[0]: "other"}))
    wanted = [[int(cell) for cell in row] for row in done("predict", "m.mlfs", SONGS).rows[1:]]
    with warnings.catch_warnings(action="error"):
        assert stored.model.predict(frame).tolist() == wanted
    with pytest.warns(UserWarning, match="valid feature names"):
        assert stored.model.predict(X).tolist() == wanted


def test_where_no_label_is_0_missing_ones_are_not_minus_1(done, run) -> None:
    table("p.csv", "a,y,z\n1,1,\n2,,1\n3,1,1\n4,,1\n")
    done("train", "-q", "--model", "br", "--labels", "y,z", "-o", "m.mlfs", "p.csv")
    assert load_stored("m.mlfs").model.classes_[0].tolist() == [0, 1]
    assert run("predict", "-q", "m.mlfs", "p.csv").rows[1:] == [["1", "1"]] * 4
    table("none.csv", "a,y,z\n1,,\n2,,\n")
    refused = run("train", "--labels", "y,z", "-o", "n.mlfs", "none.csv")
    assert (refused.code, Path("n.mlfs").exists()) == (1, False)
    assert "every label is missing in every row" in refused.err


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-P", "C=abc"], "the base learner refuses its parameters: The 'C' parameter"),
        (
            ["--model", "mc", "-p", "C=abc"],
            "the base learner refuses its parameters: The 'C' parameter",
        ),
        (["--seed", "4294967296"], "--seed"),
        (["--model", "pcc", "-p", "epsilon=-1"], "epsilon is a number from 0"),
        (["--model", "pcc", "--inference", "beam", "-p", "width=0"], "width is a whole number"),
        (["--model", "pcc", "--inference", "monte-carlo", "-p", "loss=no"], "loss"),
        (["--model", "pcc", "--inference", "exhaustive", "-p", "limit=0"], "limit"),
        (["--model", "mcc", "-p", "inference__n_samples=0"], "n_samples"),
    ],
)
def test_a_wrong_parameter_is_a_wrong_option(run, options: list[str], words: str) -> None:
    refused = run("train", *options, "-o", "m.mlfs", SONGS)
    assert (refused.code, Path("m.mlfs").exists()) == (2, False)
    assert words in refused.err


@pytest.mark.parametrize("command", ["train", "evaluate"])
def test_labels_that_are_none_are_reported_without_options_of_others(run, kept, command) -> None:
    model = ["-o", "m.mlfs"] if command == "train" else [kept]
    refused = run(command, *model, SONGS, "--labels", "tempo,happy")
    assert refused.code == 1
    assert "choose other columns with --labels" in refused.err
    assert "--classes" not in refused.err


def test_predictions_do_not_replace_their_model(run, kept: str) -> None:
    before = Path(kept).read_bytes()
    refused = run("predict", "--force", "-o", kept, kept, SONGS)
    assert (refused.code, Path(kept).read_bytes() == before) == (2, True)
    assert "is the input" in refused.err


def test_options_reach_the_model(done) -> None:
    done(
        "train", "-q", "--model", "kcc", "-k", "2", "--features", "scls", "-n", "7",
        "--inference", "beam", "-p", "width=3", "-p", "order=given", "-l", "logistic",
        "-P", "C=0.5", "--seed", "4", "-j", "2", "-o", "m.mlfs", SONGS,
    )  # fmt: skip
    stored = load_stored("m.mlfs")
    given = stored.model.get_params()
    assert given["structure__k"] == 2
    assert given["structure__order"] == "given"
    assert (given["features"], given["n"]) == ("scls", 7)
    assert given["inference__width"] == 3
    assert given["base_estimator__C"] == 0.5
    assert (given["random_state"], given["n_jobs"]) == (4, 2)
    assert stored.settings["model"] == "kcc"
    assert stored.settings["parameters"] == ["width=3", "order=given"]
    assert {len(columns) for columns in stored.model.features_.values()} == {7}


def test_options_reach_the_members_of_an_ensemble(done) -> None:
    done(
        "train", "-q", "--model", "eocc", "--features", "mim", "-n", "5", "-P", "C=0.25",
        "-p", "n_estimators=2", "-o", "m.mlfs", SONGS,
    )  # fmt: skip
    given = load_stored("m.mlfs").model.get_params()
    assert (given["model__features"], given["model__n"]) == ("mim", 5)
    assert given["model__base_estimator__C"] == 0.25
    assert given["n_estimators"] == 2


@pytest.mark.parametrize("features", ["all", "ldf"])
def test_features_that_need_no_number(done, features: str) -> None:
    done("train", "-q", "--model", "occ", "--features", features, "-o", "m.mlfs", SONGS)
    assert load_stored("m.mlfs").model.get_params()["n"] is None


@pytest.mark.parametrize("name", ["svm", "sgd", "ridge", "naive-bayes", "gaussian", "neighbors",
                                  "tree", "LinearSVC", "sklearn.svm.LinearSVC"])  # fmt: skip
def test_learners_by_name(done, name: str) -> None:
    done("train", "-q", "--model", "cc", "-l", name, "-o", "m.mlfs", SONGS)
    assert len(done("predict", "-q", "m.mlfs", SONGS).rows) == 241


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--model", "oc"], "unknown model 'oc': did you mean 'occ'?"),
        (["-p", "kk=3"], "has no parameter 'kk'"),
        (["--model", "br", "-k", "3"], "has no parameter 'k'"),
        (["-p", "k=3", "-k", "2"], "'k' is given twice, with -k and with -p"),
        (["-p", "n_jobs=3"], "'n_jobs' is given with -j"),
        (["-p", "k"], "-p is given as key=value"),
        (["--features", "scl"], "did you mean 'scls'?"),
        (["--features", "all", "-n", "3"], "name a criterion, or leave n out"),
        (["-l", "svn"], "did you mean 'svm'?"),
        (["-l", "os:system"], "'os:system' is no classifier of scikit-learn"),
        (["-l", "sklearn.svm.SVR"], "no classifier of scikit-learn"),
        (["-l", "HistGradientBoostingClassifier"], "TreePredictor, which neither mlfs nor skops"),
        (["-l", "StackingClassifier"], "made of other learners"),
        (["-l", "svm", "-P", "D=3"], "unknown parameter of LinearSVC 'D'"),
        (["-P", "D=3"], "unknown parameter of LinearSVC 'D'"),
        (["--model", "pcc", "-l", "svm"], "needs probabilities"),
        (["--inference", "bean"], "did you mean 'beam'?"),
        (["--exclude", "*"], "leaves no column"),
        (["--exclude", "nothing"], "nothing"),
    ],
)
def test_wrong_options_are_reported_and_nothing_is_written(
    run, arguments: list[str], words: str
) -> None:
    seen = run("train", *arguments, "-o", "m.mlfs", SONGS)
    assert seen.code == 2, seen.err
    assert words in seen.err
    assert not Path("m.mlfs").exists()


def test_the_place_of_a_model_is_checked_first(run) -> None:
    Path("there.mlfs").write_text("x")
    for place, words in (
        ("there.mlfs", "--force"), ("-", "not written to stdout"), (".", "folder"),
        ("m.mlfs.gz", "not compressed"), ("nowhere/m.mlfs", "no folder"), (SONGS, "is the input"),
    ):  # fmt: skip
        seen = run("train", "-o", place, SONGS)
        assert (seen.code, words in seen.err) == (2, True), seen.err
    assert Path("there.mlfs").read_text() == "x"
    assert "missing option '-o'" in run("train", SONGS).err


def test_a_picked_key_is_trained_on(run) -> None:
    rows = "".join(f"k{i:03d}x,{i % 3},{int(i % 3 > 0)}\n" for i in range(60))
    table("keys.csv", f"key,a,y\n{rows}")
    run(
        "select",
        "-q",
        "--include",
        "key",
        "-n",
        "2",
        "-o",
        "picks.json",
        "--labels",
        "y",
        "keys.csv",
    )
    seen = run("train", "-m", "br", "--features", "picks.json", "--labels", "y", "-o", "m.mlfs",
               "keys.csv")  # fmt: skip
    assert seen.code == 0
    assert "left out what names a row" not in seen.err
    assert "key=k000x" in load_stored("m.mlfs").table.feature_names


def wide(name: str, columns: str = "a,b,c,colour,leak", shift: int = 0) -> str:
    """A table of three columns that tell y and z, a nominal one, and one that is as y."""
    draw = np.random.default_rng(0)
    X = draw.integers(0, 3, (80, 3))
    y, z = (X[:, 0] > 0).astype(int), (X[:, 1] + X[:, 2] > 2).astype(int)
    cells = {
        "a": X[:, 0], "b": X[:, 1], "c": X[:, 2], "leak": y, "y": y, "z": z,
        "colour": np.array(["red", "blue", "green", "grey", "pink"])[X[:, 0] % 2 + shift],
    }  # fmt: skip
    names = f"{columns},y,z".split(",")
    rows = "".join(",".join(str(cells[one][i]) for one in names) + "\n" for i in range(80))
    return table(name, ",".join(names) + "\n" + rows)


def picks_of(done, *options: str) -> str:
    done("select", "-q", "--force", "-o", "picks.json", "--labels", "y,z", *options,
         wide("wide.csv"))  # fmt: skip
    return "picks.json"


@pytest.mark.parametrize(
    "model", ["br", "cc", "occ", "pacc", "mc", "mcc", "ctbn", "ecc", "br-forest", "rakel"]
)
def test_a_model_of_picks_asks_for_these_columns_alone(done, run, model: str) -> None:
    picks = picks_of(done, "-n", "2", "--exclude", "leak", "--exclude", "colour")
    names = json.loads(Path(picks).read_text())["selected"]
    assert len(names) == 2
    more = {"mc": ["-p", "max_trees=2"], "ecc": ["-p", "features=1.0"]}.get(model, [])
    done("train", "-q", "-m", model, "--features", picks, "--labels", "y,z", "-o", "m.mlfs", *more,
         "wide.csv")  # fmt: skip
    stored = load_stored("m.mlfs")
    kept = ",".join(stored.table.feature_names)
    assert {"leak", "colour=red", "colour=blue"}.isdisjoint(stored.table.feature_names)
    assert set(stored.table.feature_names) == {one["name"] for one in names}
    wanted = done("predict", "-q", "m.mlfs", "wide.csv").out
    assert done("predict", "-q", "m.mlfs", wide("few.csv", kept)).out == wanted
    assert done("predict", "-q", "m.mlfs", wide("other.csv", shift=2)).out == wanted
    assert done("evaluate", "-q", "m.mlfs", "few.csv").code == 0
    dropped = kept.split(",")[0]
    rest = ",".join({"a", "b", "c"} - {dropped})
    seen = run("predict", "m.mlfs", wide("less.csv", rest))
    assert (seen.code, f"is missing: '{dropped}'" in seen.err) == (1, True)


def test_a_model_asks_for_what_its_labels_select(done) -> None:
    picks = picks_of(done, "--per-label", "-n", "1", "--include", "b", "--exclude", "leak")
    done("train", "-q", "-m", "cc", "--features", picks, "--labels", "y,z", "-o", "m.mlfs",
         "wide.csv")  # fmt: skip
    stored = load_stored("m.mlfs")
    assert [field.name for field in stored.table.fields] == ["b"]
    for options in (
        ["--features", "scls", "-n", "1"],
        ["--threshold", "scut", "--features", picks],
    ):
        done("train", "-q", "-m", "br", "--force", *options, "--labels", "y,z",
             "--exclude", "leak", "-o", "m.mlfs", "wide.csv")  # fmt: skip
        stored = load_stored("m.mlfs")
        assert len(stored.table.fields) == 1
        wanted = done("predict", "-q", "m.mlfs", "wide.csv").out
        few = wide("few.csv", stored.table.fields[0].name)
        assert done("predict", "-q", "m.mlfs", few).out == wanted


def test_a_model_of_all_columns_but_some_does_not_ask_for_these(done) -> None:
    done("train", "-q", "-m", "br", "--exclude", "leak", "--exclude", "col*", "--labels", "y,z",
         "-o", "m.mlfs", wide("wide.csv"))  # fmt: skip
    wanted = done("predict", "-q", "m.mlfs", "wide.csv").out
    assert done("predict", "-q", "m.mlfs", wide("few.csv", "c,b,a")).out == wanted
    assert done("predict", "-q", "m.mlfs", wide("other.csv", shift=2)).out == wanted


def test_labels_of_one_value_are_told(run) -> None:
    table("one.csv", "a,b,y,z\n1,2,0,\n2,3,1,\n3,1,0,\n0,1,1,\n")
    seen = run("train", "-m", "br", "--labels", "last:2", "-o", "m.mlfs", "one.csv")
    assert seen.code == 0
    assert "warning: 1 label with one known value, or none" in seen.err
    assert "'z'" in seen.err


def test_labels_of_several_values_are_refused(run) -> None:
    table("c.csv", "a,y,z\n1,u,0\n2,v,1\n3,w,1\n")
    seen = run("train", "--labels", "y,z", "-o", "m.mlfs", "c.csv")
    assert seen.code == 1
    assert "a model learns labels that are there or not" in seen.err
    assert "--classes" not in seen.err


def test_learners_that_do_not_converge_are_reported_once(done) -> None:
    seen = done("train", "--model", "br", "-l", "logistic", "-P", "max_iter=1", "-o", "m.mlfs",
                SONGS)  # fmt: skip
    told = [line for line in seen.err.splitlines() if "converge" in line]
    assert told == [
        "mlfs: note: 6 base learners did not converge: raise their limit, as with -P max_iter=1000"
    ]


def test_what_a_learner_refuses_is_reported_in_its_words(run) -> None:
    seen = run("train", "-q", "--model", "br", "-P", "C=-1", "-o", "m.mlfs", SONGS)
    assert seen.code == 2
    assert "the base learner refuses its parameters: The 'C' parameter" in seen.err


def test_more_neighbours_than_rows_are_refused_when_they_are_fitted(run) -> None:
    seen = run(
        "train",
        "--model",
        "br",
        "-l",
        "neighbors",
        "-P",
        "n_neighbors=10000",
        "-o",
        "m.mlfs",
        SONGS,
    )
    assert seen.code == 2
    assert "looks at 10000 neighbours, but the label 'happy' has 240 rows" in seen.err
    assert "lower n_neighbors to 240 or less" in seen.err
    assert not Path("m.mlfs").exists()


def test_rows_that_a_learner_does_not_take_are_reported(run, done) -> None:
    learner = "sklearn.naive_bayes.CategoricalNB"
    rows = "x,y\n" + "".join(f"{n},{n % 2}\n" for n in range(8))
    options = ("--model", "br", "--labels", "y", "-l", learner)
    done("train", "-q", *options, "-o", "m.mlfs", table("t.csv", rows))
    seen = run("predict", "m.mlfs", table("far.csv", "x\n900\n"))
    assert seen.code == 1
    assert "cannot take these rows" in seen.err


def test_weights_of_rows_are_used(done) -> None:
    data = read(SONGS)
    weights = np.where(np.arange(240) < 120, 1.0, 0.0)
    write(dataclasses.replace(data, weights=weights), "w.npz")
    half = dataclasses.replace(data, X=data.X[:120], Y=data.Y[:120])
    write(half, "h.npz")
    common = ["train", "-q", "--model", "cc", "--missing", "keep", "-l", "tree", "-o"]
    done(*common, "w.mlfs", "w.npz")
    done(*common, "h.mlfs", "h.npz")
    assert done("predict", "-q", "w.mlfs", SONGS).out == done("predict", "-q", "h.mlfs", SONGS).out


# ---- predict -----------------------------------------------------------------------------------


def test_predict_needs_no_labels(done, kept: str) -> None:
    data = read(SONGS)
    whole = done("predict", "-q", kept, SONGS).out
    write(dataclasses.replace(data, Y=data.Y[:, :1], labels=data.labels[:1]), "one.csv")
    Path("one.xml").unlink()
    rows = list(csv.reader(Path("one.csv").read_text().splitlines()))
    for name, dropped in (("one.csv", []), ("none.csv", [len(rows[0]) - 1])):
        with Path(name).open("w", newline="") as stream:
            csv.writer(stream).writerows(
                [[c for j, c in enumerate(row) if j not in dropped] for row in rows]
            )
        assert done("predict", "-q", kept, name).out == whole


@pytest.mark.parametrize("suffix", ["csv", "tsv", "npz", "mat", "arff.gz"])
def test_predict_takes_every_format(done, kept: str, suffix: str) -> None:
    write(read(SONGS), f"songs.{suffix}")
    assert (
        done("predict", "-q", kept, f"songs.{suffix}").out == done("predict", "-q", kept, SONGS).out
    )


def test_predict_takes_arrays_without_labels(done) -> None:
    draw = np.random.default_rng(0)
    X = draw.random((40, 4))
    Y = (X[:, :2] > 0.5).astype(int)
    np.savez("both.npz", X=X, Y=Y)
    np.savez("bare.npz", X=X)
    done("train", "-q", "--model", "br", "-o", "m.mlfs", "both.npz")
    both = done("predict", "-q", "m.mlfs", "both.npz").out
    assert done("predict", "-q", "m.mlfs", "bare.npz").out == both
    from scipy.io import savemat

    savemat("bare.mat", {"data": X})
    assert done("predict", "-q", "m.mlfs", "bare.mat").out == both


def test_svmlight_without_a_note_is_filled_with_zeros(done) -> None:
    rows = "".join(f"{'1' if i % 2 else ' '} 1:{i % 2} 3:{i}\n".lstrip("\0") for i in range(1, 20))
    done("train", "-q", "--model", "br", "-o", "m.mlfs", table("t.svm", "1,2 2:1\n" + rows))
    found = done("predict", "-q", "m.mlfs", table("u.svm", " 1:1\n 2:1\n")).rows
    assert found[0] == ["1", "2"]
    assert len(found) == 3
    assert done("evaluate", "-q", "m.mlfs", table("v.svm", "1 1:1\n 2:1\n")).code == 0


@pytest.mark.filterwarnings(UNNAMED)
def test_probabilities_are_those_of_the_model(done, kept: str) -> None:
    rows = done("predict", "-q", "--proba", kept, SONGS).rows
    stored = load_stored(kept)
    X, _ = stored.table.matrix(read(SONGS))
    found = np.array([list(map(float, row)) for row in rows[1:]])
    assert (found == stored.model.predict_proba(X)).all()


@pytest.mark.parametrize("values", [(0, 1), ("no", "yes"), (-1, 1)])
def test_a_model_of_python_with_a_target_of_one_dimension_is_used(run, values) -> None:
    data = read(SONGS)
    X, y = pd.DataFrame(data.X, columns=data.feature_names), np.asarray(data.Y)[:, 0]
    X.assign(happy=y).to_csv("songs.csv", index=False)
    model = make("br").fit(X, pd.Series(np.array(values)[y], name="happy"))
    save(model, "v.mlfs")
    ones = model.predict_proba(X)[:, 1]
    seen = run("predict", "-q", "v.mlfs", "songs.csv")
    assert seen.out.split() == ["happy", *(ones > 0.5).astype(int).astype(str)]
    seen = run("predict", "-q", "--proba", "v.mlfs", "songs.csv")
    assert list(map(float, seen.out.split()[1:])) == ones.tolist()
    seen = run("evaluate", "--labels", "happy", "--format", "json", "v.mlfs", "songs.csv")
    match = json.loads(seen.out)["metrics"]["exact_match"]
    assert match == ((ones > 0.5) == y).mean()


def test_predictions_are_not_written_under_the_name_of_another_format(run, kept: str) -> None:
    seen = run("predict", "-o", "p.parquet", kept, SONGS)
    assert seen.code == 2
    assert "predictions are written as CSV, and 'p.parquet' ends in .parquet" in seen.err
    assert not Path("p.parquet").exists()


def test_no_probabilities_is_reported(run, done) -> None:
    done("train", "-q", "--model", "br", "-l", "svm", "-o", "m.mlfs", SONGS)
    seen = run("predict", "--proba", "m.mlfs", SONGS)
    assert seen.code == 1
    assert "gives no probabilities" in seen.err


def test_predict_writes_a_file(run, done, kept: str) -> None:
    assert done("predict", "-q", "-o", "p.csv", kept, SONGS).out == ""
    assert Path("p.csv").read_text() == done("predict", "-q", kept, SONGS).out
    assert "--force" in run("predict", "-o", "p.csv", kept, SONGS).err
    done("predict", "-q", "--force", "-o", "p.csv", kept, SONGS)


def test_names_that_need_quotes_are_quoted(done) -> None:
    text = 'a,"y,1","z""2"\n1,0,1\n2,1,0\n3,1,1\n4,0,0\n'
    table("q.csv", text)
    done("train", "-q", "--model", "br", "--labels", "last:2", "-o", "m.mlfs", "q.csv")
    seen = done("predict", "-q", "m.mlfs", "q.csv")
    assert seen.out.startswith('"y,1","z""2"\n')
    assert seen.rows[0] == ["y,1", 'z"2']


# ---- columns -----------------------------------------------------------------------------------


def test_columns_are_found_by_name_in_any_order(done, small: str) -> None:
    table("new.csv", "big,more,size,colour\nno,7,1,red\nyes,8,3,white\n")
    table("same.csv", "size,colour,big\n1,red,no\n3,white,yes\n")
    seen = done("predict", small, "new.csv")
    assert seen.out == done("predict", "-q", small, "same.csv").out
    assert "1 column is not used by the model and left out: 'more'" in seen.err


def test_missing_columns_are_refused_by_name(run, small: str) -> None:
    seen = run("predict", small, table("new.csv", "big,size\nno,1\n"))
    assert seen.code == 1
    assert "new.csv: 1 column of the training data is missing: 'colour'" in seen.err
    seen = run("predict", small, table("new.csv", "big,none\nno,1\n"))
    assert "2 columns of the training data are missing: 'size', 'colour'" in seen.err


def test_nominal_values_are_matched_by_value(done, small: str) -> None:
    table("a.csv", "size,colour,big\n1,red,no\n3,white,yes\n")
    table(
        "b.arff",
        "@relation b\n@attribute big {yes,no}\n@attribute colour {white,red,blue}\n"
        "@attribute size numeric\n@data\nno,red,1\nyes,white,3\n",
    )
    assert done("predict", small, "a.csv").out == done("predict", small, "b.arff").out


def test_an_unseen_value_is_refused_or_missing(run, done, small: str) -> None:
    table("n.csv", "size,colour,big\n1,red,no\n3,green,yes\n")
    seen = run("predict", small, "n.csv")
    assert seen.code == 1
    assert "'colour' holds 'green' in row 2" in seen.err
    assert "known: 'blue', 'red', 'white'" in seen.err
    seen = done("predict", "--unseen", "missing", small, "n.csv")
    assert "'colour': unseen values taken as missing in 1 cell" in seen.err
    table("m.csv", "size,colour,big\n1,red,no\n3,?,yes\n")
    assert seen.out == done("predict", small, "m.csv").out


def test_numbers_and_values_meet(done) -> None:
    body = "".join(f"{i % 2},{i % 3},{i % 2}\n" for i in range(30))
    head = "@relation t\n@attribute a {0,1}\n@attribute b {2,0,1}\n@attribute y {0,1}\n@data\n"
    table("t.arff", head + body)
    done("train", "-q", "--model", "br", "--labels", "y", "-o", "m.mlfs", "t.arff")
    table("t.csv", "b,a\n" + "".join(f"{i % 3}.0,{i % 2}\n" for i in range(30)))
    assert done("predict", "m.mlfs", "t.arff").out == done("predict", "m.mlfs", "t.csv").out


def test_text_where_numbers_were_is_refused(run, small: str) -> None:
    seen = run("predict", small, table("n.csv", "size,colour,big\nmany,red,no\n"))
    assert seen.code == 1
    assert "'size' holds 'many' in row 1" in seen.err


def test_missing_values_are_filled_kept_or_refused(run, done) -> None:
    table("t.csv", "a,b,y\n" + "1,0,0\n3,1,1\n" * 9 + ",1,1\n")
    common = ["--model", "br", "--labels", "y", "t.csv"]
    seen = done("train", "-o", "fill.mlfs", *common)
    assert "1 missing value is filled with the mean" in seen.err
    field = load_stored("fill.mlfs").table.fields[0]
    assert (field.name, field.fill) == ("a", 2.0)
    seen = run("train", "-o", "error.mlfs", "--missing", "error", *common)
    assert (seen.code, "column 'a' has missing values" in seen.err) == (1, True)
    seen = run("train", "-o", "keep.mlfs", "--missing", "keep", *common)
    assert (seen.code, "NaN" in seen.err) == (1, True), seen.err
    done("train", "-o", "keep.mlfs", "--missing", "keep", "-l", "tree", *common)


def test_thresholds_are_learned_stored_and_used(done, run) -> None:
    done("train", "--model", "br", "--threshold", "scut", "-o", "m.mlfs", SONGS)
    stored = load_stored("m.mlfs")
    assert stored.settings["threshold"] == "scut"
    assert len(set(stored.model.thresholds_.tolist())) > 1
    assert "macro_f1" in done("evaluate", "m.mlfs", SONGS).out
    assert "edges" in done("structure", "m.mlfs").out
    done("train", "--model", "br", "--threshold", "0.3", "-o", "n.mlfs", SONGS)
    assert set(load_stored("n.mlfs").model.thresholds_.tolist()) == {0.3}
    seen = run("train", "--model", "br", "--threshold", "cut", "-o", "x.mlfs", SONGS)
    assert (seen.code, "unknown threshold 'cut'" in seen.err) == (2, True)


def test_a_blank_counts_once_whatever_its_column_becomes(done) -> None:
    table("t.csv", "a,b,y\n" + "red,0,0\nblue,1,1\nwhite,1,0\n" * 9 + "?,1,1\n?,0,1\n?,1,0\n")
    seen = done("train", "-o", "m.mlfs", "--model", "br", "--labels", "y", "t.csv")
    assert "3 missing values are filled" in seen.err


@pytest.mark.parametrize("name", ["kcc", "ecc"])
def test_the_model_is_the_same_with_any_number_of_jobs(done, name: str) -> None:
    shares = []
    for jobs in ("1", "1", "2"):
        done("train", "--model", name, "-j", jobs, "--force", "-o", "m.mlfs", SONGS)
        shares.append(done("predict", "-q", "--proba", "m.mlfs", SONGS).out)
    assert shares[0] == shares[1] == shares[2]


def test_many_values_become_columns(done, small: str) -> None:
    assert load_stored(small).table.feature_names == [
        "size", "colour=blue", "colour=red", "colour=white", "big",
    ]  # fmt: skip


# ---- evaluate ----------------------------------------------------------------------------------


@pytest.mark.filterwarnings(UNNAMED)
def test_all_metrics_are_those_of_the_library(done, kept: str) -> None:
    document = json.loads(done("evaluate", "-q", "--format", "json", kept, SONGS).out)
    stored, data = load_stored(kept), read(SONGS)
    X, _ = stored.table.matrix(data)
    model = stored.model
    shares = model.predict_proba(X)
    joint = model.joint_log_proba(X, data.Y)
    wanted = measure(data.Y, model.predict(X), shares, joint, probabilities=shares)
    weighed = {name for name in METRICS if name.startswith("propensity")}
    assert set(wanted) == set(METRICS) - weighed
    assert document["metrics"] == wanted
    rare = json.loads(
        done("evaluate", "-q", "--format", "json", "--propensities", SONGS, kept, SONGS).out
    )
    rare = {name: value for name, value in rare["metrics"].items() if name in weighed}
    assert rare == measure(
        data.Y, scores=shares, propensities=propensities(data.Y), metrics=sorted(weighed)
    )
    assert document["schema"] == 1
    assert document["model"]["model"] == "pcc"
    assert document["data"]["rows"] == 240
    text = done("evaluate", "-q", "--per-label", kept, SONGS).out
    assert text.startswith("pcc: 240 rows, 6 labels\nexact_match")
    assert all(name in text for name in (*wanted, *data.label_names))


def test_without_probabilities_the_rest_is_reported(done) -> None:
    done("train", "-q", "--model", "br", "-l", "svm", "-o", "m.mlfs", SONGS)
    seen = done("evaluate", "--format", "json", "m.mlfs", SONGS)
    document = json.loads(seen.out)
    assert document["metrics"]["cll_loss"] is None
    assert document["scores"] == "decision_function"
    assert "the model gives no probabilities, so there is no log_loss, cll_loss" in seen.err


def test_labels_are_matched_by_name(run, done, small: str) -> None:
    table("t.csv", "z,size,colour,big,y,w\n1,1,red,no,0,1\n0,2,blue,no,0,1\n")
    table("u.csv", "size,colour,big,y,z\n1,red,no,0,1\n2,blue,no,0,0\n")
    one = json.loads(done("evaluate", "--format", "json", small, "t.csv").out)
    two = json.loads(done("evaluate", "--format", "json", small, "u.csv").out)
    assert one["metrics"] == two["metrics"]
    seen = run("evaluate", small, table("v.csv", "size,colour,big,y\n1,red,no,0\n"))
    assert (seen.code, "1 label of the model is missing: 'z'; name" in seen.err) == (
        1,
        True,
    )
    seen = done("evaluate", "--labels", "y,z,w", small, "t.csv")
    assert "1 label is not in the training data and left out: 'w'" in seen.err


def test_a_column_of_lists_may_lack_a_label(done) -> None:
    table("t.csv", "a,tags\n" + "1,u|v\n2,u\n3,v\n4,\n" * 5)
    done("train", "-q", "--model", "br", "--labels", "tags", "-o", "m.mlfs", "t.csv")
    table("u.csv", "a,tags\n1,u\n2,u\n4,\n")
    document = json.loads(
        done("evaluate", "--labels", "tags", "--format", "json", "m.mlfs", "u.csv").out
    )
    assert document["data"]["labels"] == 2
    assert document["data"]["labels_without_positives"] == 1
    assert done("predict", "m.mlfs", "u.csv").rows[0] == ["u", "v"]


def test_one_row_is_reported_as_one(run, done, small: str, monkeypatch) -> None:
    in_process.use(monkeypatch)
    table("one.csv", SMALL.partition("\n2,")[0])
    assert done("evaluate", "-q", small, "one.csv").out.startswith("cc: 1 row, 2 labels\n")
    assert "wrote p.csv" in done("predict", "-v", "-o", "p.csv", small, "one.csv").err
    seen = done("train", "-v", "--labels", "y", "--exclude", "[!s]*", "-o", "m.mlfs", "s.csv")
    assert "on 20 rows, 1 feature, 1 label took" in seen.err
    assert "wrote 1 row, " in done("convert", "-v", "--labels", "y", "one.csv", "one.arff").err
    seen = run("compare", "--labels", "y,z", "-o", "report", "one.csv")
    assert "has 1 row, too few" in seen.err


def test_missing_labels_are_left_out(done) -> None:
    data = read(SONGS)
    Y = data.Y.copy()
    Y[::3, 0] = -1
    write(dataclasses.replace(data, Y=Y), "gaps.arff")
    done("train", "-q", "--model", "pcc", "-o", "m.mlfs", "gaps.arff")
    document = json.loads(done("evaluate", "--format", "json", "m.mlfs", "gaps.arff").out)
    assert document["data"]["missing"] == 80
    assert document["metrics"]["cll_loss"] > 0


# ---- structure ---------------------------------------------------------------------------------


def test_a_structure_in_every_form(run, done, kept: str) -> None:
    names = read(SONGS).label_names
    text = done("structure", kept).out
    assert text.startswith("chain: 6 labels, 15 edges")
    assert text.endswith("features of a label: 33 of 33\n")
    assert all(name in text for name in names)
    dot = done("structure", "--format", "dot", kept).out
    assert dot.startswith("digraph")
    document = json.loads(done("structure", "--format", "json", kept).out)
    assert document["members"][0]["structure"]["names"] == names
    assert document["members"][0]["features"] == dict.fromkeys(names)
    done("structure", "-o", "s.dot", kept)
    assert Path("s.dot").read_text() == dot
    done("structure", "-o", "s.json", kept)
    assert json.loads(Path("s.json").read_text()) == document
    assert "does not follow from its suffix" in run("structure", "-o", "s.doc", kept).err
    assert "--force" in run("structure", "-o", "s.dot", kept).err


def test_a_picture_of_a_structure(done, kept: str) -> None:
    pytest.importorskip("matplotlib")
    done("structure", "-o", "s.png", kept)
    assert Path("s.png").read_bytes().startswith(b"\x89PNG")
    done("structure", "-o", "s.svg", kept)
    assert "<svg" in Path("s.svg").read_text()


def test_a_picture_without_the_extra_names_it(run, kept: str, monkeypatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    seen = run("structure", "-o", "s.png", kept)
    assert seen.code == 1
    assert "pip install 'mlfs-toolkit[plot]'" in seen.err
    assert not Path("s.png").exists()


def test_members_of_an_ensemble(run, done) -> None:
    done("train", "-q", "--model", "ecc", "--features", "scls", "-n", "3", "-p", "n_estimators=3",
         "-o", "m.mlfs", SONGS)  # fmt: skip
    assert "member 3 of 3" in done("structure", "m.mlfs").out
    members = json.loads(done("structure", "--format", "json", "m.mlfs").out)["members"]
    features = set(read(SONGS).feature_names)
    for one in members:
        assert all(len(set(own) & features) == 3 for own in one["features"].values())
    assert "--member 1" in run("structure", "-o", "s.png", "m.mlfs").err
    assert "the model has 3" in run("structure", "--member", "4", "m.mlfs").err
    one = done("structure", "--member", "2", "--format", "json", "m.mlfs").out
    assert json.loads(one)["members"] == [members[1]]


def test_members_of_a_mixture(done) -> None:
    done("train", "-q", "--model", "mc-ldf", "-p", "n_trees=2", "-o", "m.mlfs", SONGS)
    members = json.loads(done("structure", "--format", "json", "m.mlfs").out)["members"]
    assert sum(one["weight"] for one in members) == pytest.approx(1)
    assert all(0 < len(own) < 33 for one in members for own in one["features"].values())
    sizes = [len(own) for own in members[1]["features"].values()]
    shown = done("structure", "--member", "2", "m.mlfs").out
    assert f"features of a label: {min(sizes)}" in shown
    assert "member 2 of 2, weight" in done("structure", "m.mlfs").out


# ---- files that are none -----------------------------------------------------------------------


@pytest.mark.parametrize("command", ["predict", "evaluate", "structure"])
def test_a_damaged_file_is_refused_in_one_sentence(run, kept: str, command: str) -> None:
    content = bytearray(Path(kept).read_bytes())
    content[len(content) // 2] ^= 1
    Path("m.mlfs").write_bytes(content)
    data = [] if command == "structure" else [SONGS]
    for model, code, words in (
        ("m.mlfs", 1, "is damaged: "),
        (SONGS, 1, "does not start as a model file does"),
        ("nowhere.mlfs", 2, "there is no file"),
        ("-", 2, "not read from stdin"),
    ):
        seen = run(command, model, *data)
        assert (seen.code, seen.out) == (code, "")
        assert words in seen.err
        assert len(seen.err.splitlines()) == 1


def test_a_model_that_cannot_answer_is_reported(run, kept: str, monkeypatch) -> None:
    def broken(self: Any, X: Any) -> Any:
        raise AttributeError("'LogisticRegression' object has no attribute 'coef_'")

    monkeypatch.setattr("mlfs.models.chain.StructuredClassifier.predict", broken)
    seen = run("predict", "-q", kept, SONGS)
    assert seen.code == 1
    assert "cannot answer (AttributeError" in seen.err


# ---- as a process ------------------------------------------------------------------------------


def test_a_model_moves_to_another_process(done, kept: str) -> None:
    whole = done("predict", "-q", kept, SONGS).out
    assert mlfs("predict", "-q", kept, "-", input=Path(SONGS).read_text()).stdout == whole
    assert len(whole.splitlines()) == 241


@POSIX
@pytest.mark.usefixtures("ctrl_c")
def test_training_shows_that_it_works_and_can_be_stopped(tmp_path: Path) -> None:
    draw = np.random.default_rng(0)
    data = from_arrays(draw.random((4000, 200)), (draw.random((4000, 30)) < 0.3).astype(int))
    write(data, tmp_path / "d.npz")
    place = tmp_path / "m.mlfs"
    run = Terminal("train", "--model", "mcc", "-o", str(place), str(tmp_path / "d.npz"))
    run.wait_for("training mcc on 4,000 rows, 200 features, 30 labels: ")
    run.process.send_signal(signal.SIGINT)
    run.finish()
    assert run.process.returncode == 130
    assert "Traceback" not in run.seen
    assert [one.name for one in tmp_path.iterdir()] == ["d.npz"]


# ---- real data ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["emotions", "medical"])
def test_published_data_are_trained_and_evaluated(done, name: str) -> None:
    folder = shared_data(name)
    done("train", "-q", "--model", "kcc", "-l", "svm", "-o", "m.mlfs",
         str(folder / f"{name}-train.arff"))  # fmt: skip
    seen = done("evaluate", "-q", "--format", "json", "m.mlfs", str(folder / f"{name}-test.arff"))
    assert json.loads(seen.out)["metrics"]["exact_match"] > 0.2


def test_one_odd_cell_in_a_column_of_money_is_named_and_costs_itself_alone(tmp_path, capsys):
    rng = np.random.default_rng(0)
    spend = rng.lognormal(4, 1, 120).round(2)
    frame = pd.DataFrame({"spend": [f"${x:,.2f}" for x in spend], "x": rng.normal(size=120)})
    frame["y"] = (np.log(spend) + 0.3 * rng.normal(size=120) > 4).astype(int)
    frame.to_csv(tmp_path / "train.csv", index=False)
    model = str(tmp_path / "m.mlfs")
    assert cli.main(["train", "-q", "--labels", "y", "-o", model, str(tmp_path / "train.csv")]) == 0
    frame.loc[5, "spend"] = "n.a."
    frame.to_csv(tmp_path / "new.csv", index=False)
    assert cli.main(["predict", model, str(tmp_path / "new.csv")]) == 1
    assert "holds 'n.a.' in row 6" in capsys.readouterr().err
    assert cli.main(["predict", "--unseen", "missing", model, str(tmp_path / "new.csv")]) == 0
    assert "unseen values taken as missing in 1 cell\n" in capsys.readouterr().err
