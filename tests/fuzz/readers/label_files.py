"""Files that name the labels: Mulan XML and lists of names, for a small ARFF table."""

from __future__ import annotations

import random
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

from mlfs.data.labels import mulan
from mlfs.data.request import Request
from mlfs.errors import MlfsError
from tests.fuzz.cases import Case, Finding, Target
from tests.fuzz.mutation import mutate
from tests.fuzz.readers.reader import check_sentence
from tests.fuzz.readers.texts import names

DOCTYPES = ["<!DOCTYPE labels>", '<!DOCTYPE l [<!ENTITY a "b">]>', "<?php x ?>", "<!-- c -->",
            '<!DOCTYPE l SYSTEM "file:///etc/passwd">', "<![CDATA[x]]>"]  # fmt: skip
PIECES = ["<label/>", '<label name=""/>', "<labels>", "</labels>", '<x name="a"/>', "&#x41;", "&a;",
          '<label name="a"', "&#xD800;", "\x00", '<label name="&lt;"/>', "]]>", "&amp;"]  # fmt: skip
HEADS = ["", '<?xml version="1.0" encoding="utf-8"?>', '<?xml version="1.0" encoding="latin-1"?>',
         '<?xml version="1.0" encoding="nothing"?>', '<?xml version="1.1"?>', "\ufeff"]  # fmt: skip


class LabelFile(Target):
    """The readers of `--labels @labels.xml` and `--labels @names.txt`."""

    name = "labels"
    suffix = ".xml"

    def prepare(self) -> None:
        self.folder = tempfile.TemporaryDirectory(prefix="mlfs-fuzz-labels-")
        from mlfs.data.arff import arff_reader

        self.reading = arff_reader.read

    def generate(self, rng: random.Random) -> Case:
        trouble = rng.choice((0, 0, 0.05, 0.2))
        own = names(rng, rng.randint(1, 5), "l", 0.3)
        if rng.random() < 0.3:
            content = "\n".join(own).encode()
            return Case(mutate(rng, content) if rng.random() < 0.4 else content, {"list": True})
        lines = [rng.choice(HEADS)]
        if rng.random() < trouble:
            lines.append(rng.choice(DOCTYPES))
        lines.append('<labels xmlns="http://mulan.sourceforge.net/labels">')
        depth = rng.choice((0, 0, 0, 1, 5000)) if rng.random() < trouble else 0
        lines += [f'<label name="n{k}">' for k in range(depth)]
        for name in own:
            escaped = "".join(c if c.isalnum() else f"&#{ord(c)};" for c in name)
            lines.append(f'<label name="{escaped}"></label>')
            if rng.random() < trouble:
                lines.append(rng.choice(PIECES))
        lines += ["</label>"] * depth + ["</labels>"]
        content = "\n".join(lines).encode()
        return Case(mutate(rng, content) if rng.random() < 0.4 else content)

    def run(self, case: Case) -> bool:
        form = "names.txt" if case.options.get("list") else "labels.xml"
        file = Path(self.folder.name) / form
        file.write_bytes(case.content)
        attributes = "".join(f"@attribute l{k} {{0,1}}\n" for k in range(5))
        table = f"@relation t\n{attributes}@attribute a real\n@data\n0,1,0,1,0,2.5\n".encode()
        try:
            if form == "labels.xml":
                found = mulan.read(str(file))
                self._compare(case, found)
            self.reading(table, "t.arff", Request(labels=f"@{file}"))
        except MlfsError as error:
            check_sentence(str(error), form if form in str(error) else "t.arff")
            return False
        return True

    def _compare(self, case: Case, found: list[str]) -> None:
        try:
            root = ET.fromstring(case.content)
        except ET.ParseError:
            return  # it knows name spaces, and refuses a prefix that is not declared
        named = [one.get("name") for one in root.iter() if one.tag.rpartition("}")[2] == "label"]
        if named != found:
            raise Finding("another parser of XML finds other labels")
