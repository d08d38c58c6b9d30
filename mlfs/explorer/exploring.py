"""`mlfs.explore`: embed what the criteria of a page need, and write the page."""

from __future__ import annotations

import base64
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from mlfs import criteria
from mlfs.api.certainty import certainty
from mlfs.api.options import PREPARING, check_options
from mlfs.api.prepared import prepared_plainly
from mlfs.api.selecting import select_silently
from mlfs.api.value_kinds import Bins, Missing, Whole
from mlfs.data.files import split_suffix
from mlfs.data.html import page as html_page
from mlfs.errors import Caution, MlfsError, UsageError, printable, tell
from mlfs.explorer.folds import FOLDS, Arrays, is_faithful

SHOWN = 20  # picks at first


@dataclass(frozen=True, repr=False)
class Explorer:
    """A page on which one can try selections.

    Parameters
    ----------
    document : dict
        What the page embeds.
    """

    document: dict[str, Any]

    def __repr__(self) -> str:
        return f"<Explorer of {len(self.document['names'])} candidates: save it as a page>"

    def to_html(self) -> str:
        """Give the page: one file that fetches nothing."""
        package = files("mlfs.explorer")
        style = files("mlfs.compare.report").joinpath("page.css").read_text(encoding="utf-8")
        style += package.joinpath("explorer.css").read_text(encoding="utf-8")
        script = package.joinpath("page.js").read_text(encoding="utf-8")
        data = json.dumps(self.document, ensure_ascii=True, allow_nan=False, separators=(",", ":"))
        data = data.replace("<", "\\u003c").replace("&", "\\u0026")
        body = f'<main></main><script type="application/json" id="data">{data}</script>'
        return html_page("mlfs explorer", style, script, body)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the page to a file.

        Parameters
        ----------
        path : path
            The file; one that is there is replaced.
        """
        Path(path).write_text(self.to_html(), encoding="utf-8")


def explore(
    data: Any,
    criterion: str = "scls",
    n: int = SHOWN,
    *,
    most: int = 200,
    labels: Any = None,
    feature_names: Iterable[str] | None = None,
    label_names: Iterable[str] | None = None,
    bins: Bins = "mean-sd",
    n_bins: int | None = None,
    nominal_limit: int = 10,
    missing: Missing = "level",
    sample_weight: Any = None,
    resamples: int | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    max_memory: int | str | None = None,
) -> Explorer:
    """Make a page on which columns can be forbidden and forced, and criteria compared.

    The page is one file that needs no network. It embeds the information of its candidates and of
    all pairs of them, and selects from them as `mlfs.select` does, without correction.

    Parameters
    ----------
    data : Dataset, path, (X, Y), or Prepared
        As for `mlfs.select`.
    criterion : str
        With which the page opens: one of those in `mlfs.explorer.folds`.
    n : int
        How many picks it shows at first.
    most : int
        The candidates of the page: so many of greatest relevance, and the first picks.
    labels, feature_names, label_names, bins, n_bins, nominal_limit, missing, sample_weight
        As for `mlfs.select`.
    resamples, seed
        As for `mlfs.certainty`: the page then shows how sure the first picks are, and what could
        stand in their places.
    n_jobs, max_memory
        As for `mlfs.select`.

    Returns
    -------
    Explorer
        With `save` and `to_html`.

    Examples
    --------
    >>> import mlfs
    >>> mlfs.explore("songs", "jmi")
    <Explorer of 24 candidates: save it as a page>
    """
    options = check_options(locals())
    most = Whole(least=2).read("most", most)
    n = Whole().read("n", n)
    name = criterion if criterion in FOLDS else criteria.get(criterion)[0]
    if name not in FOLDS:
        msg = f"is {printable(name)!r}, which a page cannot compute: take one of {', '.join(FOLDS)}"
        raise UsageError(msg, option="criterion")
    preparing = {name: options[name] for name in PREPARING if name in options}
    prepared = prepared_plainly(data, preparing)
    if not prepared.grouping.trivial or prepared.options["estimator"] != "counts":
        raise UsageError("a page has counted columns: prepare the data without groups, from counts")
    info, dataset = prepared.info, prepared.dataset
    n = min(n, info.d - len(prepared.identifiers))
    picks = select_silently(prepared, name, n, seed=seed)
    if resamples is not None:
        picks = certainty(picks, prepared, resamples=resamples, seed=seed)
    cautions = (note for note in picks.notes if isinstance(note, Caution))
    tell(dict.fromkeys((*prepared.notes, *cautions)), stacklevel=2)
    given = np.arange(info.d) if dataset.places is None else dataset.given
    instead = [entry.index for c in picks.certainty if c for entry in c.substitutes]
    picked = np.flatnonzero(np.isin(given, [*picks.indices, *instead]))
    relevant = np.argsort(-np.round(info.mi_fL / 1e-12), kind="stable")
    relevant = relevant[~np.isin(relevant, prepared.identifiers)][:most]
    columns = np.union1d(relevant, picked)
    view = info.only(columns)
    arrays = Arrays.of(view)
    document = {
        "data": Path(split_suffix(dataset.source.path)[0]).name,
        "names": [dataset.names[j] for j in columns.tolist()],
        "index": given[columns].tolist(),
        "labels": list(dataset.label_names),
        "rows": dataset.shape[0],
        "features": info.d,
        "criterion": name,
        "n": n,
        "folds": {
            key: asdict(fold) for key, fold in FOLDS.items() if _is_offered(key, arrays, view)
        },
        "relevance": _packed(arrays.relevance),
        "entropy": _packed(arrays.entropy),
        "mi": _packed(arrays.mi[np.triu_indices(columns.size)]),
        "given": _packed(arrays.given),
        "by_label": _packed(np.asarray(view.mi_fl), "<f4"),
    }
    if resamples is not None:
        document["sure"] = [
            {
                "index": int(pick),
                "kept": certainty.kept,
                "substitutes": [[e.index, e.share, e.shared] for e in certainty.substitutes],
            }
            for pick, certainty in zip(picks.indices, picks.certainty, strict=True)
            if certainty is not None
        ]
    if name not in document["folds"]:
        msg = f"is {name!r}, whose terms on these data are not made of pairs: take another one"
        raise UsageError(msg, option="criterion")
    return Explorer(document)


def _is_offered(name: str, arrays: Arrays, view: Any) -> bool:
    try:
        return is_faithful(FOLDS[name], arrays, criteria.get(name)[1], view)
    except MlfsError:  # the criterion asks for more labels, say
        return False


def _packed(values: np.ndarray, kind: str = "<f8") -> str:
    return base64.b64encode(np.ascontiguousarray(values, kind).tobytes()).decode()
