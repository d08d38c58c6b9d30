"""A block of rows whose rows are elsewhere, in any number of parts."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np

from mlfs.counting.codes import Codes
from mlfs.counting.entries import take_ragged
from mlfs.counting.remote.holder import AnchorName, GroupName
from mlfs.counting.remote.remote_columns import RemoteAnchor, RemoteCodes, RemoteLabels, ViewState
from mlfs.counting.remote.remote_group import RemoteGroup
from mlfs.counting.remote.remote_subset import RemoteSubset
from mlfs.counting.remote.session import Sent, Session
from mlfs.counting.row_subsets import RowSubset
from mlfs.errors import UsageError

if TYPE_CHECKING:
    from mlfs.counting.counts import Counts
    from mlfs.counting.memory import Budget

__all__ = ["RemoteBlock", "remote_block"]


class RemoteBlock:
    """What `Counts` needs of the rows, counted by holders that have some of them each.

    It has the attributes and methods of `mlfs.counting.blocks.Block`.

    Parameters
    ----------
    state : ViewState
        The view that it is.
    features : RemoteCodes or Codes
        What is known here of the columns that are counted; `Codes` where these are labels.
    n : ndarray
        How often each of their codes occurs, with the weights of the rows.
    label_codes : Codes
        The labels of all rows, which are here.
    weights : ndarray of int, or None
        The weights of all rows; None where each counts once.
    total : int
        The sum of the weights.
    n_labels : ndarray
        How often each code of the labels occurs.
    """

    kept: np.ndarray | None = None

    def __init__(
        self,
        state: ViewState,
        features: Any,
        n: np.ndarray,
        label_codes: Codes,
        weights: np.ndarray | None,
        total: int,
        n_labels: np.ndarray,
    ) -> None:
        self.state, self.features, self.n, self.label_codes = state, features, n, label_codes
        self.n_rows, self.total = features.n_rows, total
        self.counts_rows = weights is None
        self._weights, self._n_labels = weights, n_labels
        self.non_mode = features.non_mode
        self.labels = RemoteLabels(state, label_codes.levels, label_codes.mode, n_labels)

    @property
    def session(self) -> Session:
        """The holders."""
        return self.state.session

    @property
    def weights(self) -> np.ndarray:
        """The weight of each row."""
        return np.ones(self.n_rows, np.int64) if self._weights is None else self._weights

    def group(self, first: int, last: int, kind: int) -> RemoteGroup:
        """The columns from `first` to `last`, which the holders have in the layout of a kind."""
        codes, offsets = self.features, self.features.offsets
        name = GroupName(self.state.view, first, last, int(kind))
        n = self.n[offsets[first] : offsets[last]]
        levels, modes = codes.levels[first:last], codes.mode[first:last]
        return RemoteGroup(self.state, name, levels, modes, n, self.total)

    def anchor(self, j: int, valid: int) -> RemoteAnchor:
        """A feature, to be counted with all features."""
        codes, offsets, state = self.features, self.features.offsets, self.state
        name = AnchorName(state.view, "feature", int(j), int(valid))
        n = self.n[offsets[j] : offsets[j + 1]]
        mode, levels = int(codes.mode[j]), int(codes.levels[j])
        return RemoteAnchor(name, mode, levels, int(valid), n, state.needs)

    def other_anchor(self, codes: np.ndarray, mode: int, levels: int, valid: int) -> RemoteAnchor:
        """Any coded column, whose codes are sent."""
        small = codes.astype(np.min_scalar_type(levels))
        sent = Sent(lambda first, last: small[first:last])
        name = AnchorName(self.state.view, "sent", sent.token, valid, mode, levels)
        n = np.bincount(codes, minlength=levels).astype(np.int64)
        if self._weights is not None:
            n = np.zeros(levels, np.int64)
            np.add.at(n, codes, self._weights)  # np.bincount would round above 2**53
        return RemoteAnchor(name, mode, levels, valid, n, (*self.state.needs, sent))

    def take(self, columns: np.ndarray) -> RemoteBlock:
        """Some of the features, and all labels."""
        state = self.state.with_step("take", np.asarray(columns, np.int64).tobytes())
        codes = self.features
        n = take_ragged(self.n, codes.offsets, codes.levels, columns)
        return RemoteBlock(
            state,
            codes.take(columns),
            n,
            self.label_codes,
            self._weights,
            self.total,
            self._n_labels,
        )

    def with_labels(self, codes: Codes) -> RemoteBlock:
        """The same features with other labels, which are sent."""
        sent = Sent(codes.between_rows)
        state = self.state.with_step("relabel", sent.token, needs=(sent,))
        n = codes.counts if self._weights is None else codes.weighted_counts(self._weights)
        other = copy.copy(self)
        other.label_codes, other._n_labels = codes, n  # noqa: SLF001  # same class
        other.labels = RemoteLabels(state, codes.levels, codes.mode, n)
        return other

    def among_labels(self) -> RemoteBlock:
        """The labels in the place of the features."""
        labels, n = self.label_codes, self._n_labels
        state = self.state.with_step("labels")
        return RemoteBlock(state, labels, n, labels, self._weights, self.total, n)

    def among_rows(self, subset: RowSubset) -> RemoteBlock:
        """Refuse, with what to do."""
        del subset
        msg = "some of the rows cannot be counted on a cluster: leave cluster out"
        raise UsageError(msg)

    def release(self) -> None:
        """Let the holders go."""
        self.session.close()

    def subset_planes(self, counts: Counts, t_f: np.ndarray, budget: Budget) -> RemoteSubset:
        """Count a few candidates without the others."""
        return RemoteSubset(self, counts, t_f, budget)


def remote_block(
    session: Session,
    described: Codes | RemoteCodes,
    n: np.ndarray,
    label_codes: Codes,
    weights: np.ndarray | None,
) -> RemoteBlock:
    """The rows that the holders of a session have.

    Parameters
    ----------
    session : Session
        The holders.
    described : Codes or RemoteCodes
        The levels, modes and counts of the columns of all rows; their codes are not kept.
    n : ndarray
        How often each code occurs, with the weights of the rows.
    label_codes : Codes
        The labels of all rows.
    weights : ndarray of int or None
        The weights of all rows.
    """
    state = ViewState(session)

    def column(j: int) -> np.ndarray:
        return np.concatenate([part.astype(np.int32) for part in session.ask("column", (), j)])

    features = RemoteCodes(
        described.n_rows,
        described.mode,
        described.levels,
        described.missing,
        described.counts,
        column,
    )
    if weights is not None and (weights == 1).all():
        weights = None
    total = described.n_rows if weights is None else int(weights.sum())
    n_labels = label_codes.counts if weights is None else label_codes.weighted_counts(weights)
    return RemoteBlock(state, features, n, label_codes, weights, total, n_labels)
