"""The golden folders: one per case."""

from pathlib import Path

import pytest

GOLDEN = Path(__file__).parent


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "case" in metafunc.fixturenames:
        cases = sorted(path.parent for path in GOLDEN.glob("*/config.yaml"))
        metafunc.parametrize("case", cases, ids=[case.name for case in cases])
