"""The ports through which Linux reaches the rest of the world: a load test never uses one of them."""

from __future__ import annotations

from pathlib import Path

from vppcfg.errors import EngineError

_NOWHERE = {"0" * 8, "0" * 32}
_UP = 0x1


OF_PROCESS, OF_THREAD = Path("proc/net"), Path("proc/thread-self/net")
"""Where Linux shows the network namespace of this process, and that of the calling thread."""


def interfaces_of_default_routes(root: Path, folder: Path = OF_PROCESS) -> frozenset[str]:
    """Return the interfaces of IPv4 and IPv6 default routes, by route and ipv6_route in a folder below `root`.

    Only one network namespace is seen.
    """
    return _ipv4(_text(root / folder / "route")) | _ipv6(_text(root / folder / "ipv6_route"))


def refuse_default_route(ports: tuple[str, ...], root: Path, folder: Path = OF_PROCESS) -> None:
    """Raise EngineError when a port, a Linux interface, carries a default route."""
    taken = interfaces_of_default_routes(root, folder)
    for port in ports:
        if port in taken:
            raise EngineError(
                f"{port} has a default route: a load test on it would cut this machine off",
                "name the ports that are connected to the router under test",
            )


def _ipv4(text: str) -> frozenset[str]:
    """Return the interfaces of lines `IFACE DESTINATION GATEWAY FLAGS ... MASK`, whose numbers are hexadecimal."""
    rows = [line.split() for line in text.splitlines()[1:]]
    return frozenset(
        row[0] for row in rows if len(row) > 7 and row[1] in _NOWHERE and row[7] in _NOWHERE and int(row[3], 16) & _UP
    )


def _ipv6(text: str) -> frozenset[str]:
    """Return the interfaces of lines `DESTINATION LENGTH ... FLAGS IFACE`; `lo` has one that rejects."""
    rows = [line.split() for line in text.splitlines()]
    return frozenset(
        row[9] for row in rows if len(row) > 9 and row[0] in _NOWHERE and row[1] == "00" and row[9] != "lo"
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
