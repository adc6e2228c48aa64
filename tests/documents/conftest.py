"""What the tests of the documents share: the vppcfg command in PATH, and a scratch folder with the examples."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a person who has just run `make`, with this Python's vppcfg in PATH."""
    directory = tmp_path_factory.mktemp("bin")
    program = directory / "vppcfg"
    program.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m vppcfg "$@"\n')
    program.chmod(0o755)
    return {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}


@pytest.fixture
def examples(tmp_path: Path) -> Path:
    """A copy of the examples, to run commands in."""
    return shutil.copytree(ROOT / "docs" / "examples", tmp_path / "examples")
