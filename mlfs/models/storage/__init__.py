"""Store a fitted model in one file and load it again; nothing that the file says is executed.

`archive`            bytes: magic, version, sizes, a JSON header, raw arrays, a digest over all
`storable`           which classes a file may name, and what it keeps of each
`reader`             back, one object at a time; decision trees are checked. `Writer` in
                     `mlfs.models.model_files` does the other way
"""
