"""The command, through its own door: what it prints, where, and with which exit code."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner

import mlfs
from mlfs import cli
from mlfs.data import FORMATS
from mlfs.discretize import METHODS
from tests.documents import ROOT

SONGS = str(ROOT / "docs" / "examples" / "songs.arff")
TINY = "a,b,c,d,y,z\n0,0,1,5,0,1\n0,1,1,5,0,0\n1,0,1,5,1,1\n1,1,1,5,1,0\n"
TINY_PICKS = """\
mim: 3 of 4 features (4 rows, 2 labels); scores in nats
rank  index  name     score  relevance  redundancy    margin  runner-up
   1      0  a     0.693147   0.693147    0.000000  0.000000  b          ties with b
   2      1  b     0.693147   0.693147    0.000000  0.693147  c
   3      2  c     0.000000   0.000000    0.000000  0.000000  d          ties with d
"""


class Ran:
    """What a run left behind."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch, tmp_path):
    """Run the command in an empty folder."""
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "TERM"):
        monkeypatch.delenv(name, raising=False)

    def go(*arguments: str) -> Ran:
        capsys.readouterr()
        code = cli.main(arguments)
        seen = capsys.readouterr()
        assert "Traceback" not in seen.err
        return Ran(code, seen.out, seen.err)

    return go


@pytest.fixture
def tiny(tmp_path: Path) -> str:
    path = tmp_path / "tiny.csv"
    path.write_text(TINY)
    return str(path)


def select(run, *arguments: str) -> Ran:
    done = run("select", "-q", *arguments)
    assert done.code == 0, done.err
    assert done.err == ""
    return done


def picks(done: Ran) -> list[int]:
    return [pick["index"] for pick in json.loads(done.out)["selected"]]


def test_the_table(run, tiny) -> None:
    assert select(run, "-c", "mim", "-n", "3", "--labels", "y,z", tiny).out == TINY_PICKS


def test_names_and_indices_stand_one_a_line(run, tiny) -> None:
    common = ["-n", "2", "--labels", "last:2", tiny]
    assert select(run, "--format", "names", *common).out == "a\nb\n"
    assert select(run, "--format", "indices", *common).out == "0\n1\n"


def test_csv_has_full_precision(run) -> None:
    done = select(run, "-c", "scls", "-n", "4", "--format", "csv", SONGS)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    found = mlfs.select(SONGS, "scls", 4)
    terms = "relevance,redundancy,label_correlation"
    assert done.out.startswith(f"rank,index,name,score,{terms},margin,runner_up,ties\n")
    assert [int(row["index"]) for row in rows] == list(found.indices)
    assert [float(row["score"]) for row in rows] == found.scores.tolist()
    assert [float(row["margin"]) for row in rows] == found.margins.tolist()


def test_csv_per_label_has_the_label_in_front(run) -> None:
    done = select(run, "--per-label", "-n", "2", "--format", "csv", SONGS)
    rows = list(csv.DictReader(io.StringIO(done.out)))
    assert list(rows[0])[:3] == ["label", "rank", "index"]
    assert len(rows) == 12
    assert len({row["label"] for row in rows}) == 6


def test_the_json_document_is_the_one_of_the_issue(run) -> None:
    done = select(run, "-c", "mrmr", "-n", "3", "--format", "json", SONGS)
    document = json.loads(done.out)
    found = mlfs.select(SONGS, "mrmr", 3)
    assert document["schema"] == 1
    assert document["criterion"] == "mrmr"
    assert document["parameters"] == {}
    assert document["data"] == {"rows": 240, "features": 24, "labels": 6}
    assert "labels" not in document
    for rank, pick in enumerate(document["selected"], start=1):
        assert pick["rank"] == rank
        assert pick["index"] == found.indices[rank - 1]
        assert pick["name"] == found.names[rank - 1]
        assert pick["score"] == float(found.scores[rank - 1])
        assert set(pick["terms"]) == {"relevance", "redundancy", "label_correlation"}


def test_the_json_document_has_the_subsets_per_label(run) -> None:
    done = select(run, "-c", "jmi", "--per-label", "-n", "2", "--format", "json", SONGS)
    document = json.loads(done.out)
    assert len(document["labels"]) == 6
    for subset in document["labels"]:
        assert set(subset) == {"name", "selected"}
        assert [pick["rank"] for pick in subset["selected"]] == [1, 2]
    union = {pick["index"] for one in document["labels"] for pick in one["selected"]}
    assert {pick["index"] for pick in document["selected"]} == union


def test_the_table_per_label_has_a_list_for_each_and_the_union(run) -> None:
    done = select(run, "-c", "jmi", "--per-label", "-n", "2", SONGS)
    assert done.out.count("\nlabel ") == 6
    assert "all labels together" in done.out


@pytest.mark.parametrize(("n", "count"), [("5", 5), ("0.25", 6), ("1.0", 24)])
def test_n_is_a_number_or_a_share(run, n: str, count: int) -> None:
    assert len(select(run, "-n", n, "--format", "names", SONGS).out.splitlines()) == count


def test_n_may_be_left_to_the_data(run) -> None:
    assert select(run, "-c", "jmi", "-n", "auto", "--format", "names", SONGS).out.split()


def test_parameters_are_read_as_what_they_are(run) -> None:
    arguments = ["-c", "mlfs_global", "-p", "beta=0.5", "-p", "gamma=none", "-n", "2"]
    done = select(run, *arguments, "--format", "json", SONGS)
    assert json.loads(done.out)["parameters"] == {"beta": 0.5, "gamma": None}


def test_every_option_reaches_the_library(run) -> None:
    done = select(
        run,
        *("-c", "mlfs_global", "-n", "6", "--include", "drums", "--exclude", "tempo*"),
        *("--group", "loud=*loudness*", "--prefilter", "12", "--bins", "width:4"),
        *("--nominal-limit", "5", "-j", "2", "--format", "json", SONGS),
    )
    ready = mlfs.prepare(
        SONGS, groups={"loud": ["*loudness*"]}, bins="width", n_bins=4, nominal_limit=5,
    )  # fmt: skip
    found = mlfs.select(
        ready, "mlfs_global", 6, include=["drums"], exclude=["tempo*"], prefilter=12,
    )  # fmt: skip
    assert picks(done) == list(found.indices)
    assert json.loads(done.out)["selected"][0]["forced"]


def test_an_earlier_selection_is_continued(run) -> None:
    select(run, "-c", "jmi", "-n", "2", "-o", "first.json", SONGS)
    more = select(run, "-c", "jmi", "-n", "5", "--start", "first.json", "--format", "json", SONGS)
    whole = select(run, "-c", "jmi", "-n", "5", "--format", "json", SONGS)
    assert picks(more) == picks(whole)


def test_an_earlier_selection_per_label_is_continued(run) -> None:
    common = ["-c", "jmi", "--per-label"]
    select(run, *common, "-n", "1", "-o", "first.json", SONGS)
    more = select(run, *common, "-n", "3", "--start", "first.json", "--format", "csv", SONGS)
    whole = select(run, *common, "-n", "3", "--format", "csv", SONGS)
    told = [line.split(",")[:4] for line in more.out.splitlines()]
    assert told == [line.split(",")[:4] for line in whole.out.splitlines()]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("[1]", "no selection"),
        ("{", "not JSON"),
        ('{"schema": 2, "selected": []}', "no selection of schema 1"),
        ('{"schema": 1, "selected": [1]}', "damaged"),
        ('{"schema": 1, "selected": [], "labels": [3]}', "damaged"),
        ('{"schema": 1, "selected": [{"name": "nonsense"}]}', "nonsense"),
        ("[" * 100_000, "not JSON"),
    ],
)
def test_a_start_that_is_none_is_refused(run, tmp_path: Path, content: str, words: str) -> None:
    (tmp_path / "start.json").write_text(content)
    done = run("select", "--start", "start.json", SONGS)
    assert done.code in {1, 2}
    assert words in done.err
    assert done.out == ""


def test_notes_go_to_stderr_and_can_be_silenced(run, tmp_path) -> None:
    gap = tmp_path / "gap.csv"
    gap.write_text("a,b,y\n1,2,0\n,1,1\n0,2,1\n1,1,0\n")
    table = ["select", "-n", "1", "--labels", "y", str(gap)]
    assert "mlfs: note: missing values in 1 column" in run(*table).err
    assert run(*table, "-q").err == ""
    assert run("-q", *table).err == ""


def test_verbose_tells_of_labels_bins_network_and_time(run) -> None:
    err = run("select", "-v", "-c", "mlfs_global", "-n", "1", SONGS).err
    for words in ("labels found by: MEKA -C -6", "mean-sd in 3 levels", "label network: chain"):
        assert words in err
    assert "read in" in err
    assert "cross-validation" in err


def test_colours_only_where_they_are_wanted(run, monkeypatch) -> None:
    assert "\x1b" not in run("select", "-n", "1", SONGS).out
    assert "\x1b[1m" in run("--color", "always", "select", "-n", "1", SONGS).out
    assert "\x1b" not in run("--color", "always", "select", "-n", "1", "--format", "csv", SONGS).out


def test_info_as_table_and_json(run) -> None:
    assert "cardinality" in run("info", SONGS).out
    figures = json.loads(run("info", "--format", "json", SONGS).out)
    assert {"rows", "features", "labels", "cardinality", "density", "labelsets", "ir", "cvir"} <= (
        set(figures)
    )
    assert (figures["rows"], figures["features"], figures["labels"]) == (240, 24, 6)


def test_criteria_are_listed(run) -> None:
    lines = run("criteria").out.splitlines()
    assert lines[0].split() == ["name", "take", "it", "scope", "origin", "formula"]
    assert [line.split()[0] for line in lines[1:4]] == ["scls", "mim", "jmi"]
    scls = next(line for line in lines if line.startswith("scls"))
    assert "all labels  mlfs" in scls
    assert "J(f) = R(f)" in scls
    assert any(line.startswith("d2f (cife)") for line in lines)


def test_criteria_as_json(run) -> None:
    listed = json.loads(run("criteria", "--format", "json").out)["criteria"]
    served = {one["name"]: (one["estimators"], one["corrections"]) for one in listed}
    assert served["mrmr"] == (["counts", "gaussian"], ["auto", "none", "expected"])
    assert served["disr"] == (["counts"], ["auto", "none", "expected"])
    assert served["jim"] == (["counts"], ["auto", "none"])
    found = {one["name"]: one for one in listed}
    assert found["mlfs_local"]["scope"] == "each label"
    assert (found["jmi"]["tier"], found["cmi"]["tier"]) == (
        "to begin with",
        "for comparisons with papers",
    )
    assert found["mlcfs"]["search"] == "best first"
    assert found["mlcfs"]["formula"].startswith("Merit(S)")
    assert found["scls"]["origin"] == "mlfs"
    assert all(one["formula"] for one in listed if one["origin"] == "mlfs")
    assert run("criteria", "--format", "names").out.split() == sorted(found)


def test_convert(run) -> None:
    assert run("convert", SONGS, "g.arff").code == 0
    assert run("convert", "g.arff", "h.csv.gz").code == 0
    one = run("select", "-c", "jmi", "-n", "5", "--format", "csv", "g.arff")
    two = run("select", "-c", "jmi", "-n", "5", "--format", "csv", "--labels", "last:6", "h.csv.gz")
    assert one.out == two.out


def test_version_and_help(run) -> None:
    assert run("--version").out == f"mlfs {mlfs.__version__}\n"
    done = run("select", "-h")
    assert done.code == 0
    assert done.out.index("Examples:") < done.out.index("--criterion")
    assert "130  interrupted by Ctrl-C" in done.out
    bare = run()
    assert (bare.code, bare.out) == (2, "")
    assert "Examples:" in bare.err


def test_info_writes_matrices(run, tmp_path) -> None:
    ready = mlfs.prepare(SONGS)
    lines = run("info", "--matrix", "-", SONGS).out.splitlines()
    assert lines[0].split(",")[1:] == ready.dataset.label_names
    values = [[float(cell) for cell in line.split(",")[1:]] for line in lines[1:]]
    np.testing.assert_array_equal(values, mlfs.information.mutual_information(ready))
    done = run("info", "--matrix", "ff.npz", "--between", "features", "--measure", "su", SONGS)
    assert "cardinality" in done.out
    with np.load(tmp_path / "ff.npz") as stored:
        own = ready.features
        assert stored["rows"].tolist() == stored["columns"].tolist() == list(own.names)
        expected = mlfs.information.symmetrical_uncertainty(own, own)
        np.testing.assert_array_equal(stored["values"], expected)
    assert "say --force" in run("info", "--matrix", "ff.npz", SONGS).err
    assert run("info", "--matrix", "ff.npz", "--force", "-q", SONGS).code == 0
    done = run("info", "--bins", "width:4", SONGS)
    assert (done.code, "--bins is an option of the matrix" in done.err) == (2, True)
    assert run("info", "--matrix", "m.txt", SONGS).code == 2
    said = run("info", "--matrix", "-", "--format", "json", SONGS).err
    assert "--format is for the description, in whose place --matrix - writes CSV" in said


@pytest.mark.parametrize("name", ["select", "info", "criteria", "explain", "convert"])
def test_every_command_has_examples_before_its_options(run, name: str) -> None:
    text = run(name, "--help").out
    assert text.index("Examples:\n  mlfs " + name) < text.index("--help")
    assert "Exit codes:" in text


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["selct", SONGS], "no such command 'selct'"),
        (["select", "--critrion", "x", SONGS], "id you mean"),
        (["select", "-c", "slcs", SONGS], "unknown criterion 'slcs': did you mean 'scls'?"),
        (["select", "-p", "beta=1", SONGS], "has no parameter 'beta'; it takes: none"),
        (["select", "-p", "beta", SONGS], "-p is given as key=value, not 'beta'"),
        (["select", "-p", "a=1", "-p", "a=2", SONGS], "'a' is given twice"),
        (["select", "--group", "x", SONGS], "--group is given as NAME=GLOB"),
        (["select", "-n", "0", SONGS], "select at least one feature"),
        (
            ["select", "-n", "25", SONGS],
            ": --number is 25, but there are 24 features to",
        ),
        (["select", "-n", "1.5", SONGS], "a share of the features lies in (0, 1]"),
        (["select", "-n", "nan", SONGS], "a share of the features lies in (0, 1]"),
        (["select", "-n", "true", SONGS], "is no number"),
        (["select", "--include", "temp", SONGS], "did you mean 'tempo'?"),
        (["select", "--limit", "max_cell=3", SONGS], "did you mean 'max_cells'?"),
        (["select", "--from", "arf", SONGS], "did you mean 'arff'?"),
        (["select", "-j", "0", SONGS], ": --jobs is a number of threads, or -1 for all, not 0\n"),
        (["select", "--bins", "mdlp:4", SONGS], ": the number of --bins is for the binnings width"),
        (["select", "--bins", "width:1", SONGS], "'width:1': bins are a number of at least 2"),
        (["select", "--bins", "width:", SONGS], "'width:': bins are a number of at least 2"),
        (["select", "--max-memory", "x", SONGS], ": --max-memory is a number of bytes"),
        (["select", "--alpha", "nan", "-n", "auto", SONGS], ": --alpha lies between 0 and 1, not"),
        (["select", "--alpha", "nan", "-n", "auto", SONGS], ": --alpha lies between"),
        (["train", "-q", "-j", "0", "-o", "m.mlfs", SONGS], ": --jobs is a number of threads"),
        (["compare", "-j", "0", "-o", "r", SONGS], ": --jobs is a number of processes"),
        (
            ["compare", "--folds", "3", "--holdout", "0.5", "-o", "r", SONGS],
            "--folds and --holdout exclude",
        ),
        (
            ["select", "-o", "a.csv", "-n", "3", "--output", "b.csv", SONGS],
            "--output is given twice",
        ),
        (["select", "--seed=1", "--seed=1", "--seed=2", SONGS], "--seed is given twice"),
        (["--color", "never", "--color", "always", "criteria"], "--color is given twice"),
        (["select"], "missing argument 'DATA'"),
        (["select", "nowhere.arff"], "there is no file 'nowhere.arff'"),
        (["select", "."], "'.' is a folder"),
        (["info", "x.pkl"], "pickle"),
        (["explain", SONGS, "temp"], "did you mean 'tempo'?"),
    ],
)
def test_wrong_use_is_exit_code_2_and_one_sentence(run, arguments, words: str) -> None:
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert done.err.splitlines()[0].startswith("mlfs: error: ")
    assert words in done.err


def test_what_may_be_repeated_is_not_refused(run) -> None:
    done = run("select", "-q", "-q", "-n", "1", "--exclude", "tempo", "--exclude", "drums", SONGS)
    assert done.code == 0, done.err


def test_too_little_memory_is_exit_code_1(run) -> None:
    done = run("select", "--max-memory", "1kB", SONGS)
    assert done.code == 1
    assert ": --max-memory is 1 kB, but counting takes at least" in done.err


def test_bad_data_are_exit_code_1(run, tmp_path: Path) -> None:
    (tmp_path / "bad.arff").write_text(
        "@relation r\n@attribute a {0,1}\n@attribute b real\n@data\n7,1\n"
    )
    done = run("select", "--labels", "a", "bad.arff")
    assert done.code == 1
    assert done.err.startswith("mlfs: error: bad.arff:5:1: ")


def test_a_limit_can_be_raised(run, tiny) -> None:
    low = run("info", "--labels", "y,z", "--limit", "max_cells=3", tiny)
    assert low.code == 1
    assert "raise it with --limit max_cells=" in low.err
    assert run("info", "--labels", "y,z", "--limit", "max_cells=1k", tiny).code == 0


def test_a_bug_of_ours_is_one_line_without_debug(run, monkeypatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("oh\x1b no")

    monkeypatch.setattr("mlfs.api.describe.describe", broken)
    done = run("info", SONGS)
    assert done.code == 1
    assert done.err == (
        "mlfs: error: internal error (ZeroDivisionError: oh\\x1b no); "
        "run mlfs --debug to see where\n"
    )
    with pytest.raises(ZeroDivisionError):
        cli.main(["--debug", "info", SONGS])


def test_clicks_own_runner_sees_the_same() -> None:
    done = CliRunner().invoke(cli.cli, ["select", "-c", "slcs", SONGS])
    assert done.exit_code == 2
    assert "did you mean 'scls'?" in done.output
    assert CliRunner().invoke(cli.cli, ["--version"]).exit_code == 0


def test_what_the_help_lists_is_what_there_is() -> None:
    (bins,) = (one for one in cli.cli.commands["select"].params if one.name == "bins")
    assert all(name in bins.help for name in METHODS)
    for command in ("select", "convert"):
        for option in cli.cli.commands[command].params:
            if isinstance(option, click.Option) and "--from" in option.opts:
                assert all(name in (option.help or "") for name in FORMATS)
