"""A simulated VPP without any input or output: it takes packed messages and returns packed messages.

It brings together the tables, the kinds of objects, the faults and the clients.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial

from vppcfg.model.state import State
from vppcfg.simulator.api import api_of, kinds_of, present
from vppcfg.simulator.codec import MalformedMessageError
from vppcfg.simulator.command_line import CommandLine
from vppcfg.simulator.faults import FaultCounter, Faults, Verdict
from vppcfg.simulator.kind import Answer, Call
from vppcfg.simulator.kinds import KINDS, PLUGINS
from vppcfg.simulator.kinds.tap import TapMain
from vppcfg.simulator.linux_side import LinuxSide
from vppcfg.simulator.load import configure, load_local0, load_ports, load_state, ports_of
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.queues import QueueMain
from vppcfg.simulator.releases import NEWEST, release_named
from vppcfg.simulator.retval import DiedError, RefusedError
from vppcfg.simulator.tables import InterfaceEvent, Process, Tables
from vppcfg.simulator.wire import NONE, Client, Outgoing, Values

_CHANGES: dict[str, Answer] = {name: answer for kind in KINDS for name, answer in kind.changes.items()}
_ANSWERS = _CHANGES | {name: answer for kind in KINDS for name, answer in kind.queries.items()}
_READING_WORDS = frozenset({"show", "comment"})


class SimulatedVpp:
    """VPP's tables and the messages that act on them."""

    def __init__(
        self,
        *,
        state: State | None = None,
        ports: Sequence[PhysicalPort] = (),
        release: str = NEWEST,
        version: str | None = None,
        plugins: Collection[str] = PLUGINS,
        faults: Faults | None = None,
        clock: Callable[[], float] = time.time,
        namespaces: Collection[str] | None = None,
        host_devices: Collection[str] = (),
        has_vlan_devices: bool = True,
        on_change: Callable[[int], None] | None = None,
        workers: int | None = None,
        tap_host_mtu: int = 0,
    ) -> None:
        """Start with `ports` found and `state` loaded exactly as it is, and with as many `workers` as that has.

        `namespaces` are the network namespaces that exist, None for all that are asked for; `host_devices` are names
        that Linux already uses; without `has_vlan_devices` its kernel lacks 802.1Q. `on_change` is called with the
        number of each message that changes something, before it does. `tap_host_mtu` is what startup.conf sets for TAPs
        (`tap { host-mtu }`), 0 for nothing. Raise UsageError for an unknown release.
        """
        self._release = release_named(release)
        self.plugins = present(self._release, plugins)
        self._kinds = kinds_of(self.plugins)
        api = api_of(self._release, self.plugins)
        self.codec, self.message_table, self.api_json = api.codec, api.message_table, api.json
        self.version = version or f"{release}-release"
        self.pid = os.getpid()
        self.clock = clock
        self.faults = FaultCounter(faults or Faults(), on_change)
        self._late: list[tuple[int, bytes]] = []
        self._asked = ""
        """The message that came last."""
        self._new_linux = partial(LinuxSide, namespaces, host_devices, has_vlans=has_vlan_devices)
        self._state = state or State()
        self._ports = ports
        self._workers = self._state.facts.workers if workers is None else workers
        self._tap_host_mtu = tap_host_mtu
        self.boot_time_s = 0
        self._boot(ports)
        load_state(self.tables, self._state, KINDS)
        self._hook_up()

    def restart(self) -> None:
        """Be what this VPP is after its process has ended and started again, with another process id.

        Everything that was set since is forgotten. The ports stay, and so does what startup.conf sets.
        """
        self.pid += 1
        self._boot((*self._ports, *ports_of(self._state, self._ports)))
        configure(self.tables, self._state, KINDS)
        self._hook_up()

    def _boot(self, ports: Sequence[PhysicalPort]) -> None:
        """Begin with `ports` and nothing else; the times of two boots differ by at least a second."""
        self.boot_time_s = max(int(self.clock()), self.boot_time_s + 1)
        process = Process(
            version=self.version,
            pid=self.pid,
            message_table=self.message_table,
            api_json=self.api_json,
            clock=self.clock,
        )
        self.tables = Tables(self._release, self._new_linux(), self.plugins, process)
        typed = [kind.commands for kind in self._kinds if self._release.has(kind.typed)]
        commands = {words: command for commands in typed for words, command in commands.items()}
        self._cli = CommandLine(self.tables, commands)
        self.tables.part(QueueMain).workers = self._workers
        self.tables.part(TapMain).default_host_mtu = self._tap_host_mtu
        load_local0(self.tables)
        load_ports(self.tables, ports)

    def _hook_up(self) -> None:
        """Register the hooks of all kinds; a kind that stands on others is called before them."""
        for kind in reversed(self._kinds):
            for hooks, hook in (
                (self.tables.created_hooks, kind.created),
                (self.tables.deleted_hooks, kind.deleted),
                (self.tables.admin_hooks, kind.admin_changed),
                (self.tables.mtu_hooks, kind.mtu_changed),
            ):
                if hook is not None:
                    hooks.append(hook)
            if kind.address_changed is not None:
                self.tables.address_hooks.append(kind.address_changed)
            if kind.table_changed is not None:
                self.tables.table_hooks.append(kind.table_changed)
        self.tables.events.clear()

    def handle(
        self,
        message: bytes,
        client: Client,
        clients: Mapping[int, Client],
        pause: Callable[[float], None] | None = None,
    ) -> list[tuple[int, bytes]]:
        """Carry out one message of `client` and return what is to be sent, each with the handle of its receiver.

        `clients` are all that are connected, by handle. A message that is not understood is passed over, as in VPP.
        `pause` is called with a number of seconds when the faults ask VPP to stand still. Raise DiedError when they ask
        it to die, or a real one would.
        """
        name = self.codec.name_of(message)
        if name is None or name not in _ANSWERS:
            return []
        try:
            values = self.codec.unpack(name, message)
        except MalformedMessageError:
            return []
        if name != self._asked:
            self._asked = name
            self.tables.worked_out.clear()
        receiver = values.get("client_index", client.handle)
        known = clients.get(receiver)
        is_change = name in _CHANGES and not _is_reading(name, values)
        verdict = self._verdict(pause) if is_change else Verdict.CARRY_OUT
        call = Call(name, self.tables, known or client, clients, self._cli)
        context, pack = values["context"], self.codec.pack
        sent = [(receiver, pack(reply, row, context)) for reply, row in self._answer(call, values, verdict)]
        events = self._events(clients)
        if self.faults.is_mute or known is None:
            return [] if self.faults.is_mute else events
        if is_change and self.faults.is_late:
            self._late += sent
            return events
        return sent + events

    def run_line(self, text: str) -> tuple[int, str]:
        """Run CLI commands as if typed; return VPP's code and what they print."""
        self._asked = ""
        return self._cli.run(text)

    @property
    def commands(self) -> Collection[str]:
        """Return the words of the CLI commands that there are."""
        return self._cli.commands

    def take_late(self) -> list[tuple[int, bytes]]:
        """Return the answers that were held back since the last call, each with the handle of its receiver."""
        late, self._late = self._late, []
        return late

    def _verdict(self, pause: Callable[[float], None] | None) -> Verdict:
        seconds = self.faults.pause_before_next()
        if seconds and pause is not None:
            pause(seconds)
        verdict = self.faults.next()
        if verdict is Verdict.DIE:
            raise DiedError
        return verdict

    def _answer(self, call: Call, values: Values, verdict: Verdict) -> Iterable[Outgoing]:
        if verdict is Verdict.REFUSE:
            return [self._generated(call, self.faults.faults.fail_retval)]
        if verdict is Verdict.SKIP:
            return [self._generated(call, 0)]
        try:
            answer = _ANSWERS[call.message](call, values)
            answers = [call.reply()] if answer is None else [answer] if isinstance(answer, tuple) else list(answer)
        except RefusedError as refusal:
            return [self._generated(call, refusal.retval)]
        return [self._generated(call, self.faults.faults.fail_retval)] if verdict is Verdict.LIE else answers

    def _generated(self, call: Call, retval: int) -> Outgoing:
        """Return a reply to a message with this return code, with no index and zeros elsewhere."""
        fields = self.codec.zeros(f"{call.message}_reply")
        return call.reply(**{name: NONE for name in fields if name.endswith("index")}, retval=retval)

    def _events(self, clients: Mapping[int, Client]) -> list[tuple[int, bytes]]:
        """Return one message for each changed interface and each client that listens, in order of the indexes."""
        if not self.tables.events:
            return []
        events, self.tables.events = self.tables.events, []
        listeners = [client for client in clients.values() if client.is_subscribed]
        return list(self._packed_events(listeners, events)) if listeners else []

    def _packed_events(self, listeners: list[Client], events: list[InterfaceEvent]) -> Iterator[tuple[int, bytes]]:
        for index in sorted({event.sw_if_index for event in events}):
            batch = [event for event in events if event.sw_if_index == index]
            flags = any(event.is_admin_up for event in batch) | any(event.is_link_up for event in batch) << 1
            for client in listeners:
                values = {
                    "client_index": client.handle,
                    "pid": client.pid,
                    "sw_if_index": index,
                    "flags": flags,
                    "deleted": any(event.is_deleted for event in batch),
                }
                yield client.handle, self.codec.pack("sw_interface_event", values)


def _is_reading(name: str, values: Values) -> bool:
    if name != "cli_inband":
        return False
    words = values["cmd"].split(maxsplit=1)
    return not words or words[0].decode(errors="replace") in _READING_WORDS
