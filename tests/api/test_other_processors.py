"""What a processor can do changes no bit of a selection: wide vectors, fused multiplication."""

from __future__ import annotations

import os
import subprocess
import sys

from mlfs.criteria import available
from tests.documents import ROOT
from tests.processors import fewer_instructions

CHILD = """
import hashlib
import warnings
import numpy as np
import mlfs
from mlfs.binnings import BINNINGS
from mlfs.counting.xlogx import xlogx_table
from mlfs.criteria import available

warnings.simplefilter("ignore")
draw = np.random.default_rng(0)
X = np.round(draw.normal(size=(900, 14)), 1)
Y = (X[:, :4] + draw.normal(size=(900, 4)) > 0.5).astype(int)
options = [{"bins": bins} for bins in BINNINGS]
options += [{"correction": "expected"}, {"estimator": "gaussian"}]
for some in options:
    for name in available() if some is options[0] else ["mrmr", "jmi"]:
        found = mlfs.select((X, Y), criterion=name, n=6, **some)
        print(some, name, [(pick.index, pick.score.hex(), pick.margin) for pick in found.picks])
table = xlogx_table(1_000_000, 1.0).table  # a few selections look up too little of it
print(hashlib.sha256(table.tobytes()).hexdigest())
"""


def selections(**environment: str) -> list[str]:
    child = [sys.executable, "-c", CHILD]
    env = {**os.environ, **environment}
    done = subprocess.run(child, cwd=ROOT, env=env, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_a_processor_of_fewer_instructions_gives_the_same_bits() -> None:
    here = selections()
    assert len(here) == len(available()) + 13
    assert selections(**fewer_instructions()) == here
