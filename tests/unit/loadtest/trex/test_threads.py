"""T-Rex's CPUs on machines whose configuration dpdk_setup_ports.py of trex-core 3.08 has made."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.loadtest.samples import CHECKS
from vppcfg.errors import UsageError
from vppcfg.loadtest.trex.threads import CpuChoice, Threads, threads_for
from vppcfg.model.host import Cpu, Host


def machine(sockets: int, cores: int, threads: int) -> Host:
    """Return a machine that numbers the first threads of all cores before the second ones."""
    every = sockets * cores
    return Host(
        cpus=tuple(
            Cpu(
                id=number,
                core=number % every % cores,
                socket=number % every // cores,
                node=number % every // cores,
                siblings=tuple(range(number % every, every * threads, every)),
            )
            for number in range(every * threads)
        )
    )


@dataclass(frozen=True, kw_only=True)
class Golden:
    """A machine and what T-Rex's own script makes of it."""

    host: Host
    nodes: tuple[int | None, ...]
    choice: CpuChoice = CpuChoice()
    master: int
    latency: int
    pairs: tuple[tuple[int, tuple[int, ...]], ...]


def span(*ranges: tuple[int, int]) -> tuple[int, ...]:
    return tuple(cpu for first, last in ranges for cpu in range(first, last + 1))


GOLDENS = {
    "one socket of four cores with hyper-threading": Golden(
        host=machine(1, 4, 2), nodes=(0,), master=0, latency=7, pairs=((0, span((1, 6))),)
    ),
    "two sockets of eight cores, a pair on each": Golden(
        host=machine(2, 8, 2), nodes=(0, 1), master=0, latency=31,
        pairs=((0, span((1, 7), (16, 23))), (1, span((8, 15), (24, 30)))),
    ),
    "the same without hyper-threading": Golden(
        host=machine(2, 8, 2), nodes=(0, 1), choice=CpuChoice(first_threads_only=True), master=0, latency=15,
        pairs=((0, span((1, 7))), (1, span((8, 14)))),
    ),
    "two sockets of four cores, the pair on the second": Golden(
        host=machine(2, 4, 2), nodes=(1,), master=0, latency=1, pairs=((1, span((4, 7), (12, 15))),)
    ),
    "a virtual machine of four CPUs": Golden(
        host=machine(1, 4, 1), nodes=(None,), master=0, latency=1, pairs=((0, (2, 3)),)
    ),
    "eight cores, two of which are somebody else's": Golden(
        host=machine(1, 8, 1), nodes=(0,), choice=CpuChoice(without=frozenset({1, 2})), master=0, latency=7,
        pairs=((0, (3, 4, 5, 6)),),
    ),
    "eight cores, four of which are T-Rex's": Golden(
        host=machine(1, 8, 1), nodes=(0,), choice=CpuChoice(only=frozenset({4, 5, 6, 7})), master=7, latency=6,
        pairs=((0, (4, 5)),),
    ),
    "three CPUs, the least that one pair needs": Golden(
        host=machine(1, 3, 1), nodes=(0,), master=0, latency=2, pairs=((0, (1,)),)
    ),
    "two pairs on the first of two sockets": Golden(
        host=machine(2, 4, 1), nodes=(0, 0), master=0, latency=3, pairs=((0, (1,)), (0, (2,)))
    ),
}  # fmt: skip


@pytest.mark.parametrize("golden", GOLDENS.values(), ids=GOLDENS.keys())
def test_a_machine_gets_the_cpus_of_t_rex_own_script(golden: Golden) -> None:
    threads = threads_for(golden.host, golden.nodes, golden.choice)
    assert (threads.master, threads.latency) == (golden.master, golden.latency)
    assert tuple((pair.node, pair.cpus) for pair in threads.pairs) == golden.pairs


@pytest.mark.parametrize(
    ("host", "nodes", "choice", "problem"),
    [
        (machine(1, 2, 1), (0,), CpuChoice(), "at least 3 CPUs for 2 ports, and may use these: 0-1"),
        (machine(1, 8, 1), (0,), CpuChoice(only=frozenset({5})), "may use these: 5"),
        (machine(1, 2, 1), (None,), CpuChoice(without=frozenset({0, 1})), "may use these: none"),
        (machine(2, 4, 1), (1,), CpuChoice(without=frozenset({4, 5, 6, 7})), "NUMA node 1 has 0 CPUs for T-Rex"),
        (machine(1, 8, 1), (3,), CpuChoice(), "NUMA node 3 has 0 CPUs for T-Rex"),
    ],
)
def test_a_machine_with_too_few_cpus_is_refused(
    host: Host, nodes: tuple[int | None, ...], choice: CpuChoice, problem: str
) -> None:
    with pytest.raises(UsageError, match=problem):
        threads_for(host, nodes, choice)


@CHECKS
@given(
    sockets=st.integers(1, 2), cores=st.integers(1, 40), threads=st.integers(1, 2), data=st.data(),
    first_threads_only=st.booleans(),
)  # fmt: skip
def test_no_cpu_is_used_twice_and_none_that_is_not_allowed(
    sockets: int, cores: int, threads: int, data: st.DataObject, first_threads_only: bool
) -> None:
    host = machine(sockets, cores, threads)
    nodes = data.draw(st.lists(st.integers(0, sockets - 1), min_size=1, max_size=4))
    without = data.draw(st.frozensets(st.integers(0, sockets * cores * threads)))
    try:
        found = threads_for(host, nodes, CpuChoice(without=without, first_threads_only=first_threads_only))
    except UsageError:
        return
    used = used_by(found)
    assert len(used) == len(set(used))
    assert not without & set(used)
    assert max(used) <= 63
    assert len({len(pair.cpus) for pair in found.pairs}) == 1
    assert all(host.cpus[cpu].node == pair.node for pair in found.pairs for cpu in pair.cpus)


def used_by(threads: Threads) -> list[int]:
    return [threads.master, threads.latency, *(cpu for pair in threads.pairs for cpu in pair.cpus)]
