"""`show interface` in, the counters of every interface out (VPP: vnet/interface_format.c)."""

from __future__ import annotations

import re

from vppcfg.tune.reading import InterfaceCounters
from vppcfg.tune.show.lines import Unread, clean_lines

_ROW = re.compile(r"^(\S+) (\d+) (up|down) (\d+)/\d+/\d+/\d+(?: (.+))?$")
_COUNTER = re.compile(r"^([a-z][a-z0-9 -]*?) (\d+)$")
_FIELDS = {
    "rx packets": "rx_packets", "rx bytes": "rx_bytes", "tx packets": "tx_packets", "tx bytes": "tx_bytes",
    "drops": "drops", "punt": "punts", "punts": "punts", "rx-miss": "rx_miss", "rx-no-buf": "rx_no_buf",
    "rx-error": "rx_error", "tx-error": "tx_error",
}  # fmt: skip


def parse_interface(text: str) -> tuple[tuple[InterfaceCounters, ...], Unread]:
    """Return the interfaces, and what could not be read; counters that nothing here uses are passed over."""
    rows: list[tuple[str, int, dict[str, int]]] = []
    unread: list[str] = []
    for line in clean_lines(text):
        if line.startswith("Name Idx"):
            continue
        rest = line
        if match := _ROW.match(line):
            rows.append((match[1], int(match[4]), {}))
            rest = match[5] or ""
        counter = _COUNTER.match(rest)
        if counter and rows:
            if counter[1] in _FIELDS:
                rows[-1][2][_FIELDS[counter[1]]] = int(counter[2])
        elif rest:
            unread.append(line)
    return tuple(InterfaceCounters(name=name, mtu=mtu or None, **found) for name, mtu, found in rows), tuple(unread)
