"""Ports with a default route are never loaded."""

from pathlib import Path

import pytest

from vppcfg.errors import EngineError
from vppcfg.loadtest.linux_port import interfaces_of_default_routes, refuse_default_route

ROUTE = """\
Iface	Destination	Gateway 	Flags	RefCnt	Use	Metric	Mask		MTU	Window	IRTT
eth0	00000000	0102A8C0	0003	0	0	0	00000000	0	0	0
eth1	0002A8C0	00000000	0001	0	0	0	00FFFFFF	0	0	0
eth2	00000000	0102A8C0	0000	0	0	0	00000000	0	0	0
"""
NOWHERE = "0" * 32
IPV6 = f"""\
{NOWHERE} 00 {NOWHERE} 00 fe800000000000000000000000000001 00000400 00000001 00000000 00000003     eth4
fe800000000000000000000000000000 40 {NOWHERE} 00 {NOWHERE} 00000100 00000001 00000000 00000001     eth5
{NOWHERE} 00 {NOWHERE} 00 {NOWHERE} ffffffff 00000001 00000000 00200200       lo
"""


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "proc/net").mkdir(parents=True)
    (tmp_path / "proc/net/route").write_text(ROUTE)
    (tmp_path / "proc/net/ipv6_route").write_text(IPV6)
    return tmp_path


def test_default_routes_of_both_families_are_found(root: Path) -> None:
    assert interfaces_of_default_routes(root) == {"eth0", "eth4"}


def test_a_port_with_a_default_route_is_refused(root: Path) -> None:
    refuse_default_route(("eth1", "eth2", "eth5"), root)
    with pytest.raises(EngineError, match="eth0 has a default route"):
        refuse_default_route(("eth1", "eth0"), root)


def test_a_machine_without_routes_refuses_nothing(tmp_path: Path) -> None:
    assert interfaces_of_default_routes(tmp_path) == frozenset()
