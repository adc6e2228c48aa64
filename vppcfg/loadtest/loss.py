"""Arithmetic of load tests: what was lost, and how many packets a path can carry."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.common.rates import VLAN_TAG_BYTES
from vppcfg.loadtest.engine import Tally


def loss_ratio(tally: Tally, intended: int = 0) -> float:
    """Return the lost share of the packets, 0 to 1; of `intended` packets those that were never sent count as lost."""
    whole = max(tally.sent, intended)
    bad = tally.lost + max(intended - tally.sent, 0)
    return min(bad / whole, 1.0) if whole else 0.0


def certain_loss_ratio(tally: Tally, uncertainty: float) -> float:
    """Return the share that is lost even if `uncertainty` of the missing packets are still on their way."""
    return max(tally.lost - uncertainty, 0.0) / tally.sent if tally.sent else 0.0


def sum_of(tallies: Iterable[Tally]) -> Tally:
    """Return the packets of several directions or intervals together."""
    total = Tally()
    for tally in tallies:
        total += tally
    return total


def path_rate_pps(link_bps: float, wire_bits: float, vlan_tags: int = 0, crossings: int = 1) -> float:
    """Return packets per second that a path carries in one direction.

    `wire_bits` is what a packet takes on the wire, gap included, without the tags that the path adds; a packet that
    crosses the same link `crossings` times takes its capacity as often.
    """
    return link_bps / (wire_bits + 8 * VLAN_TAG_BYTES * vlan_tags) / crossings


def loss_text(ratio: float) -> str:
    """Return a loss such as `0.0123 %`; one that is not 0 never looks like it."""
    value = 100 * ratio
    if value == 0:
        return "0 %"
    if value < 0.0001:
        return "<0.0001 %"
    return f"{value:.4f} %" if value < 1 else f"{value:.2f} %"
