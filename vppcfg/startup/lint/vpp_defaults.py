"""Defaults of VPP that may surprise, where a startup.conf does not set a key; none of them is a mistake."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from vppcfg.common.numbers import KIB, MIB, size_text
from vppcfg.common.release import Release
from vppcfg.model.lcp import FIRST_DROPPING_UNICAST, FIRST_SENDING_UNICAST_AGAIN
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.cpu_words import WORKERS
from vppcfg.startup.conf.plugin_review import is_loaded
from vppcfg.startup.conf.tree import Conf
from vppcfg.startup.lint.demand import entry_at, heap_entry, size_bytes
from vppcfg.startup.lint.finding import notice, warning

_ORDINARY_PAGE, _USUAL_HUGEPAGE = 4 * KIB, 2 * MIB
_MAIN_CORE_PINNED = Release(24, 10)
_NO_ECHO = Release(24, 2)
"""The first release whose lcp-sync does not send Linux what linux-nl has just reported (2c9b128e1b3)."""


def unknown_default_problems(conf: Conf) -> Iterator[Problem]:
    """Yield what hangs on a default of the machine, where no machine is known."""
    entry = entry_at(conf, "buffers", "page-size")
    page, is_set = size_bytes(entry) or 0, entry_at(conf, "memory", "default-hugepage-size") is not None
    if entry is not None and page > _ORDINARY_PAGE and page != _USUAL_HUGEPAGE and not is_set:
        asked = size_text(page)
        text = f"VPP stops at buffers on pages of {asked} where the kernel's default hugepages have another size"
        yield notice("conf-hugepages", entry, f"{text}; write `page-size default-hugepage`")


def default_problems(conf: Conf, release: Release, installed: Collection[str] | None) -> Iterator[Problem]:
    """Yield what an absent key or stanza means, and a surprise that two keys together make."""

    def has(plugin: str) -> bool:
        return is_loaded(conf, plugin, release) and (installed is None or plugin in installed)

    dpdk, has_dpdk = conf.stanza("dpdk"), has("dpdk")
    children = (dpdk.children if dpdk else None) or ()
    if has_dpdk and not {"dev", "no-pci", "vdev"} & {child.name for child in children}:
        text = "no device is named in `dpdk`: VPP takes every network card that is down in Linux and that it can drive"
        yield notice("conf-takes-all", dpdk, text)
    if heap_entry(conf) is None:
        yield notice("conf-default-heap", conf.stanza("memory"), "no main-heap-size is given: the main heap has 1G")
    if entry_at(conf, "cpu", "main-core") is None and release >= _MAIN_CORE_PINNED:
        text = (
            f"no main-core is given: VPP {_MAIN_CORE_PINNED} and newer pin the main thread to the CPU that it began on"
        )
        yield notice("conf-main-core", conf.stanza("cpu"), text)
    cpu = conf.stanza("cpu")
    if not set(WORKERS) & {child.name for child in (cpu.children if cpu is not None else None) or ()}:
        text = "no worker is given: the main thread forwards, and API, command line and routes wait for packets"
        yield notice("conf-no-workers", cpu, text)
    unix = conf.stanza("unix")
    if entry_at(conf, "unix", "cli-listen") is None and entry_at(conf, "unix", "interactive") is None:
        yield notice(
            "conf-no-cli", unix, "no cli-listen is given: VPP opens no socket for vppctl, which cannot reach it"
        )
    if entry_at(conf, "unix", "nodaemon") is None and entry_at(conf, "unix", "interactive") is None:
        text = "no nodaemon is given: VPP goes to the background, and a service manager may take it for ended"
        yield notice("conf-daemon", unix, text)
    linux_cp = conf.stanza("linux-cp") or conf.stanza("plugins")
    if linux_cp is not None and FIRST_DROPPING_UNICAST <= release < FIRST_SENDING_UNICAST_AGAIN and has("linux_cp"):
        text = f"VPP {FIRST_DROPPING_UNICAST} drops what Linux sends to single hosts by an LCP, such as BGP; "
        text += "take another release"
        yield warning("conf-lcp-unicast", linux_cp, text)
    script = entry_at(conf, "unix", "exec") or entry_at(conf, "unix", "startup-config")
    is_echoed = release < _NO_ECHO and entry_at(conf, "linux-cp", "lcp-sync") is not None and has("linux_nl")
    if script is not None and is_echoed:
        text = (
            f"with lcp-sync and linux_nl, VPP before {_NO_ECHO} sends back to Linux what it hears from there: an LCP "
            f"that this script creates and sets up at once flaps for ever and loses its addresses"
        )
        yield notice("conf-lcp-loop", script, text)
