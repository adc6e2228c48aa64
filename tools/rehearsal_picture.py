"""Draws what a rehearsal shows as docs/rehearsal.svg: `python -m tools.rehearsal_picture PREFIX`, as root.

The VPP below PREFIX carries the change out; the router is made up.
"""

from __future__ import annotations

import sys
from pathlib import Path

from tools.picture import svg_of
from vppcfg.app.plan_rehearsal import RehearsalTerms, rehearse_plan
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.plan.plan import Plan, make_plan
from vppcfg.render.rehearsal_text import rehearsal_lines

DOCS = Path(__file__).resolve().parents[1] / "docs"
_BEFORE = """\
interfaces:
  GigabitEthernet1/0/0: { addresses: [ 203.0.113.2/24 ], nat44: outside, acls: { input: guard } }
  GigabitEthernet1/0/1: { addresses: [ 192.168.1.1/24 ], nat44: inside }
  GigabitEthernet1/0/2: { addresses: [ 10.2.0.1/24 ] }
routes: { 0.0.0.0/0: 203.0.113.1 }
acls: { guard: { terms: [ { action: deny, family: ipv4, protocol: tcp, destination-port: 25 }, { action: permit } ] } }
nat44: { pools: [ { range: 203.0.113.10 } ] }
"""
_AFTER = (
    _BEFORE.replace(
        "10.2.0.1/24 ] }",
        "10.2.0.1/24 ], sub-interfaces: { 100: { encapsulation: { dot1q: 100, exact-match: true }, "
        "addresses: [ 10.3.0.1/24, 2001:db8:3::1/64 ], acls: { output: guard } } } }",
    )
    .replace(
        "nat44: { pools: [ { range: 203.0.113.10 } ] }",
        "nat44: { pools: [ { range: 203.0.113.10 } ], static: { web: { protocol: tcp, "
        'local: "192.168.1.20:8080", external: "203.0.113.30:80" } } }',
    )
    .replace(
        "203.0.113.1 }\nacls",
        "203.0.113.1, 10.9.0.0/16: 10.2.0.9, 10.10.0.0/16: 10.2.0.9, 198.51.100.0/24: 10.2.0.9, "
        "198.18.0.0/15: blackhole }\nacls",
    )
)


def plan() -> Plan:
    """Return the plan of a change: a customer's VLAN, a mapping of NAT44 and two routes."""
    before, after = (parse_text(text, "router.yaml").configuration for text in (_BEFORE, _AFTER))
    assert before is not None
    assert after is not None
    ports = assumed_state(before)
    observed = make_plan(ports, resolve(before, ports).desired).reached
    return make_plan(observed, resolve(after, observed).desired)


def main() -> None:
    """Write the picture."""
    terms = RehearsalTerms(prefix=Path(sys.argv[1]))
    lines = rehearsal_lines(rehearse_plan(plan(), terms, lambda name: False))
    text = "\n".join(("$ vppcfg plan -c router.yaml --rehearse", *lines))
    (DOCS / "rehearsal.svg").write_text(svg_of(text, "A rehearsal of twelve steps"), encoding="utf-8")


if __name__ == "__main__":
    main()
