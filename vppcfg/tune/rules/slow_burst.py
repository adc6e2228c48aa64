"""slow-burst: the driver sends or receives packets one by one, though it has a faster way."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.tune.finding import Basis, Evidence, Expectation, Finding, Proposal, Setting, Severity
from vppcfg.tune.load import PortLoad
from vppcfg.tune.settings import multi_seg, tx_checksum_offload
from vppcfg.tune.situation import Situation

RULE = "slow-burst"
_LARGEST_PLAIN_MTU = 2000


def find(situation: Situation) -> Iterator[Finding]:
    """Yield a finding per port with a scalar burst function."""
    for port in situation.load.ports:
        bursts = (port.hardware.rx_burst, port.hardware.tx_burst) if port.hardware else (None, None)
        slow = [name for name in bursts if name and "scalar" in name.lower()]
        if slow:
            yield _finding(port, slow, situation, is_tx=bool(bursts[1] and "scalar" in bursts[1].lower()))


def _finding(port: PortLoad, slow: list[str], situation: Situation, *, is_tx: bool) -> Finding:
    return Finding(
        rule=RULE,
        severity=Severity.NOTICE,
        subject=port.name,
        verdict=f"the driver of {port.name} handles packets one by one",
        evidence=tuple(Evidence(text=name, source=situation.load.reading.source("hardware")) for name in slow),
        proposal=Proposal(
            text="what keeps drivers from their vector functions: packets of several buffers, checksum offload, "
            "descriptor counts that are no power of two, max-simd-bitwidth",
            settings=_settings(port) if is_tx else (),
        ),
        expectation=Expectation(text="fewer clocks in the tx and input nodes; how many has not been measured",
                                basis=Basis.GUESS),
        disproof="the burst function stays scalar: then this driver has no other on this CPU",
    )  # fmt: skip


def _settings(port: PortLoad) -> tuple[Setting, ...]:
    offloads = port.hardware.tx_offloads if port.hardware else ()
    settings = []
    if "multi-segs" in offloads and (port.mtu or 0) <= _LARGEST_PLAIN_MTU:
        settings.append(multi_seg(is_on=False))
    if any(offload.endswith("-cksum") for offload in offloads):
        settings.append(tx_checksum_offload(is_on=False))
    return tuple(settings)
