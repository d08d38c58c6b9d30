"""A plugin whose module cannot be imported."""

from __future__ import annotations

raise RuntimeError("this plugin is broken on purpose")
