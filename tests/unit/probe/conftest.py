"""A router whose file has one of each kind, and what a real VPP of release 26.10 traced of frames sent to it."""

from pathlib import Path

import pytest

from vppcfg.app.rehearsing import neighbors_to_add, probe_set_for, rehearsable, with_neighbors
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import load
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.model.state import State
from vppcfg.probe.network import Network
from vppcfg.probe.test_cases import ProbeSet
from vppcfg.probe.trace import Names, Node, packets

FOLDER = Path(__file__).parent
INTERFACES = (
    *("local0", "GigabitEthernet1/0/0", "GigabitEthernet1/0/1", "GigabitEthernet1/0/2", "GigabitEthernet1/0/4"),
    *("GigabitEthernet1/0/5", "GigabitEthernet1/0/3", "BondEthernet0", "gre0", "loop0", "vxlan_tunnel0"),
    *("GigabitEthernet1/0/0.100", "GigabitEthernet1/0/1.100", "GigabitEthernet1/0/1.300"),
    *("GigabitEthernet1/0/1.400", "GigabitEthernet1/0/0.200"),
)


@pytest.fixture(scope="session")
def configuration() -> Configuration:
    """Return what the file says."""
    found = load(str(FOLDER / "router.yaml")).configuration
    assert found is not None
    return found


@pytest.fixture(scope="session")
def probe_set(configuration: Configuration) -> ProbeSet:
    """Return the frames that prove it."""
    return probe_set_for(configuration)


@pytest.fixture(scope="session")
def state(configuration: Configuration) -> State:
    """Return the state that the file describes, with the neighbours of a rehearsal."""
    wanted = rehearsable(configuration, FOLDER)
    desired = resolve(wanted, assumed_state(wanted)).desired
    return with_neighbors(desired, neighbors_to_add(Network(desired)))


@pytest.fixture(scope="session")
def names() -> Names:
    """Return what the numbers in the traces stand for."""
    return Names(
        interfaces=dict(enumerate(INTERFACES)),
        tables={(4, 0): 0, (4, 1): 100, (6, 0): 0, (6, 1): 100},
        access_lists={0: "outside"},
        bonds={"GigabitEthernet1/0/4": "BondEthernet0"},
    )


@pytest.fixture(scope="session")
def traces() -> dict[int, tuple[Node, ...]]:
    """Return what was traced, by the place of its frame among those that prove the file."""
    text = (FOLDER / "traces.txt").read_text()
    return {int(stream.rpartition("-")[2]): nodes for stream, nodes in packets(text)}
