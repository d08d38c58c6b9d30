"""`mlfs predict`: what is refused or filled is said, and a model that fails leaves nothing."""

from __future__ import annotations

import pytest

from mlfs import cli
from mlfs.models.model_files import load_stored
from tests.documents import ROOT

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")
TABLE = "size,colour,name,a\n"


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
    missing, unseen, pink, gap, run, tmp_path
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
    refused = (pink >= 0 and unseen == "error") or (missing == "error")
    assert (whole[0], whole[1] == "") == (int(refused), refused)
    if refused and pink >= 0 and unseen == "error":
        assert f"column 'colour' holds 'pink' in row {pink + 1}, which training did not" in whole[2]
    elif refused:
        assert "the model was trained to refuse them" in whole[2]
    else:
        assert ("unseen values taken as missing in 1 cell" in whole[2]) == (pink >= 0)
        filled = (pink >= 0) + 3 * (gap >= 0)
        words_of = "1 missing value is" if filled == 1 else f"{filled} missing values are"
        assert f"{words_of} filled with the mean" in whole[2]


def test_a_model_that_fails_leaves_nothing(run, monkeypatch, tmp_path) -> None:
    assert run("train", "-q", "--model", "br", "-o", "m.mlfs", SONGS)[0] == 0

    def fails(self, X):
        raise ValueError("no more")

    monkeypatch.setattr(type(load_stored("m.mlfs").model), "predict", fails)
    for way in ([], ["-o", "p.csv"]):
        code, out, err = run("predict", *way, "m.mlfs", SONGS)
        assert (code, out, "no more" in err) == (1, "", True)
        assert sorted(path.name for path in tmp_path.iterdir()) == ["m.mlfs"]
