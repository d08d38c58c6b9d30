"""svmlight and XMC files: labels and pairs by the rules, then changed; read by sklearn as well."""

from __future__ import annotations

import io
import json
import random
from typing import Any

import numpy as np

from mlfs.data.dataset import Dataset
from tests.fuzz.cases import Case, Finding
from tests.fuzz.mutation import mutate
from tests.fuzz.readers.reader import Reader, check_numbers, dense
from tests.fuzz.readers.texts import ENDS, number

ODD_IDS = ["-1", "+1", "1.0", "", "a", "99999999999999999999", "9223372036854775808", "٣", "1_0",
           "0000000000000000000001", "4194304", "1e3", "-0"]  # fmt: skip
ODD_KEYS = ["-1", "+1", "qid", "", "٣", "99999999999", "16777217", "0000000000000000000001", "1.0",
            "9" * 30, "1_0", "2000000", "1048577", "9223372036854775807"]  # fmt: skip


def _finite(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


class SparseText(Reader):
    """What the two formats share: rows of labels and pairs."""

    def row(self, rng: random.Random, trouble: float, first: int, d: int, q: int) -> str:
        """One row; sound where there is no trouble."""

        def odd(text: str, others: list[str]) -> str:
            return rng.choice(others) if rng.random() < trouble else text

        ids = [odd(str(rng.randrange(q)), ODD_IDS) for _ in range(rng.randint(0, 3))]
        if not trouble:
            ids = sorted(set(ids))
        keys = sorted(rng.sample(range(first, first + d), rng.randint(0, d)))
        if rng.random() < trouble:
            keys = [rng.randrange(first, first + d) for _ in range(3)]
        pairs = []
        for key in keys:
            text = number(rng, trouble)
            while not trouble and not _finite(text):
                text = number(rng, 0)
            pairs.append(f"{odd(str(key), ODD_KEYS)}{odd(':', ['', '::', ' : ', '='])}{text}")
        if rng.random() < trouble:
            pairs.insert(
                rng.randrange(len(pairs) + 1), rng.choice(("qid:3", "qid:x", "#", "1", ":"))
            )
        return (
            ",".join(ids) + odd(" ", ["", "\t", "\x85", "\u2028", "\x1c", ", "]) + " ".join(pairs)
        )


class Svmlight(SparseText):
    """The reader of svmlight files."""

    name = form = "svmlight"
    suffix = ".svm"
    examples = (Case(b"1,5 1:0.5 3:2\n 2:1\n5\n"),)

    def prepare(self) -> None:
        from sklearn.datasets import load_svmlight_file

        self.other = load_svmlight_file
        super().prepare()

    def generate(self, rng: random.Random) -> Case:
        trouble = rng.choice((0, 0, 0, 0.02, 0.1))
        first, d, q, n = rng.randint(0, 1), rng.randint(1, 6), rng.randint(1, 5), rng.randint(1, 8)
        end = rng.choice(ENDS[:5])
        note = rng.random() < 0.25
        lines = [self._note(rng, trouble, d, q)] if note else []
        lines += [self.row(rng, trouble, 1 if note else first, d, q) for _ in range(n)]
        content = end.join(lines).encode() + end.encode()
        options: dict[str, Any] = {"classes": True} if rng.random() < 0.1 else {}
        if rng.random() < 0.35:
            content = mutate(rng, content)
        elif trouble == 0 and not note and end == "\n":
            options["whole"] = True
        return Case(content, options)

    def _note(self, rng: random.Random, trouble: float, d: int, q: int) -> str:
        def texts(count: int, prefix: str) -> list[Any]:
            return [
                rng.choice(("é", "", "\ud800", 1, None, f"{prefix}0")) if rng.random() < trouble
                else f"{prefix}{j}" for j in range(count)
            ]  # fmt: skip

        nominal = (
            {str(rng.randrange(d)): texts(rng.randint(1, 3), "v")} if rng.random() < 0.4 else {}
        )
        if rng.random() < trouble:
            nominal = rng.choice(
                ({"-1": ["a"]}, {"99": ["a"]}, {"0": []}, {"٣": ["a"]}, [], {"0": ["a", "a"]})
            )
        labels = [str(j) for j in range(q)] if rng.random() < 0.7 else texts(q, "l")
        note = {"features": texts(d, "x"), "nominal": nominal, "labels": labels, "values": {}}
        if rng.random() < trouble:
            key = rng.choice(list(note))
            note[key] = rng.choice((None, [], {}, "x", 3, [[]] * 3, {"0": ["p", "q", "r"]}))
        text = json.dumps(note)
        if rng.random() < trouble:
            text = rng.choice((text[:-1], "[" * 3000, text + "x", '{"features":["a"],' + text[1:]))
        return f"# mlfs {text}"

    def compare(self, case: Case, found: Dataset | str) -> None:
        if not case.options.get("whole"):
            return
        nothing = b":" not in case.content
        if isinstance(found, str):
            if nothing or not any(
                line.partition(b" ")[2].strip() for line in case.content.split(b"\n")
            ):
                return
            raise Finding(f"a sound file is refused: {found}")
        based = "from zero" in " ".join(found.notes)
        try:
            X, ids = self.other(io.BytesIO(case.content), multilabel=True, zero_based=based)
        except ValueError:
            return  # it takes no row without labels and features
        if X.shape[0] == found.shape[0]:
            check_numbers("X", found.X, X)
            if not (
                [label.name for label in found.labels] in ([], ["y0"])
                or case.options.get("classes")
            ):
                expected = [{str(int(i)) for i in row} for row in ids]
                names = found.label_names
                ours = [{names[j] for j in np.flatnonzero(row)} for row in dense(found.Y)]
                if expected != ours:
                    raise Finding("the labels are read otherwise by sklearn")


class Xmc(SparseText):
    """The reader of XMC files."""

    name = form = "xmc"
    suffix = ".xmc"
    examples = (Case(b"2 3 4\n0,3 0:0.5 2:1\n 1:1\n"),)

    def generate(self, rng: random.Random) -> Case:
        trouble = rng.choice((0, 0, 0, 0.02, 0.1))
        d, q, n = rng.randint(1, 6), rng.randint(1, 5), rng.randint(1, 8)
        end = rng.choice(ENDS[:5])
        counts = [n, d, q]
        if rng.random() < trouble * 3:
            counts[rng.randrange(3)] = rng.choice(
                (0, 1, 10**6, 10**7, 1 << 24, 1 << 22, 10**8, 10**18, 10**19, 1_048_000)
            )
        lines = [" ".join(map(str, counts))]
        lines += [self.row(rng, trouble, 0, d, q) for _ in range(n)]
        content = end.join(lines).encode() + end.encode()
        if rng.random() < 0.35:
            return Case(mutate(rng, content))
        return Case(content, {"whole": True} if trouble == 0 else {})

    def compare(self, case: Case, found: Dataset | str) -> None:
        if not case.options.get("whole"):
            return
        if isinstance(found, str):
            raise Finding(f"a sound file is refused: {found}")
        lines = case.content.decode().replace("\r", "").split("\n")
        n, d, q = map(int, lines[0].split())
        X, Y = np.zeros((n, d)), np.zeros((n, q))
        for i, line in enumerate(lines[1 : n + 1]):
            ids, _, rest = line.partition(" ")
            for j in ids.split(",") if ids else ():
                Y[i, int(j)] = 1
            for pair in rest.split():
                j, _, value = pair.partition(":")
                X[i, int(j)] = float(value)
        check_numbers("X", found.X, X)
        check_numbers("Y", found.Y, Y)
