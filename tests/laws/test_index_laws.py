"""A new interface with the index of one that went behaves as one that has it on a VPP where nobody had anything.

For every kind of object that others configure in the simulator, and every way in which an interface or a table can go:
the whole state of the simulator afterwards is the one that the same plans lead to without the object.
"""

import socket
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any

import pytest

from tests.simulated_vpp import connected
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.model.attachment import ApiCall, Attachment, Values, cli_call, index_placeholder, stored_call
from vppcfg.operations.attachment import RestoreInVpp
from vppcfg.plan.unmanaged import irremovable
from vppcfg.simulator.kinds.mroute import MrouteMain
from vppcfg.simulator.pool import Pool
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.tables import L2Config, Tables
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.simulator.wire import NONE
from vppcfg.transaction.planning import plan_on
from vppcfg.vpp.live import LiveDataplane

BASE = """
vrfs: { red: { id: 10 } }
interfaces:
  eth0: { addresses: [ 192.0.2.1/24 ] }
  eth1:
    mtu: 1500
    sub-interfaces:
      101: { encapsulation: { dot1q: 101, exact-match: true }, addresses: [ 10.1.1.1/24 ] }
  eth2: {}
  ipip0: { mtu: 1400, addresses: [ 10.1.2.1/24 ] }
  memif0/0: { mtu: 1500, addresses: [ 10.1.4.1/24 ] }
  tap0: { mtu: 1500 }
loopbacks:
  loop10: { mtu: 1500, addresses: [ 10.1.0.1/24 ] }
  loop20: { mtu: 1500, vrf: red, addresses: [ 10.1.5.1/24 ] }
  loop30: { mtu: 1500, addresses: [ 10.1.6.1/24 ] }
bridgedomains:
  bd10: { bvi: loop30, interfaces: [ eth2 ] }
ipip_tunnels:
  ipip0: { local: 192.0.2.1, remote: 192.0.2.2 }
memifs:
  memif0/0: { role: master }
taps:
  tap0: { host: { name: vpp-tap0 } }
"""
WAYS: Mapping[str, tuple[str, tuple[tuple[str, str], ...]]] = {
    "loopback replaced by another": ("loop10", (("loop10:", "loop11:"),)),
    "sub-interface replaced by another": ("eth1.101", (("      101: {", "      102: {"), ("dot1q: 101", "dot1q: 102"))),
    "tunnel replaced by another": ("ipip0", (("ipip0:", "ipip1:"),)),
    "TAP replaced by another": ("tap0", (("tap0:", "tap1:"), ("vpp-tap0", "vpp-tap1"))),
    "memif replaced by another": ("memif0/0", (("memif0/0:", "memif0/1:"),)),
    "VRF renamed": ("loop20", (("red", "blue"),)),
    "VRF left": ("loop20", (("vrf: red, ", ""),)),
    "bridge domain renamed": ("loop30", (("bd10", "bd11"),)),
    "BVI replaced by another": ("loop30", (("loop30", "loop31"),)),
}
"""The interface that has the object, and what changes in the file."""


def ip4(text: str) -> bytes:
    return socket.inet_aton(text).ljust(16, b"\0")


def near(name: str) -> str:
    """Return an address in the network of an interface."""
    own = {"loop10": 0, "eth1.101": 1, "ipip0": 2, "tap0": 3, "memif0/0": 4, "loop20": 5, "loop30": 6}
    return f"10.1.{own[name]}.9"


def local(name: str) -> str:
    return near(name)[:-1] + "1"


Calls = Callable[[str], list[ApiCall | None]]


def one(message: str, values: Values) -> Calls:
    return lambda name: [stored_call(message, {**values, "sw_if_index": index_placeholder(name)})]


def prompt(line: str) -> Calls:
    return lambda name: [cli_call(line.format(name=name, near=near(name)), name)]


def route(name: str) -> list[ApiCall | None]:
    head: Values = {"route.prefix.address.un": ip4("10.70.0.0"), "route.prefix.len": 16}
    path: Values = {"sw_if_index": index_placeholder(name), "nh.address": ip4(near(name)), "weight": 1}
    return [stored_call("ip_route_add_del_v2", {"is_add": 1, "is_multipath": 1, **head}, "paths", [path])]


def virtual_router(name: str) -> list[ApiCall | None]:
    head: Values = {"sw_if_index": index_placeholder(name), "vr_id": 7}
    added: Values = {"is_add": 1, "priority": 200, "interval": 100, "flags": 1, **head}
    address: Values = {"af": 0, "un": ip4(near(name))}
    return [
        stored_call("vrrp_vr_add_del", added, "addrs", [address]),
        stored_call("vrrp_vr_start_stop", {"is_start": 1, **head}),
    ]


def session(name: str) -> list[ApiCall | None]:
    ends: Values = {"local_addr.un": ip4(local(name)), "peer_addr.un": ip4(near(name))}
    timers = {"desired_min_tx": 100000, "required_min_rx": 100000, "detect_mult": 3}
    return [stored_call("bfd_udp_add", {"sw_if_index": index_placeholder(name), **ends, **timers})]


def cross_connect(name: str) -> list[ApiCall | None]:
    path: Values = {"sw_if_index": index_placeholder("eth0"), "nh.address": ip4("192.0.2.9"), "weight": 1}
    return [stored_call("l3xc_update", {"l3xc.sw_if_index": index_placeholder(name)}, "l3xc.paths", [path])]


def of(prefix: str, message: str, values: Values) -> Calls:
    return lambda name: [stored_call(message, {**values, f"{prefix}.sw_if_index": index_placeholder(name)})]


def mapping(name: str) -> list[ApiCall | None]:
    ends: Values = {"local_ip_address": bytes([10, 0, 0, 9]), "local_port": 80, "external_port": 8080, "protocol": 6}
    head: Values = {"is_add": 1, "flags": 4, "external_sw_if_index": index_placeholder(name), "tag": b"web"}
    return [stored_call("nat44_add_del_static_mapping_v2", {**head, **ends})]


def neighbor_entry(name: str) -> list[ApiCall | None]:
    ends: Values = {"entry.peer.un": ip4(near(name)), "entry.nh.un": ip4("192.0.2.9")}
    return [stored_call("teib_entry_add_del", {"is_add": 1, "entry.sw_if_index": index_placeholder(name), **ends})]


OBJECTS: Mapping[str, Calls] = {
    "route of the API": route,
    "route of the prompt": prompt("ip route add 10.71.0.0/16 via {near} {name}"),
    "route through the interface": prompt("ip route add 10.72.0.0/16 via {name}"),
    "multicast route": prompt("ip mroute add 232.1.1.1/32 via {name} Forward"),
    "MPLS route": prompt("mpls local-label add eos 100 via {near} {name} out-labels 200"),
    "NAT44 inside": one("nat44_interface_add_del_feature", {"is_add": 1, "flags": 0x20}),
    "NAT44 pool": one("nat44_add_del_interface_addr", {"is_add": 1}),
    "NAT44 output": one("nat44_ed_add_del_output_interface", {"is_add": 1}),
    "NAT44 static mapping": mapping,
    "VRRP": virtual_router,
    "BFD": session,
    "ABF": of("attach", "abf_itf_attach_add_del", {"is_add": 1, "attach.policy_id": 7, "attach.priority": 10}),
    "L3 cross-connect": cross_connect,
    "QoS record": of("record", "qos_record_enable_disable", {"enable": 1, "record.input_source": 3}),
    "QoS store": of("store", "qos_store_enable_disable", {"enable": 1, "store.input_source": 3, "store.value": 5}),
    "QoS mark": of("mark", "qos_mark_enable_disable", {"enable": 1, "mark.map_id": 9, "mark.output_source": 3}),
    "policer": one("policer_input", {"name": b"p1", "apply": 1}),
    "rate limits": one(
        "policer_classify_set_interface",
        {"is_add": 1, "ip4_table_index": 0, "ip6_table_index": NONE, "l2_table_index": NONE},
    ),
    "reassembly": one("ip_reassembly_enable_disable", {"enable_ip4": 1, "type": 0}),
    "TEIB": neighbor_entry,
    "IPsec policies": one("ipsec_interface_add_del_spd", {"is_add": 1, "spd_id": 500}),
    "local classifier": one("classify_set_interface_ip_table", {"table_index": 0}),
    "L2 bits": one("l2_flags", {"is_set": 0, "feature_bitmap": 1}),
}
PREPARED = (
    stored_call("nat44_ed_plugin_enable_disable", {"enable": 1}),
    stored_call("policer_add", {"name": b"p1", "infos.cir": 1000, "infos.cb": 100000}),
    stored_call("mpls_table_add_del", {"mt_is_add": 1}),
    stored_call("qos_egress_map_update", {"map.id": 9}),
    stored_call("ipsec_spd_add_del", {"is_add": 1, "spd_id": 500}),
    stored_call("classify_add_del_table", {"is_add": 1, "match_n_vectors": 1}),
    stored_call("acl_add_replace", {"acl_index": 0xFFFFFFFF, "tag": b"others"}, "r", [{"is_permit": 1}]),
    stored_call(
        "abf_policy_add_del",
        {"is_add": 1, "policy.policy_id": 7},
        "policy.paths",
        [{"sw_if_index": index_placeholder("eth0"), "nh.address": ip4("192.0.2.9"), "weight": 1}],
    ),
)
UNSEEN = {("local classifier", "TAP replaced by another"), ("local classifier", "VRF left")}
"""What nothing in VPP shows: the setting without an address, and its route to one that went with its table."""
_HOOKS = ("created_hooks", "deleted_hooks", "admin_hooks", "mtu_hooks", "address_hooks", "events", "process", "release")
_NO_EFFECT = frozenset({"known", "l2_length", "values"})
"""How far VPP has grown its lists, which nothing shows, and what QoS would store where it stores nothing."""


def whole(value: Any) -> Any:
    """Return what a state holds as plain data, without what is empty; free places of pools are left out."""
    if isinstance(value, Pool):
        return {str(index): whole(value[index]) for index in range(value.end) if value.has(index)}
    if isinstance(value, Tables):
        found = {name: each for name, each in vars(value).items() if name not in {*_HOOKS, *_NO_EFFECT}}
        return {name: shown for name, each in found.items() if (shown := whole(each)) not in ({}, [])}
    if isinstance(value, MrouteMain):  # VRRP leaves a route of VPP's own behind, which leads to no interface
        paths = [
            (key, path) for routes in value.routes.values() for key, each in routes.items() for path in each.items()
        ]
        return [str(each) for each in paths if str(NONE) not in str(each[1])]
    if isinstance(value, L2Config) and value == L2Config():
        return {}
    if isinstance(value, Mapping):
        counts = isinstance(value, Counter)
        rows = {str(key): whole(each) for key, each in value.items() if each or not counts}
        return {key: each for key, each in rows.items() if each not in ({}, [])}
    if isinstance(value, set | frozenset):
        return sorted(map(str, value))
    if isinstance(value, list | tuple):
        return [whole(each) for each in value]
    if isinstance(value, Enum | int | str | bytes | float | None):
        return value
    if is_dataclass(value):
        rows = {each.name: whole(getattr(value, each.name)) for each in fields(value) if each.name not in _NO_EFFECT}
        return {key: each for key, each in rows.items() if each not in ({}, [])}
    return {key: whole(each) for key, each in getattr(value, "__dict__", {}).items() if not callable(each)}


@contextmanager
def router() -> Iterator[tuple[SimulatedVpp, LiveDataplane]]:
    """Yield a VPP that is as BASE says, with what objects need that hang on no interface."""
    vpp = SimulatedVpp(ports=[PhysicalPort(name=f"eth{number}") for number in range(3)])
    with connected(vpp) as plane:
        become(plane, BASE)
        put(plane, list(PREPARED))
        yield vpp, plane


def become(plane: LiveDataplane, text: str) -> bool:
    """Bring a VPP to a configuration; return False where the plan would be refused for what it cannot remove."""
    configuration = parse_text(text, "law").configuration
    assert configuration is not None
    observed = plane.observe()
    plan = plan_on(plane, observed, resolve(configuration, observed).desired)
    if irremovable(plan):
        return False
    assert plane.perform(list(plan.operations)).refusals == ()
    return True


def put(plane: LiveDataplane, calls: list[ApiCall | None]) -> bool:
    """Make objects; return whether VPP takes them."""
    made = [RestoreInVpp(attachment=Attachment(holder="", kind="", put=call)) for call in calls]
    return plane.perform(made).refusals == ()


def after(way: str) -> str:
    text = BASE
    for old, new in WAYS[way][1]:
        assert old in text
        text = text.replace(old, new)
    return text


@cache
def expected(way: str, kind: str = "") -> Any:
    """Return the state behind a way on which nobody had anything, and what is made after it, if anything."""
    with router() as (vpp, plane):
        assert become(plane, after(way))
        assert not kind or put(plane, OBJECTS[kind](WAYS[way][0]))
        return whole(vpp.tables)


CASES = [
    pytest.param(kind, way, marks=[pytest.mark.long] if (place + number + number // 3) % 3 else [])
    for place, kind in enumerate(OBJECTS)
    for number, way in enumerate(WAYS)
]
"""Each kind with three ways, others than its neighbours have; with all other ways it is long."""


@pytest.mark.parametrize(("kind", "way"), CASES)
def test_the_next_interface_is_as_on_a_fresh_vpp(kind: str, way: str) -> None:
    holder = WAYS[way][0]
    with router() as (vpp, plane):
        if (kind, way) in UNSEEN or not put(plane, OBJECTS[kind](holder)):
            pytest.skip(f"VPP takes no {kind} on {holder}")
        assert become(plane, after(way)), "the plan is refused"
        found = whole(vpp.tables)
        stays = holder in plane.observe().interfaces
    if stays:  # bits of L2 are set anew with its bridge domain, as the plan says
        left = [line for line in difference(expected(way, kind), found) if not line.startswith(".l2.")]
    else:
        left = difference(expected(way), found)
    assert left == []


def difference(wanted: Any, found: Any, place: str = "") -> list[str]:
    if isinstance(wanted, dict) and isinstance(found, dict):
        keys = wanted.keys() | found.keys()
        return [line for key in sorted(keys) for line in difference(wanted.get(key), found.get(key), f"{place}.{key}")]
    return [] if wanted == found else [f"{place}: {wanted!r} -> {found!r}"]
