"""Read a large ARFF file in pieces: the same answer as `arff_reader`, in little memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp

from mlfs.data.arff.arff_reader import Body, Earlier, Parser, Roles, dataset_of
from mlfs.data.arff.fast_rows import DenseRows, plan
from mlfs.data.arff.header import Header, read_header
from mlfs.data.dataset import Dataset
from mlfs.data.files import UTF16, TextPieces, is_plain
from mlfs.data.packed_table import Packer
from mlfs.data.request import Request
from mlfs.data.row_stack import RowStack
from mlfs.errors import ParseError

__all__ = ["read_pieces"]

BOM = b"\xef\xbb\xbf"
DATA = re.compile(rb"^[ \t]*@data(?![^\s%])", re.IGNORECASE | re.MULTILINE)


def read_pieces(pieces: TextPieces, path: str, request: Request) -> Dataset | None:
    """Read an ARFF file; None if it is one that has to be read whole."""
    if not is_plain(request.encoding):
        return None
    texts = _texts(pieces)
    first, _ = next(texts)
    if first.startswith(UTF16) or not DATA.search(first):
        return None
    header = read_header(first, path, request.limits)
    roles = Roles.of(header, request, path)
    if not roles.features:
        return None
    rows = _Rows(header, roles, path, request, pieces)
    rows.add(first, header.start, header.line)
    for text, before in texts:
        rows.add(text, 0, before)
    if not rows.n_rows:
        raise ParseError("there is no row after @data", path, header.line)
    return dataset_of(rows.body(), header, roles, request, path)


def _texts(pieces: TextPieces) -> Iterator[tuple[bytes, int]]:
    r"""The pieces with ``\n`` after each line, and the lines before; the first has the header."""
    held: list[bytes] = []
    before, start = 0, True
    for piece in pieces:
        text = piece.removeprefix(BOM) if start and not held else piece
        if b"\r" in text:
            text = text.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        if start:
            held.append(text)
            if not DATA.search(text):
                continue
            text = b"".join(held)
        yield text, before
        held, start = [], False
        before += text.count(b"\n")
    if start:
        yield b"".join(held), before


class _Rows:
    """The rows of the pieces so far."""

    def __init__(
        self, header: Header, roles: Roles, path: str, request: Request, pieces: TextPieces
    ) -> None:
        self.header, self.roles, self.path = header, roles, path
        self.limits, self.pieces, self.most = request.limits, pieces, request.max_memory
        self.plan = plan(header.attributes, roles.features, roles.plain, roles.wanted)
        self.sparse: bool | None = None
        self.n_rows = self.n_pieces = 0
        self.held: DenseRows | None = None
        self.X: Any = None
        self.others: Any = None
        self.texts: dict[int, dict[int, str | None]] = {j: {} for j in roles.wanted}
        self.weights: list[tuple[int, np.ndarray]] = []

    def add(self, text: bytes, start: int, line: int) -> None:
        """Read the rows of a piece from `start` on; `line` lines of the file come before."""
        self.n_pieces += 1
        header = self.header._replace(start=start, line=line)
        earlier = Earlier(self.n_rows, self.sparse, self._lines_after, self.held)
        parser = Parser(text, header, self.plan, self.path, self.limits, earlier)
        parser.read()
        self.held = parser.rows
        if not parser.rows.counts[0]:
            return
        if self.sparse is None:
            self.sparse = parser.sparse
            self.X = RowStack(most=self.most) if self.sparse else Packer(self.most)
            self.others = RowStack(keep_small=False) if self.sparse else Packer()
        body = parser.body()
        self.X.add(body.X)
        if self.roles.plain:
            self.others.add(body.others if self.sparse else self._plain(body.others))
        for j, column in body.texts.items():
            self.texts[j].update({i + self.n_rows: cell for i, cell in column.items()})
        if body.weights is not None:
            self.weights.append((self.n_rows, body.weights))
        self.n_rows += body.n_rows

    def _plain(self, others: np.ndarray) -> np.ndarray:
        return others[:, : len(self.roles.plain)]

    def _lines_after(self) -> int:
        """The lines of the pieces that are not read yet, without the last line end."""
        last, lines = b"", 0
        for k, (text, _) in enumerate(_texts(self.pieces)):
            last = text
            lines += text.count(b"\n") if k >= self.n_pieces else 0
        more = k + 1 > self.n_pieces
        return lines + more * (1 - last.endswith(b"\n"))

    def body(self) -> Body:
        """All rows."""
        weights = None
        if self.weights:
            weights = np.ones(self.n_rows)
            for first, part in self.weights:
                weights[first : first + part.size] = part
        if self.sparse:
            X = self.X.finish(self.plan.n_features)
            others = self.others.finish(self.plan.n_others) if self.roles.plain else None
            if others is None:
                others = sp.csr_array((self.n_rows, self.plan.n_others))
            return Body(self.n_rows, X, others, weights, self.texts)
        X = self.X.finish()
        others = self.others.finish() if self.roles.plain else np.empty((self.n_rows, 0))
        return Body(self.n_rows, X, others, weights, self.texts)
