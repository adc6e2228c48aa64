"""uRPF, the key `urpf` of interfaces: packets must come from where there is a route to (plugins/urpf)."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, ClassVar

from vppcfg.common.release import Release
from vppcfg.engine.feature_kind import FeatureKind
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.features import UrpfCheck, UrpfMode, urpf_in_order
from vppcfg.operations.feature import SetFeature
from vppcfg.operations.request import ALL_INDEXES, NO_INDEX, Indexes, Known, Request, Vocabulary
from vppcfg.record import record
from vppcfg.wire.reading import Replies, VppReader

_SET = "urpf_update_v2"
"""Not the first version, which looks for routes in table 0 whatever table the interface is in."""
_DUMP = "urpf_interface_dump"
_MODES = {1: UrpfMode.LOOSE, 2: UrpfMode.STRICT}
_NUMBERS = {mode: number for number, mode in _MODES.items()}
_OFF = 0
_KEYS = {"ipv4": (False, False), "ipv6": (True, False), "ipv4-output": (False, True), "ipv6-output": (True, True)}
"""Whether a key is about IPv6, and whether about what goes out."""
_KEY_OF = {place: key for key, place in _KEYS.items()}


@record
class SetUrpf(SetFeature):
    """urpf_update_v2: check where packets of one family in one direction come from, or no longer (plugins/urpf/urpf.c).

    Setting what VPP believes to be set does nothing, even where that was of an interface that had the index before.
    """

    attribute = "urpf"
    is_ipv6: bool
    is_output: bool
    mode: UrpfMode | None
    """None checks nothing."""
    table_id: int | None = None

    @property
    def part(self) -> Hashable:
        return self.is_ipv6, self.is_output

    @property
    def inverse(self) -> SetUrpf:
        """Return the operation that checks these packets no longer."""
        return SetUrpf(interface=self.interface, is_ipv6=self.is_ipv6, is_output=self.is_output, mode=None)

    def replaces(self, former: SetFeature) -> bool:
        """Return whether both ask the same table: the former one may be about to go."""
        return isinstance(former, SetUrpf) and former.table_id == self.table_id

    def applied(self, value: Any) -> tuple[UrpfCheck, ...]:
        """Return the checks that there are then."""
        others = [each for each in value if (each.is_ipv6, each.is_output) != self.part]
        if self.mode is None:
            return tuple(others)
        own = UrpfCheck(mode=self.mode, is_ipv6=self.is_ipv6, is_output=self.is_output, table_id=self.table_id)
        return urpf_in_order([*others, own])

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        values = {
            "sw_if_index": indexes.interface(self.interface),
            "af": int(self.is_ipv6),
            "is_input": int(not self.is_output),
            "mode": _OFF if self.mode is None else _NUMBERS[self.mode],
            "table_id": NO_INDEX if self.table_id is None else self.table_id,
        }
        return Request(_SET, values)

    def cli(self) -> str:
        packets = f"{'ip6' if self.is_ipv6 else 'ip4'} {'tx' if self.is_output else 'rx'}"
        mode = "off" if self.mode is None else self.mode.value
        table = "" if self.table_id is None else f" table {self.table_id}"
        return f"set urpf {packets} {mode} {self.interface}{table}"


class UrpfKind(FeatureKind[tuple[UrpfCheck, ...]]):
    """The key `urpf` of interfaces, and the checks in VPP."""

    nodes = "ip[46]-[rt]x-urpf"
    key = "urpf"
    foreign_keys = ("rp-filter", "rpf", "unicast-rpf", "source-validation")
    command = "set urpf"
    command_words = frozenset({"ip4", "ip6", "rx", "tx", "off", "strict", "loose"})
    valued_word = "table"
    command_apart = frozenset({"ip6", "tx"})
    attribute = "urpf"
    plugin = "urpf"
    reason = "an interface checks where packets come from"
    since = Release(24, 10)
    shown_by = "urpf_dump"
    is_of_bond = True
    is_routing = may_be_idle = True
    operations = (SetUrpf,)
    api_module = "urpf"
    capabilities: ClassVar = {"urpf": _SET, "urpf_dump": _DUMP}

    def parse(self, raw: Mapping[str, Any]) -> tuple[UrpfCheck, ...]:
        """Return the checks that an entry asks for."""
        return urpf_in_order(
            UrpfCheck(mode=UrpfMode(raw[key]), is_ipv6=is_ipv6, is_output=is_output)
            for key, (is_ipv6, is_output) in _KEYS.items()
            if raw.get(key) is not None
        )

    def as_yaml(self, value: tuple[UrpfCheck, ...]) -> Value:
        return tuple(KeyValue(_KEY_OF[each.is_ipv6, each.is_output], each.mode.value) for each in value)

    def unsupported_reason(self, value: tuple[UrpfCheck, ...]) -> str | None:
        """Return why no file can set the checks: it names no other table than that of the interface."""
        table = next((each.table_id for each in value if each.table_id is not None), None)
        return None if table is None else f"its uRPF looks for routes in table {table}, which is not its own"

    def setters(self, name: str, value: tuple[UrpfCheck, ...]) -> Iterable[SetUrpf]:
        return [
            SetUrpf(
                interface=name,
                is_ipv6=each.is_ipv6,
                is_output=each.is_output,
                mode=each.mode,
                table_id=each.table_id,
            )
            for each in value
        ]

    def output_keys(self, value: tuple[UrpfCheck, ...]) -> Iterator[tuple[str, ...]]:
        return ((self.key, _KEY_OF[each.is_ipv6, True]) for each in value if each.is_output)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for the checks of all interfaces, where VPP takes it."""
        return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []

    def read(self, connection: VppReader, replies: Replies, known: Known) -> dict[int, tuple[UrpfCheck, ...]]:
        """Return the checks by interface index.

        A check with its mode off, which VPP shows where another table was once named, checks nothing.
        """
        if not connection.offers(_DUMP):
            return {}
        found: dict[int, list[UrpfCheck]] = {}
        paths = ("sw_if_index", "af", "is_input", "mode", "table_id")
        for index, family, is_input, mode, table_id in connection.rows(replies, "urpf_interface_details", *paths):
            if mode in _MODES:
                is_own = table_id == known.tables.get(index, (0, 0))[bool(family)]
                check = UrpfCheck(
                    mode=_MODES[mode],
                    is_ipv6=bool(family),
                    is_output=not is_input,
                    table_id=None if is_own else table_id,
                )
                found.setdefault(index, []).append(check)
        return {index: urpf_in_order(checks) for index, checks in found.items()}


KIND = UrpfKind()
