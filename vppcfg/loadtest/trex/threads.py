"""Chooses the CPUs that T-Rex runs on, by the rules of dpdk_setup_ports.py (trex-core 3.08), for any machine.

One thread is the master, one receives and measures latency, the others send; both ports of a pair share theirs, which
are on the NUMA node of its ports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from vppcfg.common.numbers import cpu_text
from vppcfg.errors import UsageError
from vppcfg.model.host import Host
from vppcfg.record import record

HIGHEST_CPU = 63
"""T-Rex uses no CPU with a higher number."""


@record
class PairThreads:
    """The CPUs that send for one pair of ports."""

    node: int
    cpus: tuple[int, ...]


@record
class Threads:
    """The `platform` section."""

    master: int
    latency: int
    pairs: tuple[PairThreads, ...]


@record
class CpuChoice:
    """Which CPUs T-Rex may have."""

    only: frozenset[int] = frozenset()
    """None but these; empty for all."""
    without: frozenset[int] = frozenset()
    first_threads_only: bool = False
    """One per core."""


@dataclass(slots=True)
class _NodePool:
    """The CPUs of a node, core by core; first threads of cores are kept apart from their siblings."""

    every: list[int] = field(default_factory=list)
    firsts: list[int] = field(default_factory=list)
    siblings: list[int] = field(default_factory=list)

    def take(self, count: int) -> tuple[int, ...]:
        """Return the next CPUs, which are gone from the pool then."""
        taken, self.every = self.every[:count], self.every[count:]
        self.firsts = [cpu for cpu in self.firsts if cpu not in taken]
        self.siblings = [cpu for cpu in self.siblings if cpu not in taken]
        return tuple(sorted(taken))


def threads_for(host: Host, nodes: Sequence[int | None], choice: CpuChoice) -> Threads:
    """Return the threads for pairs of ports on these nodes, None if they are unknown. Raise UsageError."""
    pools, has_zero = _pools(host, choice)
    total = sum(len(pool.every) for pool in pools.values())
    needed = len(nodes) + 2
    if total + has_zero < needed:
        usable = (
            cpu_text([*([0] if has_zero else []), *(cpu for pool in pools.values() for cpu in pool.every)]) or "none"
        )
        raise UsageError(
            f"T-Rex needs at least {needed} CPUs for {2 * len(nodes)} ports, and may use these: {usable}",
            "one for each pair of ports, one to receive, one master",
        )
    if all(node is None for node in nodes):
        return _anywhere(pools, len(nodes), has_zero=has_zero)
    return _on_nodes(pools, [0 if node is None else node for node in nodes], has_zero=has_zero)


def _pools(host: Host, choice: CpuChoice) -> tuple[dict[int, _NodePool], bool]:
    """Return the CPUs by node, and whether CPU 0 is among them: that one is the master's and in no pool."""
    pools: dict[int, _NodePool] = {}
    has_zero = False
    for core in sorted(host.cores, key=lambda core: (core[0].node, core[0].socket, core[0].core, core[0].id)):
        pool = pools.setdefault(core[0].node, _NodePool())
        ids = [cpu.id for cpu in core][: 1 if choice.first_threads_only else None]
        ids = [cpu for cpu in ids if _is_allowed(cpu, choice)]
        if 0 in ids:
            has_zero = True
            ids.remove(0)
            pool.siblings += ids
        else:
            pool.firsts += ids[:1]
            pool.siblings += ids[1:]
        pool.every += ids
    return pools, has_zero


def _is_allowed(cpu: int, choice: CpuChoice) -> bool:
    is_chosen = not choice.only or cpu in choice.only
    return is_chosen and cpu not in choice.without and cpu <= HIGHEST_CPU


def _anywhere(pools: Mapping[int, _NodePool], pairs: int, *, has_zero: bool) -> Threads:
    """Return the threads on a machine whose ports are on no node: any CPUs in ascending order."""
    cpus = sorted(cpu for pool in pools.values() for cpu in pool.every)
    master = 0 if has_zero else cpus.pop(0)
    latency = cpus.pop(0)
    each = len(cpus) // pairs
    return Threads(
        master=master,
        latency=latency,
        pairs=tuple(PairThreads(node=0, cpus=tuple(cpus[place * each : (place + 1) * each])) for place in range(pairs)),
    )


def _on_nodes(pools: dict[int, _NodePool], nodes: Sequence[int], *, has_zero: bool) -> Threads:
    """Return the threads near the ports; what is left is for master and latency."""
    each = _cpus_per_pair(pools, nodes, has_zero=has_zero)
    pairs = tuple(PairThreads(node=node, cpus=pools[node].take(each)) for node in nodes)
    firsts = [cpu for pool in pools.values() for cpu in pool.firsts]
    siblings = [cpu for pool in pools.values() for cpu in pool.siblings]
    left = [*firsts, *siblings]
    latency = left.pop(0)
    return Threads(master=0 if has_zero else left.pop(0), latency=latency, pairs=pairs)


def _cpus_per_pair(pools: Mapping[int, _NodePool], nodes: Sequence[int], *, has_zero: bool) -> int:
    """Return how many CPUs send for each pair: the same for all, so many that two are left for the rest."""
    total = sum(len(pool.every) for pool in pools.values())
    each = (total - (1 if has_zero else 2)) // len(nodes)
    for node in set(nodes):
        usable = len(pools[node].every) if node in pools else 0
        each = min(each, usable // nodes.count(node))
        if each < 1:
            raise UsageError(
                f"NUMA node {node} has {usable} CPUs for T-Rex, too few for {nodes.count(node)} pairs of ports",
                "free CPUs of that node, or let T-Rex choose with --ignore-numa",
            )
    return each
