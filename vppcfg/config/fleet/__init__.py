"""The configurations of many routers compared with each other, for what one of them alone cannot show.

No router is reached. Each file is read as `check` reads it; of what its router has, only what others can meet is kept.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import partial

from vppcfg.common.names import natural_key
from vppcfg.common.release import Release
from vppcfg.config.fleet.finding import FleetFinding
from vppcfg.config.fleet.gateways import found_on_gateways
from vppcfg.config.fleet.links import found_on_links
from vppcfg.config.fleet.member import Member, read_member
from vppcfg.config.fleet.multipoint import found_on_neighbors
from vppcfg.config.fleet.nd_proxy import found_on_nd_proxies
from vppcfg.config.fleet.settings import SETTINGS_NAME, FleetSettings, read_settings
from vppcfg.config.fleet.tunnels import found_on_tunnels
from vppcfg.config.fleet.vrrp import found_on_virtual_routers
from vppcfg.config.fleet.wireguard import found_on_wireguards
from vppcfg.errors import ConfigError
from vppcfg.model.problem import Problem, ProblemList
from vppcfg.record import record

_FEW = 16
"""So many files are read in less time than it takes to start processes for it."""
_MOST_PROCESSES = 8


@record
class Fleet:
    """What is wrong with the files of a folder, each alone and beside each other."""

    problems: tuple[Problem, ...]
    """In the order of the files."""
    files: int
    unread: tuple[str, ...] = ()
    """Files of which nothing is known; no other end in them is reported as missing."""


def check_fleet(folder: str, release: Release | None = None) -> Fleet:
    """Return what is wrong with the files `*.yaml` of a folder, one per router, and with its fleet.yml.

    Where a `release` is named, also what VPP of it cannot do. Raise ConfigError for a folder without files.
    """
    names = _files_in(folder)
    settings, problems = read_settings(os.path.join(folder, SETTINGS_NAME))
    members = _read_all(names, release)
    unread = tuple(member.file for member in members if not member.is_known)
    found = ProblemList([*problems, *(problem for member in members for problem in member.problems)])
    findings = [finding for finding in _findings(members, settings) if not settings.accepts(finding)]
    found.extend(sorted((finding.problem for finding in findings), key=lambda problem: problem.order))
    order = {name: position for position, name in enumerate(names)}
    return Fleet(
        problems=tuple(sorted(found, key=lambda problem: (order.get(problem.file, -1), *problem.order))),
        files=len(names),
        unread=unread,
    )


def _findings(members: Sequence[Member], settings: FleetSettings) -> list[FleetFinding]:
    is_whole = all(member.is_known for member in members)
    return [
        *found_on_links(members, settings, is_whole=is_whole),
        *found_on_tunnels(members, settings, is_whole=is_whole),
        *(found_on_gateways(members, settings) if is_whole else ()),
        *found_on_wireguards(members, settings, is_whole=is_whole),
        *found_on_virtual_routers(members),
        *found_on_nd_proxies(members, settings),
        *(found_on_neighbors(members, settings) if is_whole else ()),
    ]


def _files_in(folder: str) -> list[str]:
    try:
        names = [entry.name for entry in os.scandir(folder) if entry.name.endswith(".yaml")]
    except OSError as error:
        raise ConfigError(f"cannot read the folder {folder}: {error.strerror}", "name a folder of files") from error
    found = sorted((name for name in names if not name.startswith(".")), key=natural_key)
    if not found:
        raise ConfigError(f"{folder} is a folder without a file *.yaml", "put a file for each router into it")
    return [os.path.join(folder, name) for name in found]


def _read_all(names: Sequence[str], release: Release | None) -> list[Member]:
    """Return the files' contents, read by several processes when there are many and there is more than one CPU."""
    read = partial(read_member, release=release)
    processes = min(len(os.sched_getaffinity(0)), _MOST_PROCESSES)
    if len(names) <= _FEW or processes < 2:
        return [read(name) for name in names]
    from multiprocessing import get_context

    with get_context("fork").Pool(processes) as pool:
        return pool.map(read, names, chunksize=4)
