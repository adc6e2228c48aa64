"""The section `routing`: the configuration of a routing daemon, which changes together with that of VPP.

routing:
  frr: /etc/vpp/frr.conf
  bird: { file: /etc/vpp/bird.conf, socket: /run/bird/bird.ctl, within: 30s }
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from vppcfg.common.clock import seconds_of
from vppcfg.entries.section import Parsing, Section
from vppcfg.entries.yaml.errors import shown
from vppcfg.model.problem import KeyPath, Problem
from vppcfg.model.routing import DEFAULT_WITHIN_S, LEAST_WITHIN_S, MOST_WITHIN_S, DaemonKind, RoutingFile

KEY = "routing"
_FRR_FOLDER = "/etc/frr"
_BIRD_STARTUP = "/etc/bird/bird.conf"
_BIRD_SOCKET = "/run/bird/bird.ctl"


class _Routing(Section):
    """The section `routing`."""

    key = attribute = KEY

    def parse(self, parsing: Parsing) -> tuple[RoutingFile, ...]:
        """Return the daemons with what they are to be configured with, without those that are wrong."""
        raw: Mapping[str, Any] = {} if parsing.is_bad(KEY) else parsing.content.get(KEY) or {}
        found = []
        for kind in DaemonKind:
            given = raw.get(kind.value)
            if given is None:
                continue
            entry = given if isinstance(given, dict) else {"file": given}
            problems = list(_problems(kind, entry, (KEY, kind.value)))
            parsing.problems += problems
            if not problems:
                found.append(_file(kind, entry))
        return tuple(found)


SECTION = _Routing()


def _problems(kind: DaemonKind, entry: Mapping[str, Any], path: KeyPath) -> Iterator[Problem]:
    for key in ("file", "startup", "socket"):
        value = entry.get(key)
        if value is not None and not str(value).startswith("/"):
            text = f"{shown(value)} is no absolute path; write all of it, such as /etc/vpp/{kind.value}.conf"
            yield Problem(rule="routing-path", path=(*path, key), text=text)
    if _is_same(str(entry.get("file")), _startup(kind, entry)):
        text = (
            f"{entry['file']} is what {kind.title} reads when it starts, so a start in the middle of a change would "
            f"load a file that was not accepted; keep the file elsewhere, such as /etc/vpp/{kind.value}.conf"
        )
        yield Problem(rule="routing-startup-file", path=path, text=text)
    within = entry.get("within")
    if within is not None and seconds_of(within, LEAST_WITHIN_S, MOST_WITHIN_S) is None:
        text = f"{shown(within)} is no time from {LEAST_WITHIN_S}s to {MOST_WITHIN_S // 60}m, such as 30s"
        yield Problem(rule="routing-within", path=(*path, "within"), text=text)


def _is_same(path: str, startup: str) -> bool:
    return os.path.realpath(path) == os.path.realpath(startup)


def _startup(kind: DaemonKind, entry: Mapping[str, Any]) -> str:
    if kind is DaemonKind.BIRD:
        return str(entry.get("startup") or _BIRD_STARTUP)
    pathspace = entry.get("pathspace")
    return f"{_FRR_FOLDER}/{pathspace}/frr.conf" if pathspace else f"{_FRR_FOLDER}/frr.conf"


def _file(kind: DaemonKind, entry: Mapping[str, Any]) -> RoutingFile:
    is_bird = kind is DaemonKind.BIRD
    return RoutingFile(
        kind=kind,
        path=str(entry["file"]),
        startup=_startup(kind, entry),
        pathspace="" if is_bird else entry.get("pathspace") or "",
        socket=str(entry.get("socket") or _BIRD_SOCKET) if is_bird else "",
        within_s=seconds_of(entry.get("within") or DEFAULT_WITHIN_S, LEAST_WITHIN_S, MOST_WITHIN_S) or DEFAULT_WITHIN_S,
    )
