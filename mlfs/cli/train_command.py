"""`mlfs train`: a model that knows its labels' structure, in one file; and its options."""

from __future__ import annotations

import inspect
import time
import warnings
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from mlfs.cli.console import Console, check_place, code_of_users, pass_console
from mlfs.cli.help import Command
from mlfs.cli.predict_command import data_of
from mlfs.cli.progress import Waiting
from mlfs.cli.shared_options import count, parameters_of, reading_labels, stacked, talking, written
from mlfs.errors import (
    Caution,
    DataError,
    MlfsError,
    UnknownName,
    UsageError,
    check_name,
    listed,
    plural,
    printable,
)
from mlfs.models import STRUCTURED, WHOLE

SHORT = {
    "logistic": "sklearn.linear_model.LogisticRegression",
    "svm": "sklearn.svm.LinearSVC",
    "sgd": "sklearn.linear_model.SGDClassifier",
    "ridge": "sklearn.linear_model.RidgeClassifier",
    "naive-bayes": "sklearn.naive_bayes.BernoulliNB",
    "gaussian": "sklearn.naive_bayes.GaussianNB",
    "neighbors": "sklearn.neighbors.KNeighborsClassifier",
    "tree": "sklearn.tree.DecisionTreeClassifier",
    "forest": "sklearn.ensemble.RandomForestClassifier",
}

modelling = stacked(
    click.option("-m", "--model", metavar="NAME", default="occ", show_default=True,
            help=f"{' '.join(STRUCTURED)}, these also with --features ldf; {' '.join(WHOLE)}."),
    click.option("-k", "--parents", "k", metavar="K", type=click.IntRange(min=0),
            help="At most K parents of a label, for models that have it (kcc, occ)."),
    click.option("--features", metavar="NAME",
            help="The features of each label: a criterion (`mlfs criteria` lists them), all, "
            "ldf, llsf, or picks.json, which mlfs select wrote."),
    click.option("-n", "--number", "n", metavar="N", callback=count,
            help="How many features: 80, a share such as 0.3, or auto."),
    click.option("--inference", metavar="NAME",
            help="How labels are predicted jointly: greedy best-first exhaustive beam monte-carlo "
            "max-sum."),
    click.option("--threshold", metavar="RULE",
            help="Thresholds of labels, learned from the training rows: scut pcut (for each label) "
            "micro-f1 cardinality (one for all), or a number such as 0.3."),
    click.option("-p", "--parameter", "parameters", metavar="KEY=VALUE", multiple=True,
            help="A parameter of the model or of its parts. Repeatable."),
    click.option("-l", "--learner", metavar="NAME",
            help=f"The base learner: {' '.join(SHORT)}, or a class of scikit-learn. By default "
            "the model's own."),
    click.option("-P", "--learner-parameter", "learner_parameters", metavar="KEY=VALUE",
            multiple=True, help="A parameter of the base learner. Repeatable."),
    click.option("--seed", "random_state", metavar="N",
            type=click.IntRange(0, (1 << 32) - 1), default=0, show_default=True,
            help="The seed of all random choices."),
    click.option("-j", "--jobs", "n_jobs", metavar="N", type=int, default=1,
            show_default=True, help="Labels fitted at the same time, -1 for all processors; "
            "the result is the same."),
)  # fmt: skip


def made(options: dict[str, Any]) -> Any:
    """The model that the options describe, which are taken out of them; no data are read."""
    from mlfs.models import make

    name = options.pop("model")
    parameters = parameters_of(options.pop("parameters"))
    defaults = make(name).get_params(deep=True)
    common = {key: options.pop(key) for key in ("random_state", "n_jobs")}
    settings: dict[str, Any] = {key: value for key, value in common.items() if key in defaults}
    features, n, k = options.pop("features"), options.pop("n"), options.pop("k")
    if features is not None:
        inner = "model__features" if "model__features" in defaults else "features"
        _refuse_twice(parameters, inner, "--features")
        settings[inner] = _feature_plan(features)
        if n is None and not _selects(features):
            settings["model__n" if "model__n" in defaults else "n"] = None
    inference, threshold = options.pop("inference"), _rule(options.pop("threshold"))
    for key, value, option in (
        ("n", n, "-n"),
        ("k", k, "-k"),
        ("inference", inference, "--inference"),
        ("threshold", threshold, "--threshold"),
    ):
        if value is not None:
            _refuse_twice(parameters, key, option)
            settings[key] = value
    learner = options.pop("learner")
    learner_parameters = parameters_of(options.pop("learner_parameters"), "-P")
    if learner is not None:
        settings["base_estimator"] = learner_named(learner, learner_parameters)
    elif learner_parameters:
        parameters = {**parameters, **_of_learner(learner_parameters, defaults)}
    for key in ("random_state", "n_jobs"):
        if key in parameters:
            option = "--seed" if key == "random_state" else "-j"
            raise UsageError(f"{key!r} is given with {option}, not with -p")
    return make(name, **settings, **parameters)


def _rule(text: str | None) -> str | float | None:
    try:
        return None if text is None else float(text)
    except ValueError:
        return text


def _refuse_twice(parameters: dict[str, Any], key: str, option: str) -> None:
    if key in parameters:
        raise UsageError(f"{key!r} is given twice, with {option} and with -p")


def _selects(features: str) -> bool:
    from mlfs.models.features import NAMED

    return features not in NAMED and not features.endswith(".json")


def _feature_plan(features: str) -> Any:
    from mlfs.models.features import check_criterion

    if features.endswith(".json"):
        from mlfs.api.selection import Selection

        picked = Selection.from_json(Path(features))
        plain: dict[str, Any] = {"significance": None, "certainty": ()}  # a model needs the columns
        labels = {name: replace(ranking, **plain) for name, ranking in picked.labels.items()}
        return replace(picked, **plain, told_by=(), labels=labels)
    if _selects(features):
        check_criterion(features)
    return features


def _of_learner(parameters: dict[str, Any], defaults: dict[str, Any]) -> dict[str, Any]:
    """The parameters of the model's own base learner, by their whole names."""
    place = next(
        (key for key in ("model__base_estimator", "base_estimator") if key in defaults), ""
    )
    learner = defaults.get(place)
    if learner is None:
        raise UsageError("say which base learner the parameters of -P belong to, with --learner")
    names = learner.get_params()
    for key in parameters:
        check_name(key, f"parameter of {type(learner).__name__}", names)
    return {f"{place}__{key}": value for key, value in parameters.items()}


def settings_of(options: Mapping[str, Any], missing: str) -> dict[str, Any]:
    """How the model was trained, in the words of the command line."""
    settings = {
        "model": options["model"],
        "k": options["k"],
        "features": options["features"] and Path(options["features"]).name,
        "n": options["n"],
        "inference": options["inference"],
        "threshold": options["threshold"],
        "learner": options["learner"],
        "parameters": list(options["parameters"]),
        "learner_parameters": list(options["learner_parameters"]),
        "seed": options["random_state"],
        "missing": missing,
    }
    return {key: value for key, value in settings.items() if value not in (None, [])}


def learner_named(name: str, parameters: Mapping[str, Any]) -> Any:
    """Make a base learner from its name: short, of its class, or with its module.

    Only classifiers of scikit-learn and those of mlfs are imported.

    Examples
    --------
    >>> learner_named("svm", {"C": 0.5})
    LinearSVC(C=0.5)
    """
    module, _, class_name = SHORT.get(name, name).replace(":", ".").rpartition(".")
    classes = _learners()
    cls = classes.get(class_name)
    if cls is None or not cls.__module__.startswith(module):
        if not module:
            raise UnknownName("learner", name, [*SHORT, *classes])
        raise UsageError(
            f"the learner {printable(name)!r} is no classifier of scikit-learn: take "
            f"{', '.join(SHORT)}, or another one; the rest can be used from Python"
        )
    accepted = inspect.signature(cls).parameters
    for key in parameters:
        check_name(key, f"parameter of {cls.__name__}", accepted)
    lacking = [key for key, parameter in accepted.items() if parameter.default is parameter.empty]
    if set(lacking) - set(parameters):
        raise UsageError(
            f"{cls.__name__} is made of other learners: such a model is made from Python"
        )
    return cls(**parameters)


def _learners() -> dict[str, Any]:
    """The classifiers of scikit-learn and the base learners of mlfs, by their classes' names."""
    from sklearn.utils import all_estimators

    from mlfs.models import Lift, Switching, TunedLogistic

    own = {cls.__name__: cls for cls in (Lift, Switching, TunedLogistic)}
    return {**dict(all_estimators(type_filter="classifier")), **own}


UNSETTLED = "did not converge: raise their limit, as with -P max_iter=1000"


@click.command(
    cls=Command,
    short_help="train a model and store it in a file",
    examples=[
        (
            "mlfs train --model occ -o model.mlfs train.arff",
            "chain, features for each label",
        ),
        ("mlfs train --model pcc -l logistic -P C=0.5 -o m.mlfs x.csv", "another base learner"),
        ("mlfs train --model kcc -k 3 --features scls -n 80 -o m.mlfs x.arff", "on 80 features"),
        ("mlfs train --model ecc -p n_estimators=25 -o m.mlfs x.arff", "an ensemble of 25"),
        ("mlfs predict m.mlfs new.csv", "and use it"),
    ],
)
@click.argument("data", metavar="DATA")
@modelling
@reading_labels
@click.option(
    "--exclude",
    metavar="NAME",
    multiple=True,
    help="A column, or a glob, that is left out. Repeatable.",
)
@click.option(
    "--keep-identifiers",
    is_flag=True,
    help="Keep columns that name a row: a counter, or another text in nearly every row.",
)
@click.option(
    "--missing",
    type=click.Choice(["fill", "keep", "error"]),
    default="fill",
    show_default=True,
    help="A missing value becomes the column's mean (or most frequent value), is handed to "
    "the base learner, or is refused.",
)
@written("The model file.", required=True)
@talking
@pass_console
def train(
    console: Console,
    /,
    data: str,
    output: str,
    force: bool,
    exclude: tuple[str, ...],
    keep_identifiers: bool,
    missing: str,
    **options: Any,
) -> int:
    """Train a model on a data set and store it in a file.

    The file, which skops writes, contains arrays and names but no code; `mlfs predict`, `mlfs
    evaluate` and `mlfs structure` read it, and so does `mlfs.models.load`.
    """
    if output == "-":
        raise UsageError("a model file is not written to stdout: say where with -o FILE")
    check_place(output, data, force=force)
    name, settings = options["model"], settings_of(options, missing)
    model = made(options)
    import numpy as np

    from mlfs.models.classes import as_written
    from mlfs.models.label_model import name_columns
    from mlfs.models.model_files import check_place_of_model, check_storable, save
    from mlfs.models.training_table import TrainingTable

    check_place_of_model(output)
    check_storable(model)
    began = time.perf_counter()
    dataset = data_of(data, options)
    console.note(*dataset.notes)
    dataset = _without(dataset, exclude)
    if not keep_identifiers:
        dataset = _without_identifiers(console, dataset, _picked(model))
    table = TrainingTable.learn(dataset, missing)
    X, notes = table.matrix(dataset)
    console.note(*notes, *_wider(table))
    _name_columns_of_picks(model, table)
    codes = table.truth(dataset)[0]
    console.tell(_cautions_about_constant(table.labels, codes))
    Y = as_written(codes)
    name_columns(model, table.feature_names, table.labels)
    counted = zip((*X.shape, Y.shape[1]), ("row", "feature", "label"), strict=True)
    sizes = ", ".join(plural(n, noun) for n, noun in counted)
    task = f"training {name} on {sizes}"
    weights = {} if dataset.weights is None else {"sample_weight": dataset.weights}
    line = Waiting(console, task)
    with line:
        _fit(console, model, X, Y, weights)
    _tell_number(console, model)
    used = model.used_columns()
    if used is not None:
        table, columns = table.of_columns(used)
        model.narrow(columns)
    model.feature_names_in_ = np.array(table.feature_names, dtype=object)  # to refuse other frames
    save(model, output, table=table, settings=settings, force=force)
    _tell(console, output, task, time.perf_counter() - began)
    return 0


def _name_columns_of_picks(model: Any, table: Any) -> None:
    """Name the columns that a model sees of the features in a file of picks."""
    from mlfs.api.selection import Selection

    columns_of = {field.name: field.names for field in table.fields}
    for name, picked in model.get_params().items():
        if isinstance(picked, Selection):
            rankings = picked.labels or dict.fromkeys(table.labels, picked)
            columns = {
                label: [
                    column for name in ranking.names for column in columns_of.get(name, (name,))
                ]
                for label, ranking in rankings.items()
            }
            model.set_params(**{name: columns})


def _tell_number(console: Console, model: Any) -> None:
    """Which number of features was chosen, of several."""
    model = getattr(model, "model_", model)  # what thresholds were added to
    if hasattr(model, "n_scores_"):
        pairs = zip(model.n, model.n_scores_, strict=True)
        tried = ", ".join(f"{n} ({score:.3f})" for n, score in pairs)
        console.note(
            f"n = {model.n_}: of {tried} the one of the best exact match on 30 % of the rows, "
            "trained on the others; -n takes one without trying"
        )


def _fit(console: Console, model: Any, X: Any, Y: Any, weights: dict[str, Any]) -> None:
    """Fit; an error of a base learner is shown in its own words, a warning once."""
    try:
        with code_of_users(), warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            model.fit(X, Y, **weights)
    except MlfsError:
        raise
    except (ArithmeticError, TypeError, ValueError) as error:
        if console.debug:
            raise
        words = " ".join(printable(str(error).partition("\n")[0], 300).split())
        if type(error).__name__ == "InvalidParameterError":
            raise UsageError(f"the base learner refuses its parameters: {words}") from None
        raise DataError(f"the base learner refuses these data or its parameters: {words}") from None
    warnings_ = Counter(_warned(warning) for warning in caught)
    for words, times in warnings_.items():
        many = f"{times} base learners" if times > 1 else "1 base learner"
        console.note(f"{many} {words}" if words == UNSETTLED else words)


def _warned(warning: warnings.WarningMessage) -> str:
    if warning.category.__name__ == "ConvergenceWarning":
        return UNSETTLED
    return printable(" ".join(str(warning.message).split()), 300)


def _without(dataset: Any, exclude: tuple[str, ...]) -> Any:
    from mlfs.api.candidates import columns_named

    if not exclude:
        return dataset
    gone = set(columns_named(exclude, dataset.feature_names, "exclude"))
    kept = [j for j in range(len(dataset.columns)) if j not in gone]
    if not kept:
        raise UsageError("--exclude leaves no column to learn from")
    return dataset.reduced(kept)


def _picked(model: Any) -> set[str]:
    """The features in a file of picks that a model is trained on."""
    from mlfs.api.selection import Selection

    picks = [value for value in model.get_params().values() if isinstance(value, Selection)]
    return {name for one in picks for part in (one, *one.labels.values()) for name in part.names}


def _without_identifiers(console: Console, dataset: Any, picked: set[str]) -> Any:
    """Leave out what names a row, but for what was picked all the same."""
    from mlfs.data.identifiers import identifier_columns

    found = (dataset.feature_names[j] for j in identifier_columns(dataset))
    names = [name for name in found if name not in picked]
    if not names or len(names) == len(dataset.columns):
        return dataset
    shown = ", ".join(repr(printable(name, 40)) for name in names[:5])
    console.note(f"left out what names a row: {shown}; --keep-identifiers takes it")
    return _without(dataset, tuple(names))


def _wider(table: Any) -> list[str]:
    """Notes on nominal columns."""
    wide = [field for field in table.fields if field.indicators]
    if not wide:
        return []
    width = sum(len(field.names) for field in wide)
    first = printable(wide[0].name, 40)
    count = f"{len(wide)} nominal columns" if len(wide) > 1 else "1 nominal column"
    return [f"{count} of more than two values ({first!r} ...) become {width} columns of 0 and 1"]


def _cautions_about_constant(labels: Sequence[str], codes: Any) -> list[Caution]:
    """Notes on labels of which only one value, or none, is known."""
    varies = (codes == 0).any(axis=0) & (codes == 1).any(axis=0)
    names = [name for name, both in zip(labels, varies, strict=True) if not both]
    if not names:
        return []
    count = plural(len(names), "label")
    text = f"{count} with one known value, or none, always predicted alike: "
    return [Caution(text + listed(names, 5))]


def _tell(console: Console, output: str, task: str, seconds: float) -> None:
    size = Path(output).stat().st_size
    console.detail(f"{task} took {seconds:.2f} s; wrote {size} bytes to {printable(output, 400)}")
