"""Search: a criterion and an `Info` come in, picks with their reasons go out.

`greedy` is forward selection: it picks by the candidate scores of `scores`, of which the lazy ones
leave out terms that cannot change the picks. `checked` calls the criterion, and `panel` narrows
the candidates. It also searches best first for a set, and `blankets` by tests; `stopping` finds
the number of features by the models of `additive`, with the p-values of `share_tests` about
`label_columns`, `pair_tests` the columns that tell more together; `picks` is what a search returns.
`resampling` says how sure each pick is, in a `certainty`, `path_tests` gives it a p-value. Label
networks: `networks` makes a `Structure` (`label_parents`), which `structure_forms` shows.
"""
