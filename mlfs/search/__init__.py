"""Search: a criterion and an `Info` come in, picks go out.

`greedy` is the forward selection, `lazy` its evaluation of what matters only, `best_first` the
search for a set, `stopping` the automatic number of features, and `networks` the label networks.
"""
