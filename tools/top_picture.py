"""Draws a screen of `vppcfg top` as docs/top.svg, and puts its text into docs/top.md: `python -m tools.top_picture`.

The router is made up, its screen is what `vppcfg top` shows of one.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from tools.picture import svg_of
from vppcfg.app.monitoring.following import RouterView
from vppcfg.app.monitoring.rates import InterfaceRates, ReasonRate, RouterRates, WorkerRates
from vppcfg.cli.output import Paint
from vppcfg.cli.top_view import Choice, screen
from vppcfg.model.counters import VppCounters
from vppcfg.model.monitored import MonitoredInterface, RouterSnapshot
from vppcfg.render.change_metrics import ChangeStatus

DOCS = Path(__file__).resolve().parents[1] / "docs"
WIDTH, HEIGHT = 100, 22
_NOON = 1_795_089_600.0
_BLOCK = re.compile(r"(?<=```text\n)VPP .*?(?=```)", re.DOTALL)
_PORTS = (
    ("HundredGigabitEthernet1/0/0", "transit Frankfurt", 100e9, 38.4e9, 11.9e9, 5.1e6, 4.2e6, 210.0, 0.0),
    ("HundredGigabitEthernet1/0/1", "transit Zurich", 100e9, 9.7e9, 31.2e9, 3.6e6, 4.6e6, 37.0, 0.0),
    ("TwentyFiveGigE3/0/0", "exchange", 25e9, 4.4e9, 8.9e9, 1.2e6, 1.5e6, 12.0, 0.0),
    ("TwentyFiveGigE3/0/1", "customers", 25e9, 22.6e9, 24.4e9, 2.9e6, 3.1e6, 0.0, 1840.0),
    ("TwentyFiveGigE3/0/1.100", "customer 100", None, 14.1e9, 15.2e9, 1.8e6, 1.9e6, 0.0, 0.0),
    ("TwentyFiveGigE3/0/1.200", "customer 200", None, 8.5e9, 9.2e9, 1.1e6, 1.2e6, 0.0, 0.0),
    ("loop0", "management", None, 3120.0, 2250.0, 4.2, 3.1, 0.0, 0.0),
)
_WORKERS = ((4.4e6, 22.9, 91e3, "1/0/0 0"), (3.1e6, 14.2, 148e3, "1/0/0 1"), (5.3e6, 61.0, 44e3, "1/0/1 0"))


def view() -> RouterView:
    """Return a look at a router that is made up."""
    interfaces = []
    for number, (name, text, speed, rx, tx, rx_pps, tx_pps, drops, lost) in enumerate(_PORTS, start=1):
        kind = "sub-interface" if "." in name else "physical"
        row = MonitoredInterface(
            index=number, name=name, kind=kind, is_up=True, has_link=True, link_bps=int(speed) if speed else None,
            description=text,
        )  # fmt: skip
        interfaces.append(
            InterfaceRates(interface=row, rx_bps=rx, tx_bps=tx, rx_pps=rx_pps, tx_pps=tx_pps, drops_pps=drops,
                           punts_pps=0.0, lost_pps=lost)
        )  # fmt: skip
    workers = [
        WorkerRates(index=number, name=f"vpp_wk_{number - 1}", rx_pps=rate, vectors=vectors, loops_per_s=int(loops),
                    queues=(f"HundredGigabitEthernet{queue}",), sessions=0)
        for number, (rate, vectors, loops, queue) in enumerate(_WORKERS, start=1)
    ]  # fmt: skip
    reasons = (
        ReasonRate(node="ip4-input", reason="ip4 ttl <= 1", per_s=143.0, total=912_331),
        ReasonRate(node="acl-plugin-in-ip4-fa", reason="ACL deny packets", per_s=96.0, total=44_103),
    )
    return RouterView(
        snapshot=RouterSnapshot(
            taken_at_s=_NOON,
            counters=VppCounters(clock_s=1.0, boot_at_s=int(_NOON) - 2_340_000),
            version="26.10-release",
        ),
        rates=RouterRates(seconds=2.0, interfaces=tuple(interfaces), workers=tuple(workers), reasons=reasons),
        changes=ChangeStatus(number=41, made_at_s=_NOON - 60_000, origin="apply", outcome="confirmed", deadline_s=None),
        verdict="loss",
        verdict_text="the receive ring of TwentyFiveGigE3/0/1 is too short for its bursts",
        differences=0,
    )


def lines(*, is_coloured: bool) -> list[str]:
    """Return the lines of the screen, in UTC."""
    paint = Paint(is_coloured)
    found = screen(view(), Choice(selected=-1), WIDTH, HEIGHT)
    return [paint(line.text.rstrip(), line.colour) if line.colour is not None else line.text.rstrip() for line in found]


def with_screen(document: str) -> str:
    """Return docs/top.md with the screen in it."""
    text = "\n".join(lines(is_coloured=False)) + "\n"
    return _BLOCK.sub(lambda _: text, document, count=1)


def main() -> None:
    """Write both."""
    os.environ["TZ"] = "UTC"
    time.tzset()
    (DOCS / "top.svg").write_text(
        svg_of("\n".join(lines(is_coloured=True)), "A screen of vppcfg top"), encoding="utf-8"
    )
    path = DOCS / "top.md"
    path.write_text(with_screen(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
