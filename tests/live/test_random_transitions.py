"""One random configuration after another on one real VPP: nothing is refused, and each ends where it should."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, assume, given, seed, settings

from tests.laws.networks import PORTS, configurations, without_what_is_left_open
from tests.live.second_opinion import differences, read_state
from tests.operations import every_operation
from tests.real_vpp import RealVpp, running
from tests.wireguard_keys import KEYS
from vppcfg.common.release import Release, is_older
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration, InterfaceConfig, LcpConfig, VirtualInterfaceConfig
from vppcfg.errors import PlanProofError
from vppcfg.kinds.bond.announcing import ENDS_ANNOUNCING
from vppcfg.kinds.port import PortConfig
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.model.interface import WITHOUT_MTU
from vppcfg.model.memif import Memif
from vppcfg.model.problem import Severity
from vppcfg.model.state import State
from vppcfg.model.tunnel import Gre
from vppcfg.model.vhost_user import VhostUser
from vppcfg.operations.operation import Operation
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.render.plan_text import cli_line
from vppcfg.transaction.perform import perform_plan
from vppcfg.transaction.planning import plan_on
from vppcfg.vpp.live import LiveDataplane, connect

TRANSITIONS = int(os.environ.get("TRANSITIONS", "500"))
FIRST_SEED = int(os.environ.get("TRANSITIONS_SEED", "20260101"))
ONE_FRESH_IN = int(os.environ.get("TRANSITIONS_FRESH", "25"))
"""Every so many transitions, a VPP that never had another configuration says where they should have ended."""


_WITH_ATTRIBUTES = "loopbacks:\n" + "".join(
    f"  loop{number}:\n"
    f'    {{ mtu: 1500, mac: "02:00:00:00:90:{number - 9000:02x}", mpls: true, gso: true, proxy-arp: true,\n'
    f"      addresses: [ 198.18.{number - 9000}.1/24 ], urpf: {{ ipv4: loose }}, mss-clamp: {{ ipv4: 1300 }},\n"
    f'      neighbors: {{ 198.18.{number - 9000}.5: "02:00:00:00:91:00" }} }}\n'
    for number in range(9000, 9003)
)
_PLAIN = "loopbacks:\n" + "".join(
    f'  loop{number}: {{ mtu: 1500, mac: "02:00:00:00:90:{number - 9000:02x}" }}\n' for number in range(9010, 9016)
)


_ENOUGH = 50
"""Transitions after which each kind of operation has been typed that can be."""
_OFTEN_TYPED = {"CreateMacip", "SetMacip", "SetFlowRecords", "SetFlowParams"}
_ELSEWHERE = ".elsewhere"
_OF_BARE_PORTS = ("MTUs", "link MTU", "is up", "tag")
"""What VPP or a file before decides of a tunnel or port that the section of its kind names alone."""


class History:
    """A VPP that keeps what one configuration leaves for the next."""

    process: RealVpp
    dataplane: LiveDataplane
    empty: State

    def __init__(self, stack: ExitStack) -> None:
        self._stack = stack
        self.count = 0
        self.ends = 0
        self.typed: Counter[str] = Counter()
        """How many operations of each kind were typed."""
        self.begin()

    def begin(self) -> None:
        """Take a VPP that never had a configuration, and leave the one before."""
        self._stack.close()
        self.process = self._stack.enter_context(running(PORTS, makes_vlan_devices=True))
        self.process.add_netns("dataplane")
        self.dataplane = self._stack.enter_context(connect(str(self.process.socket_path)))
        self.dataplane.use_keys(KEYS)
        self.empty = self.dataplane.observe()

    def has_ended_as_known(self) -> bool:
        """Return whether VPP has ended, as one before 24.10 does once in some hundred transitions.

        It follows a route that one table has of another and that is gone (fib_attached_export_import in
        vnet/fib/fib_attached_export.c).
        """
        self.ends += self.process.has_ended
        is_old = is_older(self.empty.facts.version, Release(24, 10))
        return self.process.has_ended and is_old and self.ends <= 1 + self.count // 100

    def indexes(self) -> dict[str, int]:
        rows = self.process.client.api.sw_interface_dump(sw_if_index=0xFFFFFFFF)
        return {row.interface_name: row.sw_if_index for row in rows}

    def apply_to(self, plan: Plan) -> None:
        """Do what a plan says by messages, or by typing it, in turn; of what is typed, a step without text is sent."""
        if self.count % 2:
            for step in plan.steps:
                self._type(step.operation)
            return
        performance = perform_plan(plan, self.dataplane, lambda done: None)
        assert [(refusal.operation, refusal.text) for refusal in performance.refusals] == []

    def _type(self, operation: Operation) -> None:
        line = cli_line(operation, self.empty.facts.version)
        if line is None or _is_not_typed(line):
            assert [refusal.text for refusal in self.dataplane.perform((operation,)).refusals] == [], operation
        elif not line.startswith("comment"):
            self.typed[type(operation).__name__] += 1
            retval, said = self.process.cli(line)
            assert (line, retval, said if retval else "") == (line, 0, "")


def _is_not_typed(line: str) -> bool:
    """Return whether a line stands for a secret, is no text for the client, or names a port whose name VPP forgets.

    That is what it does when another vhost-user port is made.
    """
    return "<" in line or not line.isascii() or "VirtualEthernet" in line


@contextmanager
def started() -> Iterator[History]:
    """Start a VPP and connect to it."""
    with ExitStack() as stack:
        yield History(stack)


@pytest.fixture(scope="module")
def router() -> Iterator[History]:
    with pytest.MonkeyPatch.context() as patch, started() as history:
        patch.setattr("vpp_papi.vpp_serializer.String.unpack", unpack_utf8)
        yield history
        assert (
            history.count < _ENOUGH
            or _OFTEN_TYPED - _not_yet_typed(history.empty.facts.version) <= history.typed.keys()
        )


def _not_yet_typed(version: str) -> set[str]:
    """Return the operations whose command this release does not have."""
    kinds = ((kind.__name__, kind.cli_since) for kind in every_operation())
    return {name for name, since in kinds if since is not None and is_older(version, since)}


def unpack_utf8(field: Any, data: bytes, offset: int = 0, result: object = None, ntc: bool = False) -> tuple[str, int]:
    """Read a text as vpp_papi does, but descriptions may have letters that are not ASCII."""
    if field.fixed:
        return data[offset : offset + field.num].partition(b"\0")[0].decode(), field.num
    length, size = field.length_field_packer.unpack(data, offset)
    begin = offset + size
    return data[begin : begin + length].decode(), size + length


@seed(FIRST_SEED)
@settings(
    max_examples=TRANSITIONS,
    deadline=None,
    database=None,
    phases=(Phase.generate,),
    suppress_health_check=list(HealthCheck),
)
@given(drawn=configurations())
def test_every_random_configuration_is_reached(router: History, drawn: Configuration) -> None:
    router.count += 1
    try:
        go_to(router, with_a_change_of_loopbacks(with_names_for_vlans(drawn), router.count))
    except Exception:
        if not router.has_ended_as_known():
            raise
        router.begin()


def go_to(router: History, configuration: Configuration) -> None:
    """Go to a configuration, and look whether that is where VPP is."""
    before, observed = router.indexes(), router.dataplane.observe()
    resolution = resolve(configuration, observed)
    assume(ENDS_ANNOUNCING not in {problem.rule for problem in resolution.problems})
    try:
        plan = plan_on(router.dataplane, observed, resolution.desired)
    except PlanProofError:  # what the release cannot have is left out, and what needs that is not
        assume(Severity.ERROR not in {problem.severity for problem in resolution.problems})
        raise
    if is_older(router.empty.facts.version, Release(25, 10)):
        assume(not any(gre.key for gre in plan.desired.virtual_as(Gre).values()))
    router.apply_to(plan)
    reached = router.dataplane.look_closer(router.dataplane.observe().interfaces, plan.desired)
    assert list(diff(reached, plan.desired)) == []
    assert make_plan(reached, resolve(configuration, reached).desired).steps == ()
    from_empty = without_what_is_left_open(resolve(configuration, router.empty).desired)
    assert list(diff(without_what_is_left_open(reached), from_empty)) == []
    owners = {index: name for name, index in router.indexes().items()}
    is_first = before.keys() <= {*PORTS, "local0"}
    assert is_first or any(owners.get(index, name) != name for name, index in before.items())
    if router.count % ONE_FRESH_IN == 0:
        assert_as_on_a_fresh_vpp(router, configuration)


def assert_as_on_a_fresh_vpp(router: History, configuration: Configuration) -> None:
    """Compare what a plain client reads with what it reads of a VPP that began with this configuration."""
    made = {name: _with_socket_elsewhere(virtual) for name, virtual in configuration.virtual.items()}
    configuration = replace(configuration, virtual=made)
    with started() as fresh:
        fresh.apply_to(make_plan(fresh.empty, resolve(configuration, fresh.empty).desired))
        found, expected = (read_state(each.process.socket_path, each.process.api_dir) for each in (router, fresh))
    assert differences(said(found, configuration), said(_here(expected), configuration)) == []


def said(state: dict[str, Any], configuration: Configuration) -> dict[str, Any]:
    """Return what a plain client has read, without what the file leaves open: that may depend on what was before.

    VPP routes by 9000 bytes where an interface has no MTU.
    """
    macs = {name: getattr(virtual, "mac", None) for name, virtual in configuration.virtual.items()}
    interfaces: dict[str, Any] = {}
    for name, values in state["interfaces"].items():
        entry = configuration.interfaces.get(name)
        has_mac = macs.get(name) or (entry is not None and entry.mac)
        left_open = {*(() if has_mac else ("MAC",)), *(_OF_BARE_PORTS if entry is None else ())}
        mtu = {"MTUs": [WITHOUT_MTU, *values["MTUs"][1:]]} if "." not in name and not values["MTUs"][0] else {}
        interfaces[name] = {key: value for key, value in {**values, **mtu}.items() if key not in left_open}
    taps = {
        name: (host, mac if configuration.virtual_as(TapConfig)[name].host_mac else "", *rest)
        for name, (host, mac, *rest) in state["taps"].items()
    }
    return {**state, "interfaces": interfaces, "taps": taps, "modes": [], "receive queues": []}


def _here(value: Any) -> Any:
    """Return what a plain client has read as if the sockets were where the file has them."""
    if isinstance(value, dict):
        return {key: _here(each) for key, each in value.items()}
    if isinstance(value, str):
        return value.removesuffix(_ELSEWHERE)
    return type(value)(_here(each) for each in value) if isinstance(value, list | tuple) else value


def _with_socket_elsewhere(virtual: VirtualInterfaceConfig) -> VirtualInterfaceConfig:
    """Two VPPs cannot listen at one place."""
    if isinstance(virtual, PortConfig) and isinstance(virtual.port, Memif | VhostUser) and virtual.port.socket:
        return replace(virtual, port=replace(virtual.port, socket=f"{virtual.port.socket}{_ELSEWHERE}"))
    return virtual


def with_a_change_of_loopbacks(configuration: Configuration, count: int) -> Configuration:
    """Add loopbacks that are others each time, so that there always are indexes that one leaves and another one gets.

    Those of one transition have what VPP notes by index, those of the next have nothing.
    """
    parsed = parse_text(_WITH_ATTRIBUTES if count % 2 else _PLAIN, "loopbacks.yaml").configuration
    assert parsed is not None
    return replace(configuration, interfaces={**configuration.interfaces, **parsed.interfaces})


def with_names_for_vlans(configuration: Configuration) -> Configuration:
    """Give pairs of sub-interfaces names with a dot, and no others: what stands in for 802.1Q goes by that."""
    interfaces = {name: _renamed(interface) for name, interface in configuration.interfaces.items()}
    return replace(configuration, interfaces=interfaces)


def _renamed(interface: InterfaceConfig) -> InterfaceConfig:
    if interface.lcp is None:
        return interface
    plain = interface.lcp.host_name.replace(".", "-")
    host_name = f"{plain}.v" if interface.parent is not None else plain
    return replace(interface, lcp=LcpConfig(host_name=host_name, netns=interface.lcp.netns))
