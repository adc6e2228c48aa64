"""TCP MSS clamping, the key `mss-clamp` of interfaces: a limit for the segments of connections (plugins/mss_clamp)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, ClassVar

from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.features import MssLimit, TrafficDirection
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.request import ALL_INDEXES, Indexes, Known, Request, Vocabulary
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_SET = "mss_clamp_enable_disable"
_GET = "mss_clamp_get"
_OF_ALL = {"sw_if_index": ALL_INDEXES}
_DIRECTIONS = {1: TrafficDirection.INPUT, 2: TrafficDirection.OUTPUT, 3: TrafficDirection.BOTH}
_FLAGS = {direction: flags for flags, direction in _DIRECTIONS.items()}
_PATHS = ("sw_if_index", "ipv4_direction", "ipv4_mss", "ipv6_direction", "ipv6_mss")
_WORDS = {TrafficDirection.INPUT: "rx", TrafficDirection.OUTPUT: "tx", TrafficDirection.BOTH: "enable"}
LARGEST_MSS = 65534
"""Bytes; 65535 is VPP's word for none."""


@record
class SetMssClamp(SetFeature):
    """mss_clamp_enable_disable: limit the segments of TCP connections, of both families at once."""

    attribute = "mss_clamp"
    limits: tuple[MssLimit, ...]

    @property
    def inverse(self) -> SetMssClamp:
        """Return the operation that limits nothing."""
        return SetMssClamp(interface=self.interface, limits=())

    def applied(self, value: Any) -> tuple[MssLimit, ...]:
        """Return the limits that there are then."""
        return self.limits

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {"sw_if_index": indexes.interface(self.interface)}
        for limit in self.limits:
            family = _family(limit)
            values |= {f"{family}_mss": limit.mss, f"{family}_direction": _FLAGS[limit.direction]}
        return Request(_SET, values)

    def cli(self) -> str:
        """Return the command, which sets both families."""
        limits = {each.is_ipv6: each for each in self.limits}
        words = [f"set interface tcp-mss-clamp {self.interface}"]
        for family, limit in (("ip4", limits.get(False)), ("ip6", limits.get(True))):
            if limit is None:
                words.append(f"{family} disable")
            else:
                words.append(f"{family} {_WORDS[limit.direction]} {family}-mss {limit.mss}")
        return " ".join(words)


class MssClampKind(FeatureKind[tuple[MssLimit, ...]]):
    """The key `mss-clamp` of interfaces, and the limits in VPP."""

    nodes = "tcp-mss-clamping"
    key = "mss-clamp"
    foreign_keys = ("mss", "tcp-mss", "adjust-mss", "mss-adjust", "tcp-mss-clamp")
    command = "set interface tcp-mss-clamp"
    command_apart = frozenset()
    attribute = "mss_clamp"
    plugin = "mss_clamp"
    reason = "an interface clamps the MSS of TCP"
    assumed: ClassVar = {"mss": (1300, 1400)}
    is_of_bond = True
    is_routing = may_be_idle = True
    operations = (SetMssClamp,)
    api_module = "mss_clamp"
    capabilities: ClassVar = {"mss_clamp": _SET}

    def parse(self, raw: Mapping[str, Any]) -> tuple[MssLimit, ...]:
        """Return the limits that an entry asks for, IPv4 first."""
        return tuple(
            _limit(raw[family], is_ipv6=family == "ipv6") for family in ("ipv4", "ipv6") if raw.get(family) is not None
        )

    def as_yaml(self, value: tuple[MssLimit, ...]) -> Value:
        return tuple(KeyValue(_family(each), _in_file(each)) for each in value)

    def unsupported_reason(self, value: tuple[MssLimit, ...]) -> str | None:
        odd = next((each.mss for each in value if not 0 < each.mss <= LARGEST_MSS), None)
        return None if odd is None else f"it clamps the MSS of TCP to {odd} bytes"

    def setters(self, name: str, value: tuple[MssLimit, ...]) -> Iterable[SetMssClamp]:
        """Return the operation that sets both limits."""
        return [SetMssClamp(interface=name, limits=value)] if value else []

    def output_keys(self, value: tuple[MssLimit, ...]) -> Iterator[tuple[str, ...]]:
        return ((self.key, _family(each)) for each in value if each.direction.includes(is_output=True))

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the first page of limits, where VPP takes it."""
        return [connection.request(_GET, {"cursor": 0, **_OF_ALL})[1]] if connection.offers(_GET) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, tuple[MssLimit, ...]]:
        """Return the limits by interface index. Further pages of them are asked for here."""
        if not connection.offers(_GET):
            return {}
        found = {}
        for page in connection.pages(replies, _GET, _OF_ALL, "limits of the MSS"):
            for index, *families in connection.rows(page, "mss_clamp_details", *_PATHS):
                limits = [
                    MssLimit(mss=mss, is_ipv6=is_ipv6, direction=_DIRECTIONS[flags])
                    for is_ipv6, flags, mss in ((False, *families[:2]), (True, *families[2:]))
                    if flags in _DIRECTIONS
                ]
                found[index] = tuple(limits)
        return found


def _family(limit: MssLimit) -> str:
    return "ipv6" if limit.is_ipv6 else "ipv4"


def _limit(raw: int | Mapping[str, Any], *, is_ipv6: bool) -> MssLimit:
    if isinstance(raw, int):
        return MssLimit(mss=raw, is_ipv6=is_ipv6)
    return MssLimit(mss=raw["mss"], is_ipv6=is_ipv6, direction=TrafficDirection(raw.get("direction") or "both"))


def _in_file(limit: MssLimit) -> Value:
    if limit.direction is TrafficDirection.BOTH:
        return limit.mss
    return (KeyValue("mss", limit.mss), KeyValue("direction", limit.direction.value))


KIND = MssClampKind()
