"""Reads the Linux around one VPP, and makes and sets what TAPs and LCP pairs need of it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from vppcfg.linux import device
from vppcfg.linux.inside import Result, run_apart
from vppcfg.linux.link import Link, read_links
from vppcfg.linux.netns import Namespaces, add_netns
from vppcfg.linux.ping import echo, vrf_device
from vppcfg.linux.refusal import refusal_of, require_device_name, require_netns_name, within
from vppcfg.linux.restoring import restore_settings
from vppcfg.linux.routing import LinuxNeighbors, read_addresses, read_neighbors, read_routes, read_static_neighbors
from vppcfg.linux.rules import read_rules
from vppcfg.linux.settings import read_settings
from vppcfg.model.forwarding import LinuxForwarding, PairSide
from vppcfg.model.linux import LinkOutcome, LinkSetting, LinuxDevice, LinuxSide
from vppcfg.model.linux_setting import LinuxSetting
from vppcfg.model.question import AskOutcome, LinuxEchoQuestion

_ROUTES_S = 300.0
"""So long the kernel may take to report a million routes on a busy machine."""


class _Inside(NamedTuple):
    """What is read in one namespace."""

    links: list[Link]
    neighbors: list[tuple[str, str, str]]
    """Device, address and MAC address of those that never age."""
    udp_ports: set[int]
    """Those that programs listen on."""


class LinuxHost:
    """The Linux around one VPP process.

    A name of a namespace is what VPP finds below that name, and '' is VPP's own. The caller's namespaces never change.
    """

    def __init__(self, vpp_pid: int | None = None) -> None:
        """Take process `vpp_pid` for VPP, None for this one."""
        self._namespaces = Namespaces(vpp_pid)

    def observe(self, requested: Iterable[tuple[str, str]]) -> LinuxSide:
        """Return those of the devices `requested` (namespace and name) that there are, and what is around them.

        A namespace that does not exist has none. Raise LinuxError.
        """
        by_netns: dict[str, set[str]] = {}
        for netns, name in requested:
            by_netns.setdefault(netns, set()).add(name)
        found = run_apart(lambda: {netns: self._look_into(netns) for netns in sorted(by_netns)})
        links = {netns: seen.links for netns, seen in found.items()}
        return LinuxSide(
            devices={
                (netns, name): found
                for netns, names in by_netns.items()
                for name, found in _devices(links[netns], names).items()
            },
            namespaces=self._namespaces.names(),
            bridges=frozenset((netns, link.name) for netns in links for link in links[netns] if link.is_bridge),
            others=frozenset(_others(links, by_netns)),
            neighbors=frozenset(
                ((netns, name), address, mac)
                for netns, seen in found.items()
                for name, address, mac in seen.neighbors
                if name in by_netns[netns]
            ),
            udp_ports=frozenset(port for seen in found.values() for port in seen.udp_ports),
        )

    def read_forwarding(self, netns: str, devices: Mapping[str, str]) -> LinuxForwarding:
        """Return what `devices` of a namespace have, which are VPP's interfaces by their names in Linux, and routes.

        A device that there is not, and a namespace that there is not, are left out. Raise LinuxError.
        """

        def read() -> LinuxForwarding:
            if not self._namespaces.enter_if_there(netns):
                return LinuxForwarding()
            try:
                return _forwarding(devices)
            except OSError as error:
                raise refusal_of(f"read addresses, neighbours and routes{within(netns)}", error) from error

        return run_apart(read, _ROUTES_S)

    def read_settings(
        self, netns: str, devices: Mapping[str, str], requested: Collection[str]
    ) -> list[tuple[str, LinuxSetting]]:
        """Return what was configured on the devices of the interfaces `requested`, each setting with the interface.

        `devices` names the interfaces of all devices of the namespace that belong to any. Raise LinuxError.
        """

        def read() -> list[tuple[str, LinuxSetting]]:
            if not self._namespaces.enter_if_there(netns):
                return []
            try:
                return read_settings(netns, devices, requested)
            except OSError as error:
                raise refusal_of(f"read addresses, neighbours and routes{within(netns)}", error) from error

        return run_apart(read, _ROUTES_S)

    def restore(self, netns: str, settings: Sequence[LinuxSetting]) -> LinkOutcome:
        """Make settings on devices of a namespace, all that can be made. Raise LinuxError."""

        def restore() -> LinkOutcome:
            try:
                refused = restore_settings(netns, settings)
            except OSError as error:
                raise refusal_of(f"set addresses, neighbours and routes{within(netns)}", error) from error
            return LinkOutcome(done=tuple(n for n in range(len(settings)) if n not in refused), refused=refused)

        return self._run_in(netns, restore)

    def ask_echo(self, question: LinuxEchoQuestion) -> AskOutcome:
        """Ping once from a namespace. Raise LinuxError."""

        def ask() -> AskOutcome:
            device = question.device
            if not device and question.table_id:
                device = vrf_device(question.table_id)
                if not device:
                    return AskOutcome(cannot_ask=f"Linux has no VRF device of table {question.table_id}")
            return AskOutcome(is_answered=echo(question.address, source=question.source, device=device))

        return self._run_in(question.netns, ask)

    def add_namespace(self, name: str) -> None:
        """Make a network namespace unless it is there, as `ip netns add` does. Raise LinuxError."""
        require_netns_name(name)
        self._namespaces.require_process()

        def add() -> None:
            try:
                add_netns(name, self._namespaces.process)
            except OSError as error:
                raise refusal_of(f"make the network namespace {name}", error) from error

        run_apart(add)

    def add_bridge(self, netns: str, name: str) -> None:
        """Make a bridge and set it up, unless it is there. Raise LinuxError, also when something else has its name."""
        require_device_name(name)
        self._run_in(netns, lambda: device.add_bridge(netns, name))

    def set_links(self, netns: str, settings: Sequence[LinkSetting]) -> LinkOutcome:
        """Set MTU and state of devices of one namespace, in order, up to the first that is refused or not there.

        Up to 64 are under way at a time, and those behind a refusal may have been set. No VLAN device can have a
        larger MTU than its parent: grow parents first and shrink children first. Raise LinuxError when the namespace
        cannot be entered or nothing can be set in it.
        """
        for setting in settings:
            require_device_name(setting.name)
        return self._run_in(netns, lambda: device.set_links(netns, settings))

    def set_bridge(self, netns: str, name: str, bridge: str) -> None:
        """Make a device a port of `bridge` and of no other; '' takes it out of the one it is in. Raise LinuxError."""
        require_device_name(name)
        if bridge:
            require_device_name(bridge)
            self._run_in(netns, lambda: device.join_bridge(netns, name, bridge))
        else:
            self._run_in(netns, lambda: device.leave_bridge(netns, name))

    def _run_in(self, netns: str, work: Callable[[], Result]) -> Result:
        def run() -> Result:
            self._namespaces.enter(netns)
            return work()

        return run_apart(run)

    def _look_into(self, netns: str) -> _Inside:
        """Return what is in a namespace, into which the calling thread goes."""
        if not self._namespaces.enter_if_there(netns):
            return _Inside([], [], set())
        try:
            links = read_links()
            names = {link.index: link.name for link in links}
            static = [(names.get(index, ""), address, mac) for index, address, mac in read_static_neighbors()]
            return _Inside(links, static, _udp_ports())
        except OSError as error:
            raise refusal_of(f"list devices{within(netns)}", error) from error


def _udp_ports() -> set[int]:
    """Return the UDP ports that sockets in the namespace of this thread are bound to (proc_pid_net(5))."""
    ports = set()
    for family in ("udp", "udp6"):
        with open(f"/proc/thread-self/net/{family}", encoding="ascii") as file:
            ports |= {int(line.split()[1].rpartition(":")[2], 16) for line in file if ":" in line.partition("local")[0]}
    return ports


def _forwarding(devices: Mapping[str, str]) -> LinuxForwarding:
    links = {link.index: link for link in read_links() if link.name in devices}
    addresses, neighbors, nobody = read_addresses(), read_neighbors(), LinuxNeighbors({}, {})
    routes = read_routes({index: devices[link.name] for index, link in links.items()})
    sides = {
        devices[link.name]: PairSide(
            mtu=link.mtu,
            is_up=link.is_up,
            addresses=addresses.get(index, frozenset()),
            neighbors=neighbors.get(index, nobody).known,
            failed=neighbors.get(index, nobody).failed,
        )
        for index, link in links.items()
    }
    indexes = {devices[link.name]: index for index, link in links.items()}
    rules = tuple(read_rules({link.name for link in links.values()}))
    return LinuxForwarding(sides=sides, indexes=indexes, tables=routes.tables, limits=routes.limits, rules=rules)


def _others(links: Mapping[str, Iterable[Link]], requested: Mapping[str, set[str]]) -> Iterator[tuple[str, str]]:
    """Yield namespace and name of the devices that are not wanted."""
    for netns, names in requested.items():
        yield from ((netns, link.name) for link in links[netns] if link.name not in names)


def _devices(links: list[Link], requested: set[str]) -> dict[str, LinuxDevice]:
    bridges = {link.index: link.name for link in links if link.is_bridge}
    return {
        link.name: LinuxDevice(mtu=link.mtu, is_up=link.is_up, bridge=bridges.get(link.master, ""))
        for link in links
        if link.name in requested
    }
