"""Draw the pictures of the site while it is built: a hook of MkDocs.

A block that begins with ```` ```python picture ```` is executed from the root of the repository,
and the figure that it leaves is shown above its code. A block that fails stops the build. A line
`<!-- thumbnails -->` becomes small copies of all pictures of the page, which lead to them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from typing import Any

BLOCK = re.compile(r"^```python picture\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PICTURE = re.compile(r"!\[Drawn by the code below\]\((.+?)\)")
THUMBNAILS = "<!-- thumbnails -->"
ROOT = Path(__file__).resolve().parents[1]


@contextmanager
def at_root() -> Iterator[None]:
    """Work in the root of the repository, where the example data are."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        yield
    finally:
        os.chdir(before)


def drawn(code: str) -> bytes:
    """The current figure of pyplot after the code, as SVG."""
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    plt.close("all")
    with mpl.rc_context({"svg.hashsalt": "mlfs"}), at_root():
        exec(compile(code, "picture", "exec"), {})
        if not plt.get_fignums():
            message = f"this block draws nothing:\n{code}"
            raise RuntimeError(message)
        target = BytesIO()
        plt.savefig(target, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close("all")
    return target.getvalue()


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """Return the page with a picture above each block that draws one; called by MkDocs."""
    from mkdocs.structure.files import File

    number = 0

    def with_picture(block: re.Match[str]) -> str:
        nonlocal number
        number += 1
        name = f"{Path(page.file.src_uri).stem}-{number}.svg"
        folder = Path(page.file.src_uri).parent.as_posix()
        uri = name if folder == "." else f"{folder}/{name}"
        files.append(File.generated(config, uri, content=drawn(block[1])))
        return f"![Drawn by the code below]({name})\n\n```python\n{block[1]}```"

    sections = re.split(r"^(?=## )", BLOCK.sub(with_picture, markdown), flags=re.MULTILINE)
    return "".join(sections).replace(THUMBNAILS, "\n".join(_thumbnails(sections)))


def _thumbnails(sections: list[str]) -> Iterator[str]:
    """A link with the picture and the heading of each section that has one."""
    from markdown.extensions.toc import slugify

    yield '<div class="thumbnails">'
    for section in sections:
        picture = PICTURE.search(section)
        if picture is not None:
            heading = section.partition("\n")[0].removeprefix("## ")
            target = slugify(heading, "-")
            yield f'<a href="#{target}"><img src="{picture[1]}" alt="">{heading}</a>'
    yield "</div>"
