"""Cross-connects of L3 (plugins/l3xc): all that comes in goes one way. They outlive their interface, without effect."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from vppcfg.simulator import arcs, interfaces
from vppcfg.simulator.api_paths import packed, unpacked
from vppcfg.simulator.fib_entries import FibPath, ordered
from vppcfg.simulator.kind import Call, Kind
from vppcfg.simulator.retval import RefusedError, Retval
from vppcfg.simulator.wire import NONE, Outgoing, Values

_API = """
version 23.06- 1.0.1 520bfc6e
import interface_index
import prefix
import fib_path
struct l3xc: interface_index sw_if_index, bool is_ip6, u8 n_paths, fib_path paths[n_paths]
request l3xc_update e96aabdf: l3xc l3xc
reply l3xc_update_reply 1992deab: i32 retval, u32 stats_index
request l3xc_del e7dbef91: interface_index sw_if_index, bool is_ip6
reply l3xc_del_reply e8d4e804: i32 retval
request l3xc_dump f9e6675e streams l3xc_details: interface_index sw_if_index
reply l3xc_details bc5bf852: l3xc l3xc
"""


@dataclass(slots=True, kw_only=True)
class L3xcMain:
    """The paths by interface and family."""

    paths: dict[tuple[int, bool], tuple[FibPath, ...]] = field(default_factory=dict)


def _feature(is_ipv6: bool) -> arcs.Feature:
    return arcs.both("ip{}-unicast", "l3xc-input-ip{}")[is_ipv6]


def _answer_update(call: Call, values: Values) -> Outgoing:
    """Set the paths; the feature is turned on for an index that has none yet."""
    key = values["l3xc.sw_if_index"], bool(values["l3xc.is_ip6"])
    interfaces.require(call.tables, key[0])
    known = call.tables.part(L3xcMain).paths
    paths = ordered(unpacked(call.tables, row) for row in values["l3xc.paths"])
    if key not in known:
        arcs.enable(call.tables, key[0], _feature(key[1]))
    known[key] = paths
    return call.reply()


def _answer_delete(call: Call, values: Values) -> Outgoing:
    interfaces.require(call.tables, values["sw_if_index"])
    key = values["sw_if_index"], bool(values["is_ip6"])
    if call.tables.part(L3xcMain).paths.pop(key, None) is None:
        raise RefusedError(Retval.INVALID_VALUE)
    arcs.disable(call.tables, key[0], _feature(key[1]))
    return call.reply()


def _dump(call: Call, values: Values) -> Iterator[Outgoing]:
    for (sw_if_index, is_ipv6), paths in call.tables.part(L3xcMain).paths.items():
        if values["sw_if_index"] in (NONE, sw_if_index):
            shown = {"l3xc.sw_if_index": sw_if_index, "l3xc.is_ip6": is_ipv6}
            yield call.details({**shown, "l3xc.paths": tuple(map(packed, paths))})


KIND = Kind(
    plugin="l3xc",
    api={"l3xc": _API},
    changes={"l3xc_update": _answer_update, "l3xc_del": _answer_delete},
    queries={"l3xc_dump": _dump},
)
