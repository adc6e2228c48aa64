"""pcie: the link between a NIC and the CPU carries less than its ports, or less than it could."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from vppcfg.tune.figures import short
from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Severity
from vppcfg.tune.load import PortLoad
from vppcfg.tune.reading import PciDevice
from vppcfg.tune.situation import Situation
from vppcfg.tune.thresholds import PCIE_USABLE

RULE = "pcie"
_OLD_CODE = 0.8
"""8b/10b, up to 5 GT/s."""
_NEW_CODE = 128 / 130
_OLD_SPEED = 5.0


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per card whose link is narrower than its ports, or than card and slot allow."""
    reading = situation.load.reading
    devices = {device.address: device for device in reading.pci or ()}
    cards: dict[str, list[PortLoad]] = defaultdict(list)
    for port in situation.load.ports:
        if port.hardware and port.hardware.pci_address in devices:
            cards[port.hardware.pci_address.partition(".")[0]].append(port)
    reduced = {link[0]: link for link in (reading.host.pci_links if reading.host else ())}
    for ports in cards.values():
        device = devices[_address(ports[0])]
        finding = _judge(ports, device, reduced.get(device.address), situation)
        if finding:
            yield finding


def _address(port: PortLoad) -> str:
    return (port.hardware.pci_address if port.hardware else None) or ""


def usable_bps(gt_per_s: float, width: int) -> float:
    """Return the bits per second that a PCIe link has for packets, one way."""
    code = _OLD_CODE if gt_per_s <= _OLD_SPEED else _NEW_CODE
    return gt_per_s * 1e9 * width * code * PCIE_USABLE


def _judge(
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
        rule=RULE,
        severity=Severity.RISK,
        subject=names,
        verdict=f"the PCIe link of {names} carries less than its ports",
        evidence=tuple(evidence),
        proposal=Proposal(text="another slot, or the full width of this one: check bifurcation in the BIOS, risers "
                          "and how the card sits"),
        expectation=Expectation(text=f"at most {short(min(could, needed))}bit/s each way", basis=Basis.COMPUTED),
        disproof="the ports carry more than that in a test",
    )  # fmt: skip
