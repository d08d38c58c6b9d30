"""An audit of a table before the first selection: leaks, identifiers, twins, useless columns.

`findings` declares the checks and shows what they found; `columns` looks at columns, `rows` at
labels and rows, `drift` at other data of the same kind; `auditor` runs them.
"""

from __future__ import annotations
