"""Which columns take part: columns that name a row, and columns that cannot be features."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mlfs
from mlfs import cli
from mlfs.errors import UsageError

ROWS = 120
PICKED = "size"


def table(*, with_dates: bool = True) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Customers: a date first, two columns that name them, and one column that matters."""
    rng = np.random.default_rng(7)
    size, noise = rng.integers(0, 3, ROWS), rng.integers(0, 3, ROWS)
    frame = pd.DataFrame(
        {
            "since": pd.date_range("2020-01-01", periods=ROWS),
            "number": np.arange(ROWS) + 5000,
            "noise": noise,
            "remark": [f"remark {i if i % 30 else 0}" for i in range(ROWS)],
            "size": size,
            "colour": np.array(["red", "green", "blue"])[rng.integers(0, 3, ROWS)],
        }
    )
    labels = pd.DataFrame({"y": (size > 0).astype(int), "z": (size > 1).astype(int)})
    return (frame if with_dates else frame.drop(columns="since")), labels


def test_columns_that_name_a_row_are_left_out_with_a_warning_that_names_them() -> None:
    X, Y = table(with_dates=False)
    picked = mlfs.select((X, Y), "mim", "all")
    assert set(picked.names) == {"noise", "size", "colour"}
    assert any("'number'" in note and "'remark'" in note for note in picked.notes)
    with pytest.warns(UserWarning, match="'number', 'remark'"):
        mlfs.FeatureSelector("mim", 2).fit(X, Y)


@pytest.mark.parametrize("options", [{"keep_identifiers": True}, {"include": ["number", "remark"]}])
def test_columns_that_name_a_row_can_be_taken(options: dict[str, Any]) -> None:
    X, Y = table(with_dates=False)
    assert {"number", "remark"} <= {*mlfs.select((X, Y), "mim", "all", **options).names}


def test_a_number_that_the_identifiers_would_be_needed_for_is_cut_to_what_is_there() -> None:
    X, Y = table(with_dates=False)
    picked = mlfs.select((X, Y), "mim", 5)
    assert len(picked) == 3
    assert any("3 of 5" in note for note in picked.notes)
    with pytest.raises(UsageError, match="select at most 5"):
        mlfs.select((X, Y), "mim", 6)


def test_a_table_of_identifiers_alone_keeps_them() -> None:
    X, Y = table(with_dates=False)
    picked = mlfs.select((X[["number", "remark"]], Y), "mim", 1)
    assert len(picked) == 1
    assert any("'remark'" in note for note in picked.notes)


def test_what_is_no_identifier() -> None:
    rng = np.random.default_rng(1)
    X = pd.DataFrame(
        {
            "measured": rng.random(ROWS),
            "amount": rng.permutation(ROWS * 50)[:ROWS],
            "postcode": [f"c{i}" for i in rng.integers(0, 40, ROWS)],
            "often": [f"c{max(0, i - 20)}" for i in range(ROWS)],
            "hardly": [f"c{i}" if i < 8 else None for i in range(ROWS)],
        }
    )
    Y = rng.integers(0, 2, (ROWS, 2))
    assert len(mlfs.select((X, Y), "mim", "all")) == 5


def test_an_identifier_that_is_missing_here_and_there_is_one() -> None:
    X, Y = table(with_dates=False)
    X.loc[::3, "remark"] = None
    assert "remark" not in mlfs.select((X, Y), "mim", "all").names


@pytest.mark.parametrize("library", ["pandas", "polars"])
def test_columns_are_counted_as_in_the_table_that_was_given(library: str) -> None:
    X, Y = table()
    frame = X if library == "pandas" else pl.from_pandas(X)
    for picked in (
        mlfs.select((frame, Y), "mim", "all"),
        mlfs.select(mlfs.prepare((frame, Y)), "mim", "all"),
    ):
        assert [X.columns[j] for j in picked.indices] == list(picked.names)
        assert picked.names[0] == PICKED
        frame_of_picks = picked.to_frame()
        assert [X.columns[j] for j in frame_of_picks["index"]] == list(frame_of_picks["name"])
        assert set(frame_of_picks["runner_up"].dropna()) <= set(X.columns)
        for record in picked.to_dict()["selected"]:
            assert X.columns[record["index"]] == record["name"]
            assert record["runner_up"] is None or X.columns[record["runner_up"]] in picked.names
        kept = picked.transform(X.to_numpy())
        assert (kept == X[sorted(picked.names, key=list(X.columns).index)].to_numpy()).all()


def test_columns_of_each_label_are_counted_as_in_the_table_too() -> None:
    X, Y = table()
    picked = mlfs.select((X, Y), "mim", 2, per_label=True)
    for ranking in picked.labels.values():
        assert [X.columns[j] for j in ranking.indices] == list(ranking.names)


def test_numbers_of_columns_mean_those_of_the_table() -> None:
    X, Y = table()
    picked = mlfs.select((X, Y), "mim", "all", include=[5], exclude=[2, 0])
    assert picked.names[0] == "colour"
    assert "noise" not in picked.names
    with pytest.raises(UsageError, match="'since', which cannot be a feature"):
        mlfs.select((X, Y), "mim", include=[0])
    grouped = mlfs.select((X, Y), "mim", 1, groups={"both": [2, 4]})
    assert [X.columns[j] for j in grouped.indices] == ["noise", "size"]
    seen: list[str] = []
    mlfs.select((X, Y), "mim", 2, on_pick=lambda _, pick: seen.append(X.columns[pick.index]))
    assert seen[0] == PICKED
    (why,) = mlfs.explain((X, Y), mlfs.select((X, Y), "mim", 1), [5])
    assert (why.index, why.name) == (5, "colour")
    (why,) = mlfs.explain((X, Y), mlfs.select((X, Y), "mim", 1), ["remark"])
    assert "names a row" in str(why.excluded)


def test_a_data_set_is_counted_by_its_own_columns() -> None:
    data = mlfs.data.from_arrays(*table())
    picked = mlfs.select(data, "mim", "all")
    assert [data.feature_names[j] for j in picked.indices] == list(picked.names)


def test_an_automatic_number_tests_the_columns_of_the_table() -> None:
    X, Y = table()
    significance = mlfs.select((X, Y), "mim", "auto").significance
    assert significance is not None
    assert significance.columns.tolist() == [1, 2, 3, 4, 5]


def test_the_transformer_has_the_places_of_its_table() -> None:
    X, Y = table()
    with pytest.warns(UserWarning, match="left out"):
        selector = mlfs.FeatureSelector("mim", 2).fit(X, Y)
    assert [X.columns[j] for j in selector.indices_] == list(selector.selection_.names)
    assert selector.get_support().shape == (X.shape[1],)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "arff"])
def test_the_command_counts_the_columns_of_the_file(
    tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    X, Y = table()
    path = tmp_path / f"customers.{suffix}"
    both = pd.concat([X, Y], axis=1)
    if suffix == "csv":
        both.to_csv(path, index=False)
    elif suffix == "parquet":
        both.to_parquet(path)
    else:
        lines = ["@relation customers"]
        lines += [
            "@attribute since date yyyy-MM-dd",
            "@attribute number numeric",
            "@attribute noise {0,1,2}",
            "@attribute remark string",
            "@attribute size {0,1,2}",
            "@attribute colour {red,green,blue}",
            "@attribute y {0,1}",
            "@attribute z {0,1}",
            "@data",
        ]
        rows = both.astype(str).map(lambda text: f"'{text}'").to_numpy().tolist()
        path.write_text("\n".join([*lines, *(",".join(row) for row in rows)]))
    options = ["-c", "mim", "-n", "2", "--labels", "y,z"]
    assert cli.main(["select", *options, "--format", "json", str(path)]) == 0
    printed = capsys.readouterr()
    for record in json.loads(printed.out)["selected"]:
        assert X.columns[record["index"]] == record["name"]
    assert "since" in printed.err
    assert cli.main(["select", *options, "--format", "indices", str(path)]) == 0
    assert capsys.readouterr().out.splitlines()[0] == "4"


# ---- dates --------------------------------------------------------------------------------------


def dated() -> tuple[pd.DataFrame, pd.DataFrame]:
    """Visits on 60 days, of which the month matters."""
    rng = np.random.default_rng(3)
    days = pd.to_datetime("2024-01-01") + pd.to_timedelta(rng.integers(0, 366, ROWS), "D")
    frame = pd.DataFrame({"size": rng.integers(0, 3, ROWS), "day": days, "b": rng.random(ROWS)})
    return frame, pd.DataFrame({"y": (days.month > 6).astype(int), "z": frame["size"] > 1})


def written(frame: pd.DataFrame, folder: Path, suffix: str) -> Path:
    path = folder / f"visits.{suffix}"
    if suffix == "csv":
        frame.to_csv(path, index=False)
    elif suffix == "parquet":
        frame.to_parquet(path)
    else:
        texts = frame.astype(str)
        head = ["@relation visits", "@attribute size {0,1,2}", "@attribute day date yyyy-MM-dd"]
        head += ["@attribute b real", "@attribute y {0,1}", "@attribute z {False,True}", "@data"]
        path.write_text("\n".join([*head, *map(",".join, texts.to_numpy().tolist())]))
    return path


@pytest.mark.parametrize("source", ["frame", "text", "polars", "csv", "parquet", "arff"])
def test_dates_are_left_out_and_can_be_counted_by_their_parts(source: str, tmp_path: Path) -> None:
    X, Y = dated()
    data: Any
    options: dict[str, Any] = {}
    if source in ("csv", "parquet", "arff"):
        both = pd.concat([X, Y.astype({"y": int})], axis=1)
        data, options["labels"] = written(both, tmp_path, source), "y,z"
    else:
        frame: Any = X.assign(day=X["day"].dt.strftime("%Y-%m-%d")) if source == "text" else X
        data = (pl.from_pandas(frame) if source == "polars" else frame, Y)
    picked = mlfs.select(data, "mim", "all", **options)
    assert {*picked.names} == {"size", "b"}
    (told,) = [note for note in picked.notes if "'day'" in note]
    assert "skrub.DatetimeEncoder" in told
    parts = mlfs.select(data, "mim", "all", dates="parts", **options)
    assert {*parts.names} == {"size", "day (year)", "day (month)", "day (weekday)", "b"}
    assert parts.names[0] == "day (month)"
    assert parts.indices[0] == 1
    assert parts.settings["dates"] == "parts"


def test_parts_of_times_are_those_that_are_written() -> None:
    times = ["2026-11-19T23:30:00+02:00", "2026-11-20 00:10", None]
    X = pd.DataFrame({"at": times, "x": [1, 2, 3]})
    data = mlfs.data.from_arrays(X, [[0], [1], [1]], dates="parts")
    assert data.feature_names == ["at (year)", "at (month)", "at (weekday)", "at (hour)", "x"]
    assert data.X[:2, :4].tolist() == [[2026, 10, 3, 23], [2026, 10, 4, 0]]
    assert np.isnan(data.X[2, :4]).all()


@pytest.mark.parametrize("words", [["2026-02-30", "2026-03-01"], ["2026-01-01", "soon"]])
def test_words_that_are_not_all_dates_are_words(words: list[str]) -> None:
    X = pd.DataFrame({"when": words * 4, "x": range(8)})
    assert mlfs.data.from_arrays(X, [[0], [1]] * 4).feature_names == ["when", "x"]


def test_the_transformer_keeps_the_column_whose_part_is_picked() -> None:
    X, Y = dated()
    selector = mlfs.FeatureSelector("mim", 1, dates="parts").set_output(transform="pandas")
    assert list(selector.fit_transform(X, Y).columns) == ["day"]


def test_the_command_counts_parts_and_convert_keeps_dates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    X, Y = dated()
    path = written(pd.concat([X, Y], axis=1), tmp_path, "csv")
    arguments = ["-c", "mim", "-n", "1", "--labels", "y,z", "--format", "names", str(path)]
    assert cli.main(["select", "--dates", "parts", *arguments]) == 0
    assert capsys.readouterr().out == "day (month)\n"
    out = tmp_path / "out.csv"
    assert cli.main(["convert", "--labels", "y,z", str(path), str(out)]) == 0
    assert "day" in out.read_text().splitlines()[0]


def test_a_word_for_what_becomes_of_dates_that_is_none_is_refused() -> None:
    with pytest.raises(UsageError, match="dates is 'skip', 'parts' or 'keep'"):
        mlfs.select(dated(), "mim", dates="all")
    with pytest.raises(UsageError, match="dates is 'skip', 'parts' or 'keep'"):
        mlfs.data.from_arrays(*dated(), dates="all")


# ---- words for missing values -------------------------------------------------------------------


@pytest.mark.parametrize("word", ["NULL", "null", "N/A", "n/a", "None", "NaN", "#N/A", "", "<NA>"])
def test_the_words_that_pandas_takes_for_missing_are_missing(word: str, tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,y\n" + "".join(f"{i / 4},{i % 2}\n" for i in range(1000)) + f"{word},1\n")
    data = mlfs.read(path, labels="y")
    assert data.columns[0].kind == "numeric"
    assert np.isnan(data.X[-1, 0])
    arff = tmp_path / "t.arff"
    head = "@relation t\n@attribute x real\n@attribute y {0,1}\n@data\n"
    arff.write_text(head + "".join(f"{i / 4},{i % 2}\n" for i in range(9)) + f"{word or '?'},1\n")
    assert np.isnan(mlfs.read(arff, labels="y").X[-1, 0])


def test_further_words_and_numbers_for_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("x,c,y\n1.5,red,0\n-999,unknown,1\n-,blue,1\n2.5,-,0\n")
    data = mlfs.read(path, labels="y", missing_values=["unknown", "-", "-999"])
    assert [column.kind for column in data.columns] == ["numeric", "nominal"]
    assert np.isnan(data.X[:, 0]).tolist() == [False, True, True, False]
    assert data.columns[1].values == ("blue", "red")
    out = tmp_path / "out.csv"
    arguments = ["convert", "--labels", "y", "--missing-values", "unknown,-,-999", str(path)]
    assert cli.main([*arguments, str(out)]) == 0
    assert out.read_text() == "x,c,y\n1.5,red,0\n,,1\n,blue,1\n2.5,,0\n"


def test_missing_values_of_a_format_that_says_them_itself_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "t.arff"
    path.write_text("@relation t\n@attribute x real\n@attribute y {0,1}\n@data\n1,0\n2,1\n")
    with pytest.raises(UsageError, match="missing_values is for CSV and TSV files"):
        mlfs.read(path, labels="y", missing_values="-")


def test_a_column_of_text_that_is_numbers_but_for_a_word_is_told() -> None:
    cells = [str(i / 4) for i in range(100)]
    cells[7] = "lost"
    X = pd.DataFrame({"x": cells, "z": np.arange(100) % 2})
    picked = mlfs.select((X, X[["z"]]), "mim", 1)
    assert any("all numbers but 'lost' (in 1 row, first in row 8)" in note for note in picked.notes)


@pytest.mark.parametrize("word", ["NULL", "nan", "NA", "None"])
def test_words_for_missing_numbers_of_a_long_arff_file(word: str, tmp_path: Path) -> None:
    rows = [f"{i / 4},{word if i % 7 == 3 else i},{i % 2}" for i in range(3000)]
    head = "@relation t\n@attribute x real\n@attribute z real\n@attribute y {0,1}\n@data\n"
    path = tmp_path / "t.arff"
    path.write_text(head + "\n".join(rows) + "\n")
    data = mlfs.read(path, labels="y")
    assert data.shape == (3000, 2, 1)
    assert np.flatnonzero(np.isnan(data.X[:, 1])).tolist() == list(range(3, 3000, 7))
    assert (data.X[:, 0] == np.arange(3000) / 4).all()


def test_a_long_selection_gives_signs_of_life(capsys: pytest.CaptureFixture[str]) -> None:
    X, Y = table()
    mlfs.select((X, Y), "mim", "auto", verbose=True)
    told = capsys.readouterr().err
    assert f"[mlfs] pick 1: {PICKED}\n" in told
    assert "0 of 3 candidates tested" in told
    mlfs.select((X, Y), "mim", "auto")
    assert not capsys.readouterr().err


@pytest.mark.parametrize(
    "entry", [mlfs.explore, lambda data: mlfs.StabilitySelector(n_subsamples=4).fit(*data)]
)
def test_whoever_leaves_out_a_key_says_so(entry) -> None:
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"key": [f"k{i}" for i in range(80)], "a": rng.integers(0, 3, 80)})
    with pytest.warns(mlfs.MlfsWarning, match="left out column with another value in every row"):
        entry((X, (X["a"] > 0).astype(int)))
