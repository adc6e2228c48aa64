"""Bridge domains: made, deleted, and their settings (vnet/l2/l2_bd.c)."""

from __future__ import annotations

from vppcfg.record import record
from vppcfg.simulator.mains.bridge import DEFAULT_FEATURES, LAST_ID, BridgeDomain, Feature
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.tables import Tables

_NO_DEFAULT = "bridge domain 0 can not be modified"


@record
class Wish:
    """The bridge domain that is asked for."""

    bd_id: int
    features: int = Feature.FLOOD | Feature.UU_FLOOD | Feature.FWD | Feature.LEARN
    mac_age: int = 0
    tag: bytes = b""


_SETTABLE = Feature.FLOOD | Feature.UU_FLOOD | Feature.FWD | Feature.LEARN | Feature.ARP_TERM | Feature.ARP_UFWD


def create(tables: Tables, wish: Wish) -> None:
    """Make a bridge domain; raise RefusedError when there is one or the id is too large."""
    if wish.bd_id in tables.bridges.by_id:
        retval = Retval.BD_ALREADY_EXISTS
        raise RefusedError(retval, f"bd_add_del returned {retval.value}")
    if wish.bd_id > LAST_ID:
        raise RefusedError(Retval.BD_ID_EXCEED_MAX, "bridge domain ID exceed 16M limit")
    domain = tables.bridges.domains[find_or_add(tables, wish.bd_id)]
    domain.features = (domain.features & ~_SETTABLE) | wish.features
    domain.mac_age, domain.tag = wish.mac_age, wish.tag


def find_or_add(tables: Tables, bd_id: int) -> int:
    """Return the index of a bridge domain, made at the lowest free index when there is none.

    The age of MACs there stays that of the domain before.
    """
    main = tables.bridges
    if bd_id not in main.by_id:
        index = next((index for index, domain in enumerate(main.domains) if domain.bd_id is None), len(main.domains))
        old = main.domains[index] if index < len(main.domains) else BridgeDomain()
        main.domains[index : index + 1] = [
            BridgeDomain(bd_id=bd_id, features=DEFAULT_FEATURES, mac_age=old.mac_age),
        ]
        main.by_id[bd_id] = index
    return main.by_id[bd_id]


def unused_id(tables: Tables) -> int:
    """Return an id that is free; VPP draws one by lot."""
    return next(bd_id for bd_id in range(1, LAST_ID + 1) if bd_id not in tables.bridges.by_id)


def delete(tables: Tables, bd_id: int) -> None:
    """Delete a bridge domain; raise RefusedError when there is none, or one with members, or VPP's own."""
    index = tables.bridges.by_id.get(bd_id)
    if index is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY, "bridge domain ID does not exist")
    if index == 0:
        raise RefusedError(Retval.BD_NOT_MODIFIABLE, _NO_DEFAULT)
    if tables.bridges.domains[index].members:
        raise RefusedError(Retval.BD_IN_USE, "bridge domain in use - remove members")
    del tables.bridges.by_id[bd_id]
    tables.bridges.domains[index] = BridgeDomain(mac_age=tables.bridges.domains[index].mac_age)


def require(tables: Tables, bd_id: int) -> BridgeDomain:
    """Return a bridge domain that may be changed; raise RefusedError when there is none."""
    if bd_id == 0:
        text = "No operations on the default bridge domain are supported"
        raise RefusedError(Retval.BD_NOT_MODIFIABLE, text)
    index = tables.bridges.by_id.get(bd_id)
    if index is None:
        raise RefusedError(Retval.NO_SUCH_ENTRY, f"No such bridge domain {bd_id}")
    return tables.bridges.domains[index]


def set_features(domain: BridgeDomain, features: int, is_on: bool) -> int:
    """Turn features on or off and return all."""
    domain.features = domain.features | features if is_on else domain.features & ~features
    return domain.features
