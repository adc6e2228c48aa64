"""IPsec on interfaces: the protection of tunnels, and security policy databases (vnet/ipsec/ipsec.api)."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.attachment import Attachment, api_call, index_of
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages.address import text_of_address
from vppcfg.vpp.messages.message import ALL_INDEXES
from vppcfg.vpp.round import Replies
from vppcfg.vpp.unmanaged.reader import Reader, Wanted

_PROTECT = "ipsec_tunnel_protect"
_SPD = "ipsec_spd_interface_dump"


def _protect_requests(connection: Connection, wanted: Wanted) -> list[bytes]:
    return [connection.request(f"{_PROTECT}_dump", {"sw_if_index": ALL_INDEXES})[1]]


def _read_protection(connection: Connection, replies: Replies, wanted: Wanted) -> Iterator[Attachment]:
    """Yield the protection of tunnels: by security associations, whose numbers stay when the tunnel goes.

    VPP before 24.10 keeps it when the tunnel is deleted (ipsec_tun_interface_add_del, vnet/ipsec/ipsec_tun.c).
    """
    heads = ("tun.sw_if_index", "tun.nh.af", "tun.nh.un", "tun.sa_out")
    for (index, family, raw, sa_out), inbound in connection.lists(replies, f"{_PROTECT}_details", heads, ""):
        name = wanted.name(index)
        if not name:
            continue
        peer = text_of_address(family, raw)
        is_any = not any(raw)
        sas = [number for (number,) in inbound]
        place = {"sw_if_index": index_of(name), "nh.af": family, "nh.un": raw}
        values = {f"tunnel.{path}": value for path, value in place.items()}
        put = api_call(
            f"{_PROTECT}_update", {**values, "tunnel.sa_out": sa_out}, "sa_in", [{"": number} for number in sas]
        )
        words = [f"ipsec tunnel protect {name}", *([] if is_any else [peer])]
        yield Attachment(
            holder=name,
            kind="IPsec protection",
            name="" if is_any else f"of {peer}",
            put=put,
            take=api_call(f"{_PROTECT}_del", place),
            outlives=True,
            guards=True,
            lines=(f"{' '.join(words)} {' '.join(f'sa-in {number}' for number in sas)} sa-out {sa_out}",),
            removal=f"{' '.join(words)} del",
        )


def _spd_requests(connection: Connection, wanted: Wanted) -> list[bytes]:
    return [connection.request(_SPD)[1]]


def _read_spds(connection: Connection, replies: Replies, wanted: Wanted) -> Iterator[Attachment]:
    """Yield the bindings of security policy databases: VPP numbers these by their place, not by their id."""
    for _, index in connection.rows(replies, "ipsec_spd_interface_details", "spd_index", "sw_if_index"):
        if name := wanted.name(index):
            yield Attachment(holder=name, kind="security policy database", guards=True, outlives=True)


READERS = (
    Reader((f"{_PROTECT}_dump", f"{_PROTECT}_update"), _protect_requests, _read_protection),
    Reader((_SPD,), _spd_requests, _read_spds),
)
