"""Each option is declared once; the command, the functions and the transformer agree with it."""

from __future__ import annotations

import inspect
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np
import pytest

import mlfs
from mlfs import cli
from mlfs.api import value_kinds
from mlfs.api.options import FITTING, NAMED, OPTIONS, check_options
from mlfs.binnings import BINNINGS
from mlfs.errors import UnknownName

DATA = ([[0, 1], [1, 1], [0, 0], [1, 0]], [[0], [1], [0], [1]])


def defaults(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.name not in ("self", "data")}


def test_select_has_the_declared_options() -> None:
    signature = defaults(mlfs.select)
    assert signature.pop("on_pick") is None
    expected = {option.name: option.default for option in OPTIONS}
    assert signature == expected, "name it in select of mlfs/api/selecting.py"


def test_prepare_has_declared_options() -> None:
    signature = defaults(mlfs.prepare)
    assert signature.pop("binnings") is None
    assert signature == {name: NAMED[name].default for name in signature}


def test_the_transformer_has_the_declared_options() -> None:
    options = [option for option in (*OPTIONS, *FITTING) if option.parameter]
    expected = {option.parameter: option.default for option in options}
    where = "in FeatureSelector of mlfs/api/selector.py"
    assert defaults(mlfs.FeatureSelector.__init__) == expected, f"name it {where}"


@pytest.mark.parametrize("command", ["select", "explain"])
def test_the_command_has_the_declared_flags(command: str) -> None:
    params = {one.name: one for one in cli.cli.commands[command].params}
    for option in OPTIONS:
        if option.flags:
            flag = params[option.name]
            assert isinstance(flag, click.Option)
            assert tuple(flag.opts) == option.flags
            assert flag.default == option.default or option.default in (None, (), False)


def test_every_reported_option_is_among_the_settings() -> None:
    settings = mlfs.select(DATA, n="auto", alpha=np.float64(0.1)).to_dict()["settings"]
    assert {one.name for one in OPTIONS if one.reported} <= set(settings)
    assert settings["alpha"] == 0.1
    assert type(settings["alpha"]) is float


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("per_label", "yes", "per_label is True or False, not 'yes'"),
        ("prefilter", 0, "prefilter is a whole number of at least 1, not 0"),
        ("alpha", float("nan"), "alpha lies between 0 and 1, not nan"),
        ("missing", "x", "missing is 'level', 'ignore' or 'error', not 'x'"),
        ("n_jobs", 0, "n_jobs is a number of threads, or -1 for all, not 0"),
        ("max_memory", "x", "max_memory is a number of bytes, or text like"),
        ("n", 3, "n is 3, but there are 2 features to choose from: select at most 2"),
        ("n_bins", 4, "n_bins is for the binnings width"),
        ("parameters", 3, "parameters is a mapping from"),
        ("seed", -1, "seed is a whole number of at least 0, not -1"),
    ],
)
def test_an_error_begins_with_its_option(option: str, value: Any, message: str) -> None:
    with pytest.raises(mlfs.UsageError) as caught:
        mlfs.select(DATA, **{option: value})
    assert str(caught.value).startswith(message)
    assert caught.value.option == (option,)
    other = str(caught.value.naming({option: "--flag"}))
    assert other.startswith("--flag" + message.removeprefix(option))


@pytest.mark.parametrize(
    ("parameter", "value"), [("n_features_to_select", 3), ("random_state", -1), ("classes", 2)]
)
def test_the_transformer_calls_it_by_its_own_name(parameter: str, value: Any) -> None:
    with pytest.raises(mlfs.UsageError, match=f"^{parameter} is "):
        mlfs.FeatureSelector(**{parameter: value}).fit(*DATA)


def test_numbers_become_those_of_python() -> None:
    values = check_options({"k": np.int64(3), "min_gain": np.float32(0.5), "per_label": np.True_})
    assert [type(value) for value in values.values()] == [int, float, bool]


def constants() -> tuple[np.ndarray, np.ndarray]:
    X = np.array([[7, 0, 0, 2], [7, 0, 1, 2], [7, 1, 0, 2], [7, 1, 1, 2]])
    return X, X[:, 1:2]


def test_constant_features_are_dropped_when_asked() -> None:
    assert mlfs.select(constants(), "mim", 3).indices == (1, 0, 2)
    assert mlfs.select(constants(), "mim", 2, drop_constant=True).indices == (1, 2)
    found = mlfs.select(constants(), "mim", 3, drop_constant=True, include=[3])
    assert found.indices == (3, 1, 2)
    assert found.settings["drop_constant"] is True
    (why,) = mlfs.explain(constants(), found, [0])
    assert why.excluded == "it was excluded"
    with pytest.raises(mlfs.UsageError, match="there are 2 features to choose from"):
        mlfs.select(constants(), "mim", 3, drop_constant=True)


def test_the_transformer_and_groups_drop_constant_features() -> None:
    X, Y = constants()
    selector = mlfs.FeatureSelector("mim", 2, drop_constant=True).fit(X, Y)
    assert selector.indices_.tolist() == [1, 2]
    groups = {"flat": [0, 3], "mixed": [1, 2]}
    assert mlfs.select((X, Y), "mim", 1, groups=groups, drop_constant=True).names == ("x1", "x2")


def test_the_binnings_to_choose_from_are_those_there_are() -> None:
    with pytest.raises(UnknownName, match=", ".join(BINNINGS.ours)):
        NAMED["bins"].read("thirds")


def test_type_checkers_know_the_words_of_options() -> None:
    where = "in mlfs/api/value_kinds.py"
    assert set(get_args(value_kinds.Bins)) == set(BINNINGS.ours), (
        f"name the binning in Bins {where}"
    )
    for option in OPTIONS:
        words = getattr(value_kinds, option.name.title(), None)
        if words is not None and option.name != "bins":
            kinds = option.kind.choices
            name = option.name.title()
            assert set(get_args(words)) == set(kinds), f"name the words in {name} {where}"


def test_a_type_checker_refuses_a_word_that_is_none(tmp_path: Path) -> None:
    api = pytest.importorskip("mypy.api", reason="mypy is not installed")
    program = tmp_path / "program.py"
    program.write_text("import mlfs\nmlfs.select('x.csv', bins='quantile')\n", encoding="utf-8")
    told, _, status = api.run([str(program), "--cache-dir", str(tmp_path)])
    assert status == 1
    assert 'Argument "bins" to "select" has incompatible type' in told
