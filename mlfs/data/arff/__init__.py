"""ARFF files (Weka, Mulan, MEKA), dense and sparse.

In: a file. Out: a `Dataset`; and the other way round in `arff_writer`.
`arff_reader` puts the reading together: `header` reads the declarations and has the tokens, quotes,
escapes and dates, `fast_rows` lets a kernel read plain rows, and `careful_rows` reads any row and
says what is wrong with it.
"""
