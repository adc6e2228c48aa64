"""Simulates the API session itself: connecting, pings, versions, definitions, CLI commands (vlibmemory, vpp/api)."""

from __future__ import annotations

from struct import pack

from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.releases import ReleaseQuirk
from vppcfg.simulator.retval import Retval
from vppcfg.simulator.tables import Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values, fixed, to_bytes

_MEMCLNT = """
version 23.06 2.1.0 21d36234
version 24.10- 2.1.0 b197c551
struct module_version: u32 major, u32 minor, u32 patch, string name[64]
struct message_table_entry: u16 index, string name[64]
request api_versions 51077d14
reply api_versions_reply 5f0d99d6: i32 retval, u32 count, module_version api_versions[count]
bare sockclnt_create 455fb9c4 then sockclnt_create_reply: u32 context, string name[64]
bare sockclnt_create_reply 35166268: u32 client_index, u32 context, i32 response, u32 index, u16 count, \
message_table_entry message_table[count]
request sockclnt_delete 8ac76db6: u32 index
reply sockclnt_delete_reply 8f38b1ee: i32 response
request control_ping 51077d14
reply control_ping_reply f6b0b8ca: i32 retval, u32 client_index, u32 vpe_pid
request get_api_json 51077d14 24.10-
reply get_api_json_reply ea715b59 24.10-: i32 retval, string json[]
"""
"""VPP's messages for this, in the notation of `simulator/api_files`."""
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
_VLIB = """
version 23.06- 1.0.0 9a9e84e4
request get_node_index f1984c64: string node_name[64]
reply get_node_index_reply a8600b89: i32 retval, u32 node_index
request cli_inband f8377302: string cmd[]
reply cli_inband_reply 05879051: i32 retval, string reply[]
"""
_VPE = """
version 23.06- 1.7.0 bbfa7484
alias timestamp f64
request show_version 51077d14
reply show_version_reply c919bde1: i32 retval, string program[32], string version[32], string build_date[32], \
string build_directory[256]
request show_vpe_system_time 51077d14
reply show_vpe_system_time_reply 7ffd8193: i32 retval, timestamp vpe_system_time
"""
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


def _api_versions(call: Call, _values: Values) -> Outgoing:
    """Answer with an empty list, as VPP does on a socket."""
    return call.reply()


def _api_json(call: Call, _values: Values) -> Outgoing:
    return call.reply(json=call.tables.process.api_json)


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
    api={"memclnt": _MEMCLNT, "vlib": _VLIB, "vpe": _VPE},
    quirks=(_PINGS_WITH_THE_HANDLE,),
    queries={
        "sockclnt_create": _hello,
        "sockclnt_delete": _goodbye,
        "control_ping": _ping,
        "api_versions": _api_versions,
        "get_api_json": _api_json,
        "get_node_index": _node_index,
        "show_version": _show_version,
        "show_vpe_system_time": _system_time,
    },
    changes={"cli_inband": _cli},
    commands={"show version": _command_version},
)
