"""The simulated VPP that `adopt` replays scripts on: runs commands, creates ports on demand, reports its state."""

from __future__ import annotations

import socket
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from vppcfg.adopt.places import PLACING, placed_port, queue_in
from vppcfg.engine.object_kind import InFileForm
from vppcfg.entries.placement import LAST_QUEUE, RX_KEY
from vppcfg.model.attachment import Attachment
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.lcp import LcpSettings
from vppcfg.model.route import Route
from vppcfg.model.state import Facts, State
from vppcfg.operations.operation import Operation
from vppcfg.simulator.api import write_api_dir
from vppcfg.simulator.content import content_of
from vppcfg.simulator.ip6_link import Ip6LinkMain
from vppcfg.simulator.kinds import KINDS, PLUGINS, fib
from vppcfg.simulator.kinds.acl import AclMain
from vppcfg.simulator.kinds.nat44_main import NatMain
from vppcfg.simulator.load import load_ports
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.queues import ensure_queue, set_workers
from vppcfg.simulator.releases import release_of
from vppcfg.simulator.retval import DiedError
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.tables import SwInterface
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.vpp.channel import Channel
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.definitions import Definitions, read_directory
from vppcfg.vpp.hidden import in_file_form, read_prompt, with_unlisted
from vppcfg.vpp.observe import observe
from vppcfg.vpp.perform import perform
from vppcfg.vpp.unmanaged import read_standalone, read_unmanaged

_T = TypeVar("_T")
IN_NO_FILE = frozenset(
    {
        *("dhcp6 client", "dhcp6 pd client", "set interface feature", "set ip classify"),
        *("set ip6 address", "set ip6 classify"),
    }
)
"""Commands that the simulator has for the sake of what VPP does by itself then; no file has what they set."""
ALL_COMMANDS = frozenset(words for kind in KINDS for words in kind.commands) - IN_NO_FILE
"""The words of the commands that some release and some plugins let be simulated."""
IPV6 = "IPv6"
"""What an interface has on which IPv6 is on."""
_STOPPED_S = 1.0
"""The time of its clock: two runs of the same commands are alike."""
_ASSUMED_MACS = "5e:83:b7"
"""How the MAC addresses of ports begin of which none is known: a script that names one gives it to its port."""
_ASSUMED_WORKERS = 255
"""More than a router has."""
_PATIENCE_S = 600.0
"""How long reading may take; the simulated VPP is in this very process."""


class Simulation:
    """An unconfigured VPP, and then the one that a script has configured."""

    def __init__(
        self,
        version: str,
        ports: Iterable[Interface] = (),
        lcp: LcpSettings | None = None,
        plugins: Collection[str] | None = None,
        workers: int | None = None,
    ) -> None:
        """Start a VPP of the release of `version` with these ports and this startup.conf.

        That is about linux-cp, which `plugins` it loads, None for all, and how many `workers` it has, None for as many
        as a command names. Raise UsageError for an unknown release.
        """
        started = State(facts=Facts(lcp=lcp or LcpSettings()))
        loaded = PLUGINS if plugins is None else PLUGINS.intersection(plugins)
        release = release_of(version).name
        self._release, self._plugins = release, loaded
        self._vpp = SimulatedVpp(
            release=release, version=version, state=started, plugins=loaded, workers=workers, clock=lambda: _STOPPED_S
        )
        self._commands = frozenset(self._vpp.commands) - IN_NO_FILE
        self._generated = 0
        self._observed: InFileForm | None = None
        """The state since the last command, where it has been read."""
        self._are_workers_known = workers is not None
        self.placed: set[tuple[str, str, int]] = set()
        """Ports, keys and queues that commands place; on which threads all others are VPP chooses."""
        self._with_free_queues: set[str] = set()
        """Ports of which it is unknown how many queues they have."""
        for port in ports:
            queues = len(port.rx_placement), len(port.tx_placement)
            self.add_port(port.name, port.device_class, mac=port.mac, link_mtu=port.link_mtu, queues=queues)
            if any(queues):
                self._with_free_queues.discard(port.name)

    @property
    def commands(self) -> Collection[str]:
        """Return the words of the commands that are simulated."""
        return self._commands

    def lacks_plugin_of(self, command: str) -> bool:
        """Return whether a command is one of a plugin that is not loaded."""
        return command not in self._commands and command in ALL_COMMANDS

    def run(self, line: str) -> tuple[bool, str]:
        """Run a command, and return whether VPP takes it, and what it prints."""
        self._observed = None
        self.ensure_queue(line)
        try:
            code, printed = self._vpp.run_line(line)
        except DiedError:
            return False, "VPP crashes at this line"
        self._vpp.tables.events.clear()
        return code == 0, printed

    def ensure_queue(self, line: str) -> None:
        """Have the queue that a command places, and workers, where their number is unknown."""
        key = next((key for command, key in PLACING.items() if line.startswith(f"{command} ")), None)
        words = line.split()[3:]
        name = placed_port(words) if key is not None else None
        if key is not None and name is not None:
            self.placed.add((name, key, queue_in(words)))
        row = self.named(name) if name is not None else None
        if row is None or row.is_sub:
            return
        tables = self._vpp.tables
        if not self._are_workers_known:
            self._are_workers_known = True
            set_workers(tables, _ASSUMED_WORKERS)
        if name in self._with_free_queues and queue_in(words) <= LAST_QUEUE:
            ensure_queue(tables, tables.hw_of(row), queue_in(words), is_rx=key == RX_KEY)

    def named(self, name: str) -> SwInterface | None:
        """Return the interface of this name, None when there is none."""
        return self._vpp.tables.named(name)

    def has(self, name: str) -> bool:
        """Return whether there is an interface of this name."""
        return self._vpp.tables.named(name) is not None

    def sub_interfaces(self, name: str) -> list[SwInterface]:
        """Return the sub-interfaces of an interface, none of one that is not there."""
        row, tables = self.named(name), self._vpp.tables
        if row is None or row.is_sub:
            return []
        found = (tables.sw.get(index) for index in tables.hw_of(row).sub_interfaces.values())
        return [sub for sub in found if sub is not None]

    def name_of(self, row: SwInterface) -> str:
        """Return the name of an interface."""
        return self._vpp.tables.name_of(row)

    def has_pair(self, name: str) -> bool:
        """Return whether an interface has an LCP pair."""
        row = self.named(name)
        return row is not None and row.index in self._vpp.tables.lcp.by_phy

    def has_acl(self, index: int) -> bool:
        """Return whether there is an access list of this index."""
        return self._vpp.tables.part(AclMain).lists.has(index)

    def has_table(self, number: int) -> bool:
        """Return whether there is a FIB table of this number, of IPv4 or IPv6."""
        return any(fib.has_table(self._vpp.tables, is_ipv6, number) for is_ipv6 in (False, True))

    def has_nat(self) -> bool:
        """Return whether NAT44 is enabled."""
        return self._vpp.tables.part(NatMain).is_enabled

    def mac_of(self, name: str) -> bytes:
        """Return the MAC address of an interface, none of one that is not there."""
        row = self.named(name)
        return self._vpp.tables.hw_of(row).mac if row is not None else b""

    def add_port(
        self,
        name: str,
        device_class: str = "dpdk",
        *,
        mac: str = "",
        link_mtu: int | None = None,
        queues: tuple[int, int] = (1, 1),
    ) -> PhysicalPort:
        """Have a port that VPP has found, or that a command has made which is not simulated, and return it."""
        self._generated += 1
        mtu = link_mtu or 9000
        port = PhysicalPort(
            name=name,
            device_class=device_class or "dpdk",
            mac=mac or f"{_ASSUMED_MACS}:{self._generated.to_bytes(3).hex(':')}",
            link_mtu=mtu,
            packet_mtu=mtu,
            rx_queues=queues[0] or 1,
            tx_queues=queues[1] or 1,
        )
        self.have(port)
        return port

    def have(self, port: PhysicalPort) -> None:
        """Have a port that another simulated VPP was given."""
        self._observed = None
        self._with_free_queues.add(port.name)
        load_ports(self._vpp.tables, [port])

    def observe(self) -> State:
        """Return the state, read over the binary API as that of a running VPP."""
        return self._found().state

    @property
    def unfit(self) -> Mapping[str, str]:
        """Return by interface why no file can have what is there."""
        return self._found().reasons

    def _found(self) -> InFileForm:
        if self._observed is None:
            version = self._vpp.version

            def read(connection: Connection) -> InFileForm:
                return in_file_form(connection, with_unlisted(connection, observe(connection, version)))

            self._observed = self._ask(read)
        return self._observed

    def effects(self) -> tuple[State, frozenset[Attachment]]:
        """Return the state, and what no section manages, as far as VPP reports it."""
        state = self.observe()

        def others(connection: Connection) -> list[Attachment]:
            return [*read_standalone(connection, state), *read_unmanaged(connection, state.interfaces, state)]

        own = self._found().others
        found = (each for each in self._ask(others) if (each.kind, each.name) not in own)
        return state, frozenset((*found, *self._ipv6_links()))

    def content(self) -> Mapping[Any, Any]:
        """Return what the kinds have in their tables, also what VPP does not report."""
        return content_of(self._vpp.tables)

    def _ipv6_links(self) -> Iterator[Attachment]:
        """Yield that IPv6 is on, of which VPP's API reports nothing."""
        tables = self._vpp.tables
        for index in tables.part(Ip6LinkMain).links:
            if (row := tables.sw.get(index)) is not None:
                name = tables.name_of(row)
                yield Attachment(holder=name, kind=IPV6, lines=(f"enable ip6 interface {name}",))

    def routes_of_prompt(self, state: State) -> list[Route]:
        """Return the routes of the prompt that a file can have, read likewise."""
        return self._ask(lambda connection: read_prompt(connection, state))

    def perform(self, operations: Sequence[Operation]) -> str:
        """Carry out operations over the binary API, and return what VPP refuses of them, '' for nothing."""
        self._observed = None
        refusals = self._ask(lambda connection: perform(connection, operations, None)).refusals
        return "; ".join(f"{each.operation.subject}: {each.text}" for each in refusals)

    def _ask(self, question: Callable[[Connection], _T]) -> _T:
        ours, theirs = socket.socketpair()
        with SimulatorServer(self._vpp) as server:
            server.add_client(theirs)
            known = _definitions_of(self._release, self._plugins)
            connection = Connection(Channel(ours, _PATIENCE_S, "the simulated VPP"), None, known)
            try:
                return question(connection)
            finally:
                connection.close()


@cache
def _definitions_of(release: str, plugins: frozenset[str]) -> Definitions:
    with TemporaryDirectory(prefix="vppcfg-api-") as folder:
        write_api_dir(Path(folder), release, plugins)
        return read_directory(Path(folder))


def ports_of(state: State) -> list[Interface]:
    """Return the ports of a running VPP before they are configured."""
    kinds = (port for port in state.interfaces.values() if port.kind is InterfaceKind.PHYSICAL)
    return [replace(port, is_up=False) for port in kinds if port.parent is None]
