"""Information: whole numbers come in, entropies and mutual information go out.

`info.Info` is the vocabulary in which criteria ask; each quantity is computed once and cached.
"""
