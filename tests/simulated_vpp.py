"""A simulated VPP in a thread, as a client sees it through the binary API."""

import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from tests.wireguard_keys import KEYS
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import LiveDataplane


@contextmanager
def connected(
    vpp: SimulatedVpp, keys: Mapping[str, bytes] = KEYS, *, reads_all: bool = False
) -> Iterator[LiveDataplane]:
    """Run a simulated VPP, and connect to it with keys, all that tests have by default."""
    ours, theirs = socket.socketpair()
    with SimulatorServer(vpp) as server:
        server.add_client(theirs)
        with LiveDataplane.over(ours, reads_all=reads_all) as dataplane:
            dataplane.use_keys(keys)
            yield dataplane
