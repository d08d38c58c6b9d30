"""Terms of a few candidates where the rows are elsewhere; one question for all anchors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mlfs._kernels.plane_subsets import Results
from mlfs.counting.column_groups import ColumnGroup, Kind, Triples
from mlfs.counting.entries import edges_of, take_ragged
from mlfs.counting.remote.subset_sweeps import wanted_cells
from mlfs.counting.remote.wire import PackedCounts
from mlfs.counting.subset_planes import SubsetPlanes
from mlfs.counting.xlogx import terms_of_rows

if TYPE_CHECKING:
    from mlfs.counting.counts import Counts
    from mlfs.counting.memory import Budget
    from mlfs.counting.remote.remote_block import RemoteBlock

__all__ = ["RemoteSubset"]

MOST_KNOWN = 256  # candidates whose co-occurrences are kept
ASKING = 2e6  # nanoseconds that a question about a few takes more than one about all
FEW_ANCHORS = 2  # that a candidate may lack to be counted along


class _Candidates(ColumnGroup):
    """Some candidates, whose co-occurrences with an anchor and labels are known already."""

    joint: np.ndarray

    def triples(self, anchor: Any, labels: Any, indices: np.ndarray, out: np.ndarray) -> None:  # noqa: ARG002
        """Hand over what is known."""
        out += self.joint


class _CountedAnchor(NamedTuple):
    """An anchor and the candidates that it is counted with; what `Triples` needs of them."""

    place: int  # of the anchor among those asked for
    s: int
    anchor: Any
    group: _Candidates
    live: np.ndarray  # which candidates
    cells: np.ndarray  # which cells of all candidates
    pairs: np.ndarray
    n_sl: np.ndarray

    def co(self, group: int) -> np.ndarray:  # noqa: ARG002  # there is one
        """The co-occurrences with the candidates."""
        return self.pairs

    def sums(self, xlogx: Any) -> np.ndarray:
        """The sums of c log c over n(f,s)."""
        t_fs = np.zeros(self.group.size, np.int64)
        self.group.add_pair_sums(self.anchor, self.pairs, xlogx, t_fs)
        return t_fs


class RemoteSubset(SubsetPlanes):
    """Counts a few candidates with anchors, by the planes that the holders have.

    Parameters
    ----------
    block : RemoteBlock
        The rows.
    counts : Counts
        Its counts.
    t_f : ndarray
        The sums of c log c of its features.
    budget : Budget
        The memory that may be taken.
    """

    def __init__(self, block: RemoteBlock, counts: Counts, t_f: np.ndarray, budget: Budget) -> None:
        super().__init__(counts, t_f, budget)
        self._block, self._t_f = block, t_f
        self._ahead: dict[int, dict[int, np.ndarray]] = {}  # by candidate and anchor
        widths = [b - a for a, b in counts.edges]
        planes = [kind in {Kind.BINARY_PLANES, Kind.PLANES} for kind in counts.kinds]
        self._has_planes, self._all_planes = np.repeat(planes, widths), all(planes)
        two = bool(counts.labels.all_two_levels)
        self.fits = self.fits and two and not block.state.view and counts.per_cell == 0

    def cost(self, labels: np.ndarray, *, triples: bool) -> float:
        """Estimate what a term for all candidates takes more than to ask about a few of them."""
        sweep = super().cost(labels, triples=triples)
        return max(0.0, sweep / self._block.session.n_blocks - ASKING)

    def pairs(
        self, candidates: np.ndarray, anchors: Sequence[int], start: np.ndarray
    ) -> np.ndarray:
        """I(f;s) of each anchor and each candidate; 0 before the candidate's first anchor."""
        out = np.zeros((len(anchors), candidates.size))
        if candidates.size:
            question = _Question.of(self, candidates, anchors, start)
            co = self._pairs_of(question)
            for counted in self._counted_anchors(question, co):
                t_fs, t_f = counted.sums(self._counts.xlogx), self._t_f[candidates[counted.live]]
                total = self._t_n + t_fs - t_f - self._t_f[counted.s]
                out[counted.place, counted.live] = np.maximum(0.0, total / self._scale)
        return out

    def triples(
        self,
        candidates: np.ndarray,
        anchors: Sequence[int],
        start: np.ndarray,
        labels: np.ndarray,
        *,
        with_sums: bool = False,
    ) -> Results:
        """The sums over labels of I(s;l|f) and I(f;l|s), of each anchor and each candidate."""
        q, counts = labels.size, self._counts
        shape = (len(anchors), q, candidates.size) if with_sums else (0, 0, 0)
        sums, out = np.zeros((4, *shape), np.int64), np.zeros((2, len(anchors), candidates.size))
        if not (candidates.size and q):
            return Results(out[0], out[1], sums)
        question = _Question.of(self, candidates, anchors, start)
        pairs, f_l, s_l, joint = self._ask(question, labels)
        co, joint = question.spread(pairs), question.spread(joint, q)
        f_l, s_l = f_l.reshape(q, -1).astype(question.small), s_l.reshape(q, -1)
        all_candidates = self._candidate_group(candidates)
        t_fl, xlogx = np.zeros((q, candidates.size), np.int64), counts.xlogx
        n_l = counts.labels.n_cells[labels]
        for k in range(q):
            all_candidates.add_label_sums(n_l[k : k + 1], f_l[k : k + 1], xlogx, t_fl[k])
        for counted in self._counted_anchors(question, co):
            s_cells = slice(question.begins[counted.place], question.begins[counted.place + 1])
            group, live = counted.group, counted.live
            n_sl = np.zeros((len(counts.labels), counted.anchor.cells), np.int64)
            n_sl[labels] = s_l[:, s_cells]
            cells = counted.cells
            group.joint = np.ascontiguousarray(joint[:, s_cells][:, :, cells])
            t_fsl = np.zeros((q, group.size), np.int64)
            triples = Triples(counted._replace(n_sl=n_sl), 0, counts.labels, labels)
            group.add_triple_sums(triples, np.ascontiguousarray(f_l[:, cells]), xlogx, t_fsl)
            t_fs, t_sl = counted.sums(xlogx), self._label_sums(counted.anchor, s_l[:, s_cells], n_l)
            t_f, t_s, all_fl = self._t_f[candidates[live]], self._t_f[counted.s], t_fl[:, live]
            given_f = t_fsl.sum(axis=0) + q * (t_f - t_fs) - all_fl.sum(axis=0)
            given_s = t_fsl.sum(axis=0) + q * (t_s - t_fs) - t_sl.sum()
            out[0, counted.place, live] = np.maximum(0.0, given_f / self._scale)
            out[1, counted.place, live] = np.maximum(0.0, given_s / self._scale)
            if with_sums:
                for kind, part in enumerate((t_fsl, t_fs, all_fl, t_sl[:, None])):
                    sums[kind, counted.place][:, live] = part
        return Results(out[0], out[1], sums)

    def _label_sums(self, anchor: Any, n_sl: np.ndarray, n_l: np.ndarray) -> np.ndarray:
        """The sum of c log c over n(s,l) of each label."""
        counts, out = self._counts, np.zeros((n_l.size, 1), np.int64)
        levels, modes = np.array([anchor.levels]), np.array([anchor.mode])
        group = ColumnGroup(levels, modes, anchor.n, counts.total)
        for k in range(n_l.size):
            co = n_sl[k : k + 1].astype(group.small)
            group.add_label_sums(n_l[k : k + 1], co, counts.xlogx, out[k])
        return out[:, 0]

    def _candidate_group(self, candidates: np.ndarray) -> _Candidates:
        counts = self._counts
        n = take_ragged(counts.n_f, counts.offsets, counts.levels, candidates)
        return _Candidates(counts.levels[candidates], counts.modes[candidates], n, counts.total)

    def _counted_anchors(self, question: _Question, co: np.ndarray) -> Iterator[_CountedAnchor]:
        """What is known of each anchor and the candidates that it is counted with."""
        counts, groups = self._counts, dict[bytes, _Candidates]()
        levels = counts.levels[question.candidates]
        for place, s in enumerate(question.anchors.tolist()):
            live = question.start <= place  # counts of the others would be impossible ones
            if not live.any():
                continue
            key = live.tobytes()
            if key not in groups:
                groups[key] = self._candidate_group(question.candidates[live])
            cells = np.repeat(live, levels - 1)
            pairs = co[question.begins[place] : question.begins[place + 1]][:, cells]
            anchor = self._block.anchor(s, int(counts.levels[s]))
            pairs = np.ascontiguousarray(pairs)
            yield _CountedAnchor(
                place, s, anchor, groups[key], live, cells, pairs, np.zeros((0, 0))
            )

    def _pairs_of(self, question: _Question) -> np.ndarray:
        """The co-occurrences that are asked for: those known from before, or counted now.

        Candidates that were asked for a moment ago will be again, with the same anchors: what they
        lack is counted along, which saves a question.
        """
        if question.candidates.size > MOST_KNOWN:
            return question.spread(self._ask(question, None)[0])
        ahead, levels = self._ahead, self._counts.levels
        late = [np.arange(begin, question.anchors.size) for begin in question.start.tolist()]
        unknown = {
            j: [s for s in question.anchors[place].tolist() if s not in ahead.get(j, ())]
            for j, place in zip(question.candidates.tolist(), late, strict=True)
        }
        any_unknown = any(unknown.values())
        for j in question.candidates.tolist():
            ahead[j] = ahead.pop(j, {})  # the last that are asked for stay the longest
        if any_unknown:
            new = question.anchors[int(question.start.min()) :].tolist()
            for j, kept in list(ahead.items())[: -question.candidates.size]:
                if kept and len(missing := [s for s in new if s not in kept]) <= FEW_ANCHORS:
                    unknown[j] = missing
            self._fetch_pairs({j: new for j, new in unknown.items() if new}, question.anchors)
        co = np.zeros(question.mask.shape, question.small)
        first = edges_of(levels[question.candidates] - 1)
        for i, j in enumerate(question.candidates.tolist()):
            for place in late[i].tolist():
                rows = slice(question.begins[place], question.begins[place + 1])
                co[rows, first[i] : first[i + 1]] = ahead[j][int(question.anchors[place])]
        while len(ahead) > MOST_KNOWN:
            del ahead[next(iter(ahead))]
        return co

    def _fetch_pairs(self, unknown: dict[int, list[int]], anchors: np.ndarray) -> None:
        """Ask for what candidates lack: each from its first missing anchor on."""
        place_of = {s: k for k, s in enumerate(anchors.tolist())}
        candidates = np.array(list(unknown), np.int64)
        start = np.array(
            [min(place_of[s] for s in missing) for missing in unknown.values()], np.int64
        )
        least = int(start.min())
        question = _Question.of(self, candidates, anchors[least:].tolist(), start - least)
        (counts,) = self._ask(question, None)
        co, first = question.spread(counts), edges_of(self._counts.levels[candidates] - 1)
        for i, j in enumerate(candidates.tolist()):
            for k in range(int(question.start[i]), question.anchors.size):
                part = co[question.begins[k] : question.begins[k + 1], first[i] : first[i + 1]]
                self._ahead.setdefault(j, {})[int(question.anchors[k])] = part

    @property
    def _t_n(self) -> np.int64:
        total: np.int64 = terms_of_rows(np.array([self._counts.total]), self._counts.xlogx)[0]
        return total

    def _ask(self, question: _Question, labels: np.ndarray | None) -> list[np.ndarray]:
        answers: list[tuple[PackedCounts, ...]] = self._block.session.ask(
            "subset", question.candidates, question.anchors, question.start, labels
        )
        size, cells = int(question.mask.sum()), question.mask.shape
        q = 0 if labels is None else labels.size
        sizes = (size, q * cells[1], q * cells[0], q * size)[: len(answers[0])]
        counts = []
        for kind, length in enumerate(sizes):
            flat = np.zeros(length, np.int64)
            for answer in answers:
                answer[kind].add_to(flat)
            counts.append(flat)
        return counts


class _Question(NamedTuple):
    """A question about candidates and anchors, and how its answer is laid out.

    Parameters
    ----------
    candidates, anchors : ndarray of int
        The counted positions.
    start : ndarray of int
        For each candidate the place of the first anchor that it is counted with.
    begins, mask : ndarray
        See `wanted_cells`.
    small : type
        The type of the counts.
    """

    candidates: np.ndarray
    anchors: np.ndarray
    start: np.ndarray
    begins: np.ndarray
    mask: np.ndarray
    small: Any

    @classmethod
    def of(
        cls, subset: Any, candidates: np.ndarray, anchors: Sequence[int], start: Any
    ) -> _Question:
        """The question that a table asks."""
        counts, columns = subset._counts, np.asarray(anchors, np.int64)  # noqa: SLF001
        begins, mask = wanted_cells(counts.levels[candidates], counts.levels[columns], start)
        small = np.int32 if counts.total < 1 << 31 else np.int64
        return cls(candidates, columns, start, begins, mask, small)

    def spread(self, flat: np.ndarray, labels: int = 0) -> np.ndarray:
        """The counts at their places, 0 where none was asked for."""
        out = np.zeros((max(1, labels), *self.mask.shape), self.small)
        out[:, self.mask] = flat.reshape(max(1, labels), -1)
        return out if labels else out[0]
