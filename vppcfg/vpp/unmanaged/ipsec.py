"""Reads IPsec that others set on interfaces: protection of tunnels, and policy databases (vnet/ipsec/ipsec.api)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from vppcfg.model.attachment import TUNNEL_PROTECTION, Attachment, Values, index_placeholder, stored_call
from vppcfg.operations.request import ALL_INDEXES
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.unmanaged.reader import Reader, ReadScope
from vppcfg.wire.codec import text_of_address
from vppcfg.wire.reading import Replies

_PROTECT = "ipsec_tunnel_protect"
_SPD_INTERFACES = "ipsec_spd_interface_dump"
_SPDS = "ipsec_spds_dump"
_BIND = "ipsec_interface_add_del_spd"


def _protect_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(f"{_PROTECT}_dump", {"sw_if_index": ALL_INDEXES})[1]]


def _read_protection(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield the protection of tunnels: by security associations, whose numbers stay when the tunnel goes.

    VPP before 24.10 keeps it when the tunnel is deleted (ipsec_tun_interface_add_del, vnet/ipsec/ipsec_tun.c).
    """
    heads = ("tun.sw_if_index", "tun.nh.af", "tun.nh.un", "tun.sa_out")
    for (index, family, raw, sa_out), inbound in connection.lists(replies, f"{_PROTECT}_details", heads, ""):
        name = scope.name(index)
        if not name:
            continue
        peer = text_of_address(family, raw)
        is_any = not any(raw)
        sas = [number for (number,) in inbound]
        place = {"sw_if_index": index_placeholder(name), "nh.af": family, "nh.un": raw}
        values = {f"tunnel.{path}": value for path, value in place.items()}
        put = stored_call(
            f"{_PROTECT}_update", {**values, "tunnel.sa_out": sa_out}, "sa_in", [{"": number} for number in sas]
        )
        words = [f"ipsec tunnel protect {name}", *([] if is_any else [peer])]
        yield Attachment(
            holder=name,
            kind=TUNNEL_PROTECTION,
            name="" if is_any else f"of {peer}",
            put=put,
            take=stored_call(f"{_PROTECT}_del", place),
            outlives=True,
            guards=True,
            lines=(f"{' '.join(words)} {' '.join(f'sa-in {number}' for number in sas)} sa-out {sa_out}",),
            removal=f"{' '.join(words)} del",
        )


def _spd_requests(connection: Connection, scope: ReadScope) -> list[bytes]:
    return [connection.request(_SPD_INTERFACES)[1], connection.request(_SPDS)[1]]


def _read_spds(connection: Connection, replies: Replies, scope: ReadScope) -> Iterator[Attachment]:
    """Yield the bindings of security policy databases, which VPP numbers by their place there, not by their id.

    A database whose id is not certain is named, and neither removed nor brought back.
    """
    ids = [number for (number,) in connection.rows(replies, "ipsec_spds_details", "spd_id")]
    rows = connection.rows(replies, "ipsec_spd_interface_details", "spd_index", "sw_if_index")
    known = ids_by_place({place for place, _ in rows}, ids)
    for place, index in rows:
        name = scope.name(index)
        if not name:
            continue
        number = known.get(place)
        if number is None:
            yield Attachment(holder=name, kind="security policy database", guards=True, outlives=True)
            continue
        values: Values = {"sw_if_index": index_placeholder(name), "spd_id": number}
        yield Attachment(
            holder=name,
            kind="security policy database",
            name=str(number),
            put=stored_call(_BIND, {"is_add": 1, **values}),
            take=stored_call(_BIND, {"is_add": 0, **values}),
            outlives=True,
            guards=True,
            lines=(f"set interface ipsec spd {name} {number}",),
            removal=f"set interface ipsec spd {name} {number} del",
        )


def ids_by_place(places: Collection[int], ids: Sequence[int]) -> dict[int, int]:
    """Return the id of the database at each place; none unless every database is in use.

    VPP lists ids in the order of places, but not the places: where one is free, those behind it are not known.
    """
    return dict(zip(sorted(places), ids, strict=True)) if len(places) == len(ids) else {}


READERS = (
    Reader((f"{_PROTECT}_dump", f"{_PROTECT}_update"), _protect_requests, _read_protection),
    Reader((_SPD_INTERFACES, _SPDS, _BIND), _spd_requests, _read_spds),
)
"""The readers of this module, each with the messages that it needs."""
