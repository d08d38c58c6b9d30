"""`mlfs predict` on many rows: some at a time, with the output of all rows at once."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import numpy as np
import pytest

from mlfs import cli
from mlfs.data import files, from_arrays, read, write
from mlfs.models import training_table
from mlfs.models.model_files import load_stored
from tests.documents import ROOT

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")
TABLE = "size,colour,name,a\n"


@pytest.fixture
def in_parts(monkeypatch):
    """Let rows be read and matched a few at a time."""

    def go():
        monkeypatch.setattr(files, "PIECE", 500)
        monkeypatch.setattr(training_table, "MOST_ROWS", 50)

    return go


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run the command in an empty folder: the code, what it printed, and what it said."""
    monkeypatch.chdir(tmp_path)

    def go(*arguments):
        capsys.readouterr()
        code = cli.main(arguments)
        seen = capsys.readouterr()
        return code, seen.out, seen.err

    return go


PAIRS = [("br", "csv"), ("ebcc", "svm"), ("mcc", "npz"), ("mlknn", "arff")]


@pytest.mark.parametrize(("model", "form"), PAIRS)
def test_predictions_are_those_of_all_rows_at_once(model, form, run, in_parts) -> None:
    data = read(SONGS)
    if form == "svm":
        X = np.nan_to_num(data.X) * (np.arange(24) % 3 == 0)
        data = from_arrays(X, np.asarray(data.Y), feature_names=data.feature_names)
    write(data, f"new.{form}")
    assert run("train", "-q", "--model", model, "-o", "m.mlfs", f"new.{form}")[0] == 0
    ways = ([], ["--proba"], ["--proba", "-o", "p.csv", "--force"])
    whole = [run("predict", *way, "m.mlfs", f"new.{form}") for way in ways]
    written = Path("p.csv").read_text()
    in_parts()
    parts = [run("predict", *way, "m.mlfs", f"new.{form}") for way in ways]
    assert parts[0] == whole[0]
    assert parts[2] == whole[2]
    near(parts[1][1], whole[1][1])
    near(Path("p.csv").read_text(), written)
    assert whole[0][0] == 0
    assert whole[0][1].count("\n") == 241


def near(ours: str, theirs: str) -> None:
    """The same header, and probabilities whose sums may be taken in another order.

    On most processors they are equal; some add the products of a row in an order that depends
    on the number of rows.
    """
    assert ours.partition("\n")[0] == theirs.partition("\n")[0]
    ours, theirs = (
        np.loadtxt(StringIO(text), delimiter=",", skiprows=1) for text in (ours, theirs)
    )
    np.testing.assert_allclose(ours, theirs, rtol=1e-9)


def words(row_of_pink: int, gap: int) -> str:
    """Rows, of which one has a colour that training did not have, and one has a gap."""
    rows = [f"{i % 7},{('red', 'blue', 'green')[i % 3]},x,{i % 2}\n" for i in range(200)]
    if row_of_pink >= 0:
        rows[row_of_pink] = "1,pink,x,0\n"
    if gap >= 0:
        rows[gap] = ",red,x,0\n"
        rows[gap + 1] = ",,x,0\n"
    return TABLE + "".join(rows)


@pytest.mark.parametrize("missing", ["fill", "error"])
@pytest.mark.parametrize("unseen", ["error", "missing"])
@pytest.mark.parametrize(("pink", "gap"), [(170, -1), (130, 20), (20, 180)])
def test_what_is_refused_or_filled_is_said_of_all_rows(
    missing, unseen, pink, gap, run, in_parts, tmp_path
) -> None:
    (tmp_path / "old.csv").write_text(words(-1, -1))
    (tmp_path / "new.csv").write_text(words(pink, gap))
    train = [
        "train",
        "-q",
        "-m",
        "br",
        "--missing",
        missing,
        "--labels",
        "a",
        "-o",
        "m.mlfs",
        "old.csv",
    ]
    assert run(*train)[0] == 0
    predict = ["predict", "--unseen", unseen, "m.mlfs", "new.csv"]
    whole = run(*predict)
    in_parts()
    assert run(*predict) == whole
    refused = (pink >= 0 and unseen == "error") or (missing == "error")
    assert (whole[0], whole[1] == "") == (int(refused), refused)


def test_a_model_that_fails_in_between_leaves_nothing(run, in_parts, monkeypatch, tmp_path) -> None:
    assert run("train", "-q", "--model", "br", "-o", "m.mlfs", SONGS)[0] == 0
    kind, asked = type(load_stored("m.mlfs").model), []
    predict = kind.predict

    def fails(self, X):
        asked.append(len(X))
        if len(asked) == 3:
            raise ValueError("no more")
        return predict(self, X)

    monkeypatch.setattr(kind, "predict", fails)
    in_parts()
    for way in ([], ["-o", "p.csv"]):
        asked.clear()
        code, out, err = run("predict", *way, "m.mlfs", SONGS)
        assert (code, out, "no more" in err) == (1, "", True)
        assert asked == [50, 50, 50]
        assert sorted(path.name for path in tmp_path.iterdir()) == ["m.mlfs"]
