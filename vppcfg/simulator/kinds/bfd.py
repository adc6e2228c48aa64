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

_API = """
version 23.06-24.10 2.0.0 e65443a6
version 25.06 2.0.0 9764c249
version 25.10- 2.0.0 23f9c6f3
import interface_index
import prefix
enum bfd_state u32 BFD_STATE_API_ADMIN_DOWN=0 BFD_STATE_API_DOWN=1 BFD_STATE_API_INIT=2 BFD_STATE_API_UP=3
request bfd_udp_add 939cd26a: interface_index sw_if_index, u32 desired_min_tx, u32 required_min_rx, address \
local_addr, address peer_addr, u8 detect_mult, bool is_authenticated, u8 bfd_key_id, u32 conf_key_id
reply bfd_udp_add_reply e8d4e804: i32 retval
request bfd_udp_del dcb13a89: interface_index sw_if_index, address local_addr, address peer_addr
reply bfd_udp_del_reply e8d4e804: i32 retval
request bfd_udp_session_dump 51077d14 streams bfd_udp_session_details
reply bfd_udp_session_details 09fb2f2d: interface_index sw_if_index, address local_addr, address peer_addr, bfd_state \
state, bool is_authenticated, u8 bfd_key_id, u32 conf_key_id, u32 required_min_rx, u32 desired_min_tx, u8 detect_mult
"""
"""VPP's messages for this, in the notation of `simulator/api_files`."""
_DOWN = 1
Key = tuple[int, bytes, bytes]
"""Interface and the two addresses."""


@dataclass(slots=True, kw_only=True)
class BfdMain:
    """The fields of the message that made each session."""

    sessions: dict[Key, dict[str, Any]] = field(default_factory=dict)


def _key(values: Values) -> Key:
    return values["sw_if_index"], values["local_addr.un"], values["peer_addr.un"]


def _answer_add(call: Call, values: Values) -> Outgoing:
    """Make a session; VPP does not ask whether the interface has the address."""
    interfaces.require(call.tables, values["sw_if_index"])
    sessions = call.tables.part(BfdMain).sessions
    if _key(values) in sessions:
        raise RefusedError(Retval.BFD_EEXIST)
    sessions[_key(values)] = {name: values[name] for name in values if name not in ("client_index", "context")}
    return call.reply()


def _answer_delete(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    if call.tables.part(BfdMain).sessions.pop(_key(values), None) is None:
        raise RefusedError(Retval.BFD_ENOENT)
    return call.reply()


def _dump(call: Call, _values: Values) -> Iterator[Outgoing]:
    for session in call.tables.part(BfdMain).sessions.values():
        yield call.details({**session, "state": _DOWN})


def _interface_gone(tables: Tables, sw_if_index: int) -> None:
    main = tables.part(BfdMain)
    main.sessions = {key: session for key, session in main.sessions.items() if key[0] != sw_if_index}


KIND = Kind(
    api={"bfd": _API},
    changes={"bfd_udp_add": _answer_add, "bfd_udp_del": _answer_delete},
    queries={"bfd_udp_session_dump": _dump},
    deleted=_interface_gone,
)
