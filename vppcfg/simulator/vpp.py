"""A simulated VPP without any input or output: packed messages in, packed messages out."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
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
from vppcfg.simulator.load import load_local0, load_ports, load_state
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
    ) -> None:
        """Start with `ports` found and `state` loaded as it stands.

        `namespaces` are the network namespaces that exist, None for all that are asked for; `host_devices` are names
        that Linux already uses; without `has_vlan_devices` its kernel lacks 802.1Q. Raise UsageError for an unknown
        release.
        """
        known = release_named(release)
        self.plugins = present(known, plugins)
        self.version = version or f"{release}-release"
        self.build_date = "2026-01-01T00:00:00"
        self.build_directory = "/vpp"
        self.pid = os.getpid()
        self.clock = clock
        self.faults = FaultCounter(faults or Faults())
        api = api_of(known, self.plugins)
        self.codec, self.message_table, self.api_json = api.codec, api.message_table, api.json
        linux = LinuxSide(namespaces, host_devices, has_vlans=has_vlan_devices)
        self.tables = Tables(known, linux, self.plugins)
        load_local0(self.tables)
        load_ports(self.tables, ports)
        load_state(self.tables, state or State())
        self._hook_up()

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

    def handle(self, message: bytes, client: Client, clients: Mapping[int, Client]) -> list[tuple[int, bytes]]:
        """Carry out one message of `client` and return what is to be sent, each with the handle of its receiver.

        `clients` are all that are connected, by handle. A message that is not understood is passed over, as in VPP.
        Raise DiedError when the faults say so.
        """
        name = self.codec.name_of(message)
        if name is None or name not in _HANDLERS:
            return []
        try:
            values = self.codec.unpack(name, message)
        except MalformedMessageError:
            return []
        receiver, context, arguments = _envelope(name, values, client)
        verdict = self._verdict(name, arguments)
        known = clients.get(receiver)
        answers = self._answer(name, Call(vpp=self, client=known or client, clients=clients), arguments, verdict)
        sent = [(receiver, self._packed(name, values, context)) for name, values in answers]
        events = self._events(clients)
        if self.faults.is_mute or known is None:
            return [] if self.faults.is_mute else events
        return sent + events

    def _verdict(self, name: str, arguments: Sequence[Value]) -> Verdict:
        if not _HANDLERS[name].is_change or _is_reading(name, arguments):
            return Verdict.CARRY_OUT
        verdict = self.faults.next()
        if verdict is Verdict.DIE:
            raise DiedError
        return verdict

    def _answer(self, name: str, call: Call, arguments: Sequence[Value], verdict: Verdict) -> Iterable[Outgoing]:
        if verdict is Verdict.REFUSE:
            return [self._refusal(name, self.faults.faults.fail_retval)]
        try:
            return list(_HANDLERS[name].answer(call, *arguments))
        except RefusedError as refusal:
            return [self._refusal(name, refusal.retval)]

    def _refusal(self, name: str, retval: int) -> Outgoing:
        reply = f"{name}_reply"
        return reply, [retval, *self.codec.zeros(reply)[2:]]

    def _packed(self, name: str, values: Sequence[Value], context: Value) -> bytes:
        start: list[Value] = [0, context] if name == "sockclnt_create_reply" else [context]
        try:
            return self.codec.pack(name, [*start, *values])
        except StructError as problem:
            raise AssertionError(f"{name} cannot hold {values!r}: {problem}") from problem

    def _events(self, clients: Mapping[int, Client]) -> list[tuple[int, bytes]]:
        events, self.tables.events = self.tables.events, []
        listeners = [client for client in clients.values() if client.wants_events]
        return list(self._packed_events(listeners, events)) if listeners else []

    def _packed_events(self, listeners: list[Client], events: list[InterfaceEvent]) -> Iterator[tuple[int, bytes]]:
        for event in events:
            flags = (1 if event.is_admin_up else 0) | (2 if event.is_link_up else 0)
            for client in listeners:
                values = (client.handle, client.pid, event.sw_if_index, flags, event.is_deleted)
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
