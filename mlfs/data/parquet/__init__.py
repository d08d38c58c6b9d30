"""Parquet files, by the optional package pyarrow.

`parquet_reader` reads rows by what `parquet_schema` says of their columns, and writes them.
"""
