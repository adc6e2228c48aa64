"""The VPP releases that can be simulated, and what tells one from another: messages, names of drivers, habits."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace

from vppcfg.errors import UsageError
from vppcfg.record import record
from vppcfg.simulator.codec import Codec, Types, layout_of
from vppcfg.simulator.definitions import (
    acl,
    bond,
    interface,
    ip,
    l2,
    lacp,
    lcp,
    memclnt,
    mpls,
    sflow,
    tap,
    vlib,
    vpe,
    vxlan,
)
from vppcfg.simulator.definitions.grammar import ApiFile, parse
from vppcfg.simulator.definitions.types import INTERFACE_INDEX, MAC_ADDRESS, PREFIX

ACL, LACP, LINUX_CP, SFLOW, TAP, VXLAN = "acl", "lacp", "linux_cp", "sflow", "tap", "vxlan"
PLUGINS = frozenset({ACL, LACP, LINUX_CP, SFLOW, TAP, VXLAN})
"""The optional parts that can be simulated."""
_FIRST_FREE_ID = 100


@record
class Release:
    """One VPP release, such as 26.06."""

    name: str
    tap_class: str
    """Device class of a TAP; it moved out of virtio's driver in 26.02."""
    last_tap_id: int = 8192
    is_tap_a_plugin: bool = True
    """Before 26.02, TAPs were a part of VPP itself."""
    has_sflow: bool = True
    """From 25.02."""
    tap_id_base: int | None = 4096
    """First number of an LCP host TAP; None where its interface's hardware index is taken (before 24.10)."""
    knows_lcp_pair_exists: bool = True
    """A second pair is refused before anything is made; older ones fail later, with another code (before 24.02)."""
    syncs_lcp_mpls: bool = True
    """The host interface of an LCP pair has MPLS when the other side has (from 23.10)."""
    shows_sync_unnumbered: bool = False
    """`show lcp` has a line for lcp-sync-unnumbered (from 26.06)."""


RELEASES = (
    Release(
        name="23.06",
        tap_class="virtio",
        last_tap_id=1024,
        is_tap_a_plugin=False,
        has_sflow=False,
        tap_id_base=None,
        knows_lcp_pair_exists=False,
        syncs_lcp_mpls=False,
    ),
    Release(name="24.10", tap_class="virtio", is_tap_a_plugin=False, has_sflow=False),
    Release(name="26.06", tap_class="tap", shows_sync_unnumbered=True),
    Release(name="26.10", tap_class="tap", shows_sync_unnumbered=True),
)
NEWEST = RELEASES[-1].name

_VERSION = re.compile(r"v?(\d\d)\.(\d\d)(?!\d)")


def release_named(name: str) -> Release:
    """Return the release called `name`; raise UsageError when it cannot be simulated."""
    for release in RELEASES:
        if release.name == name:
            return release
    raise UsageError(f"VPP release {name} cannot be simulated", f"known are {', '.join(r.name for r in RELEASES)}")


def release_of(version: str) -> Release:
    """Return the newest known release that is not newer than `version`, a release or VPP's own version text.

    Raise UsageError when it is no version, or older than all that are known.
    """
    match = _VERSION.match(version)
    if match is None:
        raise UsageError(f"{version} is no VPP version", "write 26.06, or VPP's text: 23.06-rc0~35-gaf4046134")
    wanted = f"{match[1]}.{match[2]}"
    known = [release for release in RELEASES if release.name <= wanted]
    if not known:
        raise UsageError(f"VPP {wanted} cannot be simulated", f"the oldest known release is {RELEASES[0].name}")
    return known[-1]


def present(release: Release, plugins: Collection[str]) -> frozenset[str]:
    """Return which optional parts a VPP of `release` has when it may load `plugins`."""
    absent = frozenset() if release.has_sflow else frozenset({SFLOW})
    built_in = frozenset() if release.is_tap_a_plugin else frozenset({TAP})
    return (frozenset(plugins) - absent) | built_in


def api_files(release: Release, plugins: Collection[str]) -> tuple[ApiFile, ...]:
    """Return the definitions that a VPP of `release` with these plugins speaks."""
    files = [
        parse("memclnt", memclnt.TEXT),
        parse("vlib", vlib.TEXT),
        parse("vpe", vpe.TEXT),
        parse("interface", INTERFACE_INDEX, MAC_ADDRESS, PREFIX, interface.TEXT),
        parse("ip", INTERFACE_INDEX, PREFIX, ip.TEXT),
        parse("l2", INTERFACE_INDEX, l2.TEXT),
        parse("bond", INTERFACE_INDEX, MAC_ADDRESS, bond.TEXT),
        parse("mpls", INTERFACE_INDEX, mpls.TEXT),
    ]
    optional = {
        ACL: parse("acl", INTERFACE_INDEX, MAC_ADDRESS, PREFIX, acl.TEXT),
        LACP: parse("lacp", INTERFACE_INDEX, MAC_ADDRESS, lacp.TEXT),
        LINUX_CP: parse("lcp", INTERFACE_INDEX, lcp.TEXT),
        SFLOW: parse("sflow", INTERFACE_INDEX, sflow.TEXT),
        TAP: parse("tapv2", INTERFACE_INDEX, MAC_ADDRESS, PREFIX, tap.TEXT),
        VXLAN: parse("vxlan", INTERFACE_INDEX, PREFIX, vxlan.TEXT),
    }
    files += [file for plugin, file in optional.items() if plugin in present(release, plugins)]
    return tuple(
        replace(file, messages=tuple(m for m in file.messages if not m.since or m.since <= release.name))
        for file in files
    )


def message_ids(files: Collection[ApiFile]) -> dict[str, int]:
    """Return the id of every message by its name: the fixed ones, then one after the other."""
    ids = dict(memclnt.MESSAGE_IDS)
    names = [message.name for file in files for message in file.messages]
    for number, name in enumerate((name for name in names if name not in ids), _FIRST_FREE_ID):
        ids[name] = number
    return {name: ids[name] for name in names}


def codec_of(files: Collection[ApiFile], ids: dict[str, int]) -> Codec:
    """Return the codec of all messages in `files`."""
    layouts = {}
    for file in files:
        types = Types(file)
        layouts.update({message.name: layout_of(message, types) for message in file.messages})
    return Codec(layouts, ids)
