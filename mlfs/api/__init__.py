"""The public functions and the transformers: data come in, a `Selection` goes out.

Data: `as_dataset`, with `labels_as` and `missing_values`. `prepared` bins, codes and counts them
(`counted`, or `gaussian_prepared` for the estimator without bins), `given` divides them into
strata, with `prepared_notes`; `cluster` does so on workers.
Selecting: `selecting` has `select`, `searches` and `plan` make its searches and rankings,
`candidates` says which columns may be picked, `panels` under which constraints, `estimators` which
criteria an estimator serves, `resampled` says how
sure the picks are. `options` declares every option once, of the kinds in `value_kinds`;
`unused_options` refuses those without effect.
Answers: `selection`, read back by `selection_json`; `explanation`, `describe`, `similar`; `text`
and `display` show them.
Transformers: `selector` and `stability_selector` on `column_selector`.
`mlfs.information`: `pairwise`, with `function_arguments` and `coded_columns`.
`mlfs.criteria.check_criterion`: `criterion_checks`.

A number of features by cross-validation needs models and metrics, and `Selection.plot` needs
pictures; both lie above this package and are imported inside the functions that use them.
"""
