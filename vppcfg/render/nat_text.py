"""Who has an outside port, and how full NAT's tables are: for people, at most 80 columns wide, and for programs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from textwrap import wrap
from typing import Any

from vppcfg.common.numbers import numbered
from vppcfg.model.nat_session import (
    Certainty,
    Det44Use,
    HostSessions,
    Nat44Use,
    NatPortHolder,
    NatSession,
    NatUse,
    PortAnswer,
)

WIDTH = 80
_CERTAIN = {
    Certainty.CONFIGURED: "certain as long as this is configured: it follows from the configuration alone",
    Certainty.NOW: "now, as long as the session lasts: VPP keeps no record of it",
}
_MOST_SESSIONS = 10


def answer_lines(answer: PortAnswer) -> Iterator[str]:
    """Yield who has a port."""
    asked = f"{answer.address}:{answer.port}"
    for holder in answer.holders:
        port = "" if holder.port is None else f":{holder.port}"
        protocol = f", {holder.protocol}" if holder.protocol else ""
        yield f"{asked} is {holder.host}{port}{protocol}"
        yield from _indented(f"by {holder.by}{_share(holder)}")
        yield from _indented(_CERTAIN[holder.certainty])
        for session in holder.sessions[:_MOST_SESSIONS]:
            yield f"  {_session(session)}"
        if len(holder.sessions) > _MOST_SESSIONS:
            yield f"  and {len(holder.sessions) - _MOST_SESSIONS} more"
    if answer.unsearched:
        yield f"the {answer.unsearched:,} sessions of NAT44 were not looked through for {asked}"
        yield from _indented(f"--walk does, and stops VPP's workers for about {answer.unsearched // 10_000 + 1} ms")
    elif not answer.holders:
        yield f"no host has {asked}"
        yield from _indented(answer.note)


def _share(holder: NatPortHolder) -> str:
    if holder.first_port is None:
        return ""
    return f", which gives it the ports {holder.first_port} to {holder.last_port}"


def _session(session: NatSession) -> str:
    words = f"{session.protocol or 'session'} from port {session.host_port}"
    words += f" to {session.remote}:{session.remote_port}" if session.remote else ""
    words += f", {session.state}" if session.state else ""
    if session.ends_in_s is not None:
        words += f", ends in {session.ends_in_s} s" if session.ends_in_s >= 0 else ", over"
    return words


def _indented(text: str) -> Iterator[str]:
    for line in wrap(text, WIDTH - 2, break_long_words=False, break_on_hyphens=False):
        yield f"  {line}"


def use_lines(use: NatUse, top: int) -> Iterator[str]:
    """Yield how full the tables are, with the `top` busiest hosts."""
    if use.nat44 is not None:
        yield from _nat44_lines(use.nat44, top)
    if use.det44 is not None:
        yield from ([""] if use.nat44 is not None else [])
        yield from _det44_lines(use.det44, top)
    if use.nat44 is None and use.det44 is None:
        yield "NAT44 is off, and DET44 has no map"


def _nat44_lines(use: Nat44Use, top: int) -> Iterator[str]:
    total = sum(each.sessions for each in use.threads)
    of_hosts = f" of {numbered(len(use.hosts), 'host')}" if use.has_hosts else ""
    yield f"NAT44: {total} sessions{of_hosts}; each thread has room for {use.most_per_thread}"
    rows = [
        (each.thread, str(each.sessions), f"{_percent(use.most_per_thread - each.sessions, use.most_per_thread)} free")
        for each in use.threads
    ]
    yield from _table(("thread", "sessions", "room"), rows)
    yield from _host_table(use.hosts, top, None)
    if not use.has_hosts:
        text = f"--all-hosts shows hosts, and stops VPP's workers for about {total // 10_000 + 1} ms"
        yield from _indented(text)


def _det44_lines(use: Det44Use, top: int) -> Iterator[str]:
    yield f"DET44: {sum(each.sessions for each in use.maps)} sessions; each host has room for {use.most_per_host}"
    rows = [(each.name, str(each.hosts), str(each.ports_per_host), str(each.sessions)) for each in use.maps]
    yield from _table(("map", "hosts", "ports a host", "sessions"), rows)
    yield from _host_table(use.hosts, top, use.most_per_host)
    if use.unread_hosts:
        yield from _indented(
            f"{use.unread_hosts} hosts of these maps were not asked about; --all-hosts asks about all, one by one"
        )


def _host_table(hosts: Sequence[HostSessions], top: int, most: int | None) -> Iterator[str]:
    if not hosts or not top:
        return
    has_vrfs = any(each.vrf_id for each in hosts)
    rows = []
    for each in hosts[:top]:
        last = str(each.static) if most is None else f"{_percent(most - each.sessions, most)} free"
        rows.append((each.host, *([str(each.vrf_id)] if has_vrfs else []), str(each.sessions), last))
    heads = ("host", *(["table"] if has_vrfs else []), "sessions", "static" if most is None else "room")
    yield from _table(heads, rows)
    if len(hosts) > top:
        yield f"  and {numbered(len(hosts) - top, 'host')} with fewer"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    widths = [max(len(row[place]) for row in (heads, *rows)) for place in range(len(heads))]
    for row in (heads, *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True))]
        yield "  " + "  ".join(cells)


def _percent(part: int, whole: int) -> str:
    """Return a share, rounded so that nothing is 0 % or 100 % that is not."""
    if part <= 0 or part == whole:
        return "0 %" if part <= 0 else "100 %"
    return f"{min(99, max(1, round(100 * part / whole)))} %"


def answer_document(answer: PortAnswer) -> dict[str, Any]:
    """Return who has a port as plain data."""
    return {
        "format_version": 1,
        "address": answer.address,
        "port": answer.port,
        "holders": [_holder(each) for each in answer.holders],
        "note": answer.note or None,
        "unsearched_sessions": answer.unsearched,
    }


def _holder(holder: NatPortHolder) -> dict[str, Any]:
    return {
        "host": holder.host,
        "port": holder.port,
        "protocol": holder.protocol or None,
        "certainty": holder.certainty.value,
        "by": holder.by,
        "first_port": holder.first_port,
        "last_port": holder.last_port,
        "sessions": [_session_document(each) for each in holder.sessions],
    }


def _session_document(session: NatSession) -> dict[str, Any]:
    return {
        "host": session.host,
        "host_port": session.host_port,
        "outside_port": session.outside_port,
        "protocol": session.protocol or None,
        "remote": session.remote or None,
        "remote_port": session.remote_port if session.remote else None,
        "ends_in_s": session.ends_in_s,
        "packets": session.packets,
        "state": session.state or None,
        "fib_index": session.fib_index,
    }


def use_document(use: NatUse, top: int) -> dict[str, Any]:
    """Return how full the tables are as plain data, with the `top` busiest hosts."""
    return {
        "format_version": 1,
        "nat44": None if use.nat44 is None else _nat44_document(use.nat44, top),
        "det44": None if use.det44 is None else _det44_document(use.det44, top),
    }


def _nat44_document(use: Nat44Use, top: int) -> dict[str, Any]:
    return {
        "most_per_thread": use.most_per_thread,
        "sessions": sum(each.sessions for each in use.threads),
        "busiest_thread": use.busiest,
        "threads": [{"thread": each.thread, "sessions": each.sessions} for each in use.threads],
        "hosts": len(use.hosts),
        "has_hosts": use.has_hosts,
        "top": [
            {"host": each.host, "vrf_id": each.vrf_id, "sessions": each.sessions, "static": each.static}
            for each in use.hosts[:top]
        ],
    }


def _det44_document(use: Det44Use, top: int) -> dict[str, Any]:
    return {
        "most_per_host": use.most_per_host,
        "sessions": sum(each.sessions for each in use.maps),
        "maps": [
            {
                "name": each.name,
                "hosts": each.hosts,
                "ports_per_host": each.ports_per_host,
                "sessions": each.sessions,
            }
            for each in use.maps
        ],
        "unread_hosts": use.unread_hosts,
        "top": [{"host": each.host, "sessions": each.sessions} for each in use.hosts[:top]],
    }
