"""Simulates the OSI protocols that linux-cp passes on, and the plugin osi (plugins/linux-cp/lcp.c, plugins/osi)."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from vppcfg.model.osi import PROTOCOLS, OsiProtocol
from vppcfg.model.state import State
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import Outgoing, Values

_SPAN = "26.06-"
_PLUGIN = "osi"
_LARGEST = 255
_NUMBER = re.compile(r"(0x[0-9a-fA-F]+)|[0-9]+")


@dataclass(slots=True, kw_only=True)
class OsiMain:
    """The protocols that are passed on; nothing takes one out."""

    enabled: set[int] = field(default_factory=set)


def _enable(tables: Tables, protocol: int) -> None:
    if _PLUGIN not in tables.plugins:
        raise RefusedError(Retval.FEATURE_DISABLED)
    if protocol not in PROTOCOLS.values():
        raise RefusedError(Retval.INVALID_REGISTRATION)
    tables.part(OsiMain).enabled.add(protocol)


def _answer(call: Call, values: Values) -> None:
    _enable(call.tables, values["osi_proto"])


def _get(call: Call, _values: Values) -> Outgoing:
    return call.reply(osi_protos=sorted(call.tables.part(OsiMain).enabled))


def _command(tables: Tables, line: Input) -> str:
    """`lcp osi-proto enable <number>`."""
    match = _NUMBER.fullmatch(line.string() or "")
    if match is None:
        raise RefusedError(Retval.UNSPECIFIED, "No OSI proto entered")
    protocol = int(match[0], 16 if match[1] else 10)
    if protocol > _LARGEST:
        raise RefusedError(Retval.UNSPECIFIED, "Invalid OSI proto")
    try:
        _enable(tables, protocol)
    except RefusedError as refusal:
        raise RefusedError(Retval.UNSPECIFIED, f"Failed to enable OSI proto ({refusal.retval})") from None
    return ""


def _show(tables: Tables, _line: Input) -> str:
    """`show lcp osi-proto`."""
    return "".join(f"0x{protocol:02x}\n" for protocol in sorted(tables.part(OsiMain).enabled))


def _load(tables: Tables, state: State, _rows: Rows) -> None:
    tables.part(OsiMain).enabled |= {each.number for each in state.of(OsiProtocol).values()}


KIND = Kind(
    plugin="linux_cp",
    typed=ReleaseQuirk(span=_SPAN, text="linux-cp passes on OSI protocols (85dddcb535a)"),
    changes={"lcp_osi_proto_enable": _answer},
    queries={"lcp_osi_proto_get": _get},
    commands={"lcp osi-proto enable": _command, "show lcp osi-proto": _show},
    load=_load,
)
OSI = Kind(plugin=_PLUGIN, plugin_releases="24.10-")
"""The plugin, which has no message of its own."""
