"""Rules about mirroring: whose frames are copied, where they are taken, and to which interface the copies go."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.common.resemblance import did_you_mean
from vppcfg.config.configuration import InterfaceConfig
from vppcfg.config.rules.index import Index
from vppcfg.model.features import Mirror
from vppcfg.model.interface import PORTS, InterfaceKind
from vppcfg.model.problem import Problem

_WITH_FRAMES_OF_THEIR_OWN = PORTS | {InterfaceKind.TAP}


def mirror_target(index: Index) -> Iterator[Problem]:
    """Find mirrors to an interface that is not in the file, to the interface itself, and to one that is no port."""
    for interface, mirror in _mirrors(index):
        target = index.find(mirror.target)
        if mirror.target == interface.name:
            yield _problem("mirror-self", interface, mirror, f"{interface.name} cannot be mirrored to itself")
        elif not index.has(mirror.target):
            text = f"{mirror.target} is not in this file; add it below `interfaces`"
            text += did_you_mean(mirror.target, index.names)
            yield _problem("mirror-target-missing", interface, mirror, text)
        elif target is not None and not _is_port(target):
            text = f"{mirror.target} is no port; send the copies to a port or a TAP"
            yield _problem("mirror-target-not-port", interface, mirror, text)


def mirror_place(index: Index) -> Iterator[Problem]:
    """Find mirrors of frames that VPP would never copy, because they do not pass where they are looked for."""
    for interface, mirror in _mirrors(index):
        if mirror.is_l2 and index.why_switched(interface.name) is None:
            text = f"{interface.name} switches nothing; remove `l2`, or make it a member of a bridge domain"
            yield _problem("mirror-l2", interface, mirror, text)
        elif mirror.is_l2 and index.has(mirror.target) and index.why_switched(mirror.target) is None:
            text = f"{mirror.target} switches nothing, and copies made in L2 mode go to what does; remove `l2`"
            yield _problem("mirror-l2", interface, mirror, text)
        elif not mirror.is_l2 and not _is_port(interface):
            text = f"{interface.name} is no port; mirror the port, or add `l2: true` where it switches"
            yield _problem("mirror-not-port", interface, mirror, text)


def _is_port(interface: InterfaceConfig) -> bool:
    return interface.parent is None and interface.kind in _WITH_FRAMES_OF_THEIR_OWN


def _mirrors(index: Index) -> Iterator[tuple[InterfaceConfig, Mirror]]:
    return ((interface, mirror) for interface in index.interfaces for mirror in interface.mirrors)


def _problem(rule: str, interface: InterfaceConfig, mirror: Mirror, text: str) -> Problem:
    return Problem(rule=rule, path=(*interface.path, "mirror", mirror.target), text=text)
