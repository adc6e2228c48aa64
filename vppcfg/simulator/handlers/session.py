"""Hello, goodbye, ping, versions, definitions and the CLI over the API (vlibmemory, vpp/api)."""

from __future__ import annotations

from struct import pack

from vppcfg.simulator.cli.shell import run_line
from vppcfg.simulator.handlers.call import Call, Handler, Handlers, Outgoing, fixed, to_bytes

_PROGRAM = "vpe"


def create(call: Call, _name: bytes) -> list[Outgoing]:
    """Answer a client's hello with the table of messages."""
    handle = call.client.handle
    return [("sockclnt_create_reply", (0, handle, len(call.vpp.message_table), call.vpp.message_table))]


def delete(call: Call, index: int) -> list[Outgoing]:
    """Let a client go; 1 is VPP's answer to one that it knows."""
    leaving = call.clients.get(index)
    if leaving is None:
        return [("sockclnt_delete_reply", (-1,))]
    leaving.is_leaving = True
    return [("sockclnt_delete_reply", (1,))]


def ping(call: Call) -> list[Outgoing]:
    """Answer a ping."""
    return [("control_ping_reply", (0, call.client.handle, call.vpp.pid))]


def api_versions(_call: Call) -> list[Outgoing]:
    """Answer with an empty list, as VPP does on a socket."""
    return [("api_versions_reply", (0, 0, ()))]


def api_json(call: Call) -> list[Outgoing]:
    """Answer with the definitions of all messages."""
    return [("get_api_json_reply", (0, call.vpp.api_json))]


def show_version(call: Call) -> list[Outgoing]:
    """Answer with VPP's version text."""
    vpp = call.vpp
    texts = (fixed(vpp.version, 32), fixed(vpp.build_date, 32), fixed(vpp.build_directory, 256))
    return [("show_version_reply", (0, fixed(_PROGRAM, 32), *texts))]


def system_time(call: Call) -> list[Outgoing]:
    """Answer with the wall clock in seconds since 1970."""
    return [("show_vpe_system_time_reply", (0, pack("<d", call.vpp.clock())))]


def cli(call: Call, command: bytes) -> list[Outgoing]:
    """Carry out CLI commands and answer with what they print."""
    retval, text = run_line(call.vpp, command.decode(errors="surrogateescape"))
    return [("cli_inband_reply", (retval, to_bytes(text)))]


HANDLERS: Handlers = {
    "sockclnt_create": Handler(answer=create),
    "sockclnt_delete": Handler(answer=delete),
    "control_ping": Handler(answer=ping),
    "api_versions": Handler(answer=api_versions),
    "get_api_json": Handler(answer=api_json),
    "show_version": Handler(answer=show_version),
    "show_vpe_system_time": Handler(answer=system_time),
    "cli_inband": Handler(answer=cli, is_change=True),
}
