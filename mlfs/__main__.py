"""``python -m mlfs`` is the command ``mlfs``."""

from __future__ import annotations

import sys

from mlfs.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
