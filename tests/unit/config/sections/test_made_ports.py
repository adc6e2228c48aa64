"""Ports that a file makes: whose those are that VPP has, what is taken over, and what is refused."""

from dataclasses import replace

import pytest

from vppcfg.config.load import parse_text
from vppcfg.config.resolve import Resolution, resolve
from vppcfg.config.valid_dump import write
from vppcfg.kinds.host_interface import DeleteHostInterface
from vppcfg.kinds.interface import SetRxMode, SetTag
from vppcfg.model.host_interface import HostInterface
from vppcfg.model.interface import Interface, InterfaceKind, RxMode
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.memif import Memif, MemifMode, MemifRole
from vppcfg.model.state import Facts, State
from vppcfg.model.tap import Tap
from vppcfg.model.vhost_user import VhostUser, VhostUserRole
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.plan.impact import Impact
from vppcfg.plan.plan import make_plan

OURS = "vppcfg:made"
SLAVE = Memif(role=MemifRole.SLAVE, socket="/run/a")


def vpp(name: str, made: VirtualInterface | None, tag: str = "", device_class: str = "af-packet") -> State:
    kind = made.kind if made is not None and tag.startswith(OURS) else InterfaceKind.PHYSICAL
    port = Interface(
        name=name, kind=kind, device_class=device_class, link_mtu=1500, packet_mtu=1500, is_up=True, tag=tag
    )
    sockets = ((1, made.socket),) if isinstance(made, Memif) and made.socket else ()
    facts = Facts(plugins=frozenset({"af_packet", "memif", "linux_cp"}), memif_sockets=sockets)
    return State(interfaces={name: port}, virtual={} if made is None else {name: made}, facts=facts)


def wanted(text: str, state: State) -> Resolution:
    configuration = parse_text(text, "file").configuration
    assert configuration is not None
    return resolve(configuration, state)


def rules(resolution: Resolution) -> list[str]:
    return [problem.rule for problem in resolution.problems]


MAKES = "interfaces: { host-e1: { mtu: 1500 } }\nhost_interfaces: { host-e1: {} }\n"
NAMES = "interfaces: { host-e1: { mtu: 1500 } }\n"


def test_one_of_somebody_else_is_taken_over_by_its_mark_alone() -> None:
    resolution = wanted(MAKES, vpp("host-e1", HostInterface(device="e1")))
    plan = make_plan(resolution.observed, resolution.desired)
    assert plan.operations == (SetTag(interface="host-e1", tag=OURS),)
    assert plan.reached.interfaces["host-e1"].kind is InterfaceKind.HOST_INTERFACE


@pytest.mark.parametrize("has_entry", [True, False])
def test_one_that_vpp_polls_is_taken_over_without_another_mode(has_entry: bool) -> None:
    """VPP polls a vhost-user port without a peer and refuses anything else; vppcfg reads no mode of what is ours."""
    name, server = "VirtualEthernet0/0/7", VhostUser(socket="/run/a", role=VhostUserRole.SERVER)
    state = vpp(name, server, device_class="vhost-user")
    port = replace(state.interfaces[name], link_mtu=None, rx_mode=RxMode.POLLING)
    state = replace(state, interfaces={name: port}, facts=Facts(plugins=frozenset({"vhost"})))
    text = f"vhost_users: {{ {name}: {{ role: server, socket: /run/a }} }}\n"
    resolution = wanted(text + f"interfaces: {{ {name}: {{ mtu: 1500 }} }}\n" * has_entry, state)
    assert resolution.desired.interfaces[name].rx_mode is None
    plan = make_plan(state, resolution.desired)
    assert [each for each in plan.operations if isinstance(each, SetRxMode)] == []
    assert SetTag(interface=name, tag=OURS) in plan.operations
    assert plan.reached.interfaces[name].rx_mode is None


def test_one_of_ours_that_the_file_lacks_is_removed() -> None:
    state = vpp("host-e1", HostInterface(device="e1"), f"{OURS} uplink")
    operations = make_plan(state, wanted("interfaces: {}\n", state).desired).operations
    assert isinstance(operations[-1], DeleteHostInterface)


def test_one_of_ours_that_the_file_names_and_does_not_make_is_a_problem() -> None:
    state = vpp("host-e1", HostInterface(device="e1"), OURS)
    resolution = wanted(NAMES, state)
    assert rules(resolution) == ["made-undefined"]
    assert make_plan(state, resolution.desired).steps == ()


@pytest.mark.parametrize(
    "found",
    [Memif(role=MemifRole.MASTER, socket="/run/a"), Memif(role=MemifRole.SLAVE, socket="/run/b"), None],
    ids=["another role", "another socket", "no memif"],
)
def test_another_one_of_somebody_else_is_in_the_way(found: Memif | None) -> None:
    state = vpp("memif1/0", found, device_class="memif" if found else "dpdk")
    text = "interfaces: { memif1/0: { mtu: 1500 } }\nmemifs: { memif1/0: { role: slave, socket: /run/a } }\n"
    resolution = wanted(text, state)
    assert rules(resolution)[:1] == ["made-otherwise"]
    assert make_plan(state, resolution.desired).steps == ()


def test_a_socket_of_somebody_else_is_taken() -> None:
    state = vpp("memif1/7", SLAVE, device_class="memif")
    text = """
    interfaces: { memif1/0: { mtu: 1500 }, memif1/7: { mtu: 1500 } }
    memifs: { memif1/0: { role: master, socket: /run/b } }
    """
    assert rules(wanted(text, state)) == ["memif-socket-taken"]


@pytest.mark.parametrize("made", [SLAVE, Memif(role=MemifRole.MASTER, mode=MemifMode.IP)], ids=["L2", "L3"])
def test_a_dump_says_what_a_file_has_made_and_leaves_others_alone(made: Memif) -> None:
    ours = vpp("memif1/0" if made.socket else "memif0/0", made, OURS, "memif")
    if not made.has_ethernet:
        ours = State(
            interfaces={"memif0/0": Interface(name="memif0/0", kind=made.kind, packet_mtu=1500, tag=OURS)},
            virtual=ours.virtual,
            facts=ours.facts,
        )
    text = write(ours)
    assert "memifs:" in text
    assert make_plan(ours, wanted(text, ours).desired).steps == ()
    assert "unmanaged:\n  - memif1/0" in write(vpp("memif1/0", SLAVE, device_class="memif"))


@pytest.mark.parametrize(
    ("unmanaged", "left"),
    [("", "memif socket 1"), ("unmanaged: [ memif1/* ]\n", None), ("unmanaged: [ memif2/* ]\n", "memif socket 1")],
)
def test_a_socket_without_a_memif_goes_with_the_next_plan(unmanaged: str, left: str | None) -> None:
    """A change that was killed between making a socket and its memif leaves a socket that bears no mark."""
    state = State(facts=Facts(plugins=frozenset({"memif"}), memif_sockets=((1, "/run/a"),)))
    plan = make_plan(state, wanted(f"interfaces: {{}}\n{unmanaged}", state).desired)
    assert [operation.subject for operation in plan.operations] == [left] * (left is not None)
    assert [change.name for change in plan.changes] == [left] * (left is not None)
    assert plan.reached.facts.memif_sockets == (() if left else ((1, "/run/a"),))
    assert plan.impact is Impact.NONE


@pytest.mark.parametrize(
    ("said", "made", "in_linux", "then"),
    [
        ("", None, None, (1500, 1500)),
        (", mtu: 1400", None, None, (1400, 1400)),
        ("", 0, 1500, (0, 1500)),
        ("", 0, 9000, (0, 9000)),
        ("", 1500, 9000, (1500, 9000)),
        ("", 9000, 9000, (9000, 9000)),
        (", mtu: 1500", 0, 1500, (0, 1500)),
        (", mtu: 1500", 0, 9000, (0, 1500)),
        (", mtu: 1500", 9000, 9000, (1500, 1500)),
        (", mtu: 1400", 0, 1500, (1400, 1400)),
    ],
)
def test_a_new_tap_is_made_with_an_mtu_and_one_that_is_there_keeps_what_the_file_leaves_open(
    said: str, made: int | None, in_linux: int | None, then: tuple[int, int]
) -> None:
    facts, state = Facts(plugins=frozenset({"tap"}), has_linux=True), State()
    if made is not None and in_linux is not None:
        tap0 = Interface(name="tap0", kind=InterfaceKind.TAP, link_mtu=1500, packet_mtu=1500, is_up=True, tag="vppcfg")
        devices = {"tap0": LinuxDevice(mtu=in_linux, is_up=True)}
        state = State(interfaces={"tap0": tap0}, virtual={"tap0": Tap(host_name="t0", host_mtu=made)}, linux=devices)
    state = replace(state, facts=facts)
    mtu = said.removeprefix(", mtu: ") or max(made or 0, 1500)
    text = f"interfaces: {{ tap0: {{ mtu: {mtu} }} }}\ntaps: {{ tap0: {{ host: {{ name: t0{said} }} }} }}\n"
    desired = wanted(text, state).desired
    assert (desired.virtual_as(Tap)["tap0"].host_mtu, desired.linux["tap0"].mtu) == then
    assert make_plan(state, desired).desired == desired
    text = write(desired)
    assert wanted(text, desired).desired == desired, text
