"""Notes on a plan, about what is in no entry of the file: addresses, routes behind others, pauses of forwarding."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from vppcfg.common.names import natural_key
from vppcfg.model.route import source_words
from vppcfg.model.vpp_object import OF_OTHERS
from vppcfg.operations.carried_in_linux import LISTENER
from vppcfg.plan.address_order import displaced_by, promoted_by
from vppcfg.plan.announcements import announcements, can_announce
from vppcfg.plan.linux_gaps import address_gaps
from vppcfg.plan.live_addresses import LiveOutcome, live_outcomes
from vppcfg.plan.plan import Plan
from vppcfg.render.impact_reasons import shortened
from vppcfg.render.nat44_text import left_alone
from vppcfg.render.pause_text import pause_lines

_MOST = 10
"""Lines of one sort."""


def notes(plan: Plan) -> Iterator[str]:
    """Yield a line for each address, route and long step that has something to be said about it."""
    yield from _live_lines(plan)
    yield from order_lines(plan)
    yield from announcement_lines(plan)
    yield from gap_lines(plan)
    yield from left_route_lines(plan)
    yield from shadow_lines(plan)
    yield from shortened([*pause_lines(plan)], _MOST, "{} more such steps; `--format json` has all in `pauses`")
    yield from omission_lines(plan)


def omission_lines(plan: Plan) -> Iterator[str]:
    """Yield a line about NAT44 that the file leaves alone, and one about what was not looked for in VPP."""
    if text := left_alone(plan):
        yield text
    yield from left_out_lines(plan.observed.facts.left_out)


def left_out_lines(left_out: Sequence[str]) -> Iterator[str]:
    """Yield a line about what was not looked for in VPP, if there is anything."""
    if left_out:
        yield f"not looked for, so that VPP goes on forwarding (--read-all looks): {'; '.join(left_out)}"


def order_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each first address in VPP that is not the first one of the file, or becomes it by the plan."""
    found = [*map(str, displaced_by(plan)), *map(str, promoted_by(plan))]
    yield from shortened(found, _MOST, "{} more such addresses; `--format json` has all")


def announcement_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each address that hosts have another MAC address for, or one where VPP cannot tell them."""
    moved = announcements(plan)
    if moved and not can_announce(plan.observed):
        count = "1 moved address is" if len(moved) == 1 else f"{len(moved):,} moved addresses are"
        yield f"VPP runs without the plugin arping: {count} not announced to hosts"
        return
    names = {each: f"{each.address} is announced" if each.address else "the router is advertised" for each in moved}
    lines = [f"{names[each]} on {each.interface}, since hosts know another MAC address" for each in moved]
    yield from shortened(lines, _MOST, "{} more such addresses; `--format json` has all in `announcements`")


def gap_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each device in Linux that is without an address on the way."""
    families: dict[tuple[str, int, int | None], list[str]] = {}
    for each in address_gaps(plan):
        families.setdefault((each.device, each.first, each.last), []).append("IPv6" if each.is_ipv6 else "IPv4")
    count = len(plan.operations)
    lines = [
        f"{device} has no {' and no '.join(those)} address in Linux from step {first:,} of {count:,} until "
        + (f"step {last:,}" if last is not None else "its lease comes")
        for (device, first, last), those in families.items()
    ]
    yield from shortened(lines, _MOST, "{} more such devices; `--format json` has all in `address_gaps`")


def left_route_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each interface that stays in use without its pair: linux-nl takes no route out with a pair.

    Linux does not report the IPv4 routes that it drops with a device, and a daemon then has none to withdraw.
    """
    before = plan.observed
    if LISTENER not in before.facts.plugins:
        return
    leaving = [
        name
        for name, pair in before.lcps.items()
        if name not in plan.desired.lcps
        and name in plan.desired.interfaces
        and pair.netns == before.facts.lcp.default_netns
        and before.interfaces[name].is_up
    ]
    lines = [
        f"VPP keeps IPv4 routes of Linux by {name}, and forwards by them: have the daemons withdraw them before"
        for name in sorted(leaving, key=natural_key)
    ]
    yield from shortened(lines, _MOST, "{} more such interfaces")


def shadow_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each route that the plan lets another one shadow; warnings name those that are shadowed now."""
    by = plan.desired.hidden_by
    others = {name for name in by if by[name] == OF_OTHERS}
    names = sorted(by.keys() - plan.observed.hidden_by.keys() - others, key=natural_key)
    lines = [f"{name} will be shadowed by {source_words(by[name])}, whose route VPP uses" for name in names]
    yield from shortened(lines, _MOST, "{} more such routes; `--format json` has all in `desired.hidden_by`")


def _live_lines(plan: Plan) -> Iterator[str]:
    """Yield a line for each live address that a plan leaves alone or loses, those that it loses first."""
    lines = [_live_line(each) for each in sorted(live_outcomes(plan), key=lambda each: each.is_kept)]
    yield from shortened(lines, _MOST, "{} more such addresses; `--format json` has all")


def _live_line(outcome: LiveOutcome) -> str:
    beginning = outcome.live.whose(outcome.interface)
    lost = "goes with it" if outcome.goes_with_router else "lost, and no rollback brings it back"
    return f"{beginning}: {'left alone' if outcome.is_kept else lost}"


def live_document(plan: Plan) -> list[dict[str, Any]]:
    """Return what happens to all live addresses, for programs."""
    return [
        {
            "interface": each.interface,
            "address": each.live.address,
            "source": each.live.source.value,
            "is_kept": each.is_kept,
        }
        for each in live_outcomes(plan)
    ]
