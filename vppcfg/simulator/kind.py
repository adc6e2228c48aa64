"""What the simulator has to know of a kind of object: its messages, commands and hooks.

Each module of `kinds` has a `Kind`; `kinds/__init__.py` lists them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.state import State
from vppcfg.record import record
from vppcfg.simulator.command_line import Command, CommandLine
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.tables import AddressHook, Hook, SwInterface, TableHook, Tables
from vppcfg.simulator.wire import Client, Outgoing, Values


@dataclass(slots=True)
class Call:
    """One request, the client that sent it, and the tables that it acts on."""

    message: str
    """Its name."""
    tables: Tables
    client: Client
    clients: Mapping[int, Client]
    """All that are connected, by handle."""
    cli: CommandLine

    def reply(self, **values: Any) -> Outgoing:
        """Return the reply to this request; fields that are not named are zero, the return code included."""
        return f"{self.message}_reply", values

    def details(self, values: Values) -> Outgoing:
        """Return a message with one row of the answer to this dump."""
        return _details_of(self.message), values


@cache
def _details_of(dump: str) -> str:
    return f"{dump.removesuffix('_dump')}_details"


Answer = Callable[[Call, Values], Outgoing | Iterable[Outgoing] | None]
"""Answers a request with one message or several; None is the reply that reports success and nothing else.

The values have the names of the API's fields: `sw_if_index`, in a struct `prefix.len`, in an array `mtu[0]`. A message
takes those that it has from what is returned, so one function can serve all versions of a message.
"""
Rows = Mapping[str, SwInterface]
"""The interfaces of a state by name, as they stand in the tables."""
Maker = Callable[[Tables, Any, Interface, int], SwInterface | None]
"""Makes an interface of a state from what it is made with, and gets the number that its name ends in.

Returns None for one that the state only half describes; raises RefusedError when VPP cannot have it, or UsageError.
"""


@record
class Kind:
    """One kind of object."""

    changes: Mapping[str, Answer] = field(default_factory=dict)
    """Messages that change VPP; they count for faults."""
    queries: Mapping[str, Answer] = field(default_factory=dict)
    """Messages that only ask."""
    commands: Mapping[str, Command] = field(default_factory=dict)
    """CLI commands by the words that they start with."""
    typed: ReleaseQuirk = ReleaseQuirk(span="", text="the CLI has these commands")
    """The releases that have these commands, where the CLI came later than the messages."""
    plugin: str = ""
    """The plugin without which VPP has none of this; '' for what is always there."""
    plugin_releases: str = ""
    """The releases in which it is a plugin; in others it is a part of VPP itself."""
    releases: str = ""
    """The releases that have it."""
    quirks: tuple[ReleaseQuirk, ...] = ()
    """What some releases do otherwise than others."""
    interface: InterfaceKind | None = None
    """The kind of interface that `create` creates."""
    create: Maker | None = None
    configure: Callable[[Tables, State], None] | None = None
    """Sets what startup.conf would, each time that VPP starts."""
    load: Callable[[Tables, State, Rows], None] | None = None
    """Puts its part of a state into the tables, once all interfaces are there."""
    created: Hook | None = None
    """Called with each new sub-interface."""
    deleted: Hook | None = None
    """Called with each interface that goes away, before it does."""
    admin_changed: Hook | None = None
    """Called with each interface whose admin state has changed."""
    address_changed: AddressHook | None = None
    """Called with each IPv4 address that an interface has got or lost."""
    table_changed: TableHook | None = None
    mtu_changed: Hook | None = None
    """Called with each interface whose packet MTUs have changed."""
