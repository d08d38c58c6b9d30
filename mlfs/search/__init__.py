"""Search: a criterion and an `Info` come in, picks with their reasons go out.

`greedy` is forward selection: it takes the candidate scores of `scores`, or of `lazy`, which
leaves out terms that cannot change the picks, and calls the criterion through `checked`.
`best_first` searches for a set, `stopping` finds the number of features, and `picks` is what a
search returns. `networks` and `requested_network` make label networks.
"""
