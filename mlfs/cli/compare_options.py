"""The options of `mlfs compare` that `mlfs select` has not, each declared once for its flags."""

from __future__ import annotations

from mlfs.api.options import Option
from mlfs.api.value_kinds import POSITIVE, Choice, Kind, Number, Switch, ThreadCount, Whole
from mlfs.models import STRUCTURED, WHOLE

COMPARING: tuple[Option, ...] = (
    Option(
        "criteria", Kind(), (),
        "A criterion, as name or name:key=value,...; or a baseline: all, random, own (the "
        "model's own way); or a selector "
        "of scikit-learn by its import path, such as "
        "sklearn.feature_selection.SelectKBest:score_func=sklearn.feature_selection.chi2. By "
        "default scls and all.", ("-c", "--criterion"), "NAME", repeated=True,
    ),
    Option(
        "models", Kind(), (),
        f"A model, as name or name:key=value,...: {' '.join(STRUCTURED)}, each also with -ldf; "
        f"mlnb {' '.join(WHOLE)}; or a classifier of scikit-learn by its import path. By default "
        "br.", ("-m", "--model"), "NAME", repeated=True,
    ),
    Option(
        "n", Kind(), None,
        "How many features: 10,20,40; shares such as 0.1; sqrt, the default, is the root of the "
        "number of rows.", ("-n", "--number"), "N,...",
    ),
    Option(
        "metrics", Kind(), (),
        "The metrics in the report; all are computed. By default exact_match hamming_loss "
        "macro_f1 micro_f1 ranking_loss.", ("--metric",), "NAME", repeated=True,
    ),
    Option(
        "folds", Whole(least=2), None, "Cross-validation, stratified by each label; 5 by default.",
        ("--folds",), "K",
    ),
    Option(
        "holdout", Number(), None, "The share of the rows for training; the others are for "
        "testing.", ("--holdout",), "SHARE",
    ),
    Option(
        "repeat", Whole(), None, "How often to hold out, by default 10, or to cross-validate, by "
        "default once.", ("--repeat",), "TIMES",
    ),
    Option(
        "split", Choice(choices=("given",)), None,
        "The authors' split: x-train.arff with x-test.arff beside it.", ("--split",),
    ),
    Option(
        "groups", Kind(), None, "Rows with the same value of this column, such as the patient, "
        "are in the same fold. It is no feature.", ("--groups",), "COLUMN",
    ),
    Option(
        "seed", Whole(least=0), 0, "The seed of folds, models and random baselines.", ("--seed",),
        "N",
    ),
    Option(
        "budget", POSITIVE, None,
        "The time that a selection may take, and again the rest of a cell; what takes more counts "
        "as failed, and so do the later cells of the method on this data set.",
        ("--budget",), "SECONDS",
    ),
    Option(
        "against", Kind(), None,
        "A reference: results.csv.xz with reference.json and folds/ beside it. Its folds, models "
        "and numbers of features are used, only your criteria are run, and all are ranked "
        "together.", ("--against",), "PATH",
    ),
    Option(
        "labels", Kind(), None, "Which columns are labels, in all files: a,b,c; 'lab_*'; first:6; "
        "last:6; ...", ("--labels",), "SPEC",
    ),
    Option(
        "exclude", Kind(), (), "A column, or a glob, that is left out of the data sets that have "
        "it.", ("--exclude",), "NAME", repeated=True,
    ),
    Option(
        "keep_identifiers", Switch(), False, "Let columns with another value in every row take "
        "part; by default they are left out.", ("--keep-identifiers",),
    ),
    Option(
        "force", Switch(), False,
        "Replace a report of other settings; finished cells are kept.", ("--force",),
    ),
    Option(
        "tables", Kind(), "mean,sd,rank", "What a cell of tables.md and tables.tex shows.",
        ("--tables",), "PARTS",
    ),
    Option(
        "predictions", Switch(), True, "Keep the predictions of every cell, so that a new metric "
        "needs no new run.", ("--predictions/--no-predictions",),
    ),
    Option(
        "jobs", ThreadCount(), 1, "Processes, -1 for one on each processor; the results are the "
        "same.", ("-j", "--jobs"), "N",
    ),
    Option(
        "cluster", Kind(), None,
        "Run the cells on the workers of a cluster of dask.distributed, named by the address of "
        "its scheduler, such as tcp://host:8786; local:2 starts two workers on this machine. The "
        "results are the same.", ("--cluster",), "ADDRESS",
    ),
)  # fmt: skip
