"""Contract: lines that are typed at random are taken or refused alike, and VPP is alike after them.

`adopt` claims of each line of a script that VPP takes or refuses it, and of those behind a refused one that they never
run. Here a real VPP judges that over all commands that a file can have something of.
"""

import os
from contextlib import ExitStack
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from vpp_papi import VPPIOError

from tests.contract.conftest import SIMULATED, connected
from tests.contract.subject import PORTS
from tests.contract.test_differential import _subject
from tests.contract.test_differential_language import MADE_UP
from tests.real_vpp import HOST_DEVICES, running, skip_reason
from tests.typed_lines import typed_lines
from vppcfg.model.state import State
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.retval import DiedError
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.live import connect

pytestmark = [pytest.mark.live, pytest.mark.skipif(skip_reason() is not None, reason=str(skip_reason()))]

LINES = 300
FIRST = int(os.environ.get("TYPED_FIRST", "0"))
SEEDS = int(os.environ.get("TYPED_SEEDS", "8"))


@pytest.mark.parametrize("seed", range(FIRST, FIRST + SEEDS))
def test_lines_at_random_are_taken_or_refused_alike(seed: int, api_dir: Path, tmp_path: Path) -> None:
    ports = [PhysicalPort(name=name, device_class="af-packet") for name in PORTS]
    simulated = SimulatedVpp(release=SIMULATED, ports=ports, host_devices=HOST_DEVICES)
    taken = 0
    with running(PORTS) as process, ExitStack() as stack:
        real = _subject("real", connected(process.socket_path, process.api_dir, stack), process)
        for number, line in enumerate(typed_lines(seed, LINES)):
            try:
                is_taken = simulated.run_line(line)[0] == 0
            except DiedError:
                with pytest.raises(VPPIOError):
                    real.cli(line)
                break
            try:
                code, text = real.cli(line)
            except VPPIOError:
                assert SIMULATED == "23.06", (number, line)  # fib_attached_export_import: docs/upgrade.md
                break
            assert (code == 0) == is_taken, (number, line, text)
            taken += is_taken
        else:
            with SimulatorServer(simulated, tmp_path / "api.sock"):
                assert observed(tmp_path / "api.sock", api_dir) == observed(process.socket_path)
    assert taken


def observed(socket: Path, api_dir: Path | None = None) -> dict[str, Any]:
    """Return all that VPP is asked for, without made-up MAC addresses and queues, of which a worker has some."""
    with connect(str(socket), json_dir=str(api_dir) if api_dir else None) as plane:
        state = plane.observe()
    macs = {name: "" if each.mac.startswith(MADE_UP) else each.mac for name, each in state.interfaces.items()}
    interfaces = {
        name: replace(each, mac=macs[name], rx_placement=(), tx_placement=()) for name, each in state.interfaces.items()
    }
    parts = {part.name: getattr(state, part.name) for part in fields(State) if part.compare}
    return {**parts, "interfaces": interfaces}
