"""DHCPv4 clients: how they are set, which there are, and the addresses that they have (plugins/dhcp/dhcp.api).

A client sends the MAC address of its interface as its id, as text, on every release. VPP's CLI has it so from 25.02 on
(plugins/dhcp/client.c), so that a server takes what was typed and what was sent for one client; before, all clients
that were typed sent `vpp 1.1`. The id is not read back.
"""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Address

from vppcfg.model.features import DhcpClient
from vppcfg.plan import operations as op
from vppcfg.plan.request import NO_MAC, Indexes, Known, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies

ATTRIBUTE = "dhcp_client"
PARTS = {"dhcp": "dhcp_client_config"}
_DUMP, _DETAILS = "dhcp_client_dump", "dhcp_client_details"
_CLIENT = ("client.sw_if_index", "client.hostname", "client.set_broadcast_flag", "client.dscp")
_LEASE = ("client.sw_if_index", "lease.host_address.un", "lease.mask_width")


def _set_dhcp_client(operation: op.SetDhcpClient, indexes: Indexes, vpp: Vocabulary) -> Request:
    client = operation.client or DhcpClient()
    values: dict[str, Value] = {
        "is_add": int(operation.client is not None),
        "client.sw_if_index": indexes.interface(operation.interface),
        "client.hostname": client.hostname,
        "client.set_broadcast_flag": int(client.is_broadcast),
        "client.dscp": client.dscp,
    }
    if operation.client is not None and (mac := indexes.mac(operation.interface)) != NO_MAC:
        values["client.id"] = mac.encode()
    return Request("dhcp_client_config", values)


MESSAGES: Messages = {op.SetDhcpClient: _set_dhcp_client}


def requests(connection: Connection) -> list[bytes]:
    """Return the request for all clients, where VPP takes it."""
    return [connection.request(_DUMP)[1]] if connection.offers(_DUMP) else []


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, DhcpClient]:
    """Return the clients by the indexes of their interfaces."""
    if not connection.offers(_DUMP):
        return {}
    return {
        index: DhcpClient(hostname=text_of(hostname), is_broadcast=bool(is_broadcast), dscp=dscp)
        for index, hostname, is_broadcast, dscp in connection.rows(replies, _DETAILS, *_CLIENT)
    }


def leases(connection: Connection, rounds: Sequence[Replies]) -> dict[int, set[str]]:
    """Return the addresses that clients had in any round of questions, by the indexes of their interfaces.

    One that is leased while VPP is asked is told in the later round.
    """
    found: dict[int, set[str]] = {}
    if connection.offers(_DUMP):
        for replies in rounds:
            for index, address, length in connection.rows(replies, _DETAILS, *_LEASE):
                if any(address[:4]):
                    found.setdefault(index, set()).add(f"{IPv4Address(address[:4])}/{length}")
    return found
