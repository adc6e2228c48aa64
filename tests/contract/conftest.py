"""Each contract test runs against the simulator and, where VPP_PREFIX names one, against a real VPP."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import leaves_out_long
from tests.contract.subject import HOST_DEVICES, PORTS, Messages, Subject
from tests.real_vpp import RealVpp, release, running, skip_reason
from vppcfg.simulator.api import write_api_dir
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.releases import NEWEST, RELEASES, release_of
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp


def connected(socket_path: Path, api_dir: Path, stack: ExitStack) -> Any:
    """Return a connected vpp_papi client that says goodbye when `stack` closes."""
    from vpp_papi import VPPApiClient

    client = VPPApiClient(apidir=str(api_dir), server_address=str(socket_path), use_socket=True, read_timeout=10)
    client.connect("contract")
    stack.callback(client.disconnect)
    return client


@pytest.fixture(scope="session", autouse=True)
def definitions_read_once() -> Iterator[None]:
    """Have vpp_papi read the definitions in a directory once, and not again for the client of each test."""
    from vpp_papi.vpp_papi import VPPApiJSONFiles

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(VPPApiJSONFiles, "load_api", staticmethod(cache(VPPApiJSONFiles.load_api)))
        yield


NO_VPP = skip_reason()
"""Why there is no real VPP to test with; tests with one are not made then, and those in tests/live/ tell the reason."""
SIMULATED = NEWEST if NO_VPP else release_of(release()).name
"""The release that is simulated: that of the real VPP beside it."""
OLDER = [f"simulator {each.name}" for each in RELEASES[:-1] if NO_VPP]


@pytest.fixture(scope="session")
def api_dirs(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Return what returns a directory with the simulator's API definitions of a release."""

    @cache
    def directory_of(name: str) -> Path:
        directory = tmp_path_factory.mktemp("api")
        write_api_dir(directory, name)
        return directory

    return directory_of


@pytest.fixture(scope="session")
def api_dir(api_dirs: Callable[[str], Path]) -> Path:
    """Return a directory with the API definitions of the release that is simulated."""
    return api_dirs(SIMULATED)


@contextmanager
def simulated(name: str, folder: Path, api_dir: Path) -> Iterator[Subject]:
    """Simulate a VPP of a release, with its sockets in `folder`."""
    vpp = SimulatedVpp(
        release=name,
        ports=[PhysicalPort(name=port, device_class="af-packet") for port in PORTS],
        namespaces=["dataplane"],
        host_devices=HOST_DEVICES,
    )
    with SimulatorServer(vpp, folder / "api.sock", stats_path=folder / "stats.sock"), ExitStack() as stack:
        client = connected(folder / "api.sock", api_dir, stack)
        yield Subject(
            id="simulator",
            api=Messages(client.api),
            client=client,
            knows_vlan_devices=True,
            add_host_device=lambda name: None,
            has_host_device=lambda name: True,
        )


@pytest.fixture(scope="module")
def real_process() -> Iterator[RealVpp]:
    """Return a real VPP that the tests of one module share."""
    with running(PORTS) as vpp:
        vpp.add_netns("dataplane")
        yield vpp


@pytest.fixture
def real(real_process: RealVpp) -> Iterator[Subject]:
    """Return the module's real VPP, without what earlier tests made."""
    with ExitStack() as stack:
        client = connected(real_process.socket_path, real_process.api_dir, stack)
        subject = Subject(
            id="real",
            api=Messages(client.api),
            client=client,
            knows_vlan_devices=real_process.knows_vlan_devices,
            add_host_device=real_process.add_host_device,
            has_host_device=_device_finder(real_process),
        )
        subject.reset()
        yield subject


def _device_finder(process: RealVpp) -> Callable[[str], bool]:
    def has(name: str) -> bool:
        return f" {name}@" in process.ip("-o", "link") or f" {name}:" in process.ip("-o", "link")

    return has


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let each test have the VPPs there are, and those of older releases only where long tests are not left out.

    Made and left out afterwards, they would be a third of all tests that every worker collects.
    """
    if "vpp" in metafunc.fixturenames:
        real = [] if NO_VPP else [pytest.param("real", marks=pytest.mark.live)]
        older = (
            [] if leaves_out_long(metafunc.config) else [pytest.param(each, marks=pytest.mark.long) for each in OLDER]
        )
        metafunc.parametrize("vpp", ["simulator", *older, *real], indirect=True)


@pytest.fixture
def vpp(request: pytest.FixtureRequest, tmp_path: Path, api_dirs: Callable[[str], Path]) -> Iterator[Subject]:
    """Return the VPP under test, with three unconfigured ports.

    The simulator is one of the newest release, or of that of the real VPP beside it; the long tests simulate all.
    """
    if request.param == "real":
        yield request.getfixturevalue("real")
    else:
        name = request.param.partition(" ")[2] or SIMULATED
        with simulated(name, tmp_path, api_dirs(name)) as subject:
            yield subject


@pytest.fixture
def first(vpp: Subject) -> int:
    return vpp.index(PORTS[0])


@pytest.fixture
def second(vpp: Subject) -> int:
    return vpp.index(PORTS[1])
