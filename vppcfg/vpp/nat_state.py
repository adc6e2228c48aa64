"""Reads what NAT has in a VPP, and the addresses of its interfaces, without the rest of its state.

Mappings, pools and maps come by one message each. From 24.10 on workers go on while VPP tells the addresses of an
interface (ip_address_dump is thread safe, vnet/ip/ip_api.c).
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from vppcfg.kinds import address, det44_objects, unnumbered, vrf
from vppcfg.kinds.nat44 import kind as nat44
from vppcfg.model.state import Facts, State
from vppcfg.model.vpp_object import Referent, by_name
from vppcfg.model.vrf import FibTable
from vppcfg.operations.request import Known
from vppcfg.vpp.connection import Connection
from vppcfg.vpp.messages import interface
from vppcfg.wire.row import read_interfaces, request_interfaces

_KINDS = (*nat44.KINDS, *det44_objects.KINDS)


def read_nat_state(connection: Connection, version: str) -> State:
    """Return a state that has interfaces with their addresses, and the objects of NAT. Raise DataplaneError."""
    around = (unnumbered.KIND, vrf.KIND, *_KINDS)
    requests = [*request_interfaces(connection), *(each for kind in around for each in kind.requests(connection))]
    replies = connection.ask(requests)
    rows = read_interfaces(connection, replies)
    names = {row.sw_if_index: row.name for row in rows}
    there = frozenset(names.values())
    tables = [FibTable(table_id=0), FibTable(table_id=0, is_ipv6=True), *vrf.read(connection, replies, ()).values()]
    found = {
        kind.object_class: by_name(
            each
            for each in kind.read(connection, replies, names, tables)
            if all(one.name in there for one in each.references() if one.referent is Referent.INTERFACE)
        )
        for kind in _KINDS
    }
    facts: dict[str, Any] = {}
    for kind in _KINDS:
        facts |= kind.read_facts(connection, replies, Known(names, {}), {})
    donors = unnumbered.read_donors(connection, replies)
    features = {index: {"unnumbered": names[donor]} for index, donor in donors.items() if donor in names}
    addresses = address.read(connection, connection.ask(address.requests(connection, sorted(names))))
    surroundings = interface.Surroundings(
        names=names, addresses=addresses, features=features, rx_modes={}, placements={}
    )
    state = State(
        interfaces=interface.build(interface.without(rows, frozenset()), surroundings),
        objects={item: objects for item, objects in found.items() if objects},
        facts=replace(Facts(version=version), **facts),
    )
    for kind in _KINDS:
        state = kind.finish(state)
    return state
