"""How a fitted model becomes one file and comes back: nothing that the file says is executed.

`archive`            bytes: magic, version, sizes, a JSON header, raw arrays, a digest over all
`allowed`            the classes that a file may name, ours and scikit-learn's
`graph`              what of an object goes into JSON, and what into arrays
`writer`, `reader`   there, and back, one object at a time
`native`             what scikit-learn keeps in compiled code: trees, neighbours, kernel machines
"""
