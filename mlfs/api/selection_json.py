"""A selection read back from the JSON that `mlfs select --format json` wrote."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from mlfs.api.selection import SCHEMA, TERMS, ColumnNames, Ranking, Selection, ToldBy
from mlfs.discretize import Binning
from mlfs.errors import DataError, UsageError, printable
from mlfs.search.certainty import Certainty
from mlfs.search.label_parents import Structure
from mlfs.search.panel import Terms
from mlfs.search.picks import Picks, Significance

MOST_BYTES = 1 << 28
LONG = 10_000  # characters of a note
REMEDY = "give what mlfs select --format json wrote"


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the JSON of a selection from a file, and check that it is one."""
    shown = repr(printable(os.fspath(path), 400))
    try:
        with Path(path).open("rb") as stream:
            content = stream.read(MOST_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise UsageError(f"cannot read the selection {shown}: {reason}") from None
    if len(content) > MOST_BYTES:
        raise DataError(f"{shown} has more than {MOST_BYTES:,} bytes: it is no selection")
    return _parsed(content, shown)


def selection_from(source: Any) -> Selection:
    """Make a selection of its JSON: a path, a text or what `Selection.to_dict` returned."""
    if isinstance(source, Mapping):
        document: Mapping[str, Any] = source
        check_document(document, "the selection")
    elif isinstance(source, str) and source.lstrip().startswith("{"):
        document = _parsed(source.encode(), "the text")
    elif isinstance(source, (str, os.PathLike)):
        document = read_document(source)
    else:
        msg = f"a selection is read from a path, a JSON text or a dict, not {printable(source)}"
        raise DataError(msg)
    try:
        return _selection(document)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        msg = f"a damaged selection: {printable(repr(error))} is not as expected; {REMEDY}"
        raise DataError(msg) from None


def check_document(document: Any, shown: str) -> None:
    """Refuse what is no selection."""
    if not isinstance(document, Mapping) or document.get("schema") != SCHEMA:
        raise DataError(f"{shown} is no selection of schema {SCHEMA}: {REMEDY}")
    subsets = document.get("labels", [])
    if not (_are_picks(document.get("selected")) and isinstance(subsets, list)) or not all(
        _are_picks([subset]) and _are_picks(subset.get("selected")) for subset in subsets
    ):
        raise DataError(f"{shown} is a damaged selection: {REMEDY}")


def _parsed(content: bytes, shown: str) -> dict[str, Any]:
    try:
        document = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise DataError(f"{shown} is not JSON: {printable(error, 200)}") from None
    check_document(document, shown)
    result: dict[str, Any] = document
    return result


def _are_picks(picks: Any) -> bool:
    """Whether these are records with names, as picks are."""
    return isinstance(picks, list) and all(
        isinstance(pick, dict) and isinstance(pick.get("name"), str) for pick in picks
    )


def _selection(document: Mapping[str, Any]) -> Selection:
    labels = {
        str(entry["name"]): _ranking(entry, str(entry["name"]))
        for entry in document.get("labels", ())
    }
    union, network = _ranking(document), document.get("network")
    binnings = tuple(Binning.from_dict(record) for record in document.get("binning", ()))
    rankings = [union, *labels.values()]
    data = {key: int(value) for key, value in document["data"].items()}
    n_columns = data.get("columns", data["features"])
    for ranking in rankings:
        numbers = _columns_of(ranking)
        if numbers.min(initial=0) < -1 or ranking.picks.columns.min(initial=0) < 0:
            raise ValueError(f"column {numbers.min()}")
        if numbers.max(initial=-1) >= n_columns:
            raise ValueError(f"column {numbers.max()} of {n_columns}")
    if min(data["rows"], data["labels"]) < 0:
        raise ValueError(f"a size of {min(data['rows'], data['labels'])}")
    return Selection(
        **union.parts(),
        criterion=printable(document["criterion"], LONG),
        parameters=dict(document["parameters"]),
        scope=printable(document["scope"], LONG),
        units=printable(document["units"], LONG),
        data=data,
        labels=labels,
        network=None if network is None else _structure(network, list(labels), document["data"]),
        binnings=binnings,
        told_by=tuple(ToldBy(**record) for record in document.get("told_by", ())),
        settings=dict(document["settings"]),
        notes=tuple(printable(note, LONG) for note in document.get("notes", ())),
        pair_terms={key: int(value) for key, value in document.get("pair_terms", {}).items()},
        column_names=_column_names(document["data"], binnings, rankings),
    )


def _ranking(entry: Mapping[str, Any], label: str = "") -> Ranking:
    records = entry["selected"]
    terms = {term: _floats(record["terms"][term] for record in records) for term in TERMS}
    ties = [np.array(record["ties"], np.int64) for record in records]
    ends = np.cumsum([0, *(tied.size for tied in ties)])
    second = (record["runner_up"] for record in records)
    picks = Picks(
        columns=np.array([int(record["index"]) for record in records], np.int64),
        scores=_floats(record["score"] for record in records),
        **terms,
        margins=_floats((record["margin"] for record in records), math.nan),
        runners_up=np.array([-1 if j is None else int(j) for j in second], np.int64),
        forced=np.array([bool(record.get("forced")) for record in records], bool),
        ties_from=ends[:-1],
        ties_to=ends[1:],
        tied=np.concatenate([np.zeros(0, np.int64), *ties]),
    )
    groups = tuple(str(record.get("group", "")) for record in records)
    times = np.array([int(record.get("labels", 0)) for record in records], np.int64)
    significance = entry.get("significance")
    certainty = tuple(map(Certainty.from_dict, records))
    return Ranking(
        picks,
        np.array([int(record["rank"]) for record in records], np.int64),
        tuple(record["name"] for record in records),
        groups if any(groups) else (),
        times if times.any() else None,
        label=label,
        interrupted=bool(entry.get("interrupted")),
        timed_out=bool(entry.get("timed_out")),
        significance=None if significance is None else _significance(significance),
        certainty=certainty if any(certainty) else (),
        terms_of_panel=tuple(_terms(record["panel"]) for record in records if "panel" in record),
    )


def _terms(record: Mapping[str, Any]) -> Terms:
    tells, bound = (tuple(map(str, record[name])) for name in ("tells", "bound"))
    return Terms(record["cost"], tells, bound, record["instead_of"], record["price"])


def _floats(values: Any, otherwise: float = -math.inf) -> np.ndarray:
    """Numbers, of which those that were not finite are null."""
    return np.array([otherwise if value is None else float(value) for value in values], np.float64)


def _significance(record: Mapping[str, Any]) -> Significance:
    return Significance(
        columns=np.array(record["index"], np.int64),
        relevance=_floats(record["relevance"]),
        p_values=_floats(record["p_value"]),
        adjusted=_floats(record["adjusted"]),
        informative=np.array(record["informative"], bool),
        p_beside=_floats(record["p_beside"], np.nan),
        instead=np.array(record["instead"], np.int64),
        low=_floats(record["low"], np.nan),
        high=_floats(record["high"], np.nan),
    )


def _structure(
    record: Mapping[str, Any], labels: Sequence[str], data: Mapping[str, Any]
) -> Structure:
    """The label network; its labels have numbers for names where the ranking is for all."""
    names = labels or [str(j) for j in range(len(record["parents"]))]
    if len(names) != data["labels"]:
        raise ValueError(f"a network of {len(names)} labels")
    return Structure(
        str(record["kind"]),
        tuple(names),
        tuple(map(int, record["order"])),
        tuple(tuple(map(int, parents)) for parents in record["parents"]),
        note=str(record["note"]),
    )


def _columns_of(ranking: Ranking) -> np.ndarray:
    """The columns that a ranking is about, and -1."""
    picks, significance = ranking.picks, ranking.significance
    about = [picks.columns, picks.tied, picks.runners_up]
    return np.concatenate(about if significance is None else [*about, significance.columns])


def _column_names(
    data: Mapping[str, Any], binnings: Sequence[Binning], rankings: Sequence[Ranking]
) -> ColumnNames:
    """The names of the columns, as far as the JSON has them."""
    if "columns" not in data and len(binnings) == data["features"]:
        return [binning.name for binning in binnings]
    numbers = [_columns_of(ranking) for ranking in rankings]
    numbers += [ranking.significance.instead for ranking in rankings if ranking.significance]
    names = {j: f"column {j}" for j in np.unique(np.concatenate(numbers)).tolist()}
    for ranking in rankings:
        names |= dict(zip(ranking.indices, ranking.names, strict=True))
    return names
