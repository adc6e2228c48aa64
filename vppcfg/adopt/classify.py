"""Finds the key of the generated configuration that has the effect of each line of an adopted script.

A line that has none gets the reason, and goes into the script of commands that the file cannot express.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from vppcfg.adopt.command_targets import LIMIT_COMMANDS, is_forgotten, unreported_reason
from vppcfg.adopt.places import PLACING
from vppcfg.adopt.report import LineOutcome, SourceLine
from vppcfg.adopt.report_proof import FileContent
from vppcfg.common.addresses import canonical_address, why_unfit
from vppcfg.common.numbers import whole_number
from vppcfg.config.dump import StateAsFile
from vppcfg.entries.configuration import Configuration
from vppcfg.kinds.kind_list import TABLES
from vppcfg.model.interface import InterfaceKind
from vppcfg.model.ownership import description_of
from vppcfg.model.problem import KeyPath
from vppcfg.model.state import State
from vppcfg.model.vrf import table_key

_NO_TAG = "cli"
"""What VPP's prompt tags lists with that come without a tag (plugins/acl/acl.c)."""
JOINED_MTU = "a file has one MTU for packets and link: `apply` sets the link MTU too, which the script leaves as it is"
_KEPT_TAG = "kept as the description; on a VPP that still has the tag, the first `apply` needs --adopt"


class Classifier:
    """Finds the place of a line in a configuration that was written of a state."""

    def __init__(
        self,
        state: State,
        known: StateAsFile,
        content: FileContent,
        joined_mtus: Mapping[str, str],
        unfit: Mapping[str, str],
    ) -> None:
        """Look at `known`, which was written of `state`, and at its `content`.

        `joined_mtus` are interfaces whose MTU was another one, and `unfit` those whose rate limits no file can have,
        each with the reason.
        """
        self.unproven: list[SourceLine] = []
        """Lines of which the file has nothing, though nothing that they are about is left alone."""
        self.implied: list[SourceLine] = []
        """Lines that may set what VPP has without them."""
        self._content = content
        self._joined_mtus = joined_mtus
        self._unfit = unfit
        self._state = state
        self._configuration = known.configuration
        self._left = known.left

    def classify(self, lines: Iterable[SourceLine]) -> None:
        """Give each line that so far counts as being in the file its place there, or the reason why it is not."""
        for line in lines:
            if line.outcome is LineOutcome.FILE or (line.outcome is LineOutcome.FAULT and line.subjects):
                self._classify(line)

    def _classify(self, line: SourceLine) -> None:
        if line.rule in {"adopt-refused", "adopt-not-exact"}:
            return
        subjects = [*line.subjects, *named_objects(line)]
        reason = next((reason for name in subjects if (reason := self._why_left(name)) is not None), None)
        reason = reason or self._why_idle(line)
        reason = reason or unreported_reason(line.command, line.text)
        if line.command == "abf policy":
            subjects = [*self._interfaces_with_policy(line), *subjects]
        if line.command == "create memif socket":
            subjects += _memifs_at(line, self._configuration)
        if line.command == "mpls table":
            subjects += self._users_of_mpls()[:1]
        paths = [path for name in subjects if (path := self._path_of(name)) is not None]
        if reason is None and not paths and line.subjects:
            whose = "is of VPP itself" if line.subjects[-1] == "local0" else "belongs to an LCP pair"
            reason = f"{line.subjects[-1]} {whose}, and no file names it"
        if reason is not None:
            self._leave(line, reason)
            return
        place = self._content.place_of(line, paths[::-1] if line.command.startswith("create") else paths)
        if line.command == "set interface rx-mode" and not any(map(self._is_port, line.subjects)):
            place = None  # a file has the mode of ports alone, and VPP reports that of what the file makes to nobody
        line.path = place or ()
        if line.outcome is LineOutcome.FILE and place is None:
            self.unproven.append(line)
        elif line.outcome is LineOutcome.FILE and self._content.is_implied(line):
            self.implied.append(line)
        if line.outcome is LineOutcome.FILE:
            self._add_remark(line)

    def _leave(self, line: SourceLine, reason: str) -> None:
        """Leave a line to a script; a fault stays one."""
        if line.outcome is LineOutcome.FAULT:
            line.is_left = True
        else:
            line.set_outcome(LineOutcome.UNMANAGED, reason, "adopt-vrf" if "FIB table" in reason else "adopt-rest")

    def _why_idle(self, line: SourceLine) -> str | None:
        """Return why the file lacks what a line makes that is no interface, None when it has it."""
        if line.command == "set interface ip address" and not line.takes_away:
            return next((why for word in line.text.split() if (why := _why_not_of_host(word))), None)
        if line.command == "mpls table" and not self._users_of_mpls():
            return "no interface of the file has mpls, and no VRF a label"
        if line.command == "set policer classify":
            return next(filter(None, map(self._unfit.get, line.subjects)), None)
        if line.command in LIMIT_COMMANDS and not self._content.has(("policers",)):
            return "no interface of the file sends packets to it"
        if line.command == "set lldp" and all(each.lldp is None for each in self._configuration.interfaces.values()):
            return "no port of the file speaks LLDP"
        if line.command == "set arp proxy" and not self._has_range(line.text.split()):
            return "the file has no such range: it is of a table without a name, has no address, or is taken out again"
        if line.command in {"ip table", "ip6 table"} and not any(map(self._path_of, named_objects(line))):
            return "no VRF of the file has this FIB table"
        if line.command == "create memif socket" and not any(map(self._path_of, _memifs_at(line, self._configuration))):
            return "no memif of the file is at this socket"
        if line.command in {"abf policy", "abf attach"} and not self._interfaces_with_policy(line):
            return "no interface of the file has the policy, or no file can set its access list or next hops"
        if is_forgotten(line.command, line.arguments.split()):
            return "VPP forgets a neighbour that is not `static`, and the file has static ones alone"
        if line.command in PLACING and not any(map(self._has_placed, line.subjects)):
            return "VPP has no workers by its startup.conf, or the file makes the port and places no queues of it"
        return None

    def _users_of_mpls(self) -> list[str]:
        """Return the interfaces with MPLS, and the FIB tables with a label."""
        labelled = self._configuration.owned.get("label", {})
        tables = (key for key, table in self._state.vrfs.items() if table.name in labelled)
        return [*(name for name, each in self._configuration.interfaces.items() if each.has_mpls), *tables]

    def _interfaces_with_policy(self, line: SourceLine) -> list[str]:
        """Return the interfaces of the file that have the policy that a line is about."""
        words = line.arguments.split()
        word, names = (
            ("policy", line.subjects) if line.command == "abf attach" else ("id", tuple(self._state.interfaces))
        )
        number = words[words.index(word) + 1] if word in words[:-1] else ""
        entries, interfaces = self._configuration.interfaces, self._state.interfaces
        return [
            name
            for name in names
            if name in interfaces and name in entries and entries[name].policy_routes
            if number in {str(each.policy_id) for each in interfaces[name].policy_routes}
        ]

    def _is_port(self, name: str) -> bool:
        return self._state.interfaces[name].kind is InterfaceKind.PHYSICAL

    def _has_placed(self, name: str) -> bool:
        """Return whether the file places a queue of a port."""
        entry = self._configuration.interfaces.get(name)
        return entry is not None and bool(entry.rx_placement or entry.tx_placement)

    def _has_range(self, words: Sequence[str]) -> bool:
        """Return whether the file has the range that a command names."""
        given = {word: words[words.index(word) + 1] if word in words[:-1] else "" for word in ("start", "end")}
        return any((each.first, each.last) == (given["start"], given["end"]) for each in self._configuration.proxy_arps)

    def _add_remark(self, line: SourceLine) -> None:
        if line.command == "set interface tag":
            line.rule, line.why = "adopt-tag", _KEPT_TAG
        elif line.command in {"ip table", "ip6 table"} and " name " not in f"{line.text} ":
            line.rule, line.why = "adopt-vrf-name", f"the table has no name; the file calls it {line.path[-1]}"
        elif line.command == "set interface mtu" and line.subjects and line.subjects[-1] in self._joined_mtus:
            line.rule, line.why = "adopt-link-mtu", self._joined_mtus[line.subjects[-1]]

    def _why_left(self, name: str) -> str | None:
        """Return why an object is left alone, None when it is not."""
        left = self._left
        interface = self._state.interfaces.get(name)
        if interface is not None and interface.parent in left.interfaces:
            return f"{interface.parent} is unmanaged: {left.interfaces[interface.parent]}"
        for reasons in (left.interfaces, *left.tables.values()):
            if name in reasons:
                return f"{name} is unmanaged: {reasons[name]}"
        return None

    def _path_of(self, name: str) -> KeyPath | None:
        configuration = self._configuration
        own = re.sub("^(acl|macip):", "", name)
        for entries in (kind.entries_in(configuration) for kind in TABLES):
            if own in entries:
                path: KeyPath = entries[own].path
                return path
        vrf = next((entry for entry in configuration.vrfs.values() if self._is_table_of(name, entry.name)), None)
        return vrf.path if vrf is not None else configuration.path_of(name)

    def _is_table_of(self, key: str, vrf: str) -> bool:
        table = self._state.vrfs.get(key)
        return table is not None and table.name == vrf


def _why_not_of_host(word: str) -> str | None:
    """Return why no file gives an interface this address, None for one that it gives, and for any other word."""
    address = canonical_address(word) if "/" in word else None
    why = why_unfit(address) if address is not None else None
    return None if why is None else f"{word} is {why}: `unmanaged-addresses` leaves it alone"


def _memifs_at(line: SourceLine, configuration: Configuration) -> list[str]:
    """Return the memifs of a file at the socket that a command gives its file."""
    numbers = _numbers_in(line.text.split())
    return [name for name in configuration.virtual if numbers and name.startswith(f"memif{numbers[0]}/")]


def _numbers_in(words: Iterable[str]) -> list[int]:
    return [number for number in map(whole_number, words) if number is not None]


def _macip_of(text: str) -> str:
    """Return the name of the list that a command creates: ours by its tag, another by `macip:` and its tag."""
    tag = tag_in(text)
    return description_of(tag) or f"macip:{tag}"


def tag_in(text: str) -> str:
    """Return the tag that a command gives a list, a word or a text in braces; VPP's own where it gives none."""
    found = re.search(r"\stag\s+(?:\{([^}]*)\}|(\S+))", text)
    return (found[1] or found[2] or _NO_TAG) if found is not None else _NO_TAG


def named_objects(line: SourceLine) -> Iterable[str]:
    """Yield the bridge domains, tables and access lists that a command names."""
    words = line.arguments.split()
    numbers = _numbers_in(words)
    if line.command in {"ip table", "ip6 table"} and numbers:
        yield table_key(numbers[0], is_ipv6=line.command == "ip6 table")
    elif line.command in {"set interface ip table", "set interface ip6 table"} and numbers:
        yield table_key(numbers[-1], is_ipv6=line.command == "set interface ip6 table")
    elif line.command == "mpls local-label" and numbers:
        yield table_key(numbers[-1], is_ipv6="ip6-lookup-in-table" in words)
    elif ("bridge" in line.command or line.command.startswith("l2fib ")) and numbers:
        yield f"bd{numbers[0]}"
    elif line.command == "set acl-plugin acl":
        tag = tag_in(line.text)
        yield description_of(tag) or f"acl:{tag}"
    elif line.command == "set acl-plugin macip acl":
        yield _macip_of(line.text)
