"""ARFF files, dense and sparse: header and rows by their grammar, then changed."""

from __future__ import annotations

import random
from typing import Any

from tests.fuzz.cases import Case
from tests.fuzz.mutation import mutate
from tests.fuzz.readers.texts import BLANKS, ENDS, Compiled, names, number

VALUES = [["0", "1"], ["1", "0"], ["YES", "NO"], ["a", "b c", "é"], ["-1", "1"], ["x"],
          ["it's", 'q"', "?", "%", ","], ["0", "1", "-1"], ["", "z"]]  # fmt: skip
TYPES = ["numeric", "REAL", "integer", "Numeric", "date 'yyyy-MM-dd'", "date", "string",
         "INTEGER [0,9]", "relational", "{}", "{a", "date 'QQ'", "{1,1}"]  # fmt: skip
ODD_LINES = ["% comment", "", "   ", "@data", "@attribute z numeric", "{", "}", "{0 1", "{0 1, 0 2}",
             "{99 1}", "{0 1},{5}", "1,2,3,{2}", ",", ",,,", "'open", "{0 'a}", "{ 1 1 , 0 1 , }",
             "{٣ 1}", "{0 1 2}", "1;2;3", "?,?,?"]  # fmt: skip


def quoted(rng: random.Random, text: str, trouble: float) -> str:
    """A text as ARFF wants it, or as somebody wrote it."""
    if rng.random() < trouble:
        return text
    mark = rng.choice("'\"")
    plain = text.replace("\\", "\\\\").replace(mark, "\\" + mark).replace("\t", "\\t")
    plain = plain.replace("\n", "\\n").replace("\r", "\\r")
    if text and all(c.isalnum() for c in text) and rng.random() < 0.8:
        return text
    return mark + plain + mark


class Arff(Compiled):
    """The reader of ARFF files."""

    name = form = "arff"
    suffix = ".arff"
    examples = (
        Case(b"@relation 't: -C 1'\n@attribute l {0,1}\n@attribute a real\n@data\n1,2.5\n0,?\n"),
        Case(b"@relation 't: -C 1'\n@attribute l {0,1}\n@attribute a real\n@data\n{0 1, 1 2.5}\n"),
        Case(b"@relation 't: -C 1'\n@attribute l {0,1}\n@attribute a {u,v}\n@data\n{0 1, 1 v}\n"),
    )

    def generate(self, rng: random.Random) -> Case:
        trouble = rng.choice((0, 0, 0, 0.02, 0.1))
        d, q, n = rng.randint(1, 5), rng.randint(1, 3), rng.randint(1, 8)
        kinds: list[list[str] | None] = [
            rng.choice(VALUES) if rng.random() < 0.4 else None for _ in range(d)
        ] + [rng.choice(VALUES[:3]) for _ in range(q)]
        end = rng.choice(ENDS)
        own = names(rng, d + q, "a", 0.3)
        relation = f"t: -C -{q}" if rng.random() < 0.8 else rng.choice(("t", "", "t: -C 0", "-C 1"))
        lines = [f"@relation {quoted(rng, relation, trouble)}"]
        for name, kind in zip(own, kinds, strict=True):
            declared = rng.choice(TYPES) if rng.random() < trouble else "numeric"
            if kind is not None and declared == "numeric":
                declared = "{" + ",".join(quoted(rng, value, trouble) for value in kind) + "}"
            key = rng.choice(("@attribute", "@ATTRIBUTE", "@Attribute"))
            lines.append(f"{key} {quoted(rng, name, trouble)} {declared}{rng.choice(BLANKS)}")
        lines.append("@data")
        sparse = rng.random() < 0.5
        X: list[list[float | None]] = []
        Y: list[list[float]] = []
        for _ in range(n):
            cells, told_numbers = [], []
            for kind in kinds:
                text, value = self._cell(rng, kind, trouble)
                cells.append(text)
                told_numbers.append(value)
            if sparse:
                kept = [
                    j for j, value in enumerate(told_numbers) if value != 0 or rng.random() < 0.2
                ]
                row = ",".join(f"{rng.choice(BLANKS)}{j} {cells[j]}" for j in kept)
                lines.append("{" + row + "}" + rng.choice(BLANKS))
            else:
                lines.append(",".join(rng.choice(BLANKS) + cell for cell in cells))
            if rng.random() < trouble:
                lines.append(rng.choice(ODD_LINES))
            X.append(told_numbers[:d])
            words = [(kinds[d + k] or [])[int(v or 0)] for k, v in enumerate(told_numbers[d:])]
            Y.append([1.0 if word in ("1", "YES") else 0.0 for word in words])
        content = end.join(lines).encode() + end.encode()
        options: dict[str, Any] = {}
        if trouble == 0 and relation.startswith("t: -C -"):
            options["whole"] = {"X": X, "Y": Y}
        if rng.random() < 0.35:
            content, options = mutate(rng, content), {}
        if rng.random() < 0.05:
            content, options = content.decode("utf-8", "replace").encode("utf-16"), {}
        if "whole" not in options and rng.random() < 0.3:
            options["labels"] = rng.choice(("last:1", "a0", "*", "first:2", "a1,a0"))
            options["classes"] = rng.random() < 0.3
        return Case(content, options)

    def _cell(self, rng: random.Random, kind: list[str] | None, trouble: float) -> Any:
        if kind is None:
            if rng.random() < 0.1:
                return "?", None
            text = number(rng, trouble).lstrip("+")
            try:
                return text, float(text)
            except ValueError:
                return text, 0.0
        if rng.random() < trouble:
            return rng.choice(("?", "unknown", "'", "0", "")), 0.0
        code = rng.randrange(len(kind))
        return quoted(rng, kind[code], trouble), float(code)
