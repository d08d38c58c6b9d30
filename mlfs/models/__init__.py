"""Classifiers that let labels help each other: structure x features x base learner x inference.

====================  ========================================================================
make, available       the models of the papers by name
save, load            a fitted model as one file, by skops
StructuredClassifier  any structure, features, base learner and inference
StructuredEnsemble    a model many times, on parts of the rows and columns
MixtureOfTrees        MC: a mixture of trees, learned by expectation maximisation
MonteCarloChain       MCC: a chain whose order is searched for by Monte Carlo
ThresholdedClassifier a model with learned thresholds of its labels
Switching             a base learner: a classifier for each value of a label's parents
TunedLogistic         a base learner: logistic regression that chooses its penalty
Structure             the parents of the labels: to look at, draw, keep
LDF                   label-dependent features in two stages
baselines             methods that papers compare with: LabelPowerset, RAkEL, MLkNN, BRkNN, IBLR,
                      CHF, HOMER, Lift, LLSF, CalibratedLabelRanking
structures            how structures are learned
inference             how the labels of a row are decided together
====================  ========================================================================

A model is a `label_model` that learns from a `problem` (`classes` codes its labels): `chain`,
`ensemble`, `mixture` and `thresholds`. `recipes` has them by name.
`base_learners` fits the classifiers of labels on the columns that `features` chooses, and
`conditionals` applies them; `switching` and `logistic` are base learners. `training_table` matches
the columns of other data, `progress_reports` logs what a fit is doing, `model_files` stores a
model, and `parameters` makes constructors.

The names are resolved when they are first used, so that a part does not import the others.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from mlfs.lazy import lazily

if TYPE_CHECKING:
    from mlfs.models.baselines.homer import HOMER, CalibratedLabelRanking
    from mlfs.models.baselines.llsf import LLSF, Lift, LLSFFeatures
    from mlfs.models.baselines.nearest import CHF, IBLR, BRkNN, MLkNN
    from mlfs.models.baselines.powerset import LabelPowerset, RAkEL
    from mlfs.models.chain import MonteCarloChain, StructuredClassifier
    from mlfs.models.ensemble import StructuredEnsemble
    from mlfs.models.features import LDF
    from mlfs.models.logistic import TunedLogistic
    from mlfs.models.mixture import MixtureOfTrees
    from mlfs.models.model_files import load, save
    from mlfs.models.recipes import available, make
    from mlfs.models.switching import Switching
    from mlfs.models.thresholds import ThresholdedClassifier
    from mlfs.search.label_parents import Structure

__all__ = [
    "CHF",
    "HOMER",
    "IBLR",
    "LDF",
    "LLSF",
    "BRkNN",
    "CalibratedLabelRanking",
    "LLSFFeatures",
    "LabelPowerset",
    "Lift",
    "MLkNN",
    "MixtureOfTrees",
    "MonteCarloChain",
    "RAkEL",
    "Structure",
    "StructuredClassifier",
    "StructuredEnsemble",
    "Switching",
    "ThresholdedClassifier",
    "TunedLogistic",
    "available",
    "load",
    "make",
    "save",
]

# those with a label structure, which take features of each label (also as NAME-ldf), and the others
STRUCTURED = (
    *("br", "cc", "kcc", "bcc", "pcc", "pacc", "ctbn", "mc", "mcc", "occ", "ecc", "ebcc", "eocc"),
    *("epcc", "lift", "br-tuned", "br-forest"),
)
WHOLE = (
    *("lp", "ps", "eps", "rakel", "rakeld", "mlknn", "brknn", "iblr", "chf", "homer", "llsf"),
    "clr",
)
_HOME = {
    "mlfs.models.baselines.homer": ("HOMER", "CalibratedLabelRanking"),
    "mlfs.models.baselines.llsf": ("LLSF", "LLSFFeatures", "Lift"),
    "mlfs.models.baselines.nearest": ("BRkNN", "CHF", "IBLR", "MLkNN"),
    "mlfs.models.baselines.powerset": ("LabelPowerset", "RAkEL"),
    "mlfs.models.chain": ("MonteCarloChain", "StructuredClassifier"),
    "mlfs.models.ensemble": ("StructuredEnsemble",),
    "mlfs.models.features": ("LDF",),
    "mlfs.models.mixture": ("MixtureOfTrees",),
    "mlfs.models.model_files": ("load", "save"),
    "mlfs.models.recipes": ("available", "make"),
    "mlfs.models.switching": ("Switching",),
    "mlfs.models.thresholds": ("ThresholdedClassifier",),
    "mlfs.models.logistic": ("TunedLogistic",),
    "mlfs.search.label_parents": ("Structure",),
}
__getattr__ = lazily(__name__, _HOME, ("inference", "structures"))


def __dir__() -> list[str]:
    return sorted(__all__)
