"""host.json and api.json, what the kernel and VPP's API said, in; the parts of a reading that they have out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.tune.reading import HostFacts, RxQueue, ThreadPlace, TxQueue
from vppcfg.tune.stats_document import Parts

_MODES = {0: "unknown", 1: "polling", 2: "interrupt", 3: "adaptive"}
"""vl_api_rx_mode_t (VPP: vnet/interface_types.api)."""


def cpu_set(text: str) -> frozenset[int]:
    """Return the CPUs in a list such as `1-3,5` or `1-3:1`. Raise ValueError."""
    cpus: set[int] = set()
    for part in filter(None, text.strip().replace(" ", "").split(",")):
        first, _, last = part.partition(":")[0].partition("-")
        cpus.update(range(int(first), int(last or first) + 1))
    return frozenset(cpus)


def parts_of_host(document: Any) -> Parts:
    """Return the host's facts. Raise ValueError when the document's shape is another."""
    try:
        facts = HostFacts(
            isolated=cpu_set(document["isolated"]) if document.get("isolated") is not None else None,
            siblings=tuple(cpu_set(group) for group in document.get("siblings", ())),
            sockets=tuple((int(cpu), int(node)) for cpu, node in document.get("sockets", {}).items()),
            governors=tuple((int(cpu), str(name)) for cpu, name in document.get("governors", {}).items()),
            frequencies_khz=tuple(
                (int(cpu), int(now), int(most)) for cpu, (now, most) in document.get("frequencies_khz", {}).items()
            ),
            pci_links=tuple(
                (str(address), float(speed), int(width), float(max_speed), int(max_width))
                for address, (speed, width, max_speed, max_width) in document.get("pci_links", {}).items()
            ),
            preemptions=tuple((str(name), int(count)) for name, count in document.get("preemptions", {}).items()),
        )
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{type(error).__name__} at {error}") from error
    return {"host": facts}


def parts_of_api(document: Any) -> Parts:
    """Return version, threads and placement. Raise ValueError when the document's shape is another."""
    try:
        parts: Parts = {}
        if document.get("version"):
            parts["version"] = str(document["version"])
        if document.get("threads"):
            parts["places"] = tuple(_place(row) for row in document["threads"])
        if document.get("rx_placement") is not None:
            parts["rx_queues"] = tuple(_rx_queue(row) for row in document["rx_placement"])
        if document.get("tx_placement") is not None:
            parts["tx_queues"] = tuple(_tx_queue(row) for row in document["tx_placement"])
        return parts
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{type(error).__name__} at {error}") from error


def interface_names(document: Any) -> dict[int, str]:
    """Return the names of interfaces by sw_if_index in api.json, none when its shape is another."""
    try:
        return {int(index): str(name) for index, name in (document.get("interfaces") or {}).items()}
    except (AttributeError, TypeError, ValueError):
        return {}


def _place(row: Mapping[str, Any]) -> ThreadPlace:
    return ThreadPlace(
        index=int(row["id"]), name=str(row["name"]), cpu=int(row["cpu_id"]), socket=int(row["cpu_socket"])
    )


def _rx_queue(row: Mapping[str, Any]) -> RxQueue:
    mode = _MODES.get(int(row["mode"]), "unknown")
    return RxQueue(interface=str(row["interface"]), queue=int(row["queue"]), thread=int(row["thread"]), mode=mode)


def _tx_queue(row: Mapping[str, Any]) -> TxQueue:
    threads = tuple(int(thread) for thread in row["threads"])
    return TxQueue(
        interface=str(row["interface"]), queue=int(row["queue"]), threads=threads, is_shared=bool(row["shared"])
    )
