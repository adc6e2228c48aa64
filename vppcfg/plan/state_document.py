"""Turns a State into plain data for JSON and YAML, and back: what --state reads and `plan --format json` shows.

Keys are the names of the attributes; an attribute at its default is left out. It stores and compares nothing itself.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass, replace
from enum import Enum
from functools import lru_cache, partial
from types import NoneType
from typing import Any, TypeVar, cast, get_args, get_origin, get_type_hints

from vppcfg.common.addresses import address_key, canonical_host
from vppcfg.common.names import natural_key
from vppcfg.kinds.kind_list import OBJECTS, TABLES, VIRTUAL_INTERFACE_CLASSES
from vppcfg.model.acl import AclBinding
from vppcfg.model.attachment import Attachment
from vppcfg.model.features import DELETED, Lldp, ProxyArp
from vppcfg.model.interface import Encapsulation, Interface, InterfaceKind, OtherMatch, TagRewrite
from vppcfg.model.ipfix import FlowLayer, FlowParams, IpfixExporter, IpfixSettings
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.neighbor import OrphanedNeighbor
from vppcfg.model.state import Facts, LldpSettings, SflowSettings, State, tables_in_use
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.model.vpp_object import Objects, by_name
from vppcfg.model.vrf import FibTable, table_key

FORMAT_VERSION = 1
"""Grows when a reader of the former one would misread the document."""

_FORMS: Mapping[str, Callable[[str], object]] = {
    **dict.fromkeys(
        [
            "address",
            "address_order",
            "addresses",
            "allowed_ips",
            "collector",
            "destination",
            "endpoint",
            "external",
            "first",
            "gateway",
            "inside",
            "ipv4",
            "ipv6",
            "last",
            "link_local",
            "local",
            "next_hop",
            "outside",
            "peer",
            "peers",
            "prefix",
            "remote",
            "server",
            "source",
            "unmanaged_addresses",
        ],
        lambda text: address_key(text if "/" in text else f"{text}/0"),
    ),
    **dict.fromkeys(
        ["filtered_macs", "host_mac", "mac", "mac_mask", "stray_macs"],
        lambda text: bytes.fromhex(text.replace(":", "")),
    ),
}
"""How to read what addresses, prefixes and MAC addresses are called in all classes of the model."""
_T = TypeVar("_T")
_ATOMS = frozenset({bool, int, str, type(None)})


def document_of(state: State) -> dict[str, Any]:
    """Return a state as plain data, in natural order of the names."""
    in_linux: dict[str, Any] = dict.fromkeys(("linux_others", "linux_udp_ports", "linux_neighbors"), frozenset())
    facts = plain(replace(state.facts, **in_linux, sizes=None, left_out=()))
    for name in in_linux:  # of use only while Linux is looked at
        facts.pop(name, None)
    document: dict[str, Any] = {"format_version": FORMAT_VERSION, "facts": facts}
    document["interfaces"] = {name: _without_name(state.interfaces[name]) for name in _sorted(state.interfaces)}
    by_table: dict[str, dict[str, VirtualInterface]] = {virtual.table: {} for virtual in VIRTUAL_INTERFACE_CLASSES}
    for name, virtual in state.virtual.items():
        by_table[virtual.table][name] = virtual
    for table in _TABLES:
        records: Mapping[str, object] = by_table[table] if table in by_table else getattr(state, table)
        if records or table not in _LATER_TABLES:
            document[table] = {name: plain(records[name]) for name in _sorted(records)}
    document["namespaces"] = sorted(state.namespaces)
    document["linux_bridges"] = [list(bridge) for bridge in sorted(state.linux_bridges)]
    if state.unmanaged:
        document["unmanaged"] = [plain(each) for each in state.unmanaged]
    if state.descriptions:
        document["descriptions"] = plain(state.descriptions)
    if state.hidden_by:
        document["hidden_by"] = plain(state.hidden_by)
    if state.proxy_arps:
        document["proxy_arps"] = [plain(each) for each in sorted(state.proxy_arps, key=lambda each: each.order)]
    for kind in OBJECTS:
        if found := state.of(kind):
            document[kind.table] = [plain(found[name]) for name in _sorted(found)]
    document |= {"owned": [list(each) for each in sorted(state.owned)]} if state.owned else {}
    document |= {"ipfix": plain(state.ipfix)} if state.ipfix != IpfixSettings() else {}
    document |= {"lldp": plain(state.lldp)} if state.lldp != LldpSettings() else {}
    return {**document, "sflow": plain(state.sflow), "has_mpls_table": state.has_mpls_table}


def plain(value: object) -> Any:
    """Return any value of the model as plain data; a set comes out sorted, a default is left out."""
    kind: type = value.__class__
    if kind in _ATOMS:
        return value
    if (attributes := _attributes(kind)) is not None:
        set_values = ((name, item) for name, default in attributes if (item := getattr(value, name)) != default)
        return {name: item if item.__class__ in _ATOMS else plain(item) for name, item in set_values}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, frozenset):
        return sorted(map(plain, value), key=_member_key)
    if isinstance(value, tuple):
        return [plain(item) for item in value]
    if isinstance(value, Mapping):
        return {name: plain(value[name]) for name in _sorted(value)}
    return value


def attributes_present(value: object) -> list[str]:
    """Return the names of the attributes of an object of the model that are not at their default."""
    kind: type = value.__class__
    attributes = _attributes(kind) or ()
    return [name for name, default in attributes if getattr(value, name) != default]


def _without_name(interface: Interface) -> dict[str, Any]:
    return {key: value for key, value in plain(interface).items() if key != "name"}


def _sorted(named: Mapping[str, object]) -> list[str]:
    return sorted(named, key=natural_key)


def _member_key(member: str | dict[str, Any]) -> tuple[int, int, int, str]:
    """Return a key that sorts addresses by value, objects by the first of their values, everything else by text."""
    first = member if isinstance(member, str) else str(next(iter(member.values()), ""))
    rest = "" if first is member else str(member)
    try:
        return (*address_key(first), rest)
    except ValueError:
        return (0, 0, 0, first + rest)


@lru_cache(maxsize=64)
def _attributes(kind: type[Any]) -> tuple[tuple[str, object], ...] | None:
    """Return the attributes of a class of the model, and what each is by default; None of any other class."""
    return tuple((field.name, _default(field)) for field in fields(kind)) if is_dataclass(kind) else None


def _default(field: Field[Any]) -> object:
    return field.default_factory() if field.default_factory is not MISSING else field.default


def state_of(document: object) -> State:
    """Return the state that plain data describes. Raise ValueError when it does not describe one."""
    try:
        return _state_of(document)
    except (TypeError, AttributeError, KeyError) as error:  # something has another shape than all documents of ours
        raise ValueError(f"this is no state document: {error}") from error


def _state_of(document: object) -> State:
    tables_known = {*_TABLES, *(kind.table for kind in OBJECTS)}
    known = {"format_version", *get_type_hints(State), *tables_known} - {"virtual", "objects"}
    data = _mapping(document, "the state", known)
    version = data.get("format_version")
    if version != FORMAT_VERSION:
        raise ValueError(f"a state document of format_version {version!r} cannot be read, only {FORMAT_VERSION}")
    interfaces = _mapping(data.get("interfaces", {}), "interfaces")
    entered = {name: _interface(name, entry) for name, entry in interfaces.items()}
    tables: dict[str, Any] = {table: _table(table, data.get(table, {})) for table in _TABLES}
    if "vrfs" not in data:
        tables["vrfs"] = _unnamed_tables(entered.values())
    virtual_interfaces = _united({virtual.table: tables.pop(virtual.table) for virtual in VIRTUAL_INTERFACE_CLASSES})
    state = State(
        facts=_facts(data.get("facts", {})),
        interfaces=entered,
        sflow=_build(SflowSettings, data.get("sflow", {}), "sflow", _converters_of(cast(Hashable, SflowSettings))),
        lldp=_build(LldpSettings, data.get("lldp", {}), "lldp"),
        ipfix=_build(IpfixSettings, data.get("ipfix", {}), "ipfix", _IPFIX_CONVERTERS),
        proxy_arps=_proxy_arps(data.get("proxy_arps", [])),
        has_mpls_table=_truth("has_mpls_table", data),
        namespaces=frozenset(_texts("namespaces", data.get("namespaces", []))),
        linux_bridges=_pairs("linux_bridges", data.get("linux_bridges", [])),
        virtual=virtual_interfaces,
        objects=_objects(data),
        owned=_pairs("owned", data.get("owned", [])),
        unmanaged=_list_of("unmanaged", Attachment)(data.get("unmanaged", [])),
        descriptions=_texts_by_name(data, "descriptions"),
        hidden_by=_texts_by_name(data, "hidden_by"),
        **tables,
    )
    _check_references(state)
    return state


def _objects(data: Mapping[str, Any]) -> Objects:
    found = {kind: by_name(_list_of(kind.table, kind)(data.get(kind.table, []))) for kind in OBJECTS}
    return {kind: objects for kind, objects in found.items() if objects}


def _unnamed_tables(interfaces: Iterable[Interface]) -> dict[str, FibTable]:
    """Return the FIB tables that interfaces are in, for a document that was written before those were in it."""
    found = {}
    for interface in interfaces:
        for is_ipv6, table_id in enumerate(interface.tables):
            if table_id:
                key = table_key(table_id, is_ipv6=bool(is_ipv6))
                found[key] = FibTable(table_id=table_id, is_ipv6=bool(is_ipv6), name=key)
    return found


def _facts(document: object) -> Facts:
    converters: dict[str, Callable[[Any], Any]] = {
        "plugins": frozenset,
        "address_followers": lambda names: frozenset(_texts("facts.address_followers", names)),
        "followed_addresses": lambda addresses: frozenset(_texts("facts.followed_addresses", addresses)),
        "lcp": lambda entry: _build(LcpSettings, entry, "facts.lcp"),
        "memif_sockets": lambda entries: _numbered("memif_sockets", entries, str),
        "left_proxies": lambda names: tuple(_texts("facts.left_proxies", names)),
        "left_policies": lambda entries: _numbered("left_policies", entries, int),
        "left_neighbors": lambda entries: tuple(
            _build(OrphanedNeighbor, entry, "facts.left_neighbors") for entry in entries
        ),
    }
    return _build(Facts, document, "facts", converters)


def _numbered(name: str, document: object, kind: type) -> tuple[tuple[Any, ...], ...]:
    """Return pairs of a number and something of one type."""
    entries = document if isinstance(document, list) else [document]
    if not all(isinstance(entry, list) and [type(value) for value in entry] == [int, kind] for entry in entries):
        raise ValueError(f"facts.{name} in the state document is no list of [int, {kind.__name__}]")
    return tuple(map(tuple, entries))


def _table(table: str, document: object) -> dict[str, Any]:
    record = _TABLES[table]
    converters = _converters_of(cast(Hashable, record))
    entries = _mapping(document, table)
    return {name: _build(record, entry, f"{table}.{name}", converters) for name, entry in entries.items()}


def _united(tables: Mapping[str, Mapping[str, VirtualInterface]]) -> dict[str, VirtualInterface]:
    """Return what all kinds are made with by interface. Raise ValueError when one is of two kinds."""
    united: dict[str, VirtualInterface] = {}
    for table, virtuals in tables.items():
        for name in virtuals.keys() & united.keys():
            text = f"{table}.{name} in the state document: it is in {united[name].table} too"
            raise ValueError(text)
        united.update(virtuals)
    return united


def _interface(name: str, document: object) -> Interface:
    place = f"interfaces.{name}"
    data = _mapping(document, place)
    converters: dict[str, Callable[[Any], Any]] = {
        **_converters_of(cast(Hashable, Interface)),
        "addresses": _addresses,
        "encapsulation": lambda entry: _encapsulation(entry, place),
        "tag_rewrite": lambda entry: _build(TagRewrite, entry, place),
        "lldp": lambda entry: None if entry is None else _build(Lldp, entry, place),
        "acls": lambda entry: _build(AclBinding, entry, place, {"input": tuple, "output": tuple}),
    }
    named = {**data, "name": name, "kind": data.get("kind", InterfaceKind.PHYSICAL.value)}
    return _build(Interface, named, place, converters)


def _encapsulation(document: object, place: str) -> Encapsulation | OtherMatch:
    data = _mapping(document, place)
    return _build(OtherMatch, data, place) if "flags" in data else _build(Encapsulation, data, place)


def _build(
    record: type[_T], document: object, place: str, converters: Mapping[str, Callable[[Any], Any]] | None = None
) -> _T:
    hints = _hints(cast(Hashable, record))
    data = _mapping(document, place, set(hints))
    convert = converters or {}
    try:
        values = {key: _value(key, value, hints[key], convert.get(key)) for key, value in data.items()}
        for key in _FORMS.keys() & values.keys():
            _require_form(_FORMS[key], values[key])
        return record(**values)
    except (TypeError, ValueError) as error:
        text = str(error)
        raise ValueError(
            text if "in the state document" in text else f"{place} in the state document: {text}"
        ) from error


@lru_cache(maxsize=64)
def _hints(record: Hashable) -> dict[str, Any]:
    """Return the types of the attributes of a class of the model, without what its objects have alike."""
    hints = get_type_hints(record)
    return {field.name: hints[field.name] for field in fields(cast(Any, record))}


def _value(key: str, value: Any, hint: Any, convert: Callable[[Any], Any] | None) -> Any:
    """Return an attribute's value, converted where it has a type of its own; raise ValueError when it is another's."""
    if convert is not None:
        return convert(value)
    if type(value) not in (get_args(hint) or (hint,)):
        raise ValueError(f"{key} cannot be {value!r}")
    return value


def _require_form(read: Callable[[str], object], value: Any) -> None:
    """Raise ValueError unless a text, or each of several, can be read; '' is none."""
    for text in (value,) if isinstance(value, str) else value if isinstance(value, frozenset | tuple) else ():
        if isinstance(text, str) and text:
            read(text)


def _truth(key: str, data: Mapping[str, Any]) -> bool:
    value = data.get(key, False)
    if not isinstance(value, bool):
        raise ValueError(f"{key} in the state document is neither true nor false")
    return value


def _proxy_arps(document: object) -> frozenset[ProxyArp]:
    if not isinstance(document, list):
        raise ValueError("proxy_arps in the state document is no list")
    found = frozenset(_build(ProxyArp, entry, "proxy_arps") for entry in document)
    for each in found:
        for end in (each.first, each.last):
            if canonical_host(end) != end or ":" in end:
                raise ValueError(f"proxy_arps in the state document: {end!r} is no IPv4 address")
    return found


def _texts(place: str, value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise ValueError(f"{place} in the state document is not a list of names")
    return tuple(value)


def _texts_by_name(data: Mapping[str, Any], place: str) -> Mapping[str, str]:
    texts = _mapping(data.get(place, {}), place)
    _texts(place, list(texts.values()))
    return texts


def _pairs(place: str, value: Any) -> frozenset[tuple[str, str]]:
    """Return the pairs of texts in a list: a namespace and a name, a table and a scope."""
    pairs = [_texts(place, pair) for pair in value] if isinstance(value, list) else [()]
    if any(len(pair) != 2 for pair in pairs):
        raise ValueError(f"{place} in the state document is not a list of two texts each")
    return frozenset((first, second) for first, second in pairs)


def _addresses(value: Any) -> frozenset[str]:
    for address in value:
        address_key(address)
    return frozenset(value)


def _numbers(count: int) -> Callable[[Any], tuple[int, ...]]:
    def convert(value: Any) -> tuple[int, ...]:
        if not isinstance(value, list) or [type(item) for item in value] != [int] * count:
            raise ValueError(f"{value!r} is not a list of {count} numbers")
        return tuple(value)

    return convert


def _mapping(document: object, place: str, known: set[str] | None = None) -> Mapping[str, Any]:
    if not isinstance(document, Mapping):
        raise ValueError(f"{place} in the state document is not a map")
    unknown = [str(key) for key in document if not isinstance(key, str) or (known is not None and key not in known)]
    if unknown:
        raise ValueError(f"{place} in the state document has unknown keys: {', '.join(unknown)}")
    return document


def _check_references(state: State) -> None:
    for key in tables_in_use(state, state.interfaces):
        if key not in state.vrfs:
            raise ValueError(f"vrfs.{key} is missing in the state document, and something is in it")
    for key, vrf in state.vrfs.items():
        if key != vrf.key:
            raise ValueError(f"vrfs.{key} in the state document describes {vrf.key}")
    for each in state.proxy_arps:
        if each.table_id and table_key(each.table_id, is_ipv6=False) not in state.vrfs:
            raise ValueError(f"proxy_arps in the state document needs table {each.table_id}, which is missing")
    for items in state.objects.values():
        for item in items.values():
            for needed in item.references():
                if not state.has_all([needed]):
                    text = f"{item.noun} {item.name} in the state document needs {needed}, which is missing"
                    raise ValueError(text)
    for interface in state.interfaces.values():
        if interface.kind is InterfaceKind.SUB_INTERFACE and None in (interface.parent, interface.encapsulation):
            raise ValueError(f"interfaces.{interface.name} in the state document needs a parent and an encapsulation")
        for name in (interface.parent, interface.l2xc, interface.unnumbered):
            if name not in {None, DELETED} and name not in state.interfaces:
                raise ValueError(f"interfaces.{interface.name} in the state document needs {name}, which is missing")
    named = ((virtual.table, name) for name, virtual in state.virtual.items())
    for table, name in (*(("lcps", name) for name in state.lcps), *(("linux", name) for name in state.linux), *named):
        if name not in state.interfaces:
            raise ValueError(f"{table}.{name} in the state document: there is no such interface")


@lru_cache(maxsize=64)
def _converters_of(record: Hashable) -> dict[str, Callable[[Any], Any]]:
    """Return how the attributes of a class are read that are choices, or tables or lists of records, by their types."""
    converters: dict[str, Callable[[Any], Any]] = {}
    for name, hint in _hints(record).items():
        kinds = get_args(hint) or (hint,)
        if get_origin(hint) is Mapping:
            converters[name] = _table_of(name, kinds[1])
        elif is_dataclass(kinds[0]) and (NoneType in kinds or kinds == (hint,)):
            converters[name] = _record_of(name, cast(type[Any], kinds[0]), is_optional=NoneType in kinds)
        elif get_origin(hint) is tuple and is_dataclass(kinds[0]):
            converters[name] = _list_of(name, cast(type[Any], kinds[0]))
        elif kinds == (str, ...) and get_origin(hint) is tuple:
            converters[name] = partial(_texts, name)
        elif set(kinds) == {int} and get_origin(hint) is tuple:
            converters[name] = _numbers(len(kinds))
        elif kinds == (int, ...) and get_origin(hint) is tuple:
            converters[name] = partial(_naturals, name)
        elif isinstance(kinds[0], type) and issubclass(kinds[0], Enum):
            converters[name] = _choice_of(kinds[0], is_optional=NoneType in kinds)
    return converters


def _naturals(name: str, document: object) -> tuple[int, ...]:
    if not isinstance(document, list) or not all(type(each) is int and each >= 0 for each in document):
        raise ValueError(f"{name} cannot be {document!r}")
    return tuple(document)


def _record_of(name: str, record: type[Any], *, is_optional: bool) -> Callable[[Any], Any]:
    def convert(document: object) -> Any:
        return (
            None
            if is_optional and document is None
            else _build(record, document, name, _converters_of(cast(Hashable, record)))
        )

    return convert


def _choice_of(kind: type[Enum], *, is_optional: bool) -> Callable[[Any], Any]:
    return lambda value: None if is_optional and value is None else kind(value)


def _table_of(name: str, record: type[Any]) -> Callable[[Any], dict[str, Any]]:
    def convert(document: object) -> dict[str, Any]:
        entries, converters = _mapping(document, name), _converters_of(cast(Hashable, record))
        return {key: _build(record, entry, f"{name}.{key}", converters) for key, entry in entries.items()}

    return convert


def _list_of(name: str, record: type[Any]) -> Callable[[Any], tuple[Any, ...]]:
    def convert(document: Any) -> tuple[Any, ...]:
        return tuple(_build(record, entry, name, _converters_of(cast(Hashable, record))) for entry in document)

    return convert


_LATER_TABLES = frozenset(kind.table for kind in TABLES if not kind.is_always_in_documents)
"""Tables that are left out when they are empty, as they were before VPP was asked for them."""
_IPFIX_CONVERTERS: dict[str, Callable[[Any], Any]] = {
    "exporter": lambda entry: _build(IpfixExporter, entry, "ipfix.exporter"),
    "params": lambda entry: _build(
        FlowParams, entry, "ipfix.params", {"layers": lambda layers: tuple(map(FlowLayer, layers))}
    ),
}
_VIRTUAL: dict[str, type[Any]] = {virtual.table: virtual for virtual in VIRTUAL_INTERFACE_CLASSES}
_TABLES: dict[str, type[Any]] = {
    "lcps": LcpPair,
    "linux": LinuxDevice,
    "bonds": _VIRTUAL["bonds"],
    TABLES[0].table: TABLES[0].object_class,
    **_VIRTUAL,
    "vrfs": FibTable,
    **{kind.table: kind.object_class for kind in TABLES[1:]},
}
"""The tables of a state document other than its interfaces, in its order: the other kinds of makings follow bridges."""
