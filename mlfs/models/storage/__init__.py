"""Store a fitted model in one file and load it again; nothing that the file says is executed.

`archive`            bytes: magic, version, sizes, a JSON header, raw arrays, a digest over all
`storable`           which classes a file may name, and what it keeps of each
`writer`, `reader`   there, and back, one object at a time; decision trees are checked
"""
