"""The audit finds what a list of vulnerabilities has, and says when there is no list."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from tests.audit import audit, closure


def test_what_is_required_by_what_is_required_counts() -> None:
    assert closure(["scikit-learn>=1"]).keys() >= {"scikit-learn", "numpy", "scipy", "joblib"}


@pytest.mark.parametrize("fixed", [True, False])
def test_a_known_vulnerability_is_found(
    fixed: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    end = {"fixed": "0.1"} if fixed else {"last_affected": np.__version__}
    ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, end]}]
    affected = [{"package": {"ecosystem": "PyPI", "name": "NumPy"}, "ranges": ranges}]
    (tmp_path / "x.json").write_text(json.dumps({"id": "PYSEC-0", "affected": affected}))
    monkeypatch.setenv("MLFS_ADVISORIES", str(tmp_path))
    assert audit("") is fixed
    assert ("PYSEC-0" in capsys.readouterr().err) is not fixed


def test_without_a_list_it_says_that_nothing_was_checked(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delenv("MLFS_ADVISORIES", raising=False)
    assert audit("")
    assert "NOT checked" in capsys.readouterr().err
