"""Simulates the API session itself: connecting, pings, versions, definitions, CLI commands (vlibmemory, vpp/api)."""

from __future__ import annotations

from struct import pack

from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, fixed, to_bytes

MESSAGE_IDS = {
    "api_versions": 12,
    "api_versions_reply": 13,
    "sockclnt_create": 15,
    "sockclnt_create_reply": 16,
    "sockclnt_delete": 17,
    "sockclnt_delete_reply": 18,
    "control_ping": 23,
    "control_ping_reply": 24,
    "get_api_json": 27,
    "get_api_json_reply": 28,
}
"""Ids that never change: a client must know the first before it has a table."""
_PROGRAM = "vpe"
_PINGS_WITH_THE_HANDLE = ReleaseQuirk(
    span="26.10-", text="the answer to a ping names the client's handle, not 0 (4b2803a0a5f)"
)
_FIRST_PROCESS = 1000
_KNOWN, _UNKNOWN = 1, -1
"""VPP's answers to the goodbye of a client."""


def _hello(call: Call, _values: Values) -> Outgoing:
    """Answer with the table of messages."""
    return call.reply(index=call.client.handle, message_table=call.tables.process.message_table)


def _goodbye(call: Call, values: Values) -> Outgoing:
    """Let a client go."""
    leaving = call.clients.get(values["index"])
    if leaving is None:
        return call.reply(response=_UNKNOWN)
    leaving.is_leaving = True
    return call.reply(response=_KNOWN)


def _ping(call: Call, _values: Values) -> Outgoing:
    handle = call.client.handle if call.tables.release.has(_PINGS_WITH_THE_HANDLE) else 0
    return call.reply(client_index=handle, vpe_pid=call.tables.process.pid)


def _api_versions(call: Call, _values: Values) -> None:
    """Answer with an empty list, as VPP does on a socket."""


def _show_version(call: Call, _values: Values) -> Outgoing:
    process = call.tables.process
    return call.reply(
        program=fixed(_PROGRAM, 32),
        version=fixed(process.version, 32),
        build_date=fixed(process.build_date, 32),
        build_directory=fixed(process.build_directory, 256),
    )


def _system_time(call: Call, _values: Values) -> Outgoing:
    """Answer with the wall clock, little-endian as VPP sends it."""
    return call.reply(vpe_system_time=pack("<d", call.tables.process.clock()))


def _node_index(call: Call, values: Values) -> Outgoing:
    """Return the number of a node; of all nodes, those of processes that were created on the way are known here."""
    name = values["node_name"].partition(b"\0")[0].decode(errors="replace")
    if name not in call.tables.processes:
        return call.reply(retval=Retval.NO_SUCH_NODE, node_index=NONE)
    return call.reply(node_index=_FIRST_PROCESS + sorted(call.tables.processes).index(name))


def _cli(call: Call, values: Values) -> Outgoing:
    """Carry out CLI commands and answer with what they print."""
    retval, text = call.cli.run(values["cmd"].decode(errors="surrogateescape"))
    return call.reply(retval=retval, reply=to_bytes(text))


def _command_version(tables: Tables, _line: Input) -> str:
    """`show version`."""
    return f"vpp v{tables.process.version} built by root on vm at {tables.process.build_date}\n"


KIND = Kind(
    quirks=(_PINGS_WITH_THE_HANDLE,),
    queries={
        "sockclnt_create": _hello,
        "sockclnt_delete": _goodbye,
        "control_ping": _ping,
        "api_versions": _api_versions,
        "get_api_json": lambda call, _: call.reply(json=call.tables.process.api_json),
        "get_node_index": _node_index,
        "show_version": _show_version,
        "show_vpe_system_time": _system_time,
    },
    changes={"cli_inband": _cli},
    commands={"show version": _command_version},
)
