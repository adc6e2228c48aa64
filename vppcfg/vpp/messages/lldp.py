"""LLDP: which ports speak it, what they tell, and what they have alike (plugins/lldp/lldp.api).

VPP tells what a port tells from 26.10 on; before, it is not asked. It tells what ports have alike with each of them.
"""

from __future__ import annotations

from ipaddress import ip_address

from vppcfg.model.features import Lldp
from vppcfg.model.state import LldpSettings
from vppcfg.plan import operations as op
from vppcfg.plan.request import Indexes, Known, Messages, Request, Value, Vocabulary
from vppcfg.vpp.connection import Connection, text_of
from vppcfg.vpp.reading import Replies

ATTRIBUTE = "lldp"
PARTS = {"lldp": "sw_interface_set_lldp"}
SAID_PART = "lldp_settings"
"""The part of a VPP that tells what its ports tell."""
_DUMP, _DETAILS = "lldp_dump", "lldp_details"
_PATHS = ("sw_if_index", "mgmt_ip4", "mgmt_ip6", "mgmt_oid", "port_desc")
_SETTINGS = ("system_name", "tx_hold", "tx_interval")
_LEFT = 0
"""In place of a number that stays as it is."""


def _set_lldp(operation: op.SetLldp, indexes: Indexes, vpp: Vocabulary) -> Request:
    lldp = operation.lldp or Lldp()
    values: dict[str, Value] = {
        "sw_if_index": indexes.interface(operation.interface),
        "mgmt_ip4": ip_address(lldp.ipv4 or "0.0.0.0").packed,
        "mgmt_ip6": ip_address(lldp.ipv6 or "::").packed,
        "mgmt_oid": lldp.oid,
        "enable": int(operation.lldp is not None),
    }
    return Request("sw_interface_set_lldp", values, text=lldp.description, text_name="port_desc")


def _set_lldp_settings(operation: op.SetLldpSettings, indexes: Indexes, vpp: Vocabulary) -> Request:
    values: dict[str, Value] = {"tx_hold": operation.hold or _LEFT, "tx_interval": operation.interval_s or _LEFT}
    return Request("lldp_config", values, text=operation.system_name or "", text_name="system_name")


MESSAGES: Messages = {op.SetLldp: _set_lldp, op.SetLldpSettings: _set_lldp_settings}


def tells_all(connection: Connection) -> bool:
    """Return whether VPP tells what its ports tell, rather than which ones speak LLDP alone."""
    return connection.offers(_DUMP) and connection.has_field(_DETAILS, "port_desc")


def requests(connection: Connection) -> list[bytes]:
    """Return the request for the first page of ports, where VPP tells all."""
    return [connection.request(_DUMP, {"cursor": 0})[1]] if tells_all(connection) else []


def read(connection: Connection, replies: Replies, known: Known) -> dict[int, Lldp]:
    """Return what each port that speaks LLDP tells, by its index. Further pages are asked for here."""
    if not tells_all(connection):
        return {}
    found = {}
    for page in connection.pages(replies, _DUMP, {}, "ports with LLDP"):
        for index, ipv4, ipv6, oid, description in connection.rows(page, _DETAILS, *_PATHS):
            found[index] = Lldp(
                description=text_of(description), ipv4=_address(ipv4), ipv6=_address(ipv6), oid=text_of(oid)
            )
    return found


def read_settings(connection: Connection, replies: Replies) -> LldpSettings:
    """Return what ports have alike, nothing when none speaks LLDP."""
    if not tells_all(connection):
        return LldpSettings()
    rows = connection.rows(replies, _DETAILS, *_SETTINGS)
    for name, hold, interval in rows:
        return LldpSettings(system_name=text_of(name) or None, hold=hold, interval_s=interval)
    return LldpSettings()


def _address(raw: bytes) -> str:
    return str(ip_address(raw)) if any(raw) else ""
