"""What another path would cost: the nodes of one sample, with nodes added that were seen on other paths.

Costs of nodes carry over between paths on the same machine within about 2 % as long as vectors are as full.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.tune.sample import CostSample, NodeCost

ERROR = 0.03
"""Four of four compositions were within 2.1 %."""
_AS_FULL = 1.25
"""Ours: vectors that differ by more than this factor are not as full."""


@record
class Composition:
    """The cost of a path that nobody has measured."""

    base_clocks: float
    added: tuple[tuple[str, float], ...]
    """Nodes and their clocks per packet received, negative for those taken out."""
    base_hz: float
    remarks: tuple[str, ...] = ()

    @property
    def clocks(self) -> float:
        """Return clocks per packet."""
        return self.base_clocks + sum(clocks for _, clocks in self.added)

    @property
    def pps(self) -> float:
        """Return packets per second of one worker, at the vectors of the base."""
        return self.base_hz / self.clocks


def compose(
    base: CostSample, seen: Sequence[CostSample], add: Mapping[str, float], drop: Mapping[str, float]
) -> Composition:
    """Return the cost of `base` with nodes added and dropped, each by the share of packets that pass it.

    Raise UsageError when no sample has a node.
    """
    remarks: list[str] = []
    added: list[tuple[str, float]] = []
    for name, share in add.items():
        sample, cost = _found(name, [*seen, base])
        if not base.n_graph / _AS_FULL <= sample.n_graph <= base.n_graph * _AS_FULL:
            remarks.append(
                f"{name} was seen with vectors of {sample.n_graph:.1f} and the path has {base.n_graph:.1f}: "
                "its cost per packet is another at other loads"
            )
        added.append((name, share * cost.per_packet))
    for name, share in drop.items():
        node = base.nodes.get(name)
        if node is None:
            raise UsageError(f"{base.name} has no node {name}", _known([base]))
        added.append((name, -share * node.clocks / base.rx_packets))
    return Composition(
        base_clocks=base.clocks_per_packet, added=tuple(added), base_hz=base.base_hz, remarks=tuple(remarks)
    )


def _found(name: str, samples: Sequence[CostSample]) -> tuple[CostSample, NodeCost]:
    for sample in samples:
        if name in sample.nodes:
            return sample, sample.nodes[name]
    raise UsageError(f"no sample has a node {name}", _known(samples))


def _known(samples: Sequence[CostSample]) -> str:
    names = sorted({name for sample in samples for name in sample.nodes})
    return "these are there: " + ", ".join(names)
