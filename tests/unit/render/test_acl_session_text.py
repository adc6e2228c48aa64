"""What a plan says of sessions of access lists."""

import pytest

from tests.unit.render.test_plan_page import plan_of
from vppcfg.render.acl_session_text import acl_session_lines

OUT, IN, SSH = "{ action: permit+reflect }", "{ action: permit, protocol: icmp }", "{ action: permit, protocol: tcp }"
TELNET = "{ action: deny, protocol: tcp, destination-port: 23 }"
FIREWALL = "input: in, output: out"
LOST = "eth0: VPP forgets sessions of permit+reflect and drops answers until the side that asked sends again"
OUTLIVED = "sessions that run outlive the new rules of {}; `vppctl clear acl-plugin sessions` ends all"


def router(applied: str = FIREWALL, *, inward: str = IN, outward: str = OUT) -> str:
    lists = f"in: {{ terms: [ {inward} ] }}, out: {{ terms: [ {outward} ] }}, more: {{ terms: [ {SSH} ] }}"
    return f"interfaces: {{ eth0: {{ acls: {{ {applied} }} }} }}\nacls: {{ {lists} }}\n"


@pytest.mark.parametrize(
    ("before", "after", "line"),
    [
        (router(), router("input: [ in, more ], output: out"), LOST),
        (router(), router("input: in, output: [ more, out ]"), LOST),
        (router(), router("input: in"), LOST),
        (router("input: [ in, more ], output: out"), router("input: [ more, in ], output: out"), ""),
        (router(), router("output: out"), ""),
        (router(), router(""), ""),
        (router("input: in, output: more"), router("input: in"), ""),
        (router(), router(outward=f"{TELNET}, {OUT}"), OUTLIVED.format("out")),
        (router(), router(inward=SSH), OUTLIVED.format("in")),
        (router(), router(inward=f"{IN}, {SSH}"), ""),
        (router("input: in"), router("input: in", inward=SSH), ""),
        (router(outward=IN), router(inward=SSH), ""),
        (router(), "interfaces: {}\nacls: {}\n", ""),
    ],
)
def test_sessions_end_with_other_lists_and_outlive_other_rules(before: str, after: str, line: str) -> None:
    assert list(acl_session_lines(plan_of(after, plan_of(before).desired))) == ([line] if line else [])
