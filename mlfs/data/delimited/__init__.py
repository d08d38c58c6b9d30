"""CSV and TSV files.

In: the bytes of a file. Out: a `Dataset`; and the other way round in `csv_writer`.
`csv_reader` says what is read and reads any file with care; `fast_cells` lets a kernel read a file
whose rows hold no quotes; `records` cuts lines into cells, with quotes. `csv_pieces` reads large
files in pieces, over `csv_rows`, and `numbered_words` codes their columns of words.
"""
