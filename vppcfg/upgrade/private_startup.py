"""A router's startup.conf made fit for a private VPP beside that of the router, on any machine.

What is about the machine, its devices, CPUs, memory and folders, is left out; everything else stays, right or wrong.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from vppcfg.common.release import Release
from vppcfg.startup.conf.reader import closed, read_conf
from vppcfg.startup.conf.tree import Conf, ConfEntry, conf_text
from vppcfg.upgrade.subject import UpgradeSubject

_STANZAS = frozenset({"devices", "dpdk", "plugin_path", "test_plugin_path"})
"""Stanzas that are left out whole: devices of this machine, and where plugins are."""
_KEYS: Mapping[str, frozenset[str]] = {
    "api-segment": frozenset({"prefix", "uid", "gid", "baseva"}),
    "api-trace": frozenset({"save-api-table"}),
    "buffers": frozenset({"buffers-per-numa", "numa", "page-size"}),
    "cpu": frozenset(
        {
            "coremask-workers",
            "corelist-workers",
            "main-core",
            "relative",
            "scheduler-policy",
            "scheduler-priority",
            "skip-cores",
            "workers",
        }
    ),
    "memory": frozenset({"default-hugepage-size", "main-heap-page-size", "main-heap-size"}),
    "plugins": frozenset({"add-path", "path", "vat-path"}),
    "punt": frozenset({"socket"}),
    "socksvr": frozenset({"default", "socket-name"}),
    "statseg": frozenset({"default", "page-size", "size", "socket-name"}),
    "unix": frozenset(
        {
            "cli-listen",
            "coredump-size",
            "exec",
            "full-coredump",
            "gid",
            "interactive",
            "log",
            "nodaemon",
            "nosyslog",
            "pidfile",
            "poll-sleep-usec",
            "runtime-dir",
            "startup-config",
            "use-current-dir",
        }
    ),
}
"""Keys that are left out, by stanza: the rehearsal has its own, or they are about the machine."""
_PLUGINS = frozenset({"af_packet_plugin.so", "dpdk_plugin.so"})
"""Plugins that the rehearsal needs, or must not have."""


def private_stanzas(subject: UpgradeSubject, release: Release) -> str | None:
    """Return what of startup.conf a VPP of one's own starts with, '' when it is unknown, None if it is unreadable."""
    if subject.startup is None:
        return ""
    conf, problems = read_conf(closed(subject.startup.text, release), release)
    if problems:
        return None
    stanzas = [_reduced(stanza) for stanza in conf.stanzas if stanza.name not in _STANZAS]
    return conf_text(Conf(stanzas=tuple(stanza for stanza in stanzas if stanza is not None)))


def private_netns(subject: UpgradeSubject, release: Release) -> str:
    """Return the default namespace of pairs, '' when startup.conf names none."""
    stanza = subject.conf(release).stanza("linux-cp")
    entry = stanza.find("default netns") if stanza is not None else None
    return entry.arguments[0] if entry is not None and entry.arguments else ""


def _reduced(stanza: ConfEntry) -> ConfEntry | None:
    """Return what is left of a stanza, None when nothing is: from 26.02 on `unix { }` keeps VPP busy for ever."""
    kept = tuple(child for child in stanza.children or () if not _is_left_out(stanza.name, child))
    return replace(stanza, children=kept) if kept else None if stanza.children else stanza


def _is_left_out(stanza: str, child: ConfEntry) -> bool:
    if stanza == "plugins" and child.name == "plugin":
        return bool(child.arguments) and child.arguments[0] in _PLUGINS
    return child.name in _KEYS.get(stanza, frozenset())
