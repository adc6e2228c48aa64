"""Starts a real VPP of its own for a file, brings it to that file, and sends it the frames that prove it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from vppcfg.app.keys import keys_in_files
from vppcfg.app.probing import prove
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration, InterfaceConfig, VirtualInterfaceConfig
from vppcfg.errors import DataplaneError
from vppcfg.kinds.host_interface import HostInterfaceConfig
from vppcfg.kinds.owned_list import OWNED
from vppcfg.kinds.port import PortConfig
from vppcfg.kinds.tap.entry import TapConfig
from vppcfg.linux.private_vpp import FOLDER, PrivateVpp, private_vpp
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.memif import Memif
from vppcfg.model.neighbor import Neighbor, in_order
from vppcfg.model.state import State
from vppcfg.model.vhost_user import VhostUser
from vppcfg.model.virtual_router import VirtualRouter, VrrpState
from vppcfg.plan.plan import make_plan
from vppcfg.probe.ingress import free_host
from vppcfg.probe.nat import hosts_of_mappings
from vppcfg.probe.network import Network
from vppcfg.probe.report import ProbeReport
from vppcfg.probe.test_cases import ProbeSet, probes_for
from vppcfg.record import record
from vppcfg.transaction.perform import perform_plan
from vppcfg.vpp.live import LiveDataplane, connect

_PATIENCE_S = 30.0
_MORE_ROUNDS = 2
_ELECTION_S = 15.0
"""So long is waited for virtual routers, which become masters after three intervals without another one."""
_LOOK_S = 0.5
_WITH_SOCKET = (Memif, VhostUser)
_PORT_MAC = "02:00:5e:02:{:02x}:{:02x}"
_NEIGHBOR_MAC = "02:00:5e:01:{:02x}:{:02x}"


def rehearsable(configuration: Configuration, folder: Path) -> Configuration:
    """Return what of a file can be rehearsed: without Linux around it, and with sockets of its own in `folder`.

    LCP pairs, what they pass on, and DHCP clients are left out: their peers are missing in a rehearsal. A TAP is stood
    in for by a port, for its other end would be in Linux.
    """
    taps = {name for name, config in configuration.virtual.items() if isinstance(config, TapConfig)}
    declared = {
        name: InterfaceConfig(name=name, path=("taps", name)) for name in taps - configuration.interfaces.keys()
    }
    interfaces = {
        name: replace(
            interface,
            lcp=None,
            dhcp_client=None,
            kind=InterfaceKind.PHYSICAL if name in taps else interface.kind,
        )
        for name, interface in {**configuration.interfaces, **declared}.items()
    }
    sockets = {
        each.port.socket: None
        for each in configuration.virtual.values()
        if isinstance(each, PortConfig) and isinstance(each.port, _WITH_SOCKET)
    }
    apart = {file: str(folder / f"socket-{number}") for number, file in enumerate(sockets)}
    virtual = {name: _apart(config, apart) for name, config in configuration.virtual.items() if name not in taps}
    left_out = {section.key for section in OWNED if any(each.needs_linux for each in section.object_classes)}
    owned = {key: entries for key, entries in configuration.owned.items() if key not in left_out}
    return replace(configuration, interfaces=interfaces, virtual=virtual, owned=owned)


def _apart(config: VirtualInterfaceConfig, sockets: Mapping[str, str]) -> VirtualInterfaceConfig:
    if isinstance(config, PortConfig) and isinstance(config.port, _WITH_SOCKET) and config.port.socket:
        return replace(config, port=replace(config.port, socket=sockets[config.port.socket]))
    return config


def neighbors_to_add(network: Network) -> list[tuple[str, Neighbor]]:
    """Return a neighbour for each prefix of each interface, so that packets can be sent there; by interface.

    The hosts inside that mappings of NAT44 name are some, too.
    """
    found: list[tuple[str, Neighbor]] = []
    for connected in network.connected:
        if not network.has_ethernet(connected.interface) or network.is_loopback(connected.interface):
            continue
        text = f"{connected.network.network_address}/{connected.network.prefixlen}"
        host = free_host(network, connected.table, text)
        if host is None or network.neighbor(connected.interface, host) is not None:
            continue
        found.append((connected.interface, Neighbor(address=host, mac=neighbor_mac(len(found) + 1))))
    for name, host in hosts_of_mappings(network):
        if network.has_ethernet(name) and network.neighbor(name, host) is None:
            found.append((name, Neighbor(address=host, mac=neighbor_mac(len(found) + 1))))
    return list({(name, each.address): (name, each) for name, each in found}.values())


def neighbor_mac(number: int) -> str:
    """Return a MAC address of a made-up neighbour."""
    return _NEIGHBOR_MAC.format(number >> 8, number & 0xFF)


def is_made_up(neighbor: Neighbor) -> bool:
    """Return whether a neighbour is one of these."""
    return neighbor.mac.startswith(_NEIGHBOR_MAC.partition("{")[0])


def with_neighbors(state: State, added: Iterable[tuple[str, Neighbor]]) -> State:
    """Return the state with neighbours that it did not have."""
    interfaces: dict[str, Interface] = dict(state.interfaces)
    for name, neighbor in added:
        interface = interfaces[name]
        interfaces[name] = replace(interface, neighbors=in_order((*interface.neighbors, neighbor)))
    return replace(state, interfaces=interfaces)


@record
class StandIn:
    """A port that nothing is plugged into, on a device of the private VPP."""

    name: str
    device: str
    mac: str

    def add_to(self, vpp: LiveDataplane) -> None:
        """Make it, down and with nothing on it."""
        vpp.run_line(f"create host-interface name {self.device} hw-addr {self.mac}")
        vpp.run_line(f"set interface name host-{self.device} {self.name}")

    def renew(self, vpp: LiveDataplane) -> None:
        """Delete it and make it anew, as VPP forgets what was on an interface that is deleted."""
        vpp.run_line(f"delete host-interface name {self.device}")
        self.add_to(vpp)


@record
class Rehearsal:
    """A VPP that has what a file sets, and nothing else to do."""

    vpp: LiveDataplane
    observed: State
    network: Network
    """What the file sets, with the neighbours that were added."""


@contextmanager
def rehearsal(
    configuration: Configuration, prefix: Path, foreign_reason: Callable[[], str] = lambda: ""
) -> Iterator[Rehearsal]:
    """Start the VPP below `prefix`, bring it to a configuration, and end it.

    `foreign_reason` is as for `keys_in_files`. Raise UsageError, LinuxError or DataplaneError where VPP cannot be
    started or refuses something, PlanRefusedError for a key.
    """
    desired = rehearsable(configuration, FOLDER)
    keys = keys_in_files(resolve(desired, assumed_state(desired)).desired, foreign_reason)
    with private_vpp(prefix) as process, connected(process) as vpp:
        vpp.require_injection()
        vpp.use_keys(keys)
        _add_ports(vpp, process, desired)
        yield _brought(vpp, desired)


def connected(process: PrivateVpp) -> LiveDataplane:
    """Connect to a private VPP, of whatever release. Raise DataplaneError."""
    return connect(process.api_socket, json_dir=process.json_dir, timeout_s=_PATIENCE_S)


def _add_ports(vpp: LiveDataplane, process: PrivateVpp, configuration: Configuration) -> None:
    """Make a port for each of the file, and the Linux devices that host-interfaces need."""
    add_host_devices(process, host_devices_of(configuration))
    names = [name for name, config in configuration.interfaces.items() if is_port(config)]
    add_ports(vpp, process, dict.fromkeys(names, ""))


def host_devices_of(configuration: Configuration) -> Iterator[str]:
    """Yield the Linux devices that the host-interfaces of a file need."""
    for config in configuration.virtual.values():
        if isinstance(config, HostInterfaceConfig):
            yield config.name.removeprefix("host-")


def add_host_devices(process: PrivateVpp, devices: Iterable[str]) -> None:
    """Make Linux devices for host-interfaces. Raise LinuxError."""
    for device in sorted(set(devices)):
        process.add_device(device)


def is_port(interface: Interface | InterfaceConfig) -> bool:
    """Return whether an interface is one that a stand-in is made for."""
    return interface.kind is InterfaceKind.PHYSICAL and interface.parent is None


def add_ports(vpp: LiveDataplane, process: PrivateVpp, ports: Mapping[str, str]) -> dict[str, StandIn]:
    """Make ports, `ports` being their MAC addresses by name; '' stands for one that is made up here."""
    made = {}
    for number, (name, mac) in enumerate(ports.items(), start=1):
        made[name] = StandIn(
            name=name, device=f"vppcfg{number}", mac=mac or _PORT_MAC.format(number >> 8, number & 0xFF)
        )
        process.add_device(made[name].device)
        made[name].add_to(vpp)
    return made


def _brought(vpp: LiveDataplane, configuration: Configuration) -> Rehearsal:
    """Bring VPP to the configuration, and then add a neighbour to each prefix."""
    before = vpp.observe()
    resolution = resolve(configuration, before)
    if not resolution.is_possible:
        raise DataplaneError(f"the file cannot be rehearsed: {resolution.problems[0].text}")
    desired = resolution.desired
    _perform(vpp, before, desired)
    added = neighbors_to_add(Network(desired))
    desired = with_neighbors(desired, added)
    _perform(vpp, vpp.observe(), desired)
    observed = with_masters(vpp)
    network = Network(with_observed_choices(desired, observed), vpp.read_numbers().without_link)
    return Rehearsal(vpp=vpp, observed=observed, network=network)


def with_masters(vpp: LiveDataplane) -> State:
    """Return what VPP has once its virtual routers are masters, or when they have had time enough."""
    observed, deadline = vpp.observe(), time.monotonic() + _ELECTION_S
    while time.monotonic() < deadline and any(
        each.is_running and each.state is VrrpState.BACKUP for each in observed.of(VirtualRouter).values()
    ):
        time.sleep(_LOOK_S)
        observed = vpp.observe()
    return observed


def _perform(vpp: LiveDataplane, before: State, desired: State) -> None:
    refusals = perform_plan(make_plan(before, desired), vpp, lambda done: None).refusals
    if refusals:
        raise DataplaneError(f"the VPP of the rehearsal refuses {refusals[0].operation.subject}: {refusals[0].text}")


def with_observed_choices(desired: State, observed: State) -> State:
    """Return the state with the MAC addresses that the file leaves to VPP, and with what virtual routers are."""
    interfaces = {
        name: replace(
            interface, mac=interface.mac or (observed.interfaces[name].mac if name in observed.interfaces else "")
        )
        for name, interface in desired.interfaces.items()
    }
    routers = {
        name: replace(
            each, state=observed.of(VirtualRouter)[name].state if name in observed.of(VirtualRouter) else None
        )
        for name, each in desired.of(VirtualRouter).items()
    }
    objects = {**desired.objects, VirtualRouter: routers} if routers else desired.objects
    return replace(desired, interfaces=interfaces, objects=objects)


def rehearse(configuration: Configuration, prefix: Path, foreign_reason: Callable[[], str] = lambda: "") -> ProbeReport:
    """Return the results of all frames that prove a configuration. Raise as `rehearsal` does."""
    with rehearsal(configuration, prefix, foreign_reason) as stage:
        return prove_with_links(stage.vpp, stage.network)


def prove_with_links(vpp: LiveDataplane, network: Network) -> ProbeReport:
    """Return the results of all frames that prove a state; once more where a link has come or gone meanwhile."""
    report = prove(vpp, network, probes_for(network))
    for _ in range(_MORE_ROUNDS):
        without_link = vpp.read_numbers().without_link
        if without_link == network.without_link:
            break
        network = Network(network.state, without_link)
        report = prove(vpp, network, probes_for(network))
    return report


def probe_set_for(configuration: Configuration) -> ProbeSet:
    """Return what a rehearsal of a configuration would send, as far as that is known without a VPP."""
    desired = rehearsable(configuration, Path("/run"))
    state = resolve(desired, assumed_state(desired)).desired
    state = with_neighbors(state, neighbors_to_add(Network(state)))
    interfaces = {
        name: replace(interface, mac=interface.mac or _PORT_MAC.format(number >> 8, number & 0xFF))
        for number, (name, interface) in enumerate(state.interfaces.items(), start=1)
    }
    masters = {
        name: replace(each, state=VrrpState.MASTER if each.is_running else None)
        for name, each in state.of(VirtualRouter).items()
    }
    objects = {**state.objects, VirtualRouter: masters} if masters else state.objects
    return probes_for(Network(replace(state, interfaces=interfaces, objects=objects)))
