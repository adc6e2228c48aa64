"""What the tests on a real VPP share."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.real_vpp import prefix, release, skip_reason
from tests.wireguard_keys import key_file

KEYS = Path("/tmp/vppcfg-test-live-keys")
"""Where tests/live/configurations says that keys are."""


@pytest.fixture(scope="session", autouse=True)
def definitions() -> Iterator[None]:
    """Say where the API definitions are, which a VPP before 24.06 does not serve."""
    with pytest.MonkeyPatch.context() as patch:
        if skip_reason() is None and release() < "24.06":
            patch.setenv("VPP_API_DIR", str(prefix() / "share/vpp/api"))
        yield


@pytest.fixture(scope="session", autouse=True)
def keys() -> Iterator[None]:
    """Have the files of keys that the configurations name."""
    KEYS.mkdir(mode=0o700, exist_ok=True)
    for number in range(3):
        key_file(KEYS, number)
    yield
    shutil.rmtree(KEYS)
