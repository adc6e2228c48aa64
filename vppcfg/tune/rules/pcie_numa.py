"""Rules about where a card sits: its PCIe link, and the NUMA node that it is attached to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from vppcfg.common.rates import short
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, FindingSeverity, Remedy
from vppcfg.tune.load import PortLoad
from vppcfg.tune.reading import PciDevice
from vppcfg.tune.rule_context import Situation
from vppcfg.tune.thresholds import PCIE_USABLE

_OLD_CODE = 0.8
"""8b/10b, up to 5 GT/s."""
_NEW_CODE = 128 / 130
_OLD_SPEED = 5.0


def find_pcie(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per card whose link is narrower than its ports, or than card and slot allow.

    The link between a NIC and the CPU carries less than its ports, or less than it could.
    """
    reading = situation.load.reading
    devices = {device.address: device for device in reading.pci or ()}
    cards: dict[str, list[PortLoad]] = defaultdict(list)
    for port in situation.load.ports:
        if port.hardware and port.hardware.pci_address in devices:
            cards[port.hardware.pci_address.partition(".")[0]].append(port)
    reduced = {link[0]: link for link in (reading.host.pci_links if reading.host else ())}
    for ports in cards.values():
        device = devices[_address(ports[0])]
        finding = _pcie_finding(ports, device, reduced.get(device.address), situation)
        if finding:
            yield finding


def _address(port: PortLoad) -> str:
    return (port.hardware.pci_address if port.hardware else None) or ""


def usable_bps(gt_per_s: float, width: int) -> float:
    """Return the bits per second that a PCIe link has for packets, one way."""
    code = _OLD_CODE if gt_per_s <= _OLD_SPEED else _NEW_CODE
    return gt_per_s * 1e9 * width * code * PCIE_USABLE


def _pcie_finding(
    ports: list[PortLoad],
    device: PciDevice,
    link: tuple[str, float, int, float, int] | None,
    situation: Situation,
) -> Finding | None:
    if not device.gt_per_s or not device.width:
        return None
    needed = sum(port.link_bps or 0 for port in ports)
    usable = usable_bps(device.gt_per_s, device.width)
    could = usable_bps(link[3], link[4]) if link else usable
    if needed <= usable:
        return None
    names = ", ".join(port.name for port in ports)
    evidence = [
        Evidence(text=f"{device.address}: {device.gt_per_s:g} GT/s x{device.width}, {short(usable)}bit/s for packets",
                 source=situation.load.reading.source("pci")),
        Evidence(text=f"{names}: {short(needed)}bit/s", source=situation.load.reading.source("hardware")),
    ]  # fmt: skip
    if link and could > usable:
        text = f"card and slot could do {link[3]:g} GT/s x{link[4]}"
        evidence.append(Evidence(text=text, source="/sys/bus/pci/devices"))
    return Finding(
        rule="pcie",
        severity=FindingSeverity.RISK,
        subject=names,
        verdict=f"the PCIe link of {names} carries less than its ports",
        evidence=tuple(evidence),
        proposal=Remedy(text="another slot, or the full width of this one: check bifurcation in the BIOS, risers "
                        "and how the card sits"),
        expectation=Expectation(text=f"at most {short(min(could, needed))}bit/s each way", basis=Basis.COMPUTED),
        disproof="the ports carry more than that in a test",
    )  # fmt: skip


def find_numa_remote(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port and remote worker.

    A worker polls a NIC that is attached to another NUMA node. What the worker does need not have been read.
    """
    nodes = _numa_nodes(situation)
    threads = {place.index: (place.name, place.cpu) for place in situation.load.reading.places or ()}
    threads |= {thread.index: (thread.name, thread.lcore) for thread in situation.load.threads}
    for port in situation.load.ports:
        at = port.hardware.numa if port.hardware else None
        if at is None:
            continue
        for index in sorted({queue.thread for queue in port.rx_queues}):
            if index in threads and nodes.get(index, at) != at:
                yield _numa_remote_finding(port, at, *threads[index], nodes[index], situation)


def _numa_nodes(situation: Situation) -> dict[int, int]:
    """Return the NUMA node of each thread, as far as it is known."""
    reading = situation.load.reading
    of_cpu = dict(reading.host.sockets) if reading.host else {}
    nodes = {thread.index: of_cpu[thread.lcore] for thread in situation.load.threads if thread.lcore in of_cpu}
    return {place.index: place.socket for place in reading.places or () if place.socket is not None} | nodes


def _numa_remote_finding(
    port: PortLoad, at: int, thread: str, cpu: int | None, node: int, situation: Situation
) -> Finding:
    reading = situation.load.reading
    return Finding(
        rule="numa-remote",
        severity=FindingSeverity.RISK,
        subject=port.name,
        verdict=f"{thread} polls {port.name} from another NUMA node",
        evidence=(
            Evidence(text=f"{port.name} is attached to node {at}", source=reading.source("hardware")),
            Evidence(text=f"{thread} runs on node {node} (CPU {cpu})", source=reading.source("places")),
        ),
        proposal=Remedy(
            text=f"poll it from workers on node {at}: list their CPUs in `cpu.workers`, or move the card to a slot of "
            f"node {node}; packet buffers come from the node of the NIC"
        ),
        expectation=Expectation(text="fewer clocks in the input node; how many has not been measured",
                                basis=Basis.GUESS),
        disproof=f"the clocks of the input node are the same on a worker of node {at}",
    )  # fmt: skip
