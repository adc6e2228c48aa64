"""GRE tunnels, as a VPP tells of them."""

from collections.abc import Mapping
from types import MappingProxyType

from tests.unit.vpp.stub_vpp import StubVpp, observed
from vppcfg.model.tunnel import Gre
from vppcfg.operations.request import Value

TUNNEL = 5
PLAIN: dict[str, Value] = {
    "tunnel.sw_if_index": TUNNEL,
    "tunnel.type": 1,
    "tunnel.instance": 3,
    "tunnel.src.un": b"\xc0\0\2\1" + bytes(12),
    "tunnel.dst.un": b"\xc0\0\2\2" + bytes(12),
}
DUMPS = {
    "gre_tunnel_v2_dump": "gre_tunnel_v2_details",
    "gre_tunnel_dump_v2": "gre_tunnel_details_v2",
    "gre_tunnel_dump": "gre_tunnel_details",
}


def stub_with(changes: Mapping[str, Value] = MappingProxyType({}), dump: str = "gre_tunnel_v2_dump") -> StubVpp:
    """Return a VPP with one tunnel, plain but for `changes`, that has no newer message than `dump` for it."""
    stub = StubVpp(plugins=("gre",))
    stub.add_interface(TUNNEL, "gre3", interface_dev_type="GRE tunnel device")
    stub.drop(*list(DUMPS)[: list(DUMPS).index(dump)])
    given = {f"tunnel.{name}": value for name, value in changes.items()}
    stub.tell(dump, DUMPS[dump], PLAIN | given)
    return stub


def test_a_tunnel_with_flags_is_not_plain() -> None:
    (tunnel,) = observed(stub_with({"flags": 1})).virtual_as(Gre).values()
    assert not tunnel.is_plain
