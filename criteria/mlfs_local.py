"""MLFS, local (Sun & Kudo, 2018): for each label l with its own S
J(f) = I(f;l) + beta sum_{p in pa(l)} I(l;p|f) + gamma sum_{s in S} I(s;l|f)

By default beta = 1/|pa(l)| and gamma = 1/|S|.

Sun, L. & Kudo, M. (2018). Optimization of classifier chains via conditional likelihood
maximization, eq. (43).
"""

from __future__ import annotations

from mlfs.criteria.mlfs_global import MLFSGlobal


class MLFSLocal(MLFSGlobal):
    scope = "each label"


criterion = MLFSLocal
