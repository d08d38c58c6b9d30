"""A criterion of one's own in a file, named on the command line and in comparisons."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

import mlfs
from mlfs import cli, criteria
from mlfs.compare import run
from mlfs.errors import CriterionError, UnknownName, UsageError
from tests.compare import in_process

MINE = '''
import mlfs

class HalfMRMR(mlfs.Criterion):
    """J(f) = sum_l I(f;l) - mean_s I(f;s) / 2"""

    def relevance(self, info):
        return info.mi_fL

    def term(self, info, s):
        return info.mi_fs(s)

    def score(self, relevance, total, picked):
        return relevance - total / len(picked) / 2
'''


class Alike(mlfs.Criterion):
    """J(f) = sum_l I(f;l)"""

    def relevance(self, info):
        return info.mi_fL


@pytest.fixture
def mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "mine.py"
    path.write_text(MINE)
    return path


def test_the_command_takes_a_file(mine: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["select", "-q", "-c", "./mine.py", "-n", "3", "songs"]) == 0
    assert capsys.readouterr().out.startswith("halfmrmr: 3 of 24 features")
    assert cli.main(["explain", "-q", "-c", "./mine.py", "-n", "1", "songs"]) == 0


def test_a_comparison_takes_a_file_a_path_and_a_class(
    mine: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    in_process.use(monkeypatch)
    draw = np.random.default_rng(0)
    X = draw.integers(0, 2, (60, 6))
    data = {"one": mlfs.data.from_arrays(X, X[:, :2])}
    results = run(data, ["./mine.py", Alike, "mim"], "mlnb", 2, folds=2)
    assert not results.failed()
    chosen = {r["cell"]["criterion"]: r["selected"] for r in results.records}
    assert chosen[f"{__name__}.Alike"] == chosen["mim"]

    class Local(Alike):
        """J(f) = sum_l I(f;l)"""

    with pytest.raises(UsageError, match="processes of its own, which cannot import"):
        run(data, [Local], "mlnb", 2, folds=2)


@pytest.mark.parametrize(
    ("text", "content", "kind", "message"),
    [
        ("./none.py", None, UsageError, "there is no file './none.py'"),
        ("./bad.py", "x =", CriterionError, "cannot be imported: SyntaxError"),
        ("./empty.py", "x = 1", UsageError, "has no criterion: say which"),
        ("./two.py", MINE + MINE.replace("Half", "Third"), UsageError, "has 2 criteria"),
        ("nowhere.Mine", None, CriterionError, "No module named 'nowhere'"),
    ],
)
def test_what_is_no_criterion_is_said(
    mine: Path, text: str, content: str | None, kind: type[Exception], message: str
) -> None:
    if content is not None:
        Path(text).write_text(content)
    with pytest.raises(kind, match=message):
        criteria.typed(text)


def test_only_what_is_typed_is_run(mine: Path) -> None:
    with pytest.raises(UnknownName, match="unknown criterion"):
        criteria.get("./mine.py")
    with pytest.raises(UnknownName, match="unknown"):
        mlfs.models.make("br", features="./mine.py", n=1).fit([[0], [1]], [[0], [1]])


def test_a_module_may_lie_in_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    text = "from mlfs import Criterion\n\n\nclass Plain(Criterion):\n"
    text += "    def relevance(self, info):\n        return info.mi_fL\n"
    (tmp_path / "here_only.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    before = [*sys.path]
    arguments = ["select", "-q", "-c", "here_only.Plain", "-n", "2", "--format", "names", "songs"]
    assert cli.main(arguments) == 0
    assert capsys.readouterr().out.split() == list(mlfs.select("songs", "mim", 2).names)
    assert sys.path == before


def test_the_command_lists_a_criterion_of_a_file(
    mine: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["criteria", "scls", "./mine.py"]) == 0
    listed = capsys.readouterr().out
    assert "halfmrmr" in listed
    assert "J(f) = sum_l I(f;l) - mean_s I(f;s) / 2" in listed
    assert "scls" in listed
    assert "jmi" not in listed
    assert cli.main(["criteria", "--format", "json", "./mine.py"]) == 0
    assert cli.main(["criteria", "jmy"]) == 2


def test_prints_and_other_folders_of_a_criterion_do_no_harm(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    away, here = tmp_path / "away", tmp_path / "here"
    away.mkdir()
    here.mkdir()
    monkeypatch.chdir(here)
    lines = f"import os\nimport mlfs\nprint('first')\nos.chdir({str(away)!r})\n"
    lines += "class Mine(mlfs.Criterion):\n    reference = 'x'\n"
    lines += "    def relevance(self, info):\n"
    lines += f"        print('then')\n        os.chdir({str(away)!r})\n        return info.mi_fL\n"
    (here / "mine.py").write_text(lines)
    arguments = ["select", "-q", "-c", "./mine.py", "-n", "2", "--format", "json", "songs"]
    assert cli.main(arguments) == 0
    captured = capsys.readouterr()
    assert json.loads(captured.out)["criterion"] == "mine"
    assert "then" in captured.err
    assert cli.main([*arguments, "-o", "picks.json"]) == 0
    assert (here / "picks.json").is_file()
