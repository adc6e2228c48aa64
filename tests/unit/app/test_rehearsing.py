"""What a VPP of a rehearsal is made of, and how long its virtual routers are waited for."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.clock import Clock
from vppcfg.app import rehearsing
from vppcfg.config.load import parse_text
from vppcfg.model.state import State
from vppcfg.model.virtual_router import VirtualRouter, VrrpState

PORTS = """\
interfaces: { memif1/0: {}, host-e0: {} }
memifs: { memif1/0: { role: master, socket: /run/vpp/memif.sock } }
host_interfaces: { host-e0: {} }
"""


def test_sockets_are_apart_and_ports_without_one_stay_as_they_are(tmp_path: Path) -> None:
    configuration = parse_text(PORTS, "file").configuration
    assert configuration is not None
    ports = rehearsing.rehearsable(configuration, tmp_path).virtual
    assert ports["host-e0"] == configuration.virtual["host-e0"]
    assert str(tmp_path) in repr(ports["memif1/0"])


@pytest.mark.parametrize(("masters_after_s", "waited_s"), [(1.0, 1.0), (None, rehearsing._ELECTION_S)])
def test_virtual_routers_have_time_to_become_masters(
    masters_after_s: float | None, waited_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, begin_s = Clock(), Clock().monotonic()
    monkeypatch.setattr(rehearsing, "time", clock)
    backup = VirtualRouter(interface="eth0", vr_id=5, addresses=("192.0.2.9",), state=VrrpState.BACKUP)

    class Vpp:
        def observe(self) -> State:
            is_master = masters_after_s is not None and clock.monotonic() >= begin_s + masters_after_s
            router = replace(backup, state=VrrpState.MASTER) if is_master else backup
            return State(objects={VirtualRouter: {router.name: router}})

    vpp: Any = Vpp()
    assert rehearsing.with_masters(vpp).of(VirtualRouter)
    assert clock.monotonic() - begin_s == waited_s
