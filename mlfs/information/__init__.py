"""Information: whole numbers come in, entropies and mutual information go out.

`info.Info` is the interface that criteria know, `exact.ExactInfo` its implementation from counts.
`table` computes each quantity once and keeps it, from `label_pairs` and `triples`; `subset` does
so for a few candidates. `label_block` is what a function of `Info.sum_over_labels` gets, and
`for_search` is what a search asks beside the vocabulary.
"""
