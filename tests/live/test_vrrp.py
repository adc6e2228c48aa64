"""Virtual routers on real VPPs: a backup takes over within its interval, and what lies beside an LCP pair."""

import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.real_vpp import RealVpp, release, running
from vppcfg.cli.main import main
from vppcfg.errors import ExitCode
from vppcfg.model.virtual_router import VirtualRouter, VrrpState
from vppcfg.vpp.live import connect

INTERVAL_S = 0.2
_PATIENCE_S = 15.0
_FILE = """
interfaces:
  memif1/0:
    device-type: memif
    addresses: [ 192.0.2.OWN/24, "2001:db8::OWN/64" ]
    vrrp:
      5: { addresses: [ 192.0.2.254, "2001:db8::fe" ], priority: PRIORITY, interval: 20, accept: trueMORE }
"""


class Lan(NamedTuple):
    """Two routers and a switch between them, which has a host of its own."""

    switch: RealVpp
    routers: tuple[RealVpp, RealVpp]


@pytest.fixture(name="lan")
def lan_of_two(tmp_path: Path) -> Iterator[Lan]:
    with running(()) as switch, running(()) as first, running(()) as second:
        run(switch, "create loopback interface", "set interface state loop0 up", "set interface l2 bridge loop0 1 bvi")
        for number, router in enumerate((first, second), start=1):
            socket = tmp_path / f"link{number}.sock"
            for vpp, socket_id, role in ((switch, number, "master"), (router, 1, "slave")):
                mac = f"hw-addr 02:00:00:00:0{socket_id}:{number if vpp is router else 9:02x}"
                run(vpp, f"create memif socket id {socket_id} filename {socket}")
                run(vpp, f"create interface memif id 0 socket-id {socket_id} {role} {mac}")
            run(switch, f"set interface state memif{number}/0 up")
            run(switch, f"set interface l2 bridge memif{number}/0 1")
            run(router, "set interface state memif1/0 up")
            wait_for(partial(is_connected, router))
        run(switch, "set interface ip address loop0 192.0.2.100/24")
        run(switch, "set interface ip address loop0 2001:db8::100/64")
        yield Lan(switch, (first, second))


def is_connected(vpp: RealVpp) -> bool:
    return "connected" in vpp.cli("show memif")[1]


def run(vpp: RealVpp, *lines: str) -> None:
    for line in lines:
        assert vpp.cli(line)[0] == 0, line


def apply(vpp: RealVpp, folder: Path, own: int, priority: int, more: str = "") -> None:
    """Bring a router to its file, and hold it to having nothing left to do, whichever of them is the master."""
    file = folder / f"router{own}.yaml"
    file.write_text(_FILE.replace("OWN", str(own)).replace("PRIORITY", str(priority)).replace("MORE", more))
    words = ["-q", "-a", str(vpp.socket_path), "-c", str(file)]
    assert main(["apply", "-y", "--again", *words]) == ExitCode.DONE
    assert main(["plan", "--detailed-exitcode", *words]) == ExitCode.DONE


def routers(vpp: RealVpp) -> list[VirtualRouter]:
    with connect(str(vpp.socket_path)) as plane:
        return list(plane.observe().of(VirtualRouter).values())


def shown(vpp: RealVpp) -> list[str]:
    return re.findall(r"   state (\S+)", vpp.cli("show vrrp vr")[1])


def wait_for(what: Callable[[], bool]) -> float:
    """Wait until something is so, and return after how many seconds it was."""
    start = time.monotonic()
    while not what():
        assert time.monotonic() - start < _PATIENCE_S
        time.sleep(0.005)
    return time.monotonic() - start


def answered(vpp: RealVpp, line: str) -> int:
    match = re.search(r"(\d+) received", vpp.cli(f"ping {line} repeat 3 interval 0.1")[1])
    return int(match[1]) if match else 0


def test_a_backup_takes_over_within_its_interval(
    lan: Lan, tmp_path: Path, record_property: Callable[..., None]
) -> None:
    first, second = lan.routers
    apply(first, tmp_path, 1, 200)
    apply(second, tmp_path, 2, 100)
    wait_for(lambda: shown(first) == ["Master"] * 2 and shown(second) == ["Backup"] * 2)
    assert [{each.state for each in routers(vpp)} for vpp in lan.routers] == [{VrrpState.MASTER}, {VrrpState.BACKUP}]
    apply(first, tmp_path, 1, 200)
    wait_for(lambda: answered(lan.switch, "192.0.2.254") == 3)
    os.kill(first.pid, signal.SIGKILL)
    took_s = wait_for(lambda: shown(second) == ["Master"] * 2)
    record_property("took_s", took_s)
    assert took_s <= 3 * INTERVAL_S + (256 - 100) / 256 * INTERVAL_S + 0.3
    wait_for(lambda: answered(lan.switch, "192.0.2.254") == 3)
    wait_for(lambda: answered(lan.switch, "2001:db8::fe") == 3)
    apply(second, tmp_path, 2, 100)


def test_a_change_of_the_priority_moves_the_addresses_and_no_plan_takes_them_away(lan: Lan, tmp_path: Path) -> None:
    first, second = lan.routers
    apply(first, tmp_path, 1, 200)
    apply(second, tmp_path, 2, 100)
    wait_for(lambda: shown(first) == ["Master"] * 2)
    apply(first, tmp_path, 1, 50)
    wait_for(lambda: shown(second) == ["Master"] * 2 and shown(first) == ["Backup"] * 2)
    assert ["192.0.2.254" in each.cli("show interface address memif1/0")[1] for each in lan.routers] == [False, True]
    if release() < "24.02":
        return  # with unicast peers both stay master: the rule vrrp-arp-source
    apply(second, tmp_path, 2, 100)
    apply(first, tmp_path, 1, 50, ', unicast-peers: [ 192.0.2.2, "2001:db8::2" ]')
    apply(second, tmp_path, 2, 100, ', unicast-peers: [ 192.0.2.1, "2001:db8::1" ]')
    wait_for(lambda: shown(second) == ["Master"] * 2 and shown(first) == ["Backup"] * 2)
    assert {each.peers for each in routers(second)} == {("192.0.2.1",), ("2001:db8::1",)}
