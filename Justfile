# `just` lists these; each is one line that you can also type.
python := ".venv/bin/python"

default:
    @just --list

# Make the virtual environment and install everything that development needs.
setup:
    python3 -m venv .venv
    .venv/bin/pip install -e '.[dev]'

# The quick tests.
test *args:
    {{python}} -m pytest -q -n auto {{args}}

# Everything that must pass before a change is done.
all:
    {{python}} -m tests

lint:
    {{python}} -m tests lint types

format:
    {{python}} -m ruff check --fix .
    {{python}} -m ruff format .

# Rewrite the generated pages and pictures, then build the site.
docs:
    {{python}} docs/examples/make.py
    {{python}} docs/make_cli.py
    {{python}} docs/examples/make_picture.py
    {{python}} -m mkdocs build --strict

serve:
    {{python}} -m mkdocs serve

# What .ci/run does on a clean checkout.
ci:
    .ci/run
