"""Turns startup.conf into the section `dataplane`; reports for each key whether it is there or stays where it is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.adopt.dataplane import section_text
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.common.numbers import canonical_pci, cpu_text, cpus_of, cpus_of_mask, whole_number
from vppcfg.common.release import Release
from vppcfg.config.load import parse_text
from vppcfg.model.dataplane import UnixSection
from vppcfg.model.interface import DEFAULT_DEVICE_TYPE
from vppcfg.model.lcp import LcpSettings
from vppcfg.model.native_driver import port_name
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.record import record
from vppcfg.startup.conf.reader import read_conf
from vppcfg.startup.conf.review import review
from vppcfg.startup.conf.tree import Conf, ConfEntry, is_managed, is_native_device

_NUMBERS: Mapping[tuple[str, ...], KeyPath] = {
    ("unix", "poll-sleep-usec"): ("unix", "poll-sleep-usec"),
    ("cpu", "main-core"): ("cpu", "main-core"),
    ("cpu", "workers"): ("cpu", "workers"),
    ("buffers", "buffers-per-numa"): ("buffers", "per-numa"),
    ("buffers", "default data-size"): ("buffers", "data-size"),
}
"""Keys with a number: stanza and key of startup.conf, and the key below `dataplane`."""
_TEXTS: Mapping[tuple[str, ...], KeyPath] = {
    ("unix", "gid"): ("unix", "gid"),
    ("memory", "main-heap-size"): ("memory", "main-heap"),
    ("statseg", "size"): ("statseg",),
    ("linux-cp", "default netns"): ("linux-cp", "netns"),
    ("linux-nl", "nl-rx-buffer-size"): ("linux-cp", "netlink-buffer"),
}
"""Keys with a text, in the same way."""
_SWITCHES: Mapping[tuple[str, ...], tuple[KeyPath, bool]] = {
    ("dpdk", "no-multi-seg"): (("dpdk", "multi-seg"), False),
    ("dpdk", "no-tx-checksum-offload"): (("dpdk", "tx-checksum-offload"), False),
    ("linux-cp", "lcp-sync"): (("linux-cp", "sync"), True),
    ("linux-cp", "lcp-auto-subint"): (("linux-cp", "auto-subint"), True),
}
"""Keys without a value, with the value that the key below `dataplane` gets where they are there."""
_QUEUES: Mapping[str, str] = {
    "num-rx-queues": "rx-queues",
    "num-tx-queues": "tx-queues",
    "num-rx-desc": "rx-descriptors",
    "num-tx-desc": "tx-descriptors",
}
"""Keys of a device of DPDK."""
_NATIVE_QUEUES: Mapping[str, str] = {
    "num-rx-queues": "rx-queues",
    "num-tx-queues": "tx-queues",
    "rx-queue-size": "rx-descriptors",
    "tx-queue-size": "tx-descriptors",
}
"""Keys of a port of VPP's own drivers."""
_BY_ITSELF: Mapping[tuple[str, str], str] = {
    **dict.fromkeys((("unix", "nodaemon"), ("unix", "full-coredump"), ("unix", "interactive")), ""),
    ("unix", "log"): "/var/log/vpp/vpp.log",
    ("unix", "cli-listen"): "/run/vpp/cli.sock",
    ("api-trace", "on"): "",
    ("socksvr", "default"): "",
    ("statseg", "per-node-counters"): "on",
    **dict.fromkeys((("memory", "main-heap-page-size"), ("statseg", "page-size")), "default-hugepage"),
}
"""Keys that `vppcfg startup` writes without being asked, with their values."""
_KEPT = "vppcfg has no key for it; `vppcfg startup` keeps it in the file"
_LOST = "vppcfg has no key for it, and `vppcfg startup` takes it out, or writes another value"
_NOT_LAST = "VPP runs one script at its start, the last one that it is told, and not this one"
_WRITTEN = "`vppcfg startup` writes it by itself"


@record
class AdoptedConf:
    """What a startup.conf sets."""

    settings: Mapping[str, Any]
    """The section `dataplane`."""
    lines: tuple[SourceLine, ...]
    scripts: tuple[SourceLine, ...]
    """Those of the lines that name a script for VPP to run at its start, which is their last word."""
    names: Mapping[str, str]
    """The `device-type` of each device that has a name, by that."""
    names_all: bool
    """Whether DPDK has no other devices."""
    lcp: LcpSettings
    plugins: tuple[str, ...] | None
    """Those that are enabled where all others are off; None otherwise."""


def adopt_conf(name: str, text: str, release: Release) -> AdoptedConf:
    """Return what happens to a startup.conf: each key in the section, kept by `vppcfg startup`, or a fault."""
    conf, problems = read_conf(text, release)
    reader = _ConfAdoption(name, conf)
    reader.read()
    reader.refuse([*problems, *(problem for problem in review(conf, release) if problem.severity is Severity.ERROR)])
    reader.drop_inexpressible()
    return reader.result()


class _ConfAdoption:
    def __init__(self, name: str, conf: Conf) -> None:
        self._name = name
        self._conf = conf
        self._lines: list[SourceLine] = []
        self._scripts: list[SourceLine] = []
        self._settings: dict[str, Any] = {}

    def read(self) -> None:
        """Go through all keys."""
        for stanza in self._conf.stanzas:
            if stanza.name == "plugins":
                self._read_plugins(stanza)
            elif stanza.name == "heapsize" and _first(stanza):
                self._set(stanza, stanza.name, ("memory", "main-heap"), _first(stanza))
            elif stanza.children is None or stanza.key is None:
                self._keep(stanza, stanza.name, "")
            else:
                for entry in stanza.children:
                    self._read_entry(entry, stanza.name)
        for line in self._scripts[:-1]:
            line.set_outcome(LineOutcome.FAULT, _NOT_LAST, "adopt-does-nothing")

    def _read_entry(self, entry: ConfEntry, stanza: str) -> None:
        place = (stanza, entry.name)
        value = entry.arguments[0] if entry.arguments else ""
        number = whole_number(value)
        if place in {("unix", "exec"), ("unix", "startup-config")}:
            line = self._add(entry, stanza, LineOutcome.DATAPLANE, ("unix", "exec"), "its commands are adopted too")
            self._scripts.append(line)
        elif stanza == "dpdk" and entry.name in {"dev", "dev default"}:
            self._read_device(entry)
        elif place == ("devices", "dev"):
            self._read_native_device(entry)
        elif place in {("cpu", "corelist-workers"), ("cpu", "coremask-workers")} and _workers(entry):
            self._set(entry, stanza, ("cpu", "workers"), _workers(entry))
        elif place in _NUMBERS and number is not None:
            self._set(entry, stanza, _NUMBERS[place], number)
        elif place in _TEXTS and value:
            self._set(entry, stanza, _TEXTS[place], value if number is None else number)
        elif place in _SWITCHES:
            self._set(entry, stanza, *_SWITCHES[place])
        elif value == (self._gid() if place == ("api-segment", "gid") else _BY_ITSELF.get(place)):
            self._add(entry, stanza, LineOutcome.DATAPLANE, (), _WRITTEN)
        else:
            self._keep(entry, stanza, stanza)

    def _gid(self) -> str:
        """Return the group that `vppcfg startup` writes: that of `unix`, or the usual one."""
        unix = self._conf.stanza("unix")
        return _first(unix.find("gid") if unix is not None else None) or UnixSection().gid

    def _read_device(self, entry: ConfEntry) -> None:
        """Read `dev ADDRESS { … }` or `dev default { … }`."""
        is_default = entry.name == "dev default"
        address = None if is_default else canonical_pci(entry.arguments[0]) if entry.arguments else None
        if not is_default and address is None:
            self._keep(entry, "dpdk", "dpdk")
            return
        path: KeyPath = ("dpdk", "default") if is_default else ("dpdk", "devices", str(address))
        if not is_default:
            self._add(entry, "dpdk", LineOutcome.DATAPLANE, path, "")
            self._put(path, {})
        for child in entry.children or ():
            value = child.arguments[0] if child.arguments else ""
            words = f"dpdk {entry.name}"
            if child.name in _QUEUES and (number := whole_number(value)) is not None:
                self._set(child, words, (*path, _QUEUES[child.name]), number)
            elif child.name == "name" and value and not is_default:
                self._set(child, words, (*path, "name"), value)
            elif child.name == "workers" and _cpus(value) and not is_default:
                self._set(child, words, (*path, "workers"), list(cpus_of(value)))
            else:
                self._keep(child, words, "device default" if is_default else "device")

    def _read_native_device(self, entry: ConfEntry) -> None:
        """Read `dev pci/ADDRESS { driver … port 0 { … } }`; what VPP would find out itself has no place in a file."""
        address, driver = canonical_pci(_first(entry).partition("/")[2]), _first(entry.find("driver"))
        port = entry.find("port")
        if port is None or not is_native_device(entry):
            self._keep(entry, "devices", "devices")
            return
        path: KeyPath = ("devices", str(address))
        self._add(entry, "devices", LineOutcome.DATAPLANE, path, "")
        self._put(path, {})
        for child in entry.children or ():
            if child.name == "driver":
                self._set(child, "devices dev", (*path, "driver"), driver)
            elif child is port:
                self._add(child, "devices dev", LineOutcome.DATAPLANE, path, "")
            else:
                self._keep(child, "devices dev", "devices dev")
        if port.find("name") is None:
            self._put((*path, "name"), port_name(driver, len(self._settings["devices"]) - 1))
        for child in port.children or ():
            value = _first(child)
            if child.name in _NATIVE_QUEUES and (number := whole_number(value)):
                self._set(child, "devices dev port", (*path, _NATIVE_QUEUES[child.name]), number)
            elif child.name == "name" and value:
                self._set(child, "devices dev port", (*path, "name"), value)
            else:
                self._keep(child, "devices dev port", "devices port")

    def _read_plugins(self, stanza: ConfEntry) -> None:
        """Read the list of plugins: a file can express it where all others are off."""
        entries = stanza.children or ()
        switched = {_plugin_of(entry): _is_on(entry) for entry in entries if entry.name in {"plugin", "plugin default"}}
        enabled = sorted(name for name, is_on in switched.items() if is_on and name != "default")
        is_list = switched.get("default") is False
        for entry in entries:
            name = _plugin_of(entry)
            if is_list and name in switched:
                self._add(entry, "plugins", LineOutcome.DATAPLANE, ("plugins",), "")
            else:
                self._keep(entry, "plugins", "plugins")
            for child in (child for child in entry.children or () if child.name not in {"disable", "enable"}):
                self._add(child, f"plugins plugin {name}", LineOutcome.UNMANAGED, (), _LOST)
        if is_list:
            self._settings["plugins"] = enabled

    def _set(self, entry: ConfEntry, stanza: str, path: KeyPath, value: object) -> None:
        self._add(entry, stanza, LineOutcome.DATAPLANE, path, "")
        self._put(path, value)

    def _put(self, path: KeyPath, value: object) -> None:
        section = self._settings
        for key in path[:-1]:
            section = section.setdefault(str(key), {})
        if value != {} or str(path[-1]) not in section:
            section[str(path[-1])] = value

    def _keep(self, entry: ConfEntry, stanza: str, block: str) -> None:
        """Note that no key of a file has an entry of a block; without a `block` it is one at the top."""
        self._add(entry, stanza, LineOutcome.UNMANAGED, (), _LOST if is_managed(entry, block) else _KEPT)

    def _add(self, entry: ConfEntry, stanza: str, outcome: LineOutcome, path: KeyPath, why: str) -> SourceLine:
        words = (stanza, entry.name, *entry.arguments) if entry.name != stanza else (entry.name, *entry.arguments)
        line = SourceLine(
            source=self._name,
            number=entry.line,
            text=" ".join(words),
            outcome=outcome,
            path=("dataplane", *path) if path else (),
            why=why,
        )
        self._lines.append(line)
        return line

    def refuse(self, problems: list[Problem]) -> None:
        """Turn the lines that stop VPP into faults."""
        for problem in problems:
            lines = [line for line in self._lines if line.number == problem.line]
            if not lines:
                lines = [SourceLine(source=self._name, number=max(problem.line, 1), text="")]
                self._lines += lines
            for line in lines:
                line.set_outcome(LineOutcome.FAULT, problem.text, problem.rule)
                self._forget(line.path[1:])

    def drop_inexpressible(self) -> None:
        """Keep in startup.conf what the rules of a configuration forbid, such as a size that is out of bounds."""
        while (problem := self._objection()) is not None:
            before = section_text(self._settings)
            path = problem.path[1:]
            self._forget(path)
            if section_text(self._settings) == before:  # so that there is an end in any case
                path = ()
                self._settings.clear()
            for line in self._lines:
                if line.outcome is LineOutcome.DATAPLANE and line.path[1 : 1 + len(path)] == path:
                    line.set_outcome(LineOutcome.UNMANAGED, f"{problem.text}; `vppcfg startup` writes another value")
                    line.path, line.is_left = (), False

    def _objection(self) -> Problem | None:
        text = section_text(self._settings)
        found = parse_text(text, self._name).problems if text else ()
        return next((problem for problem in found if problem.severity is Severity.ERROR), None)

    def _forget(self, path: KeyPath) -> None:
        """Take out what stands at a path, or at the longest part of it that there is."""
        section, keys = self._settings, [str(key) for key in path]
        for key in keys[:-1]:
            if not isinstance(section.get(key), dict):
                section.pop(key, None)
                return
            section = section[key]
        if keys:
            section.pop(keys[-1], None)

    def result(self) -> AdoptedConf:
        """Return what was read; a line that stays in startup.conf is none for the script of what is left."""
        for line in self._lines:
            line.is_left = False
        cp = self._settings.get("linux-cp", {})
        devices = self._settings.get("dpdk", {}).get("devices", {})
        native = self._settings.get("devices", {})
        names = {device["name"]: DEFAULT_DEVICE_TYPE for device in devices.values() if "name" in device}
        names_all = bool(devices) and len(names) == len(devices)
        names |= {device["name"]: device["driver"] for device in native.values() if {"name", "driver"} <= device.keys()}
        return AdoptedConf(
            settings=self._settings,
            lines=tuple(sorted(self._lines, key=lambda line: line.number)),
            scripts=tuple(line for line in self._scripts if line.outcome is LineOutcome.DATAPLANE),
            names=names,
            plugins=tuple(self._settings["plugins"]) if "plugins" in self._settings else None,
            names_all=names_all,
            lcp=LcpSettings(
                default_netns=cp.get("netns", ""),
                is_sync=cp.get("sync", False),
                is_auto_subint=cp.get("auto-subint", False),
            ),
        )


def _first(entry: ConfEntry | None) -> str:
    return entry.arguments[0] if entry is not None and entry.arguments else ""


def _workers(entry: ConfEntry) -> str:
    """Return the CPUs of a list or a mask as a file has them, '' for what is neither."""
    if entry.name == "corelist-workers":
        return _cpus(_first(entry))
    try:
        return _cpus(cpu_text(cpus_of_mask(_first(entry))))
    except ValueError:
        return ""


def _cpus(text: str) -> str:
    """Return a list of CPUs as a file has it, '' for what is none."""
    try:
        return cpu_text(cpus_of(text))
    except ValueError:
        return ""


def _plugin_of(entry: ConfEntry) -> str:
    return "default" if entry.name == "plugin default" else (*entry.arguments, "")[0].removesuffix("_plugin.so")


def _is_on(entry: ConfEntry) -> bool:
    """Return whether the braces of a plugin enable it."""
    names = [child.name for child in _children(entry)]
    return "enable" in names


def _children(entry: ConfEntry) -> Iterator[ConfEntry]:
    yield from entry.children or ()
