"""A simulated VPP without any input or output: packed messages in, packed messages out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from struct import error as StructError

from vppcfg.model.state import State
from vppcfg.simulator.api import api_of
from vppcfg.simulator.codec import MalformedMessageError, Value
from vppcfg.simulator.faults import FaultCounter, Faults, Verdict
from vppcfg.simulator.handlers import (
    acl,
    address,
    bond,
    bridge,
    fib,
    interface,
    l2xc,
    lcp,
    loopback,
    mpls,
    session,
    sflow,
    sub_interface,
    tap,
    unnumbered,
    vxlan,
)
from vppcfg.simulator.handlers.call import Call, Client, Handlers, Outgoing
from vppcfg.simulator.linux_side import LinuxSide
from vppcfg.simulator.load import load_lcp_settings, load_local0, load_ports, load_state, ports_of
from vppcfg.simulator.pool import NONE
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.releases import (
    LINUX_CP,
    NEWEST,
    PLUGINS,
    present,
    release_named,
)
from vppcfg.simulator.retval import RefusedError
from vppcfg.simulator.tables import InterfaceEvent, Tables
from vppcfg.simulator.vnet import acl as vnet_acl
from vppcfg.simulator.vnet import address as vnet_address
from vppcfg.simulator.vnet import bond as vnet_bond
from vppcfg.simulator.vnet import l2 as vnet_l2
from vppcfg.simulator.vnet import lcp as vnet_lcp

_HANDLERS: Handlers = {
    **session.HANDLERS,
    **interface.HANDLERS,
    **sub_interface.HANDLERS,
    **loopback.HANDLERS,
    **bond.HANDLERS,
    **address.HANDLERS,
    **unnumbered.HANDLERS,
    **fib.HANDLERS,
    **l2xc.HANDLERS,
    **bridge.HANDLERS,
    **lcp.HANDLERS,
    **vxlan.HANDLERS,
    **tap.HANDLERS,
    **mpls.HANDLERS,
    **acl.HANDLERS,
    **sflow.HANDLERS,
}
_READING_WORDS = frozenset({"show", "comment"})


class DiedError(Exception):
    """The simulated VPP is gone, as its faults asked for."""


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
    ) -> None:
        """Start with `ports` found and `state` loaded as it stands.

        `namespaces` are the network namespaces that exist, None for all that are asked for; `host_devices` are names
        that Linux already uses; without `has_vlan_devices` its kernel lacks 802.1Q. `on_change` is called with the
        number of each message that changes something, before it does. Raise UsageError for an unknown release.
        """
        known = release_named(release)
        self.plugins = present(known, plugins)
        self.version = version or f"{release}-release"
        self.build_date = "2026-01-01T00:00:00"
        self.build_directory = "/vpp"
        self.pid = os.getpid()
        self.clock = clock
        self.faults = FaultCounter(faults or Faults(), on_change)
        api = api_of(known, self.plugins)
        self.codec, self.message_table, self.api_json = api.codec, api.message_table, api.json
        self._fields = api.fields
        self._late: list[tuple[int, bytes]] = []
        self._new_linux = partial(LinuxSide, namespaces, host_devices, has_vlans=has_vlan_devices)
        self._release = known
        self._state = state or State()
        self._ports = ports
        self.boot_time_s = 0
        self._boot(ports)
        load_state(self.tables, self._state)
        self._hook_up()

    def restart(self) -> None:
        """Be what this VPP is after its process has ended and started again.

        All that was set since is forgotten; it has its ports, and the settings of linux-cp that it began with. It goes
        by another process id, as every new process does.
        """
        self.pid += 1
        self._boot((*self._ports, *ports_of(self._state, self._ports)))
        load_lcp_settings(self.tables, self._state)
        self._hook_up()

    def _boot(self, ports: Sequence[PhysicalPort]) -> None:
        """Begin with `ports` and nothing else; no two boots are in the same second."""
        self.boot_time_s = max(int(self.clock()), self.boot_time_s + 1)
        self.tables = Tables(self._release, self._new_linux(), self.plugins)
        load_local0(self.tables)
        load_ports(self.tables, ports)

    def _hook_up(self) -> None:
        if LINUX_CP in self.plugins:
            self.tables.created_hooks.append(vnet_lcp.sub_interface_created)
            self.tables.deleted_hooks.append(vnet_lcp.interface_deleted)
        self.tables.deleted_hooks += [
            vnet_bond.interface_deleted,
            vnet_l2.interface_deleted,
            vnet_address.interface_deleted,
            vnet_acl.interface_deleted,
        ]
        self.tables.admin_hooks.append(vnet_bond.admin_state_changed)
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
        `pause` stands still for some seconds, where the faults say so. Raise DiedError when they say that.
        """
        name = self.codec.name_of(message)
        if name is None or name not in _HANDLERS:
            return []
        try:
            values = self.codec.unpack(name, message)
        except MalformedMessageError:
            return []
        receiver, context, arguments = _envelope(name, values, client)
        is_change = _HANDLERS[name].is_change and not _is_reading(name, arguments)
        verdict = self._verdict(pause) if is_change else Verdict.CARRY_OUT
        known = clients.get(receiver)
        answers = self._answer(name, Call(vpp=self, client=known or client, clients=clients), arguments, verdict)
        sent = [(receiver, self._packed(name, values, context)) for name, values in answers]
        events = self._events(clients)
        if self.faults.is_mute or known is None:
            return [] if self.faults.is_mute else events
        if is_change and self.faults.is_late:
            self._late += sent
            return events
        return sent + events

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

    def _answer(self, name: str, call: Call, arguments: Sequence[Value], verdict: Verdict) -> Iterable[Outgoing]:
        if verdict is Verdict.REFUSE:
            return [self._made_up(name, self.faults.faults.fail_retval)]
        if verdict is Verdict.SKIP:
            return [self._made_up(name, 0)]
        try:
            answers = list(_HANDLERS[name].answer(call, *arguments))
        except RefusedError as refusal:
            return [self._made_up(name, refusal.retval)]
        return [self._made_up(name, self.faults.faults.fail_retval)] if verdict is Verdict.LIE else answers

    def _made_up(self, name: str, retval: int) -> Outgoing:
        """Return the reply to a message with this return code, no index, and zeros."""
        reply = f"{name}_reply"
        fields = zip(self._fields[reply], self.codec.zeros(reply), strict=True)
        values = [retval if field == "retval" else NONE if field.endswith("index") else zero for field, zero in fields]
        return reply, values[1:]

    def _packed(self, name: str, values: Sequence[Value], context: Value) -> bytes:
        start: list[Value] = [0, context] if name == "sockclnt_create_reply" else [context]
        try:
            return self.codec.pack(name, [*start, *values])
        except StructError as problem:
            raise AssertionError(f"{name} cannot hold {values!r}: {problem}") from problem

    def _events(self, clients: Mapping[int, Client]) -> list[tuple[int, bytes]]:
        """Return what VPP tells about what just happened: one message per interface and listener, by index."""
        events, self.tables.events = self.tables.events, []
        listeners = [client for client in clients.values() if client.wants_events]
        return list(self._packed_events(listeners, events)) if listeners else []

    def _packed_events(self, listeners: list[Client], events: list[InterfaceEvent]) -> Iterator[tuple[int, bytes]]:
        for index in sorted({event.sw_if_index for event in events}):
            batch = [event for event in events if event.sw_if_index == index]
            flags = any(event.is_admin_up for event in batch) | any(event.is_link_up for event in batch) << 1
            for client in listeners:
                values = (client.handle, client.pid, index, flags, any(event.is_deleted for event in batch))
                yield client.handle, self.codec.pack("sw_interface_event", values)


def _envelope(name: str, values: Sequence[Value], client: Client) -> tuple[int, Value, Sequence[Value]]:
    """Return who gets the answer, the context that it repeats, and the arguments."""
    if name == "sockclnt_create":
        return client.handle, values[0], values[1:]
    receiver = values[0]
    return receiver if isinstance(receiver, int) else client.handle, values[1], values[2:]


def _is_reading(name: str, arguments: Sequence[Value]) -> bool:
    if name != "cli_inband" or not isinstance(arguments[0], bytes):
        return False
    words = arguments[0].split(maxsplit=1)
    return not words or words[0].decode(errors="replace") in _READING_WORDS
