"""Mirroring, the key `mirror` of interfaces: which send copies of their frames where (vnet/span)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any

from vppcfg.common.resemblance import did_you_mean
from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.configuration import InterfaceConfig, TunnelConfig
from vppcfg.entries.index import Index
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.features import DELETED, Mirror, TrafficDirection, mirrors_in_order
from vppcfg.model.interface import PORTS, InterfaceKind
from vppcfg.model.problem import Problem
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.request import NO_INDEX, Indexes, Known, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_DUMP = "sw_interface_span_dump"
_DIRECTIONS = {1: TrafficDirection.INPUT, 2: TrafficDirection.OUTPUT, 3: TrafficDirection.BOTH}
_STATES = {direction: state for state, direction in _DIRECTIONS.items()}
_DISABLED = 0
_WORDS = {TrafficDirection.BOTH: "both", TrafficDirection.INPUT: "rx", TrafficDirection.OUTPUT: "tx"}
_WITH_FRAMES_OF_THEIR_OWN = PORTS | {InterfaceKind.TAP}


@record
class SetMirror(SetFeature):
    """sw_interface_span_enable_disable: send copies of frames to another interface, or no longer (vnet/span/span.c).

    VPP notes both by their indexes, and goes on with whatever interface has these.
    """

    attribute = "mirrors"
    target: str
    """DELETED stands for one that is gone; without a direction, that ends all mirrors of the interface."""
    direction: TrafficDirection | None
    """None copies nothing."""
    is_l2: bool = False

    @property
    def part(self) -> Hashable:
        """Return where frames are taken, and where the copies go."""
        return self.is_l2, self.target

    @property
    def inverse(self) -> SetMirror:
        """Return the operation that copies nothing any more."""
        return SetMirror(interface=self.interface, target=self.target, direction=None, is_l2=self.is_l2)

    @property
    def looks_at_frames(self) -> bool:
        """Return whether it is one of L2 mode."""
        return self.is_l2

    @property
    def needs(self) -> str | None:
        return self.target

    def applied(self, value: Any) -> tuple[Mirror, ...]:
        """Return the mirrors that there are then."""
        if self.direction is None and self.target == DELETED:
            return tuple(each for each in value if each.is_l2 != self.is_l2)
        others = [each for each in value if (each.is_l2, each.target) != self.part]
        if self.direction is None:
            return tuple(others)
        return mirrors_in_order([*others, Mirror(target=self.target, direction=self.direction, is_l2=self.is_l2)])

    def _refusal(self, working: WorkingState) -> str | None:
        if self.direction is None or self.target in working.interfaces:
            return None
        return f"there is no {self.target} to mirror {self.interface} to"

    def apply_to(self, working: WorkingState) -> None:
        working.mirrored.drop(self.interface, _targets(self.interface, working))
        SetFeature.apply_to(self, working)
        working.mirrored.add(self.interface, _targets(self.interface, working))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        """Name no target where it is gone: that ends all mirrors of the interface."""
        values = {
            "sw_if_index_from": indexes.interface(self.interface),
            "sw_if_index_to": NO_INDEX if self.target == DELETED else indexes.interface(self.target),
            "state": _DISABLED if self.direction is None else _STATES[self.direction],
            "is_l2": int(self.is_l2),
        }
        return Request("sw_interface_span_enable_disable", values)

    def cli(self) -> str:
        """Return the command of vnet/span/span.c."""
        words = f"set interface span {self.interface}{' l2' if self.is_l2 else ''}"
        if self.target != DELETED:
            words += f" destination {self.target}"
        return f"{words} {'disable' if self.direction is None else _WORDS[self.direction]}"


def _targets(name: str, working: WorkingState) -> set[str]:
    return {each.target for each in working.interfaces[name].mirrors}


def mirror_target(index: Index) -> Iterator[Problem]:
    """Find mirrors to an interface that is not in the file, to the interface itself, and to one that takes none."""
    for interface, mirror in _mirrors(index):
        target = index.find(mirror.target)
        if mirror.target == interface.name:
            yield _problem("mirror-self", interface, mirror, f"{interface.name} cannot be mirrored to itself")
        elif not index.has(mirror.target):
            text = f"{mirror.target} is not in this file; add it below `interfaces`"
            text += did_you_mean(mirror.target, index.names)
            yield _problem("mirror-target-missing", interface, mirror, text)
        elif target is not None and not _takes_copies(index, target):
            text = f"{mirror.target} takes no copies; send them to a port, a TAP or a tunnel with Ethernet"
            yield _problem("mirror-target-not-port", interface, mirror, text)


def mirror_place(index: Index) -> Iterator[Problem]:
    """Find mirrors of frames that VPP would never copy, because they do not pass where they are looked for."""
    for interface, mirror in _mirrors(index):
        if mirror.is_l2 and index.why_switched(interface.name) is None:
            text = f"{interface.name} switches nothing; remove `l2`, or make it a member of a bridge domain"
            yield _problem("mirror-l2", interface, mirror, text)
        elif mirror.is_l2 and index.has(mirror.target) and index.why_switched(mirror.target) is None:
            text = f"{mirror.target} switches nothing, and copies made in L2 mode go to what does; remove `l2`"
            yield _problem("mirror-l2", interface, mirror, text)
        elif not mirror.is_l2 and not _is_port(interface):
            text = f"{interface.name} is no port; mirror the port, or add `l2: true` where it switches"
            yield _problem("mirror-not-port", interface, mirror, text)


def _takes_copies(index: Index, target: InterfaceConfig) -> bool:
    """Return whether VPP sends whole frames out of an interface: of tunnels, out of one with Ethernet."""
    tunnel = index.configuration.virtual.get(target.name)
    return tunnel.has_ethernet if isinstance(tunnel, TunnelConfig) else _is_port(target)


def _is_port(interface: InterfaceConfig) -> bool:
    return interface.parent is None and interface.kind in _WITH_FRAMES_OF_THEIR_OWN


def _mirrors(index: Index) -> Iterator[tuple[InterfaceConfig, Mirror]]:
    return ((interface, mirror) for interface in index.interfaces for mirror in interface.mirrors)


def _problem(rule: str, interface: InterfaceConfig, mirror: Mirror, text: str) -> Problem:
    return Problem(rule=rule, path=(*interface.path, "mirror", mirror.target), text=text)


class MirrorKind(FeatureKind[tuple[Mirror, ...]]):
    """The key `mirror` of interfaces, and the mirrors in VPP."""

    nodes = "span-"
    key = "mirror"
    foreign_keys = ("span", "port-mirroring", "monitor-session")
    command = "set interface span"
    attribute = "mirrors"
    is_of_bond = True
    operations = (SetMirror,)
    rules = (mirror_target, mirror_place)
    api_module = "span"

    def parse(self, raw: Mapping[str, Any]) -> tuple[Mirror, ...]:
        return mirrors_in_order(_mirror(str(target), value) for target, value in raw.items())

    def as_yaml(self, value: tuple[Mirror, ...]) -> Value:
        return tuple(KeyValue(each.target, _in_file(each)) for each in value)

    def unsupported_reason(self, value: tuple[Mirror, ...]) -> str | None:
        """Return why no file can set the mirrors: it names each target once."""
        targets = [each.target for each in value]
        twice = next((target for target in targets if targets.count(target) > 1), None)
        return None if twice is None else f"it mirrors to {twice} twice, as a port and in L2 mode"

    def setters(self, name: str, value: tuple[Mirror, ...]) -> Iterable[SetMirror]:
        return [
            SetMirror(interface=name, target=each.target, direction=each.direction, is_l2=each.is_l2) for each in value
        ]

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the requests for all mirrors, those of ports and those of L2 mode, where VPP takes them."""
        if not connection.offers(_DUMP):
            return []
        return [connection.request(_DUMP, {"is_l2": is_l2})[1] for is_l2 in (0, 1)]

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, tuple[Mirror, ...]]:
        """Return the mirrors by the index of the interface whose frames are copied."""
        if not connection.offers(_DUMP):
            return {}
        found: dict[int, list[Mirror]] = {}
        paths = ("sw_if_index_from", "sw_if_index_to", "state", "is_l2")
        for index, target, state, is_l2 in connection.rows(replies, "sw_interface_span_details", *paths):
            if state in _DIRECTIONS:
                name = known.names.get(target, DELETED)
                mirror = Mirror(target=name, direction=_DIRECTIONS[state], is_l2=bool(is_l2))
                found.setdefault(index, []).append(mirror)
        return {index: mirrors_in_order(dict.fromkeys(mirrors)) for index, mirrors in found.items()}


def _mirror(target: str, raw: str | Mapping[str, Any]) -> Mirror:
    if isinstance(raw, str):
        return Mirror(target=target, direction=TrafficDirection(raw))
    direction = TrafficDirection(raw.get("direction") or "both")
    return Mirror(target=target, direction=direction, is_l2=bool(raw.get("l2")))


def _in_file(mirror: Mirror) -> Value:
    if not mirror.is_l2:
        return mirror.direction.value
    return (KeyValue("direction", mirror.direction.value), KeyValue("l2", True))


KIND = MirrorKind()
