"""Simulates IP addresses of interfaces (vnet/ip/ip4_forward.c, ip6_forward.c, ip_interface.c).

Interfaces may borrow those of another one (vnet_sw_interface_update_unnumbered, vnet/interface.c).
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator

from vppcfg.errors import UsageError
from vppcfg.model.state import State
from vppcfg.simulator import interfaces, ip6_link
from vppcfg.simulator.addresses import Assigned
from vppcfg.simulator.command_line import Input
from vppcfg.simulator.kind import Call, Kind, Rows
from vppcfg.simulator.kinds import fib, lcp_sync
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Flag, SwInterface, Tables
from vppcfg.simulator.wire import NONE, Outgoing, Values

_LINK_LOCAL = ipaddress.IPv6Network("fe80::/10")
_IPV6 = 1


def check_addressable(tables: Tables, interface: SwInterface) -> None:
    """Raise RefusedError where VPP takes no addresses (vnet_sw_interface_supports_addressing)."""
    if interface.index == 0:
        raise RefusedError(Retval.UNSUPPORTED, "local0 interface doesn't support IP addressing")
    if interface.is_sub and not interface.flags & Flag.EXACT_MATCH:
        text = "sub-interface without exact-match doesn't support IP addressing"
        raise RefusedError(Retval.UNSUPPORTED, text)


def add(tables: Tables, interface: SwInterface, is_ipv6: bool, address: int, length: int) -> None:
    """Put an address on an interface; raise RefusedError when it overlaps or has a wrong length."""
    check_addressable(tables, interface)
    if is_ipv6 and ipaddress.IPv6Address(address) in _LINK_LOCAL:
        _check_link_local_length(length)
        ip6_link.set_local(tables, interface.index, address.to_bytes(16))
        return
    book = tables.ip6 if is_ipv6 else tables.ip4
    conflict = book.conflict(interface.index, address, length)
    if conflict is not None:
        raise _overlap(tables, interface, is_ipv6, (address, length), conflict)
    known = book.find(book.table_of(interface.index), address)
    if known is not None:
        text = f"Prefix {_text(is_ipv6, address, length)} already found on interface "
        raise RefusedError(Retval.DUPLICATE_IF_ADDRESS, text + tables.name_at(known.sw_if_index))
    if not 0 < length <= book.bits:
        text = f"{_text(is_ipv6, address, length)} wrong length for interface {tables.name_of(interface)}"
        raise RefusedError(Retval.ADDRESS_LENGTH_MISMATCH, text)
    _add(tables, Assigned(sw_if_index=interface.index, address=address, length=length), is_ipv6=is_ipv6)


def _add(tables: Tables, assigned: Assigned, *, is_ipv6: bool) -> None:
    (tables.ip6 if is_ipv6 else tables.ip4).add(assigned)
    lcp_sync.address_changed(tables, assigned, is_ipv6=is_ipv6, is_added=True)
    _notify(tables, assigned, is_ipv6=is_ipv6, is_added=True)
    if is_ipv6:
        ip6_link.enable(tables, assigned.sw_if_index)


def _remove(tables: Tables, assigned: Assigned, *, is_ipv6: bool) -> None:
    (tables.ip6 if is_ipv6 else tables.ip4).remove(assigned)
    lcp_sync.address_changed(tables, assigned, is_ipv6=is_ipv6, is_added=False)
    _notify(tables, assigned, is_ipv6=is_ipv6, is_added=False)
    if is_ipv6 and ip6_link.find(tables, assigned.sw_if_index) is not None:
        ip6_link.disable(tables, assigned.sw_if_index)


def _notify(tables: Tables, assigned: Assigned, *, is_ipv6: bool, is_added: bool) -> None:
    for hook in tables.address_hooks if not is_ipv6 else ():
        hook(tables, assigned.sw_if_index, assigned.address, is_added)


def remove(tables: Tables, interface: SwInterface, is_ipv6: bool, address: int, length: int) -> None:
    """Take an address off an interface, whatever length is given: VPP looks for the address alone.

    Raise RefusedError when the interface does not have it, or when it is the link-local one.
    """
    check_addressable(tables, interface)
    if is_ipv6 and ipaddress.IPv6Address(address) in _LINK_LOCAL:
        _check_link_local_length(length)
        link = ip6_link.find(tables, interface.index)
        if link is not None and link.address == address.to_bytes(16):
            raise RefusedError(Retval.ADDRESS_NOT_DELETABLE, "address not deletable")
        raise RefusedError(Retval.ADDRESS_NOT_FOUND_FOR_INTERFACE, "address not found")
    book = tables.ip6 if is_ipv6 else tables.ip4
    known = book.find(book.table_of(interface.index), address)
    if known is None or known.sw_if_index != interface.index:
        text = f"{_text(is_ipv6, address, length)} not found for interface {tables.name_of(interface)}"
        raise RefusedError(Retval.ADDRESS_NOT_FOUND_FOR_INTERFACE, text)
    _remove(tables, known, is_ipv6=is_ipv6)


def remove_all(tables: Tables, sw_if_index: int) -> None:
    """Take all addresses off an interface (ip_del_all_interface_addresses)."""
    for is_ipv6, book in enumerate((tables.ip4, tables.ip6)):
        for assigned in book.of(sw_if_index):
            if assigned.sw_if_index == sw_if_index:
                _remove(tables, assigned, is_ipv6=bool(is_ipv6))


def _interface_deleted(tables: Tables, sw_if_index: int) -> None:
    """Forget addresses and FIB tables of an interface that goes away; they go in this order."""
    stop(tables, sw_if_index)
    remove_all(tables, sw_if_index)
    ip6_link.forget(tables, sw_if_index)
    fib.unbind(tables, sw_if_index)


def _check_link_local_length(length: int) -> None:
    if length != 128:
        raise RefusedError(Retval.ADDRESS_LENGTH_MISMATCH, "prefix length of link-local address must be 128")


def _overlap(
    tables: Tables, interface: SwInterface, is_ipv6: bool, wanted: tuple[int, int], conflict: Assigned
) -> RefusedError:
    """Return VPP's refusal: IPv4 and IPv6 have different codes and words for it."""
    new, old = _text(is_ipv6, *wanted), _text(is_ipv6, conflict.address, conflict.length)
    owner = tables.name_of(tables.sw[conflict.sw_if_index])
    if is_ipv6:
        text = f"failed to add {new} which conflicts with {old} for interface {owner}"
        return RefusedError(Retval.DUPLICATE_IF_ADDRESS, text)
    text = f"failed to add {new} on {tables.name_of(interface)} which conflicts with {old} for interface {owner}"
    return RefusedError(Retval.ADDRESS_IN_USE, text)


def _text(is_ipv6: bool, address: int, length: int) -> str:
    return f"{ipaddress.IPv6Address(address) if is_ipv6 else ipaddress.IPv4Address(address)}/{length}"


def _answer(call: Call, values: Values) -> None:
    """Add or delete an address, or delete all."""
    row = interfaces.require(call.tables, values["sw_if_index"])
    is_ipv6, packed = values["prefix.address.af"] == _IPV6, values["prefix.address.un"]
    address = int.from_bytes(packed if is_ipv6 else packed[:4])
    if values["del_all"]:
        remove_all(call.tables, row.index)
    else:
        (add if values["is_add"] else remove)(call.tables, row, is_ipv6, address, values["prefix.len"])


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show the addresses of one interface and family; nothing for an index that is free."""
    tables, sw_if_index, is_ipv6 = call.tables, values["sw_if_index"], values["is_ipv6"]
    if not tables.sw.has(sw_if_index):
        return
    book = tables.ip6 if is_ipv6 else tables.ip4
    for assigned in book.of(sw_if_index):
        yield call.details(
            {
                "sw_if_index": sw_if_index,
                "prefix.address.af": is_ipv6,
                "prefix.address.un": assigned.address.to_bytes(book.bits // 8),
                "prefix.len": assigned.length,
            }
        )


def _command(tables: Tables, line: Input) -> None:
    """`set interface ip address [del] <interface> <address>/<length> | all`."""
    is_delete = line.take("del")
    row = line.require_interface(tables)
    if is_delete and line.take("all"):
        remove_all(tables, row.index)
        return
    prefix = line.prefix()
    if prefix is None:
        raise line.unknown("expected IP4/IP6 address/length")
    (remove if is_delete else add)(tables, row, *prefix)


def _load(tables: Tables, state: State, rows: Rows) -> None:
    for name, row in rows.items():
        for text in state.interfaces[name].in_order:
            address = ipaddress.ip_interface(text)
            book = tables.ip6 if address.version == 6 else tables.ip4
            if book.find(book.table_of(row.index), int(address.ip)) is not None:
                raise UsageError(f"the state has the address {address.ip} twice, on {name} and before")
            assigned = Assigned(sw_if_index=row.index, address=int(address.ip), length=address.network.prefixlen)
            _add(tables, assigned, is_ipv6=address.version == 6)


_TABLES_DIFFER = "When enabling unnumbered both interfaces must be in the same tables"


def borrow(tables: Tables, borrower: SwInterface, donor: int) -> None:
    """Borrow the addresses of `donor`, even one's own; raise RefusedError when it is in another FIB table."""
    books = (tables.ip4, tables.ip6)
    if any(book.table_of(borrower.index) != book.table_of(donor) for book in books):
        raise RefusedError(Retval.UNEXPECTED_INTF_STATE, _TABLES_DIFFER)
    borrower.unnumbered = donor
    for book in books:
        book.borrow(borrower.index, donor)


def stop(tables: Tables, sw_if_index: int) -> None:
    """End borrowing; nothing happens to an interface that does not borrow."""
    borrower = tables.sw.stale(sw_if_index)
    if borrower is None or borrower.unnumbered is None:
        return
    borrower.unnumbered = None
    for book in (tables.ip4, tables.ip6):
        book.stop_borrowing(sw_if_index)


def _answer_unnumbered(call: Call, values: Values) -> None:
    """Borrow addresses or end it. `sw_if_index` is the donor, which must exist for the former only."""
    donor, borrower = values["sw_if_index"], values["unnumbered_sw_if_index"]
    row = interfaces.require(call.tables, borrower)
    if not values["is_add"]:
        stop(call.tables, borrower)
    elif not call.tables.sw.has(donor):
        raise RefusedError(Retval.INVALID_SW_IF_INDEX_2)
    else:
        borrow(call.tables, row, donor)


def _dump_unnumbered(call: Call, values: Values) -> Iterator[Outgoing]:
    """Show every interface that borrows, with its donor, even when the donor is deleted."""
    for row in call.tables.sw:
        if row.unnumbered is not None and values["sw_if_index"] in {NONE, row.index}:
            yield call.details({"sw_if_index": row.index, "ip_sw_if_index": row.unnumbered})


def _command_unnumbered(tables: Tables, line: Input) -> None:
    """`set interface unnumbered <interface> use <interface>`, `set interface unnumbered del <interface>`."""
    refusal = RefusedError(Retval.UNSPECIFIED, f"parse error '{line.shown}'")
    if line.take("del"):
        row = line.interface(tables)
        if row is None:
            raise refusal
        stop(tables, row.index)
        return
    row = line.interface(tables)
    donor = line.interface_after(tables, "use") if row is not None else None
    if row is None or donor is None:
        raise refusal
    borrow(tables, row, donor.index)


def _load_unnumbered(tables: Tables, state: State, rows: Rows) -> None:
    """Let interfaces borrow addresses; a donor that is gone leaves its index behind."""
    for name, row in rows.items():
        donor = state.interfaces[name].unnumbered
        if donor is not None:
            borrow(tables, row, rows[donor].index if donor in rows else tables.sw.end)


KIND = Kind(
    changes={"sw_interface_add_del_address": _answer},
    queries={"ip_address_dump": _dump},
    commands={"set interface ip address": _command},
    load=_load,
    deleted=_interface_deleted,
)

UNNUMBERED = Kind(
    changes={"sw_interface_set_unnumbered": _answer_unnumbered},
    queries={"ip_unnumbered_dump": _dump_unnumbered},
    commands={"set interface unnumbered": _command_unnumbered},
    load=_load_unnumbered,
)
