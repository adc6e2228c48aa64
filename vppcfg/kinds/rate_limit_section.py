"""The section `policers`, and the key `police` of interfaces and sub-interfaces.

policers: { gold: { rate: 100M }, trial: { rate: 2M, burst: 50k, excess: { mark: cs1 } } }
interfaces: { eth1: { police: gold } }

A name stands for a rate. Each interface that has it has a bucket of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from vppcfg.common.numbers import DSCP_NAMES
from vppcfg.common.rates import parse_figure, with_letter
from vppcfg.entries.configuration import Configuration, KeyHolder, OwnedConfig
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import LIST
from vppcfg.entries.owned_section import OwnedSection
from vppcfg.entries.yaml.errors import shown
from vppcfg.entries.yaml.text import KeyValue, Value
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.rate_limit import LAYERS, LimitedInterface, LimitTable, Policer, RateLimit, user_of
from vppcfg.model.state import State
from vppcfg.model.vpp_object import VppObject

POLICERS, POLICE = "policers", "police"
PLUGIN = "policer"
NAME_LENGTH = 24
_IP_LAYERS, _FRAMES = LAYERS[:2], LAYERS[2]
_BURST_S = 0.1
_LEAST_BURST_BYTES = 15_000
"""Ten packets of the usual size: with less, TCP is far below the rate."""
_MARKS = {number: name for name, number in DSCP_NAMES.items()}


class PolicerRate(NamedTuple):
    """What a file has for a name."""

    name: str
    rate_kbps: int
    burst_bytes: int
    dscp: int | None = None

    def policer(self, user: str) -> Policer:
        """Return the bucket of one user."""
        return Policer(
            policer=self.name,
            user=user_of(self.name, user),
            rate_kbps=self.rate_kbps,
            burst_bytes=self.burst_bytes,
            dscp=self.dscp,
        )


Rates = tuple[PolicerRate, ...]


def rates_in(configuration: Configuration) -> Mapping[str, PolicerRate]:
    """Return the rates of a file by name."""
    entry = configuration.owned.get(POLICERS, {}).get("")
    return {rate.name: rate for rate in entry.value} if entry is not None else {}


def usual_burst_bytes(rate_kbps: int) -> int:
    """Return the burst of a rate that names none."""
    return max(_LEAST_BURST_BYTES, int(rate_kbps * 1000 / 8 * _BURST_S))


class Policers(OwnedSection[Rates]):
    """The section `policers`, of rates: only where one is used, VPP has a policer."""

    key = POLICERS
    holders = (KeyHolder.FILE,)
    object_classes = ()
    is_block = True

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> Rates:
        """Return the rates in the order of the file; note names that are none."""
        for name in raw:
            if not _is_name(name):
                form = f"a lower case letter, then up to {NAME_LENGTH - 1} of a-z, 0-9 and `-`"
                text = f"{shown(name)} is no name: {form}"
                problems.append(Problem(rule="policer-name", path=(*path, name), text=text))
        return tuple(_rate(name, given) for name, given in raw.items() if _is_name(name))

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterable[VppObject]:
        """Return nothing: the keys of interfaces make policers."""
        return ()

    def as_yaml(self, value: Rates) -> Value:
        """Return the rates by name."""
        return tuple(KeyValue(rate.name, tuple(_keys(rate)), is_block=True) for rate in value)

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, Rates]]:
        """Yield the rates of the policers."""
        rates = {
            each.policer: PolicerRate(each.policer, each.rate_kbps, each.burst_bytes, each.dscp)
            for _, each in sorted(state.of(Policer).items(), reverse=True)
        }
        if rates:
            yield KeyHolder.FILE, "", tuple(rates[name] for name in sorted(rates))


def _is_name(name: Any) -> bool:
    return isinstance(name, str) and len(name) <= NAME_LENGTH and LIST.fullmatch(name) is not None


def _rate(name: str, raw: Mapping[str, Any]) -> PolicerRate:
    rate_kbps = int(parse_figure(raw["rate"])) // 1000
    burst, excess = raw.get("burst"), raw.get("excess")
    burst_bytes = usual_burst_bytes(rate_kbps) if burst is None else int(parse_figure(str(burst)))
    mark = excess["mark"] if isinstance(excess, Mapping) else None
    dscp = DSCP_NAMES[mark] if isinstance(mark, str) else mark
    return PolicerRate(name, rate_kbps, burst_bytes, dscp)


def _keys(rate: PolicerRate) -> Iterator[KeyValue]:
    yield KeyValue("rate", with_letter(rate.rate_kbps * 1000))
    is_usual = rate.burst_bytes == usual_burst_bytes(rate.rate_kbps)
    yield KeyValue("burst", with_letter(rate.burst_bytes), is_default=is_usual)
    if rate.dscp is not None:
        yield KeyValue("excess", (KeyValue("mark", _MARKS.get(rate.dscp, rate.dscp)),))


class Police(OwnedSection[str]):
    """The key `police`; its value is the name of a rate."""

    key = POLICE
    holders = (KeyHolder.INTERFACE,)
    object_classes = (LimitedInterface,)
    plugin = PLUGIN
    reason = "limits rates"

    def parse_value(self, raw: Any, path: KeyPath, problems: list[Problem]) -> str:
        """Return the name."""
        return str(raw)

    def objects_of(self, entry: OwnedConfig, configuration: Configuration) -> Iterable[VppObject]:
        """Return nothing: what an interface needs depends on whether it routes, and on the tables that VPP has."""
        return ()

    def resolve(self, desired: DesiredStateBuilder) -> None:
        """Enter nothing before the interfaces are there."""

    def resolve_settings(self, desired: DesiredStateBuilder) -> None:
        """Enter what limits each interface, and what limits those that the file leaves alone."""
        _copy_unmanaged(desired)
        rates = rates_in(desired.configuration)
        numbers = _TableNumbers(desired.observed)
        for entry in self.entries_in(desired.configuration).values():
            rate = rates.get(entry.value)
            if rate is not None and entry.name in desired.interfaces and self._is_possible(entry, desired):
                _limit(desired, entry, rate, numbers)

    def as_yaml(self, value: str) -> Value:
        """Return the name."""
        return value

    def values_in(self, state: State) -> Iterator[tuple[KeyHolder, str, str]]:
        """Yield the name of the rate of each interface."""
        whole = {each.number: each.policer for each in state.of(RateLimit).values() if not each.prefix}
        policers = state.of(Policer)
        found = {
            each.interface: policers[whole[each.number]].policer
            for each in state.of(LimitedInterface).values()
            if each.number in whole and whole[each.number] in policers
        }
        for interface, name in found.items():
            yield KeyHolder.INTERFACE, interface, name


class _TableNumbers:
    """Numbers for tables: an interface keeps its own, and a new table gets one that no table has."""

    def __init__(self, observed: State) -> None:
        tables = observed.of(LimitTable)
        self._taken = {each.number for each in tables.values()}
        self._own: dict[str, int] = {}
        for each in observed.of(LimitedInterface).values():
            if each.number is not None and str(each.number) in tables and each.number not in self._own.values():
                self._own.setdefault(each.interface, each.number)

    def of(self, interface: str) -> int:
        """Return the number for an interface."""
        number = self._own.get(interface)
        if number is None:
            number = next(number for number in range(len(self._taken) + 1) if number not in self._taken)
            self._taken.add(number)
        return number


def _limit(desired: DesiredStateBuilder, entry: OwnedConfig, rate: PolicerRate, numbers: _TableNumbers) -> None:
    layers = (_FRAMES,) if desired.interfaces[entry.name].is_l2 else _IP_LAYERS
    observed = desired.observed.of(LimitedInterface)
    taken = [observed[key] for layer in layers if (key := f"{entry.name} {layer}") in observed]
    if any(each.number is None for each in taken):
        text = f"another program has rate limits on {entry.name}, and VPP takes no others beside them; remove those"
        desired.problem("police-taken", entry.path, text)
        return
    policer, table = rate.policer(entry.name), LimitTable(number=numbers.of(entry.name))
    desired.enter(policer)
    desired.enter(table)
    desired.enter(RateLimit(number=table.number, prefix="", policer=policer.name))
    for layer in layers:
        desired.enter(LimitedInterface(interface=entry.name, layer=layer, number=table.number))


def _copy_unmanaged(desired: DesiredStateBuilder) -> None:
    """Enter as it is what limits interfaces that the file leaves alone, and what other programs have."""
    observed = desired.observed
    kept = [
        each
        for each in observed.of(LimitedInterface).values()
        if each.number is None or desired.globs.matches(each.interface)
    ]
    numbers = {each.number for each in kept}
    limits = [each for each in observed.of(RateLimit).values() if each.number in numbers]
    names = {each.policer for each in limits}
    tables = [each for each in observed.of(LimitTable).values() if each.number in numbers]
    policers = [each for name, each in observed.of(Policer).items() if name in names]
    for item in (*policers, *tables, *limits, *kept):
        desired.enter(item)


POLICERS_SECTION, POLICE_SECTION = Policers(), Police()
