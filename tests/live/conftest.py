"""What the tests on a real VPP share."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.real_vpp import RealVpp, prefix, release, running, skip_reason
from tests.wireguard_keys import key_file
from vppcfg.transaction import announcing

pytest.register_assert_rewrite("tests.live.hosts")
FOLDER = Path(__file__).parent
KEYS = Path("/tmp/vppcfg-test-live-keys")
"""Where tests/live/configurations says that keys are."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """Mark the tests here as live, and skip them where no real VPP can be started."""
    marks = [pytest.mark.live] if (reason := skip_reason()) is None else [pytest.mark.live, pytest.mark.skip(reason)]
    for item in items:
        if item.path.parent == FOLDER:
            for mark in marks:
                item.add_marker(mark)


@pytest.fixture(scope="module")
def vpp(request: pytest.FixtureRequest) -> Iterator[RealVpp]:
    """Return a VPP with the PORTS of a module, which its tests share."""
    with running(request.module.PORTS) as process:
        yield process


@pytest.fixture(autouse=True)
def hosts_are_awaited(monkeypatch: pytest.MonkeyPatch) -> None:
    """Announce addresses as on a router."""
    monkeypatch.setattr(announcing, "AGAIN_S", 1.0)
    monkeypatch.setattr(announcing, "LINK_S", 5.0)


@pytest.fixture(scope="session", autouse=True)
def definitions() -> Iterator[None]:
    """Say where the API definitions are, which a VPP before 24.06 does not serve."""
    with pytest.MonkeyPatch.context() as patch:
        if skip_reason() is None and release() < "24.06":
            patch.setenv("VPP_API_DIR", str(prefix() / "share/vpp/api"))
        yield


@pytest.fixture(scope="session", autouse=True)
def keys() -> None:
    """Have the files of keys that the configurations name; they stay, for another run may be using them."""
    KEYS.mkdir(mode=0o700, exist_ok=True)
    for number in range(3):
        key_file(KEYS, number)
