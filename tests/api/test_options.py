"""Each option is declared once; the command, the functions and the transformer agree with it."""

from __future__ import annotations

import dataclasses
import inspect
import operator
import re
from pathlib import Path
from typing import Any, get_args

import click
import numpy as np
import pandas as pd
import pytest

import mlfs
from mlfs import cli
from mlfs.api import value_kinds
from mlfs.api.moved import MOVED
from mlfs.api.options import FITTING, NAMED, OPTIONS, PREPARING, READING, check_options
from mlfs.api.prepared import Preparing
from mlfs.binnings import BINNINGS
from mlfs.compare import number_of_features
from mlfs.data.request import Request
from mlfs.errors import UnknownName

DATA = ([[0, 1], [1, 1], [0, 0], [1, 0]], [[0], [1], [0], [1]])


def defaults(function: Any) -> dict[str, Any]:
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.name not in ("self", "data")}


CALLS = {
    "select": mlfs.select,
    "prepare": mlfs.prepare,
    "Panel": mlfs.Panel,
    "label_network": mlfs.label_network,
    "certainty": mlfs.certainty,
    "bin_targets": mlfs.data.bin_targets,
}


@pytest.mark.parametrize("call", ["select", "prepare", "Panel"])
def test_a_function_has_the_declared_options(call: str) -> None:
    signature = defaults(CALLS[call])
    for name in ("on_pick", "preparing", "groups" if call == "Panel" else ""):
        signature.pop(name, None)
    expected = {o.argument or o.name: o.default for o in OPTIONS if o.call == call}
    assert signature == expected, f"name it in {call}, or in OPTIONS of mlfs/api/options.py"


def test_what_the_command_calls_besides_has_the_arguments() -> None:
    assert {option.call for option in OPTIONS} == set(CALLS)
    for option in OPTIONS:
        signature = inspect.signature(CALLS[option.call]).parameters
        assert (option.argument or option.name) in signature


def test_options_of_reading_are_those_of_read() -> None:
    signature = inspect.signature(mlfs.read).parameters
    fields = {field.name for field in dataclasses.fields(Request)}
    for option in READING:
        name = option.argument or option.name
        assert signature[name].default == option.default or option.name in ("dates", "numbers")
        assert name in fields | {"format"}
    beside = {"path", "known", "numeric_targets", "max_memory", "needed"}  # not on the command line
    assert {option.argument or option.name for option in READING} == set(signature) - beside


@pytest.mark.parametrize("command", ["select", "info", "convert", "train", "predict"])
def test_commands_that_read_have_the_flags_of_reading(command: str) -> None:
    params = {one.name: one for one in cli.cli.commands[command].params}
    for option in READING:
        if option.flags and option.name != "classes":
            assert tuple(params[option.name].opts) == option.flags


def test_type_checkers_know_the_options_of_preparing() -> None:
    assert set(Preparing.__annotations__) == set(PREPARING)
    signature = inspect.signature(mlfs.prepare).parameters
    for name, kind in Preparing.__annotations__.items():
        assert signature[name].annotation == kind.__forward_arg__


def test_the_transformer_has_the_declared_options() -> None:
    options = [
        option
        for option in (*OPTIONS, *FITTING)
        if option.parameter and (option in FITTING or option.call in ("select", "prepare"))
    ]
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
        ("missing", "x", "missing is 'level' or 'error', not 'x'"),
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
    values = check_options(
        {"prefilter": np.int64(3), "alpha": np.float32(0.5), "per_label": np.True_}
    )
    assert [type(value) for value in values.values()] == [int, float, bool]


@pytest.mark.parametrize("name", sorted(MOVED))
def test_an_argument_of_earlier_versions_names_its_place(name: str) -> None:
    functions: list[Any] = [mlfs.select, mlfs.FeatureSelector, mlfs.prepare]
    for function in functions:
        known = {*inspect.signature(function).parameters}
        if name in (known | {*PREPARING} if function is mlfs.select else known):
            continue
        data = () if function is mlfs.FeatureSelector else (DATA,)
        with pytest.raises(mlfs.UsageError) as caught:
            function(*data, **{name: 2})
        assert str(caught.value) == f"{name} {MOVED[name]}"
        named = re.findall(r"mlfs\.([\w.]+)", MOVED[name])
        assert all(operator.attrgetter(place)(mlfs) for place in named if "Prepared" not in place)


def test_an_argument_that_never_was_is_refused_as_by_python() -> None:
    with pytest.raises(TypeError, match="unexpected keyword argument 'binning'"):
        mlfs.select(DATA, binning="width")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'binning'"):
        mlfs.prepare(DATA, binning="width")


def test_options_of_preparing_beside_prepared_data_are_one_error() -> None:
    ready = mlfs.prepare(DATA, bins="width")
    with pytest.raises(mlfs.UsageError, match=r"^bins and n_jobs are for mlfs\.prepare, and the"):
        mlfs.select(ready, bins="width", n_jobs=2)


def test_the_binnings_to_choose_from_are_those_there_are() -> None:
    with pytest.raises(UnknownName, match=", ".join(BINNINGS)):
        NAMED["bins"].read("thirds")


def test_type_checkers_know_the_words_of_options() -> None:
    where = "in mlfs/api/value_kinds.py"
    assert set(get_args(value_kinds.Bins)) == set(BINNINGS), f"name the binning in Bins {where}"
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


NARROWED: dict[
    str, tuple[dict[str, Any], str, int]
] = {  # options, a column left out, how many stay
    "exclude": ({"exclude": ["x1"]}, "x1", 5),
    "given": ({"given": "x1"}, "x1", 5),
    "keep_identifiers": ({}, "key", 6),
    "prefilter": ({"prefilter": 2}, "x5", 2),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [option.name for option in OPTIONS if option.narrows])
def test_what_keeps_columns_out_is_counted_and_explained(name: str) -> None:
    options, column, left = NARROWED[name]
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (90, 6))).add_prefix("x")
    X["key"] = [f"row {i}" for i in range(90)]
    data = X, X[["x0", "x1"]] ^ (rng.random((90, 2)) < 0.1)
    picked = mlfs.select(data, "mim", "all", **options)
    assert column not in picked.names
    assert len(picked) == left
    (why,) = mlfs.explain(data, picked, [column])
    assert why.excluded
    found = number_of_features(data, "mim", model="mlnb", folds=2, **options)
    assert found.sizes[-1] == left
