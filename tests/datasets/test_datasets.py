"""Data sets by name: those that come with mlfs, and those in the cache."""

from __future__ import annotations

import csv
import hashlib
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

import mlfs
from mlfs import DataError, UnknownName, UsageError, cli, datasets
from mlfs.datasets.listing import SMALL
from tests.compare import in_process
from tests.documents import ROOT
from tests.shared import SHARED, shared_data


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, and no network."""
    monkeypatch.setenv("MLFS_DATA", str(tmp_path / "cache"))
    monkeypatch.setenv("MLFS_DATASETS_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    return tmp_path / "cache"


def kept(cache: Path, name: str, parts: dict[str, str]) -> None:
    """Put files into the cache under the names that the list gives them."""
    (cache / name).mkdir(parents=True)
    for part, source in parts.items():
        file = datasets.info(name).sources[0][part]
        shutil.copyfile(shared_data(source), cache / name / file.name)


def said(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert cli.main(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("name", SMALL)
def test_a_small_data_set_is_there_by_name(name: str, capsys, cache: Path) -> None:
    data = getattr(datasets, f"load_{name}")()
    assert datasets.fetch(name).shape == data.shape
    assert said(capsys, "datasets", "path", name) == f"{datasets.path(name)}\n"
    assert f"data                 {name}\n" in said(capsys, "info", name)
    by_name = said(capsys, "select", "-c", "jmi", "-n", "3", name)
    assert by_name == said(capsys, "select", "-c", "jmi", "-n", "3", str(datasets.path(name)))
    assert not cache.exists()


def test_a_file_of_the_same_name_comes_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys, cache: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("songs").write_text("a,b\n1,0\n0,1\n")
    assert "rows                 2\n" in said(
        capsys, "info", "--from", "csv", "--labels", "b", "songs"
    )


def test_a_comparison_takes_names(tmp_path: Path, capsys, monkeypatch) -> None:
    in_process.use(monkeypatch)
    folder = tmp_path / "report"
    wanted = ["-c", "mim", "-m", "mlnb", "-n", "2", "--folds", "2", "-o", str(folder)]
    said(capsys, "compare", "-q", *wanted, "songs")
    assert "songs" in (folder / "results.csv").read_text()


def test_the_list_is_whole() -> None:
    assert len(datasets.names()) >= 40
    for name in datasets.names():
        one = datasets.info(name)
        assert min(one.shape) > 0
        assert one.cardinality > 0
        assert one.licence
        assert one.citation.endswith(tuple("0123456789)"))
        assert one.domain
        assert one.about
        for source in one.sources:
            assert "whole" in source or {"train", "test"} <= set(source)
            for file in source.values():
                assert re.fullmatch(r"[0-9a-f]{64}", file.sha256)
                assert all(url.startswith("https://") for url in file.urls)
        names = [source.get("whole", source.get("train")).name for source in one.sources]
        arff = [".arff" in name for name in names]
        assert arff == sorted(arff, reverse=True)  # files with names of columns are preferred


@pytest.mark.skipif(not (SHARED / "REGISTRY.tsv").exists(), reason="needs the benchmark files")
def test_digests_are_those_of_the_files() -> None:
    with (SHARED / "REGISTRY.tsv").open(encoding="utf-8") as stream:
        known = {row["sha256"] for row in csv.DictReader(stream, delimiter="\t")}
    listed = {
        file.sha256: file.size
        for name in datasets.names()
        for source in datasets.info(name).sources
        for file in source.values()
    }
    assert set(listed) <= known
    here = {
        hashlib.sha256(path.read_bytes()).hexdigest(): path.stat().st_size
        for path in SHARED.glob("*/*")
    }
    both = set(listed) & set(here)
    assert len(both) >= 40
    assert all(listed[digest] == here[digest] for digest in both)


def test_what_is_in_the_cache_needs_no_network(cache: Path, capsys) -> None:
    parts = {"whole": "emotions.arff", "labels": "emotions.xml", "test": "emotions-test.arff"}
    kept(cache, "emotions", {part: f"emotions/{file}" for part, file in parts.items()})
    one = datasets.info("emotions")
    data = datasets.fetch("emotions")
    assert data.shape == one.shape
    assert round(data.Y.sum() / len(data.Y), 4) == one.cardinality
    assert datasets.fetch("emotions", "test").shape[0] < one.rows
    assert "rows                 593\n" in said(capsys, "info", "emotions")
    with pytest.raises(DataError, match=r"cannot download emotions: .*; another source is mirror"):
        datasets.fetch("emotions", "train")
    file = datasets.path("emotions", download=False)
    file.write_bytes(file.read_bytes()[:-2] + b"1\n")
    with pytest.raises(DataError, match="is damaged: mlfs datasets fetch emotions"):
        datasets.fetch("emotions", download=False)


def test_training_and_test_rows_are_joined(cache: Path, capsys) -> None:
    parts = {"train": "birds-train.arff", "test": "birds-test.arff", "labels": "birds.xml"}
    kept(cache, "birds", {part: f"birds/{file}" for part, file in parts.items()})
    data = datasets.fetch("birds")
    train, test = datasets.fetch("birds", "train"), datasets.fetch("birds", "test")
    assert data.shape == datasets.info("birds").shape
    assert data.notes[-1] == "322 training rows come first, then 323 test rows"
    assert np.array_equal(data.X, np.vstack([train.X, test.X]))
    file = mlfs.read(datasets.path("birds"))
    assert np.array_equal(file.X, data.X)
    assert np.array_equal(file.Y, data.Y)
    assert file.label_names == data.label_names
    assert said(capsys, "datasets", "path", "birds").endswith("birds.arff\n")


def test_the_command_alone_lists_them(cache: Path, capsys) -> None:
    listed = said(capsys, "datasets")
    assert listed == said(capsys, "datasets", "list")
    assert len(listed.splitlines()) == 1 + len(SMALL) + len(datasets.names())
    assert re.search(r"^yeast +2,417 +103 +14 +4\.24 +biology +2\.42  no$", listed, re.MULTILINE)
    assert said(capsys, "datasets", "list", "--format", "names").split()[:3] == list(SMALL)
    told = said(capsys, "datasets", "info", "yeast")
    assert "A. Elisseeff and J. Weston" in told
    assert "raw.githubusercontent.com" not in told  # another host is set


def test_wrong_names_are_refused(cache: Path, capsys) -> None:
    with pytest.raises(UnknownName, match="did you mean 'yeast'"):
        datasets.info("yeasts")
    with pytest.raises(UsageError, match="is not divided into training and test rows"):
        datasets.fetch("imdb", "test")
    with pytest.raises(UsageError, match="mirror of scene is from 0 to 2, not 7"):
        datasets.fetch("scene", mirror=7)
    for arguments, message in [
        (["info", "yeast"], "this name is not on this machine yet: mlfs datasets fetch yeast"),
        (["info", "sogns"], "unknown file or data set 'sogns': did you mean 'songs'?"),
        (["info", "sogns.arff"], "there is no file 'sogns.arff'"),
        (["datasets", "fetch", "yaest"], "did you mean 'yeast'?"),
        (["datasets", "fetch", "--mirror", "9", "yeast"], "--mirror of yeast is from 0 to 3"),
    ]:
        assert cli.main(arguments) == 2
        assert message in capsys.readouterr().err


def test_the_small_data_sets_are_what_the_script_makes() -> None:
    import importlib.util

    path = ROOT / "docs" / "examples" / "make_small.py"
    spec = importlib.util.spec_from_file_location("make_small", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    assert {name: datasets.path(name).read_text() for name in SMALL} == {
        name: text() for name, text in module.FILES.items()
    }
