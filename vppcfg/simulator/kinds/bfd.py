"""Simulates BFD sessions over UDP (vnet/bfd); they go with their interface, and have no peer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.simulator import interfaces
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_DOWN = 1
Key = tuple[int, bytes, bytes]
"""Interface and the two addresses."""


@dataclass(slots=True, kw_only=True)
class BfdMain:
    """The fields of the message that made each session."""

    sessions: dict[Key, dict[str, Any]] = field(default_factory=dict)


def _key(values: Values) -> Key:
    return values["sw_if_index"], values["local_addr.un"], values["peer_addr.un"]


def _answer_add(call: Call, values: Values) -> None:
    """Make a session; VPP does not ask whether the interface has the address."""
    interfaces.require(call.tables, values["sw_if_index"])
    sessions = call.tables.part(BfdMain).sessions
    if _key(values) in sessions:
        raise RefusedError(Retval.BFD_EEXIST)
    sessions[_key(values)] = {name: values[name] for name in values if name not in ("client_index", "context")}


def _answer_delete(call: Call, values: Values) -> None:
    interfaces.require(call.tables, values["sw_if_index"])
    if call.tables.part(BfdMain).sessions.pop(_key(values), None) is None:
        raise RefusedError(Retval.BFD_ENOENT)


def _dump(call: Call, _values: Values) -> Iterator[Outgoing]:
    for session in call.tables.part(BfdMain).sessions.values():
        yield call.details({**session, "state": _DOWN})


def _interface_gone(tables: Tables, sw_if_index: int) -> None:
    main = tables.part(BfdMain)
    main.sessions = {key: session for key, session in main.sessions.items() if key[0] != sw_if_index}


KIND = Kind(
    changes={"bfd_udp_add": _answer_add, "bfd_udp_del": _answer_delete},
    queries={"bfd_udp_session_dump": _dump},
    deleted=_interface_gone,
)
