"""The explorers of a report: a page for each data set on which its selections can be tried out."""

from __future__ import annotations

import warnings
from dataclasses import replace

from mlfs.api.as_dataset import AsGiven
from mlfs.compare.data_sources import drop_columns, excluded_columns
from mlfs.compare.report.charts import file_names
from mlfs.compare.results import Results
from mlfs.errors import MlfsError, MlfsWarning
from mlfs.explorer.exploring import Explorer, explore
from mlfs.explorer.folds import FOLDS

KEPT = ("bins", "n_bins", "nominal_limit", "missing")  # what a page takes of the options
OTHERWISE = "scls"  # where no criterion of the comparison can be computed in a page


def explorers(results: Results) -> dict[str, tuple[str, str]]:
    """The name of the file and the page of each data set; none of one that has no page.

    The pages are of all rows of the data sets, and open with the first criterion that they have.
    """
    settings = results.settings
    named = [str(ranker) for ranker in settings.rankers]
    criterion = next((name for name in named if name in FOLDS), OTHERWISE)
    options = {name: settings.options[name] for name in KEPT if name in settings.options}
    names = file_names(["explorer", source.name] for source in settings.sources)
    pages = {}
    for source, name in zip(settings.sources, names, strict=True):
        try:
            data, _ = source.read()
            data = drop_columns(data, excluded_columns(data, source.exclude, source.name))
            data = data.with_changes(source=replace(data.source, path=source.name))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", MlfsWarning)  # the comparison has told
                page: Explorer = explore(AsGiven(data), criterion, **options)
        except MlfsError:  # the file is gone, say, or labels are missing
            continue
        pages[source.name] = f"{name}.html", page.to_html()
    return pages
