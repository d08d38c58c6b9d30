"""The public functions and the transformers: data come in, a `Selection` goes out.

Data: `as_dataset`, with `missing_values`. `prepared` bins, codes and counts them (`counted`, or
`gaussian_prepared` for the estimator without bins), `given` divides them into strata, with
`prepared_notes`; `cluster` does so on workers. Selecting: `selecting` has `select`, `searches` and
`plan` make its searches and rankings, `candidates` says which columns may be picked, `panels`
under which constraints, `estimators` which criteria an estimator serves, `column_tests` which tell
more than chance, `certainty` how sure the picks are, of the `same_data`. `options` declares every
option once, of the kinds in `value_kinds`; `moved` says where arguments of earlier versions are.
Answers: `selection`, read back by `selection_json`; `explanation`, `describe`, `similar`, `pairs`;
`text` and `display` show them. Transformers: `selector` and `stability_selector` on
`column_selector`. `mlfs.information`: `pairwise`, with `coded_columns`.
`mlfs.criteria.check_criterion`: `criterion_checks`.

`Selection.plot` needs pictures, which lie above this package and are imported inside it.
"""
