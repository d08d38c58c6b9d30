"""Models by name: structure, features, base learner and inference; and what papers compare with.

=====  ==================================================  ==========================  =========
name   structure                                           inference                   learner
=====  ==================================================  ==========================  =========
br     no parents                                          each label alone            logistic
cc     random order, all predecessors                      greedy                      logistic
kcc    order by Algorithm 2, ceil(0.8 q) parents by (33)   greedy                      logistic
bcc    maximum spanning tree on normalised information     greedy                      logistic
pcc    order of the columns, all predecessors              exact mode, best-first      logistic
pacc   polytree on conditional information                 exact mode, max-sum         logistic
ctbn   arborescence of held-out conditional likelihood     exact mode, max-sum         switching
mc     a mixture of ctbn's by expectation maximisation     annealing                   switching
mcc    the order searched for by Monte Carlo               Monte Carlo                 logistic
occ    as kcc, on 0.1 to 0.9 of the features by mlfs_local greedy                      svm
ecc    10 cc's on 75 % of the rows, 50 % of the columns    majority                    logistic
ebcc   the same with bcc's of random roots                 majority                    logistic
eocc   the same with occ's of random orders, n = 0.8       majority                    svm
epcc   the same with pcc's of random orders                majority                    logistic
=====  ==================================================  ==========================  =========

=========  =====================================================================================
lp ps eps  label powerset, pruned sets, 10 of these on 63 % of the rows
rakel      label powersets of random sets of 3 labels that overlap; rakeld: that do not
mlknn      the labels of the 10 nearest rows, by Bayes' rule; brknn: by majority
           (these, iblr and lift divide columns by their ranges, as Mulan does)
iblr chf   br on label shares of neighbours, and on probabilities of a first br, beside X
homer      br along a hierarchy of label clusters
lift       br on distances to clusters of the rows with and without a label
llsf       linear regression of sparse weights
clr        a classifier for each pair of labels
br-tuned   br whose logistic regressions choose their penalties
br-forest  br of random forests
=========  =====================================================================================

Switching: a logistic regression for each value of the parent, C by cross-validation
(`mlfs.models.switching.Switching`, `mlfs.models.logistic.TunedLogistic`).

``-ldf`` behind a name: the same on label-dependent features, `mlfs.models.LDF`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable
from typing import Any

from sklearn.ensemble import RandomForestClassifier
from sklearn.svm import LinearSVC

from mlfs import models
from mlfs.errors import UnknownName, UsageError, printable
from mlfs.models.chain import StructuredClassifier
from mlfs.models.ensemble import StructuredEnsemble
from mlfs.models.features import LDF
from mlfs.models.inference import BestFirst, BestSample, Greedy, MaxSum
from mlfs.models.inference import make as inference_named
from mlfs.models.label_model import default_learner
from mlfs.models.logistic import TunedLogistic
from mlfs.models.structures import (
    Arborescence,
    Chain,
    Independent,
    KParents,
    OneParent,
    Polytree,
    SwappedOrder,
    learner_for,
)
from mlfs.models.switching import Switching

SHARES = (0.1, 0.3, 0.5, 0.7, 0.9)  # what the paper chooses from
SHARE_OF_MEMBERS = 0.8  # as in the authors' program
SUFFIX = "-ldf"


def _chain(structure: Any, inference: Any, learner: Any = None, **parameters: Any) -> Any:
    learner = default_learner() if learner is None else learner
    return StructuredClassifier(
        structure, base_estimator=learner, inference=inference, **parameters
    )


def _occ(order: str = "cheap", n: Any = SHARES) -> Any:
    learner = LinearSVC(dual=False)  # the primal problem is solved without random numbers
    return _chain(KParents(order=order), Greedy(), learner, features="mlfs_local", n=n)


def _baseline(name: str, **parameters: Any) -> Any:
    """A method of `mlfs.models`, imported when it is asked for, with the usual base learner."""
    return getattr(models, name)(base_estimator=default_learner(), **parameters)


OURS: dict[str, Callable[[], Any]] = {
    "br": lambda: _chain(Independent(), Greedy()),
    "cc": lambda: _chain(Chain("random"), Greedy()),
    "kcc": lambda: _chain(KParents(), Greedy()),
    "bcc": lambda: _chain(OneParent("random"), Greedy()),
    "pcc": lambda: _chain(Chain("given"), BestFirst()),
    "pacc": lambda: _chain(Polytree(), MaxSum()),
    "ctbn": lambda: _chain(Arborescence(), MaxSum(), Switching(TunedLogistic())),
    "mc": lambda: models.MixtureOfTrees(base_estimator=Switching(TunedLogistic())),
    "mcc": lambda: _chain(SwappedOrder(), BestSample()),
    "occ": _occ,
    "ecc": lambda: StructuredEnsemble(_chain(Chain("random"), Greedy())),
    "ebcc": lambda: StructuredEnsemble(_chain(OneParent("random"), Greedy())),
    "eocc": lambda: StructuredEnsemble(_occ("random", SHARE_OF_MEMBERS)),
    "epcc": lambda: StructuredEnsemble(_chain(Chain("random"), BestFirst())),
    "lp": lambda: _baseline("LabelPowerset"),
    "ps": lambda: _baseline("LabelPowerset", p=2, b=2),
    "eps": lambda: StructuredEnsemble(
        _baseline("LabelPowerset", p=2, b=2), rows=0.63, features=1.0
    ),
    "rakel": lambda: _baseline("RAkEL"),
    "rakeld": lambda: _baseline("RAkEL", disjoint=True),
    "mlknn": lambda: models.MLkNN(scale=True),
    "brknn": lambda: models.BRkNN(scale=True),
    "iblr": lambda: _baseline("IBLR", scale=True),
    "chf": lambda: _baseline("CHF"),
    "homer": lambda: _baseline("HOMER"),
    "lift": lambda: _chain(Independent(), Greedy(), _baseline("Lift", scale=True)),
    "llsf": lambda: models.LLSF(),  # noqa: PLW0108  # imported when it is asked for
    "clr": lambda: _baseline("CalibratedLabelRanking"),
    "br-tuned": lambda: _chain(Independent(), Greedy(), TunedLogistic()),
    "br-forest": lambda: _chain(
        Independent(), Greedy(), RandomForestClassifier(min_samples_leaf=2)
    ),
}
OF_MEMBERS = {"rows": 0.5, "features": 0.75, "vote": "half"}  # the paper: 0.75, 0.5, majority
PROGRAMS: dict[str, dict[str, Any]] = {  # what a program of authors does and their paper has not
    "pacc": {"weights": "information", "earlier": 0.0005, "inference": "greedy"},
    **dict.fromkeys(("ecc", "ebcc", "eocc"), OF_MEMBERS),
}
READINGS = ("paper", "program")


def available() -> list[str]:
    """The names of all models.

    Examples
    --------
    >>> available()[:4], "pacc-ldf" in available()
    (['br', 'br-ldf', 'cc', 'cc-ldf'], True)
    """
    return [
        name + suffix
        for name in OURS
        for suffix in (("", SUFFIX) if name in models.STRUCTURED else ("",))
    ]


def make(name: str, **parameters: Any) -> Any:
    """A model of the papers, ready to be fitted.

    Parameters
    ----------
    name : str
        One of `available`.
    **parameters
        ``inference`` may be a name, such as ``"beam"``, with the parameters of that inference, and
        ``structure`` a name, such as ``"k_parents"``, with those of that structure.
        ``reading="program"`` is as the authors' program has the model, where that differs from the
        words of their paper (``pacc``, ``ecc``, ``ebcc``, ``eocc``).
        ``threshold``, a rule of `ThresholdedClassifier` or a number, gives the labels thresholds.
        Any parameter of the model, or of one of its parts by its own name where no other part
        has the same (``k=3`` for ``structure__k=3``); ``get_params()`` of the model shows all.

    Returns
    -------
    classifier
        Such as `StructuredClassifier` or `StructuredEnsemble`.

    Examples
    --------
    >>> make("occ", k=3, C=0.5).get_params()["structure__k"]
    3
    >>> make("pcc", inference="beam", width=5).inference
    Beam(width=5)
    >>> make("cc", structure="one_parent", root="strongest").structure
    OneParent(root='strongest')
    >>> make("occ-ldv")
    Traceback (most recent call last):
    mlfs.errors.UnknownName: unknown model 'occ-ldv': did you mean 'occ-ldf'?
    >>> make("pacc", depth=3)
    Traceback (most recent call last):
    mlfs.errors.UsageError: the model 'pacc' has no parameter 'depth': ...
    """
    recipe = str(name).lower()
    if recipe not in OURS and recipe not in available():
        raise UnknownName("model", str(name), available())
    if parameters.get("features") == "ldf" and recipe + SUFFIX in available():
        recipe += SUFFIX
        del parameters["features"]
    model = OURS[recipe.removesuffix(SUFFIX)]()
    if recipe.endswith(SUFFIX):
        member = model.model if isinstance(model, StructuredEnsemble) else model
        member.set_params(features=LDF())
        if "n" in member.get_params(deep=False):
            member.set_params(n=None)
    if _is_of_program(recipe, parameters):
        parameters = {**PROGRAMS[recipe.removesuffix(SUFFIX)], **parameters}
        if recipe.endswith(SUFFIX):
            parameters["features"] = LDF(parents=False)
    learner = parameters.get("base_estimator")
    if recipe.startswith("lift") and learner is not None and type(learner).__name__ != "Lift":
        parameters["base_estimator__base_estimator"] = parameters.pop("base_estimator")
    if isinstance(parameters.get("inference"), str):
        parameters["inference"] = _with_own(inference_named(parameters["inference"]), parameters)
    if isinstance(parameters.get("structure"), str):
        parameters["structure"] = _with_own(learner_for(parameters["structure"]), parameters)
    threshold = parameters.pop("threshold", None)
    # outer parameters first, so that the parameters of a replaced part go to the new one
    depth = {key: _full_name(model, recipe, key) for key in parameters}
    for key in sorted(parameters, key=lambda key: (depth[key].count("__"), key)):
        model.set_params(**{_full_name(model, recipe, key): parameters[key]})
    return model if threshold is None else with_threshold(model, threshold)


def _is_of_program(recipe: str, parameters: dict[str, Any]) -> bool:
    """Whether a model is as a program has it; takes ``reading`` out of the parameters."""
    reading = parameters.pop("reading", "paper")
    if reading not in READINGS:
        raise UsageError(f"is paper or program, not {printable(repr(reading))}", option="reading")
    if reading == "program" and recipe.removesuffix(SUFFIX) not in PROGRAMS:
        known = ", ".join(PROGRAMS)
        msg = f"is 'program', and {recipe!r} has one reading: two have {known}"
        raise UsageError(msg, option="reading")
    return bool(reading == "program")


def _with_own(part: Any, parameters: dict[str, Any]) -> Any:
    """A part of a model, with those of the parameters that are its own, which are taken out."""
    settable = part.get_params(deep=False) if hasattr(part, "get_params") else ()
    own = {key: parameters.pop(key) for key in settable if key in parameters}
    return part.set_params(**own) if own else part


def with_threshold(model: Any, threshold: Any) -> Any:
    """The model with thresholds by a rule, or with the one that is given."""
    from mlfs.models.thresholds import ThresholdedClassifier, checked_rule

    checked_rule(threshold)
    seed = model.get_params(deep=False).get("random_state", 0)
    return ThresholdedClassifier(model, threshold, random_state=seed)


def _full_name(model: Any, name: str, key: str) -> str:
    """The full name of a parameter, which may belong to a part of the model."""
    parameters = model.get_params(deep=True)
    if key in parameters:
        return key
    matches = [parameter for parameter in parameters if parameter.endswith(f"__{key}")]
    least = min((parameter.count("__") for parameter in matches), default=0)
    matches = [parameter for parameter in matches if parameter.count("__") == least]
    if len(matches) == 1:
        return matches[0]
    if matches:
        msg = (
            f"the model {name!r} has several parameters {printable(key)!r}: "
            f"say which, {' or '.join(matches)}"
        )
        raise UsageError(msg)
    short_names = sorted({parameter.split("__")[-1] for parameter in parameters})
    close = difflib.get_close_matches(key, [*parameters, *short_names], n=1, cutoff=0.6)
    hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(short_names)}"
    msg = f"the model {name!r} has no parameter {printable(key)!r}: {hint}"
    raise UsageError(msg)
