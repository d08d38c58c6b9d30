"""The docs are true: all is documented, what is generated is current, the examples run."""

from __future__ import annotations

import ast
import doctest
import importlib.util
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import click
import pytest

import mlfs
from mlfs import cli, criteria
from mlfs.api.options import OPTIONS, Option
from mlfs.binnings import BINNINGS
from mlfs.formats import FORMATS
from mlfs.information.info import VOCABULARY
from mlfs.metrics import METRICS
from mlfs.models.inference import INFERENCES
from mlfs.models.recipes import OURS as RECIPES
from mlfs.models.structures import OURS as STRUCTURES
from tests.compare import in_process
from tests.documents import (
    FLAGS,
    PAGES,
    ROOT,
    matches,
    pycon,
    shell,
    theirs,
    transcripts,
    workplace,
)

DOCS = ROOT / "docs"
COMMANDS = sorted(cli.cli.commands)
LINK = re.compile(r"(?<!\\)\]\(([^)\s]+)\)")
SOURCE = re.compile(r"`((?:mlfs|criteria|tests)/[\w/]+(?:\.\w+)?)/?`")
NAME_IN_FILE = re.compile(r"`(?:\w+\.)*(\w+)` (?:in|of) `((?:mlfs|criteria|tests)/[\w/]+\.py)`")
PARAMETERS = re.compile(
    r"^(?:Other )?Parameters\n-+\n(.*?)(?=^\S[^\n]*\n-+$|\Z)", re.MULTILINE | re.DOTALL
)
WORDS = {"site-packages", "/home/", "/tmp/", "/root/", "/Users/"}


def script(path: Path) -> ModuleType:
    """A script under docs/, as a module."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def with_blocks(language: str) -> list[Path]:
    """The pages that have blocks of a language."""
    return [page for page in PAGES if f"```{language}\n" in page.read_text(encoding="utf-8")]


def built_in() -> list[str]:
    return [origin.name for origin in criteria.origins() if origin.distribution == "mlfs"]


def documented(node: ast.FunctionDef | ast.ClassDef) -> list[str]:
    """The parameters that a docstring describes."""
    sections = PARAMETERS.findall(ast.get_docstring(node) or "")
    lines = [line for section in sections for line in section.splitlines()]
    names = [line.split(" : ")[0].split(", ") for line in lines if line[:1].strip()]
    return [name.lstrip("*") for group in names for name in group]


def accepted(node: ast.FunctionDef | ast.ClassDef) -> set[str]:
    """The parameters of a function, or of a class: those of ``__init__``, or its fields.

    There are none for a class that may inherit some.
    """
    if isinstance(node, ast.FunctionDef):
        return {child.arg for child in ast.walk(node.args) if isinstance(child, ast.arg)}
    for child in node.body:
        if isinstance(child, ast.FunctionDef) and child.name == "__init__":
            return accepted(child)
    if {*map(ast.unparse, node.bases)} - {"NamedTuple"}:
        return set()
    return {child.target.id for child in node.body if isinstance(child, ast.AnnAssign)}  # type: ignore[union-attr]


def outdated_parameters(path: Path) -> Iterator[str]:
    """What docstrings of a file describe and nothing takes."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and (names := accepted(node)):
            for name in documented(node):
                if name not in names:
                    yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}: {name}"


def section(page: str, heading: str) -> str:
    """The text below a heading, up to the next one."""
    text = (DOCS / page).read_text(encoding="utf-8")
    found = re.search(rf"^#+ {re.escape(heading)}\n(.*?)(?=^#|\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, f"docs/{page} has no section {heading!r}"
    return found[1]


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.+)$", path.read_text(encoding="utf-8"), re.MULTILINE)
    named = {name for heading in headings for name in re.findall(r"\{#([\w-]+)\}$", heading)}
    return named | {
        re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings
    }


@pytest.mark.parametrize("name", built_in())
def test_every_criterion_has_formula_and_reference(name: str) -> None:
    headings = [
        (page, heading)
        for page in ("criteria.md", "criteria-more.md")
        for heading in re.findall(r"^#+ (.+)$", (DOCS / page).read_text("utf-8"), re.MULTILINE)
        if name in heading.split(", ")
    ]
    assert len(headings) == 1, f"write a section ## {name} in docs/criteria-more.md"
    text = section(*headings[0])
    assert re.search(r"^\$\$\nJ\w*\(\w\) = ", text, re.MULTILINE), "lacks $$ and J(f) = ..."
    assert re.search(r"\((19|20)\d\d\)|\(n\.d\.\)", text), "lacks a reference with its year"
    names = set(re.findall(r"`(\w+)`", section("criteria.md", "At a glance")))
    assert name in names, "add a row to the table in docs/criteria.md"


ON_PAGES = {  # what comes with mlfs, as the page of its kind has it
    "discretisation.md": [f"| `{name}`" for name in BINNINGS],
    "formats.md": [f"`{suffix}`" for form in FORMATS.ours.values() for suffix in form.suffixes],
    "inference.md": [f"| `{kind.__name__}(" for kind in INFERENCES.values()],
    "metrics.md": [f"| `{name}`" for name in METRICS],
    "models.md": [f"`{name}`" for name in RECIPES],
    "structures.md": [f"| `{kind.__name__}(" for kind in STRUCTURES.values()],
}


@pytest.mark.parametrize("page", ON_PAGES)
def test_all_of_a_kind_is_in_a_table_of_its_page(page: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    missing = [words for words in ON_PAGES[page] if words not in text]
    assert not missing, f"add a row to a table of docs/{page}"


@pytest.mark.parametrize("option", [o for o in OPTIONS if o.page], ids=lambda option: option.name)
def test_the_page_of_an_option_tells_of_it(option: Option) -> None:
    text = (DOCS / option.page.partition("#")[0]).read_text(encoding="utf-8")
    names = (f"{option.name}=", f"`{option.name}`", *option.flags)
    assert any(name in text for name in names), f"docs/{option.page} says nothing of {names}"


def test_the_readme_names_a_few_criteria_and_links_the_rest() -> None:
    named = section("../README.md", "The criteria")
    few = [name for name in criteria.available() if f"`{name}`" in named]
    assert few == ["cmim", "jmi", "mim", "mrmr", "scls"]
    assert "(docs/criteria.md)" in named


def test_what_is_made_of_the_options_is_current() -> None:
    for path, text in script(DOCS / "make_cli.py").pages().items():
        assert path.read_text(encoding="utf-8") == text, "run python docs/make_cli.py"


def test_the_page_of_the_commands_does_not_depend_on_the_version_of_click(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def changed(*_: object, **__: object) -> str:
        raise AssertionError("the text is that of one version of click")

    for name in ("write", "write_usage", "write_text", "write_dl"):
        monkeypatch.setattr(click.HelpFormatter, name, changed)
    monkeypatch.setattr(click.Option, "get_help_record", changed)
    monkeypatch.setattr(click.Command, "collect_usage_pieces", changed)
    page = script(DOCS / "make_cli.py").page()
    assert (DOCS / "cli.md").read_text(encoding="utf-8") == page


def test_the_table_of_estimators_is_what_the_criteria_ask_for() -> None:
    for path, text in script(DOCS / "make_estimators.py").pages().items():
        assert path.read_text(encoding="utf-8") == text, "run python docs/make_estimators.py"


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_its_help_on_the_page(name: str) -> None:
    assert "Usage: mlfs " + name in section("cli.md", f"mlfs {name}")


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_says_what_it_does(name: str) -> None:
    for option in cli.cli.commands[name].params:
        if isinstance(option, click.Option):
            assert option.help, option.name


def test_the_example_data_are_what_the_script_makes() -> None:
    made = script(DOCS / "examples" / "make.py").arff()
    assert (DOCS / "examples" / "songs.arff").read_text(encoding="utf-8") == made


def test_the_picture_is_what_the_script_draws() -> None:
    drawn = script(DOCS / "examples" / "make_picture.py").picture()
    assert (DOCS / "examples" / "picks.svg").read_text(encoding="utf-8") == drawn


@pytest.mark.parametrize("page", with_blocks("console"), ids=lambda page: page.stem)
def test_the_commands_of_a_page_do_what_it_says(
    page: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A line for the shell is run by one; a command alone is run here, which takes no start."""
    text = page.read_text(encoding="utf-8")
    env = workplace(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", env["COLUMNS"])
    in_process.use(monkeypatch)
    for example in transcripts(text):
        if theirs(example):
            continue
        if "|" in example.command:
            done = shell(example.command, tmp_path, env)
            code, out, err = done.returncode, done.stdout, done.stderr
        else:
            code = cli.main(shlex.split(example.command)[1:])
            out, err = capsys.readouterr()
        assert code == 0, f"{example.command}\n{err}"
        assert matches(example.output, out), f"{example.command}\n{out}"


@pytest.mark.parametrize("page", with_blocks("pycon"), ids=lambda page: page.stem)
def test_the_sessions_of_a_page_do_what_it_says(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = page.read_text(encoding="utf-8")
    workplace(tmp_path, text)
    monkeypatch.chdir(tmp_path)
    in_process.use(monkeypatch)
    session = pycon(text)
    test = doctest.DocTestParser().get_doctest(session, {}, page.stem, str(page), 0)
    failed, _ = doctest.DocTestRunner(optionflags=FLAGS, verbose=False).run(test)
    assert failed == 0


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.stem)
def test_links_inside_the_house_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(page.read_text(encoding="utf-8")):
        if "://" in link:
            continue
        name, _, anchor = link.partition("#")
        target = (page.parent / name) if name else page
        assert target.exists(), link
        if anchor:
            assert anchor in anchors(target), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_no_page_tells_of_the_machine_that_made_it(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not [word for word in WORDS if word in text]


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_a_page_names_files_and_definitions_that_are_there(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert not [name for name in SOURCE.findall(text) if not (ROOT / name).exists()]
    for name, file in NAME_IN_FILE.findall(text):
        source = (ROOT / file).read_text(encoding="utf-8")
        assert re.search(rf"^ *(def |class )?{name}\b", source, re.MULTILINE), f"{name} in {file}"


def test_the_source_that_a_page_shows_is_there() -> None:
    page = (DOCS / "your-own-criterion.md").read_text(encoding="utf-8")
    shown = re.findall(r'^--8<-- "(.+)"$', page, flags=re.MULTILINE)
    assert {"criteria/mrmr.py", "tests/plugin/good/mlfs_plugin_example.py"} <= set(shown)
    assert all((ROOT / name).is_file() for name in shown)
    assert len(shown) == len(re.findall(r"^--8", page, flags=re.MULTILINE))


def test_every_page_is_in_the_contents() -> None:
    contents = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("nav:")[2]
    listed = {name.lstrip("/") for name in re.findall(r"[\w/-]+\.md", contents)}
    assert listed == {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}


PUBLIC = (
    "mlfs",
    "mlfs.compare",
    "mlfs.information",
    "mlfs.metrics",
    "mlfs.models",
    "mlfs.plots",
    "mlfs.datasets",
)
NOT_IN_REFERENCE = {
    "METRICS",
    "FUNCTIONS",
}  # tables, and what mlfs itself uses


@pytest.mark.parametrize("module", PUBLIC)
def test_every_public_name_is_in_the_reference(module: str) -> None:
    pages = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("reference/*.md"))
    names = set(re.findall(r"^::: ([\w.]+)$", pages, flags=re.MULTILINE))
    public = importlib.import_module(module).__all__
    shown = {
        f"{module}.{name}" for name in public if name[0] != "_" and name not in NOT_IN_REFERENCE
    }
    assert shown <= names


@pytest.mark.parametrize("name", mlfs.__all__)
def test_every_public_name_is_documented(name: str) -> None:
    assert name.startswith("__") or getattr(mlfs, name).__doc__


def test_docstrings_describe_parameters_that_exist() -> None:
    files = [*(ROOT / "mlfs").rglob("*.py"), *(ROOT / "criteria").glob("*.py")]
    assert not [line for path in sorted(files) for line in outdated_parameters(path)]


@pytest.mark.parametrize("name", VOCABULARY)
def test_all_that_info_knows_is_documented(name: str) -> None:
    text = section("info.md", "What Info knows")
    assert re.search(rf"`{name}[`(]", text)


def test_the_readme_has_the_commands_that_ci_runs() -> None:
    line = "python3 -m venv .venv && .venv/bin/pip install -e '.[dev]' && .venv/bin/python -m tests"
    for name in ("README.md", "CONTRIBUTING.md", ".ci/run"):
        assert line in (ROOT / name).read_text(encoding="utf-8"), name


def test_the_changelog_tells_of_this_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## [{mlfs.__version__}]" in changes


def test_the_tests_know_their_steps() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests", "nonsense"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "known are lint, types, docs" in done.stderr


def test_docstrings_begin_with_a_verb_or_a_noun_of_the_field() -> None:
    sources = [*(ROOT / "mlfs").rglob("*.py"), *(ROOT / "criteria").glob("*.py")]
    riddle = re.compile(r'"""(What|The same|The like|Those)\b')
    riddles = [path for path in sources if riddle.search(path.read_text(encoding="utf-8"))]
    assert not riddles, "name the thing, or begin with a verb"
