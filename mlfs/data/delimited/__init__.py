"""CSV and TSV files.

In: a file. Out: a `Dataset`; and the other way round in `csv_writer`.
`csv_reader` reads rows, `records` cuts lines with quotes into cells and says what cells mean.
"""
