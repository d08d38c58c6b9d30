"""Dependencies point one way, and start-up imports nothing that it does not use."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

from tests.documents import ROOT

# From the ground up: a module imports from layers below its own, or from its own package.
LAYERS = [
    {"errors", "lazy", "_kernels"},
    {"extensions"},
    {"binnings", "formats"},
    {"data", "counting", "metrics"},
    {"discretize", "information", "criteria", "datasets"},
    {"search"},
    {"api"},
    {"auditing", "models", "explorer"},
    {"compare"},
    {"plots"},
    {"cli"},
]
# A public name that is written in a layer above its package: imported inside one function.
FROM_ABOVE = {("information", "api"), ("criteria", "api"), ("api", "compare"), ("api", "plots")}
LAYER = {name: height for height, names in enumerate(LAYERS) for name in names}
ABOVE_ALL = {ROOT / "mlfs/__init__.py", ROOT / "mlfs/__main__.py"}
MODULES = sorted(path for path in (ROOT / "mlfs").rglob("*.py") if path not in ABOVE_ALL)
PACKAGES = sorted(path.parent for path in (ROOT / "mlfs").glob("*/**/__init__.py"))
CRITERIA = sorted((ROOT / "criteria").glob("*.py"))
HEAVY = ("sklearn", "pandas", "polars", "matplotlib", "pyarrow", "scipy.io", "scipy.stats")
HEAVY += ("distributed", "dask", "tornado", "mlfs.compare")


def room(path: Path) -> str:
    """The module or package directly under mlfs to which a file belongs."""
    return path.relative_to(ROOT / "mlfs").parts[0].removesuffix(".py")


def typing_only(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")


def imports(node: ast.AST, *, functions: bool = True) -> Iterator[str]:
    """The dotted names that a file imports, but not those for types alone."""
    for child in ast.iter_child_nodes(node):
        if typing_only(child) or (not functions and isinstance(child, ast.FunctionDef)):
            continue
        if isinstance(child, ast.Import):
            yield from (alias.name for alias in child.names)
        elif isinstance(child, ast.ImportFrom):
            assert child.level == 0, "absolute imports only"
            yield from (f"{child.module}.{alias.name}" for alias in child.names)
        yield from imports(child, functions=functions)


def roots(path: Path) -> set[str]:
    """The top-level packages that a file imports."""
    return {name.split(".")[0] for name in imports(ast.parse(path.read_text(encoding="utf-8")))}


def own_imports(path: Path, *, functions: bool = True) -> set[str]:
    """The parts of mlfs that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = [name.split(".") for name in imports(tree, functions=functions)]
    return {parts[1] for parts in names if parts[0] == "mlfs" and len(parts) > 1}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_module_imports_only_from_layers_below(path: Path) -> None:
    here = room(path)
    assert here in LAYER, f"give mlfs.{here} its layer in tests/test_imports.py"
    wrong = [
        name
        for name in own_imports(path) - {here, "__version__"}
        if LAYER.get(name, len(LAYERS)) >= LAYER[here] and (here, name) not in FROM_ABOVE
    ]
    assert not wrong
    upward = {name for name in own_imports(path, functions=False) if (here, name) in FROM_ABOVE}
    assert not upward, "import it inside the function that uses it"


@pytest.mark.parametrize("path", CRITERIA, ids=lambda path: path.stem)
def test_a_criterion_imports_only_the_contract(path: Path) -> None:
    assert roots(path) <= {"__future__", "math", "typing", "numpy", "mlfs"}
    allowed = {"Info", "LabelBlock", "checked_number", "criteria"}
    allowed |= {"Criterion", "PairCriterion", "SetCriterion"}
    assert own_imports(path) <= allowed


def test_only_the_kernels_are_compiled() -> None:
    compiled = {room(path) for path in MODULES if roots(path) & {"numba", "llvmlite"}}
    assert compiled == {"_kernels"}


@pytest.mark.parametrize(
    "arguments",
    [["select", "-c", "scls", "-n", "3"], ["info"]],
    ids=lambda arguments: arguments[0],
)
def test_start_up_imports_nothing_heavy(arguments: list[str]) -> None:
    data = str(ROOT / "docs" / "examples" / "songs.arff")
    program = (
        "import sys\n"
        "from mlfs.cli import main\n"
        f"sys.argv = ['mlfs', *{[*arguments, data]!r}]\n"
        "try:\n    code = main()\n"
        "except SystemExit as stop:\n    code = stop.code\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], code or 0, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.stderr.splitlines()[-1] == "[] 0", done.stderr


def test_importing_mlfs_is_light() -> None:
    program = (
        f"import sys, mlfs; print([m for m in {(*HEAVY, 'numba', 'click')!r} if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    "name", ["criteria.check_criterion", "criteria.available", "data.from_arrays"]
)
def test_the_documented_names_are_there_after_import_mlfs_alone(name: str) -> None:
    program = f"import mlfs; mlfs.{name}"
    assert subprocess.run([sys.executable, "-c", program], cwd=ROOT, check=False).returncode == 0


def test_nothing_above_counting_asks_for_a_layout() -> None:
    layouts = ("RowLists", "BitPlanes")
    for path in MODULES:
        if room(path) != "counting":
            text = path.read_text(encoding="utf-8")
            assert not [name for name in layouts if name in text], path


@pytest.mark.parametrize("package", PACKAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_package_names_its_modules(package: Path) -> None:
    text = ast.get_docstring(ast.parse((package / "__init__.py").read_text(encoding="utf-8"))) or ""
    words = re.findall(r"[\w*]+", text)
    modules = {path.stem for path in package.glob("*.py")} - {"__init__"}
    modules |= {path.parent.name for path in package.glob("*/__init__.py")}
    unnamed = {name for name in modules if not any(fnmatch(name, word) for word in words)}
    assert not unnamed, f"say in {package.name}/__init__.py what they are for"
