"""What is behind a multipoint tunnel (vnet/teib): entries outlive the tunnel, and are those of the next one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from vppcfg.simulator import interfaces
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.wire import Outgoing, Values

_API = """
version 23.06- 1.0.0 14ded985
import interface_index
import prefix
struct teib_entry: interface_index sw_if_index, address peer, address nh, u32 nh_table_id
request teib_entry_add_del 8016cfd2: u8 is_add, teib_entry entry
reply teib_entry_add_del_reply e8d4e804: i32 retval
request teib_dump 51077d14 streams teib_details
reply teib_details 981ee1a1: teib_entry entry
"""


@dataclass(slots=True, kw_only=True)
class TeibMain:
    """The fields of the message that made each entry, by interface and peer."""

    entries: dict[tuple[int, bytes], dict[str, Any]] = field(default_factory=dict)


def _answer(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["entry.sw_if_index"])
    entries, key = call.tables.part(TeibMain).entries, (values["entry.sw_if_index"], values["entry.peer.un"])
    if bool(values["is_add"]) == (key in entries):
        raise RefusedError(Retval.ENTRY_ALREADY_EXISTS if values["is_add"] else Retval.NO_SUCH_ENTRY)
    if values["is_add"]:
        entries[key] = {name: value for name, value in values.items() if name.startswith("entry.")}
    else:
        del entries[key]
    return call.reply()


def _dump(call: Call, _values: Values) -> Iterator[Outgoing]:
    for entry in call.tables.part(TeibMain).entries.values():
        yield call.details(entry)


KIND = Kind(
    api={"teib": _API},
    changes={"teib_entry_add_del": _answer},
    queries={"teib_dump": _dump},
)
