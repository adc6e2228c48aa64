"""A Host as plain data for JSON, and back: what `vppcfg host` writes and `vppcfg startup --host` reads."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from vppcfg.common.documents import build
from vppcfg.model.host import Host

FORMAT_VERSION = 1
"""Grows when a reader of the former one would misread the document."""


def host_document(host: Host) -> dict[str, Any]:
    """Return a host as plain data."""
    return {"format_version": FORMAT_VERSION, **asdict(host)}


def host_of(document: object) -> Host:
    """Return the host that plain data describes. Raise ValueError when it does not describe one."""
    if not isinstance(document, Mapping) or "format_version" not in document:
        raise ValueError("this is no inventory of a machine; `vppcfg host` writes one")
    if document["format_version"] != FORMAT_VERSION:
        version = document["format_version"]
        raise ValueError(f"an inventory of format_version {version!r} cannot be read, only {FORMAT_VERSION}")
    host = build(Host, {key: value for key, value in document.items() if key != "format_version"}, "the inventory")
    for complaint in _complaints(host):
        raise ValueError(complaint)
    return host


def _complaints(host: Host) -> Iterator[str]:
    """Yield what no machine can be."""
    for what, ids in (("cpus", [cpu.id for cpu in host.cpus]), ("nics", [nic.address for nic in host.nics])):
        if len(set(ids)) != len(ids):
            yield f"{what} has an entry twice"
    if not host.usable_cpus:
        yield "no CPU of this inventory is online and allowed"
    if any(cpu.id < 0 or cpu.node < 0 for cpu in host.cpus) or any(node.id < 0 for node in host.nodes):
        yield "an id of a CPU or node is negative"
