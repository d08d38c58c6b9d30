"""Store a fitted model in one file and load it again; nothing that the file says is executed.

`archive`            bytes: magic, version, sizes, a JSON header, raw arrays, a digest over all
`allowed`            the form of values, and the classes that a file may name
`writer`, `reader`   there, and back, one object at a time
`invariants`         for each class of scikit-learn and each model a table of its attributes
`native`             what scikit-learn keeps in compiled code: trees, neighbours, kernel machines
`parts`              what the parts of mlfs have to do with each other; `baseline_parts` those of
                     `mlfs.models.baselines`
"""
