"""Numbers and dates written for people: read where a whole column is written in one way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

import mlfs
from mlfs import cli
from mlfs.errors import UsageError


def tables(rows: int = 400) -> tuple[pd.DataFrame, pd.DataFrame, pd.DataFrame]:
    """A table as machines write it, the same as people do, and labels."""
    rng = np.random.default_rng(5)
    price = rng.lognormal(7, 1, rows).round(2)
    load, size = rng.integers(0, 101, rows), (rng.random(rows) * 500).round(1)
    weight, day = rng.normal(50, 20, rows).round(1), pd.to_datetime("2019-01-01")
    days = day + pd.to_timedelta(rng.integers(0, 900, rows), "D")
    clean = pd.DataFrame({"price": price, "load": load, "size": size, "weight": weight})
    clean["noise"], clean["since"] = rng.normal(size=rows), days
    written = pd.DataFrame({
        "price": [f"€ {x:,.2f}" for x in price],
        "load": [f"{x} %" for x in load],
        "size": [f"{x} GB" for x in size],
        "weight": [f"{x:,.1f} kg".translate(str.maketrans(",.", ".,")) for x in weight],
        "noise": clean["noise"],
        "since": days.strftime("%d.%m.%Y"),
    })  # fmt: skip
    told = {"dear": price > 2000, "full": load > 70, "heavy": size + weight > 300}
    Y = pd.DataFrame(told) ^ (rng.random((rows, 3)) < 0.1)
    return clean, written, Y.astype(int)


@pytest.mark.compiled
@pytest.mark.parametrize("form", ["pandas", "polars", "csv", "tsv", "parquet"])
@pytest.mark.parametrize("dates", ["skip", "parts"])
def test_a_table_for_people_gives_the_picks_of_its_twin(
    form: str, dates: str, tmp_path: Path
) -> None:
    clean, written, Y = tables()
    data: Any = written, Y
    options: dict[str, Any] = {"dates": dates, "n": 5}
    if form == "polars":
        data = pl.DataFrame(written.to_dict("list")), Y
    elif form != "pandas":
        data, options["labels"] = tmp_path / f"t.{form}", "last:3"
        frame = written.join(Y)
        if form == "parquet":
            frame.to_parquet(data)
        else:
            frame.to_csv(data, index=False, sep="\t" if form == "tsv" else ",")
    twin = mlfs.select((clean, Y), dates=dates, n=5)
    picked = mlfs.select(data, **options)
    assert picked.names == twin.names
    assert np.array_equal(picked.scores, twin.scores)
    assert sum("is read as numbers" in note for note in picked.notes) == 4


def test_it_is_said_and_can_be_turned_off(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    _, written, Y = tables(60)
    path = tmp_path / "t.csv"
    written.join(Y).to_csv(path, index=False)
    read = mlfs.read(path, labels="last:3")
    assert read.columns[1].kind == "numeric"
    assert any("'load' is read as numbers, '0 %' as 0;" in note for note in read.notes)
    plain = mlfs.read(path, labels="last:3", numbers="plain")
    assert plain.columns[1].values[:2] == ("0 %", "10 %")
    ready = mlfs.prepare((written, Y), numbers="plain")
    assert [column.kind for column in ready.dataset.columns[:4]] == ["nominal"] * 4
    assert ready.settings["numbers"] == "plain"
    fitted = mlfs.FeatureSelector("mim", 2, numbers="plain").fit(written, Y)
    assert fitted.selection_.settings["numbers"] == "plain"
    arguments = ["info", str(path), "--labels", "last:3"]
    assert cli.main(arguments) == 0
    assert "is read as numbers" in capsys.readouterr().out
    assert cli.main([*arguments, "--numbers", "plain"]) == 0
    assert "is read as numbers" not in capsys.readouterr().out
    back = tmp_path / "back.csv"
    assert cli.main(["convert", "--labels", "last:3", str(path), str(back)]) == 0
    assert "€" in back.read_text(encoding="utf-8")
    with pytest.raises(UsageError, match="numbers is 'read' or 'plain', not 'words'"):
        mlfs.read(path, labels="last:3", numbers="words")


def test_a_column_that_mixes_is_named_with_the_remedy() -> None:
    _, written, Y = tables(60)
    mixed = written.assign(size=["93.8 GB", "512 MB", *written["size"][2:]])
    notes = mlfs.prepare((mixed, Y)).notes
    assert any("'size' is nominal" in note and "with one unit" in note for note in notes)
    broken = written.assign(size=[*written["size"][:59], "lost"])
    (note,) = [note for note in mlfs.prepare((broken, Y)).notes if "'size' is nominal" in note]
    assert "'lost' (in 1 row, first in row 60): leave these cells empty" in note


@pytest.mark.parametrize(
    "days",
    [
        ["19.08.1981", "1.2.1990"],
        ["19.08.1981 17:30", "01.02.1990 08:00"],
        ["08/19/1981", "01/02/1990"],
        ["19/08/1981", "02/01/1990"],
        ["19 Aug 1981", "2 Jan 1990"],
        ["August 19, 1981", "January 2, 1990"],
        ["1981/08/19", "1990/01/02"],
    ],
)
def test_dates_that_are_written_in_one_way_are_dates(days: list[str]) -> None:
    frame = pd.DataFrame({"x": np.arange(40) % 7, "day": days * 20})
    Y = pd.DataFrame({"y": np.arange(40) % 2})
    assert [name for name, _ in mlfs.data.from_arrays(frame, Y).left_out] == ["day"]
    parts = mlfs.data.from_arrays(frame, Y, dates="parts")
    year = parts.names.index("day (year)")
    assert parts.X[:2, year].tolist() == [1981, 1990]
    assert parts.X[0, year + 1] == 7


@pytest.mark.parametrize(
    "words", [["01/02/2026", "03/04/2026"], ["19.08.1981", "1981-08-19"], ["31.02.2020"]]
)
def test_words_that_may_be_several_dates_or_none_stay_words(words: list[str]) -> None:
    frame = pd.DataFrame({"x": np.arange(40) % 7, "day": (words * 40)[:40]})
    data = mlfs.data.from_arrays(frame, pd.DataFrame({"y": np.arange(40) % 2}))
    assert data.columns[1].kind == "nominal"
