"""A configuration file of the public vppcfg 1.2 as one of this vppcfg, and what happens to each part that differs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Any

from vppcfg.common.addresses import canonical_address
from vppcfg.entries.yaml.overlay import copied
from vppcfg.model.ownership import kept_by_vpp
from vppcfg.model.problem import KeyPath
from vppcfg.record import record

_LOOPBACK = re.compile(r"loop[0-9]+")
_OF_LOOPBACKS = frozenset(
    {"description", "mac", "lcp", "mtu", "state", "addresses", "link-local", "unnumbered", "mpls", "acls"}
)
"""What the public tool knows of an interface, or becomes of that, and a loopback can have."""
_LINK_LOCAL = re.compile(r"fe[89ab][0-9a-f]:", re.IGNORECASE)


class MigrationKind(Enum):
    """The outcome of a part of the old file."""

    MOVED = "moved"
    CREATED = "made"
    DROPPED = "dropped"
    KEPT = "kept"
    """It stays as it is, and means something else, or less, in VPP."""


@record
class MigrationNote:
    """One part of the old file, and its outcome."""

    path: KeyPath
    """In the old file."""
    kind: MigrationKind
    text: str


@record
class Migration:
    """The new file, and the outcome of what differs."""

    document: dict[str, Any]
    notes: tuple[MigrationNote, ...] = ()


def migrate(document: Mapping[str, Any]) -> Migration:
    """Return the file of this vppcfg that means what one of the public tool means, for a VPP that the tool set up.

    `document` is the data of the YAML. A part of a shape that the public tool does not take either stays as it is; the
    schema complains of it later. A file of this vppcfg comes out as it is, and so does the result.
    """
    new: dict[str, Any] = {str(key): copied(value) for key, value in document.items()}
    notes = [*_descriptions(new, ()), *_link_local_addresses(new), *_loopbacks(new), *_bond_members(new)]
    notes += _empty_sub_interfaces(new)
    return Migration(document=new, notes=tuple(notes))


def _map_at(node: Any, key: str) -> dict[Any, Any]:
    """Return the map below a key, an empty one where there is none."""
    found = node.get(key) if isinstance(node, dict) else None
    return found if isinstance(found, dict) else {}


def _descriptions(node: Any, path: KeyPath) -> Iterator[MigrationNote]:
    """Drop empty descriptions, and report those that VPP cannot hold; the public tool never wrote one to VPP."""
    if not isinstance(node, dict):
        return
    for key in [*node]:
        value = node[key]
        if key == "description" and value in ("", None):
            del node[key]
            yield MigrationNote(path=(*path, key), kind=MigrationKind.DROPPED, text="it is empty")
        elif key == "description" and isinstance(value, str) and kept_by_vpp(value) != value:
            text = f"VPP gets it as `{kept_by_vpp(value)}`; the file keeps the whole text"
            yield MigrationNote(path=(*path, key), kind=MigrationKind.KEPT, text=text)
        else:
            yield from _descriptions(value, (*path, key))


def _link_local_addresses(new: dict[str, Any]) -> Iterator[MigrationNote]:
    """Write the link-local address that VPP has as `link-local`, and take out those that it has refused.

    VPP takes one of length 128, and the last one that it was given counts; it refuses every other length
    (vnet/ip/ip6_forward.c).
    """
    for path, entry in _interfaces(new):
        addresses = entry.get("addresses")
        if not isinstance(addresses, list):
            continue
        link_local = [address for address in addresses if _is_link_local(address)]
        taken = [address for address in link_local if str(address).endswith("/128")]
        for address in link_local:
            host = str(address).partition("/")[0]
            kind = MigrationKind.DROPPED
            if "link-local" not in entry and taken[-1:] == [address]:
                entry["link-local"] = host
                kind, text = MigrationKind.MOVED, f"{address} is written `link-local: {host}`"
            elif address in taken:
                text = f"{address} is link-local, and VPP has only the last one of an interface"
            else:
                text = (
                    f"VPP has refused {address}, for a link-local address has no length; `link-local: {host}` sets it"
                )
            yield MigrationNote(path=(*path, "addresses"), kind=kind, text=text)
        left = [address for address in addresses if address not in link_local]
        if left or not addresses:
            entry["addresses"] = left
        else:
            del entry["addresses"]


def _interfaces(new: dict[str, Any]) -> Iterator[tuple[KeyPath, dict[Any, Any]]]:
    """Yield what has addresses: interfaces, sub-interfaces and loopbacks."""
    for section in ("interfaces", "loopbacks"):
        for name, entry in _map_at(new, section).items():
            if isinstance(entry, dict):
                yield (section, name), entry
            for sub_id, sub in _map_at(entry, "sub-interfaces").items():
                if isinstance(sub, dict):
                    yield (section, name, "sub-interfaces", sub_id), sub


def _is_link_local(address: object) -> bool:
    canonical = canonical_address(address)
    return canonical is not None and _LINK_LOCAL.match(canonical) is not None


def _loopbacks(new: dict[str, Any]) -> Iterator[MigrationNote]:
    """Move loopbacks from `interfaces` to their own section; what stands there already counts."""
    interfaces = _map_at(new, "interfaces")
    for name in [name for name in interfaces if isinstance(name, str) and _LOOPBACK.fullmatch(name)]:
        entry = interfaces.pop(name)
        loopbacks = new["loopbacks"] = _map_at(new, "loopbacks")
        own = loopbacks[name] = _map_at(loopbacks, name)
        yield MigrationNote(path=("interfaces", name), kind=MigrationKind.MOVED, text="it stands below `loopbacks`")
        for key, value in (entry if isinstance(entry, dict) else {}).items():
            path = ("interfaces", name, key)
            if key not in _OF_LOOPBACKS:
                yield MigrationNote(path=path, kind=MigrationKind.DROPPED, text=f"a loopback has no `{key}`")
            elif key in own and own[key] != value:
                text = f"`loopbacks` has {own[key]!r} for it, which counts"
                yield MigrationNote(path=path, kind=MigrationKind.DROPPED, text=text)
            else:
                own[key] = value
    if "interfaces" in new and isinstance(new["interfaces"], dict) and not new["interfaces"]:
        del new["interfaces"]


def _empty_sub_interfaces(new: dict[str, Any]) -> Iterator[MigrationNote]:
    """Write `state: up` for sub-interfaces without any key, as they were up."""
    for name, entry in _map_at(new, "interfaces").items():
        subs = _map_at(entry, "sub-interfaces")
        for sub_id in [sub_id for sub_id, sub in subs.items() if sub in ({}, None)]:
            subs[sub_id] = {"state": "up"}
            path = ("interfaces", name, "sub-interfaces", sub_id)
            yield MigrationNote(
                path=path, kind=MigrationKind.CREATED, text="it gets `state: up`, since it sets no state"
            )


def _bond_members(new: dict[str, Any]) -> Iterator[MigrationNote]:
    """Make the entries of members that have none, with the MTU of their bond."""
    for bond, entry in _map_at(new, "bondethernets").items():
        members = entry.get("interfaces") if isinstance(entry, dict) else None
        if not isinstance(members, list):
            continue
        interfaces = new["interfaces"] = _map_at(new, "interfaces")
        mtu = _map_at(interfaces, bond).get("mtu")
        for member in members:
            if not isinstance(member, str) or member in interfaces:
                continue
            interfaces[member] = {} if mtu is None else {"mtu": mtu}
            of_bond = "" if mtu is None else f", with the bond's MTU of {mtu}"
            text = f"{member} gets an entry below `interfaces`{of_bond}"
            yield MigrationNote(path=("bondethernets", bond, "interfaces"), kind=MigrationKind.CREATED, text=text)
