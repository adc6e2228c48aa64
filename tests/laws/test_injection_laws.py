"""No text that `check` accepts injects anything: not into CLI lines, nor into startup.conf and the kernel's files."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.hosts.trees import grow
from tests.laws.examples import examples
from tests.simulated_vpp import connected
from vppcfg.common.release import release_of
from vppcfg.config.assumed_state import assumed_state
from vppcfg.config.load import parse_text
from vppcfg.config.resolve import resolve
from vppcfg.entries.configuration import Configuration
from vppcfg.entries.names import INTERFACE, LCP, LIST, NETNS
from vppcfg.host.inventory import read_host
from vppcfg.model.host import Host
from vppcfg.model.state import State
from vppcfg.plan.diff import diff
from vppcfg.plan.plan import make_plan
from vppcfg.render.plan_text import plan_text
from vppcfg.simulator.vpp import SimulatedVpp
from vppcfg.startup.derive import derive
from vppcfg.startup.files import render

PIECES = st.sampled_from(
    [
        *("eth1", "loop0", "e0", "x", "up", "netns", "acl", "any", "192.0.2.1", "vppcfg", "0", "-", ".", "/"),
        *" \n\t\r\0\x85\x9b\u2028{}$#\\;'\"%@",
        "//",
        *(
            "} set interface state eth1 down comment {",
            "\nset interface state eth1 down\n",
            "$(shell)",
            "}\nunix { exec",
        ),
    ]
)
ANY_TEXT = st.one_of(st.lists(PIECES, min_size=1, max_size=4).map("".join), st.text(max_size=10))
Slot = tuple[st.SearchStrategy[str], Callable[[str], dict[str, Any]]]


def of_shape(shape: re.Pattern[str], longest: int) -> st.SearchStrategy[str]:
    """Return any text, and texts of a shape, which are mostly accepted."""
    shaped = st.from_regex(shape, fullmatch=True).map(lambda text: text[:longest])
    return st.one_of(ANY_TEXT, shaped)


def ports(**keys: Any) -> dict[str, Any]:
    """Return a file with eth1 untouched, and eth0 with some keys."""
    return {"interfaces": {"eth0": {"mtu": 1500, **keys}, "eth1": {"mtu": 1500, "state": "up"}}}


INTERFACE_NAME, NETNS_NAME = of_shape(INTERFACE, 63), of_shape(NETNS, 31)
LCP_NAME, LIST_NAME = of_shape(LCP, 15), of_shape(LIST, 56)
TERM = {"action": "permit"}
SLOTS: dict[str, Slot] = {
    "a port": (INTERFACE_NAME, lambda text: {"interfaces": {text: {"mtu": 1500}, "eth1": {}}}),
    "a cross-connect": (INTERFACE_NAME, lambda text: {"interfaces": {"eth0": {"l2xc": text}, text: {}, "eth1": {}}}),
    "a description": (ANY_TEXT, lambda text: ports(description=text)),
    "a description of a loopback": (ANY_TEXT, lambda text: {**ports(), "loopbacks": {"loop0": {"description": text}}}),
    "a description of a bridge": (ANY_TEXT, lambda text: {**ports(), "bridgedomains": {"bd1": {"description": text}}}),
    "an lcp": (LCP_NAME, lambda text: ports(lcp=text)),
    "a namespace": (NETNS_NAME, lambda text: ports(lcp={"name": "e0", "netns": text})),
    "a mac": (ANY_TEXT, lambda text: ports(mac=text)),
    "an address": (ANY_TEXT, lambda text: ports(addresses=[text])),
    "a sub-interface": (ANY_TEXT, lambda text: ports(**{"sub-interfaces": {text: {"state": "up"}}})),
    "a loopback": (ANY_TEXT, lambda text: {**ports(), "loopbacks": {text: {}}}),
    "a bond": (ANY_TEXT, lambda text: {**ports(), "bondethernets": {text: {"interfaces": ["eth0"]}}}),
    "a bridge": (ANY_TEXT, lambda text: {**ports(), "bridgedomains": {text: {"interfaces": ["eth0"]}}}),
    "a tap": (LCP_NAME, lambda text: {**ports(), "taps": {"tap0": {"host": {"name": text}}}}),
    "a tap's bridge": (LCP_NAME, lambda text: {**ports(), "taps": {"tap0": {"host": {"name": "v0", "bridge": text}}}}),
    "a tap's namespace": (
        NETNS_NAME,
        lambda text: {**ports(), "taps": {"tap0": {"host": {"name": "v0", "namespace": text}}}},
    ),
    "an acl": (LIST_NAME, lambda text: {**ports(acls={"input": [text]}), "acls": {text: {"terms": [TERM]}}}),
    "an acl's source": (
        LIST_NAME,
        lambda text: {
            **ports(),
            "acls": {"a": {"terms": [{**TERM, "source": text}]}},
            "prefixlists": {text: {"members": ["192.0.2.0/24"]}},
        },
    ),
    "an acl's ports": (
        ANY_TEXT,
        lambda text: {**ports(), "acls": {"a": {"terms": [{**TERM, "protocol": "tcp", "source-port": text}]}}},
    ),
    "an acl's protocol": (ANY_TEXT, lambda text: {**ports(), "acls": {"a": {"terms": [{**TERM, "protocol": text}]}}}),
    "what is unmanaged": (ANY_TEXT, lambda text: {**ports(), "unmanaged": [text]}),
    "what is protected": (INTERFACE_NAME, lambda text: {**ports(), "protected": [text]}),
}
every_slot = pytest.mark.parametrize("slot", SLOTS)
CHECKS = examples(6)
WORD = r" [!-z|~\u00a0-\U0010ffff]+"
BRACED = r" \{[^{}\n\"'$#\\]*\}"
COMMANDS = re.compile(rf"comment \{{ [^{{}}\n]* \}}|(set|create|delete|clear|lcp|bond|sflow|mpls)({WORD}|{BRACED})+")


def configuration_of(document: dict[str, Any]) -> Configuration | None:
    """Return what `check` makes of a file, None when it refuses it; JSON is YAML."""
    return parse_text(json.dumps(document), "router.yaml").configuration


def typed(lines: list[str], state: State) -> State:
    """Return the state of a simulated VPP after somebody has typed these lines."""
    vpp = SimulatedVpp(state=state)
    for line in lines:
        retval, text = vpp.run_line(line)
        assert retval == 0, (line, text)
    with connected(vpp) as dataplane:
        return dataplane.observe()


@every_slot
@CHECKS
@given(data=st.data())
def test_what_check_accepts_is_typed_as_it_is_meant(slot: str, data: st.DataObject) -> None:
    """The text of a plan, typed line by line, makes what the file says, and nothing besides."""
    texts, document_of = SLOTS[slot]
    configuration = configuration_of(document_of(data.draw(texts)))
    if configuration is None:
        return
    observed = assumed_state(configuration)
    plan = make_plan(observed, resolve(configuration, observed).desired)
    text = plan_text(plan)
    written = "".join(f"{line}\n" for line in text.lines).split("\n")[:-1]
    assert written == text.lines
    for line in written:
        assert COMMANDS.fullmatch(line), line
    if not text.without_form and not plan.desired.linux_bridges:
        assert list(diff(typed(written, observed), plan.desired)) == []


@pytest.mark.parametrize(
    ("slot", "text", "is_accepted"),
    [
        ("a description", "a } set interface state eth1 down comment {", True),
        ("a description", "a\nset interface state eth1 down", True),
        ("a description", "'quoted'", False),
        ("a port", "eth0 up", False),
        ("a port", "eth0\n", False),
        ("a port", "-eth0", False),
        ("a port", "eth0:1@x+y", True),
        ("an lcp", "e0\n", False),
        ("an lcp", "e0 netns x", False),
        ("a namespace", "../x", False),
        ("a namespace", "pid:1", False),
        ("a namespace", "x\n", False),
        ("a namespace", "dataplane", True),
        ("an acl", "a b", False),
        ("a tap's bridge", "br0;x", False),
        ("what is unmanaged", "eth*}", True),
        ("what is unmanaged", "eth 0", False),
    ],
)
def test_these_are_accepted_and_those_are_not(slot: str, text: str, is_accepted: bool) -> None:
    assert (configuration_of(SLOTS[slot][1](text)) is not None) is is_accepted


DATAPLANE: dict[str, tuple[st.SearchStrategy[str], str, Callable[[str], dict[str, Any]]]] = {
    "a file to run": (
        st.one_of(ANY_TEXT.map(lambda text: f"/{text}"), st.from_regex(r"/[!-~]{1,20}", fullmatch=True)),
        "/etc/vpp/x",
        lambda text: {"unix": {"exec": text}},
    ),
    "a group": (
        of_shape(re.compile(r"[A-Za-z_][A-Za-z0-9_.-]{0,31}"), 32),
        "vpp",
        lambda text: {"unix": {"gid": text}},
    ),
    "a namespace": (NETNS_NAME, "dataplane", lambda text: {"linux-cp": {"netns": text}}),
    "the name of a device": (
        INTERFACE_NAME,
        "eth7",
        lambda text: {"dpdk": {"devices": {"0000:00:06.0": {"name": text}}}},
    ),
    "a plugin": (of_shape(re.compile(r"[a-z][a-z0-9_-]{0,30}"), 31), "acl", lambda text: {"plugins": [text]}),
    "a size": (ANY_TEXT, "1G", lambda text: {"memory": {"main-heap": text}}),
    "a device": (ANY_TEXT, "0000:00:06.0", lambda text: {"dpdk": {"devices": {text: {"rx-queues": 1}}}}),
}


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Host:
    return read_host(str(grow("virtual_machine", tmp_path_factory.mktemp("machine"))))


def files_of(dataplane: dict[str, Any], machine: Host) -> dict[str, str] | None:
    """Return the files that `startup` makes, None when `check` refuses the section."""
    configuration = configuration_of({**ports(), "dataplane": dataplane})
    return None if configuration is None else render(derive(configuration, machine, release_of("26.10")))


def shape_of(files: dict[str, str]) -> list[list[str]]:
    """Return how many words each line has, and the signs that mean something to VPP, the boot loader or a shell."""
    lines = [line for name in sorted(files) for line in files[name].splitlines()]
    return [[str(len(line.split())), *re.findall(r"[{}#$`\\;&|<>()'\"]", line)] for line in lines]


@pytest.mark.parametrize("slot", DATAPLANE)
@CHECKS
@given(data=st.data())
def test_what_check_accepts_is_one_word_of_startup_conf(slot: str, data: st.DataObject, machine: Host) -> None:
    texts, plain, section_of = DATAPLANE[slot]
    expected = files_of(section_of(plain), machine)
    files = files_of(section_of(data.draw(texts)), machine)
    assert expected is not None
    if files is not None:
        assert shape_of(files) == shape_of(expected)
