"""Checks the stanza dpdk for what VPP, or DPDK itself, does not take although each of its words is known.

Tried on VPP 23.06 with DPDK 22.11; the readers (plugins/dpdk/device/init.c, format.c) are the same up to 26.10.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise

from vppcfg.common.numbers import canonical_pci
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.problem_text import problem
from vppcfg.startup.conf.tree import Conf, ConfEntry
from vppcfg.startup.lint.demand import ids, number
from vppcfg.startup.lint.finding import notice

_OUTER, _BEFORE_OUTER = "enable-outer-checksum-offload", "enable-tcp-udp-checksum"
_HASHED = frozenset(
    (
        *("ipv4", "ipv4-frag", "ipv4-tcp", "ipv4-udp", "ipv4-sctp", "ipv4-other"),
        *("ipv6", "ipv6-frag", "ipv6-tcp", "ipv6-udp", "ipv6-sctp", "ipv6-other"),
        *("ipv6-tcp-ex", "ipv6-udp-ex", "ipv6-ex", "l2-payload", "port", "vxlan", "geneve", "nvgre", "gtpu", "esp"),
        *("l2tpv3", "l4-dst-only", "l4-src-only", "l3-dst-only", "l3-src-only"),
    )
)
"""foreach_dpdk_rss_hf (plugins/dpdk/device/dpdk.h)."""
_NOT_HANDED_ON = ("name", "tag", "workers")


def dpdk_problems(conf: Conf) -> Iterator[Problem]:
    """Yield what stops VPP in the stanza dpdk, or does nothing there."""
    dpdk = conf.stanza("dpdk")
    children = (dpdk.children if dpdk is not None else None) or ()
    has_named = any(child.name == "dev" for child in children)
    for before, entry in pairwise((ConfEntry(name=""), *children)):
        if entry.name == _OUTER and before.name != _BEFORE_OUTER:
            text = f"VPP stops at `{_OUTER}` unless it is right after `{_BEFORE_OUTER}`"
            yield problem("conf-value", entry, text)
        elif entry.name == "no-vmbus":
            text = "VPP hands `--no-vmbus` on to DPDK, which does not know it and stops; remove it"
            yield problem("conf-value", entry, text)
        elif entry.name == "blacklist" and has_named and canonical_pci((*entry.arguments, "")[0]) is not None:
            text = (
                f"VPP stops at {entry.arguments[0]} in `blacklist` beside `dev`: DPDK takes one or the other; remove it"
            )
            yield problem("conf-value", entry, text)
        elif entry.name in {"dev", "dev default"}:
            yield from _rss_problems(entry)
    default = dpdk.find("dev default") if dpdk is not None else None
    if default is not None:
        yield from _default_problems(default, is_alone=not has_named)


def _rss_problems(device: ConfEntry) -> Iterator[Problem]:
    rss = device.find("rss")
    words = re.sub(r"[{}]", " ", (rss.verbatim or "") if rss is not None else "").split()
    unknown = next((word for word in words if word not in _HASHED), None)
    if rss is not None and unknown is not None:
        text = f"VPP stops at `{unknown}` in rss; it knows {', '.join(sorted(_HASHED))}"
        yield problem("conf-value", rss, text)


def _default_problems(default: ConfEntry, *, is_alone: bool) -> Iterator[Problem]:
    """Find workers that are not as many as the queues, and keys that the devices listed beside do not get."""
    entry, queues = default.find("workers"), number(default.find("num-rx-queues"))
    if entry is not None and queues and (given := ids(entry)) is not None and len(given) != queues:
        text = f"`dev default` has {queues} receive queues and {len(given)} in the list `workers`, which stops VPP"
        yield problem("conf-placement", entry, text)
    for key in () if is_alone else _NOT_HANDED_ON:
        if (found := default.find(key)) is not None:
            text = f"`{key}` in `dev default` does not reach the devices that the file lists; write it there"
            yield notice("conf-ignored", found, text)
