"""Where the page of an estimator is, to which scikit-learn's HTML links."""

from __future__ import annotations

import functools
import os
from importlib import metadata

__all__ = ["ADDRESS", "page_of"]

ADDRESS = "MLFS_DOCS_URL"  # the variable that names where the site is
PAGES = {"api": ("mlfs", "mlfs"), "models": ("models", "mlfs.models")}


def page_of(kind: type) -> str:
    """The address of the section of a class; empty if no address of the site is known.

    That is what ``MLFS_DOCS_URL`` says, or the address of the documentation in the metadata of the
    installed distribution.
    """
    base = os.environ.get(ADDRESS) or _published_address()
    package, _, module = kind.__module__.partition(".")
    page, prefix = PAGES.get(module.partition(".")[0], ("", ""))
    if not base or package != "mlfs" or not page:
        return ""
    return f"{base.rstrip('/')}/reference/{page}.html#{prefix}.{kind.__name__}"


@functools.cache
def _published_address() -> str:
    try:
        urls = metadata.metadata("mlfs-toolkit").get_all("Project-URL") or []
    except metadata.PackageNotFoundError:
        return ""
    address_of = dict(line.partition(", ")[::2] for line in urls)
    return address_of.get("Documentation", "")
