"""Contract: long runs of random operations, valid and not, are answered alike and end in the same state."""

import random
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

import pytest

from tests.contract.conftest import SIMULATED, connected
from tests.contract.subject import PORTS, Flags, Messages, Subject
from tests.real_vpp import RealVpp, running, skip_reason
from vppcfg.simulator.port import PhysicalPort
from vppcfg.simulator.server import SimulatorServer
from vppcfg.simulator.vpp import SimulatedVpp

pytestmark = pytest.mark.live

OPERATIONS = 400
DEVICES = tuple(f"dev{number}" for number in range(40))
"""Linux devices for pairs on sub-interfaces, as the kernel under test may lack 802.1Q."""
FLAGS = (
    Flags.ONE_TAG | Flags.EXACT,
    Flags.ONE_TAG | Flags.EXACT,
    Flags.ONE_TAG,
    Flags.ONE_TAG | Flags.DOT1AD | Flags.EXACT,
    Flags.TWO_TAGS | Flags.EXACT,
    Flags.TWO_TAGS | Flags.DOT1AD,
    Flags.TWO_TAGS | Flags.INNER_ANY,
    Flags.ONE_TAG | Flags.OUTER_ANY,
    Flags.DEFAULT,
)
ADDRESSES = (
    *(f"10.0.{third}.{fourth}/{length}" for third in (0, 1) for fourth in (1, 2) for length in (24, 25, 32)),
    *(f"2001:db8:{third}::{fourth}/{length}" for third in (0, 1) for fourth in (1, 2) for length in (64, 128)),
    "10.0.0.0/8",
    "10.0.0.1/0",
    "fe80::1/64",
)
SWITCHES = ("lcp lcp-sync on", "lcp lcp-sync off", "lcp lcp-auto-subint on", "lcp lcp-auto-subint off")

NAMESPACES = ("", "", "dataplane", "nowhere")

Operation = tuple[str, tuple[Any, ...]]


class Side:
    """One of the two VPPs; interfaces are named, for indexes of the two may differ."""

    messages: ClassVar[Mapping[str, str]] = {
        "create": "create_subif sw_if_index sub_id sub_if_flags outer_vlan_id inner_vlan_id",
        "delete": "delete_subif sw_if_index",
        "state_of": "sw_interface_set_flags sw_if_index flags",
        "link_mtu": "hw_interface_set_mtu sw_if_index mtu",
        "remove_addresses": "sw_interface_add_del_address sw_if_index is_add=0 del_all=1",
        "rewrite": "l2_interface_vlan_tag_rewrite sw_if_index vtr_op push_dot1q tag1 tag2",
        "tag": "sw_interface_tag_add_del sw_if_index tag is_add=1",
    }
    """The message of each operation that is no method: the fields of its arguments in order, and constants.

    The first of several messages that VPP knows is sent; what is named after an arrow belongs to the answer.
    """

    def __init__(self, subject: Subject) -> None:
        self.subject = subject
        self.indexes: dict[str, int] = {}
        """Index of every interface after the last operation."""
        self.look()

    def look(self) -> None:
        """Learn which interfaces there are."""
        self.indexes = {name: row.sw_if_index for name, row in self.subject.interfaces().items()}

    def apply_to(self, operation: Operation) -> object:
        """Run an operation and return VPP's code, or code and text of a CLI line."""
        name, arguments = operation
        values = [self.indexes.get(value, 4711) if isinstance(value, Name) else value for value in arguments]
        answer = self.send(self.messages[name], values) if name in self.messages else getattr(self, name)(*values)
        self.look()
        return answer

    def send(self, words: str, values: Sequence[object]) -> object:
        """Send a message and return VPP's code, or the code and what else is named of the answer."""
        sent, _, told = words.partition(" -> ")
        names, *fields = sent.split()
        pairs = [field.split("=") for field in fields if "=" in field]
        constants = {path: int(text) if text.isdigit() else text for path, text in pairs}
        given = dict(zip([field for field in fields if "=" not in field], values, strict=True))
        message: dict[str, Any] = {}
        for path, value in [*given.items(), *constants.items()]:
            outer, _, inner = path.rpartition(".")
            (message.setdefault(outer, {}) if outer else message)[inner] = value
        api = self.subject.api
        name = next(filter(api.has, names.split("|")), names)
        reply = getattr(api, name)(**message)
        return (int(reply.retval), *(getattr(reply, word) for word in told.split())) if told else int(reply.retval)

    def state(self) -> Any:
        """Return everything that VPP's dumps show, by name."""
        interfaces = self.subject.interfaces()
        names = {row.sw_if_index: name for name, row in interfaces.items()}
        rows = {}
        for name, row in interfaces.items():
            index = row.sw_if_index
            shape = (row.sub_id, row.sub_outer_vlan_id, row.sub_inner_vlan_id, int(row.sub_if_flags))
            rewrite = (row.vtr_op, row.vtr_push_dot1q, row.vtr_tag1, row.vtr_tag2)
            settings = (int(row.flags) & 1, row.link_mtu, tuple(row.mtu), row.tag)
            parent = names.get(row.sup_sw_if_index)
            rows[name] = (parent, shape, rewrite, settings, tuple(self.subject.addresses(index)))
        pairs = {
            names.get(phy): (names.get(row.host_sw_if_index), row.host_if_name, row.netns)
            for phy, row in self.subject.pairs().items()
        }
        xconnects = {names.get(source): names.get(target) for source, target in self.subject.xconnects().items()}
        return {"interfaces": rows, "pairs": pairs, "xconnects": xconnects}

    def packet_mtu(self, index: int, mtu: int) -> int:
        return int(self.subject.api.sw_interface_set_mtu(sw_if_index=index, mtu=[mtu, 0, 0, 0]).retval)

    def add_address(self, index: int, prefix: str) -> int:
        return self.subject.add_address(index, prefix)

    def remove_address(self, index: int, prefix: str) -> int:
        return self.subject.remove_address(index, prefix)

    def xconnect(self, source: int, target: int) -> int:
        return self.subject.xconnect(source, target)

    def leave_l2(self, index: int) -> int:
        return self.subject.leave_l2(index)

    def add_pair(self, index: int, name: str, netns: str) -> int:
        return self.subject.add_pair(index, name, netns)

    def delete_pair(self, index: int) -> int:
        return self.subject.delete_pair(index)

    def cli(self, line: str) -> tuple[int, str]:
        return self.subject.cli(line)


class Name(str):
    """The name of an interface among the arguments of an operation."""

    __slots__ = ()


class Generator:
    """Draws operations on interfaces that exist, and now and then on one that does not."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def draw(self, names: list[str]) -> Operation:
        """Return the next operation; host interfaces of pairs are left alone."""
        pick = self._random.choice
        known = [*sorted(name for name in names if not name.startswith("tap")), "missing"]
        name, other = Name(pick(known)), Name(pick(known))
        port = Name(pick(PORTS))
        number = self._random.randrange
        subs = [one for one in known if "." in one and not one.startswith("local0")] or known
        unpaired = subs if _has_two_orphans_to_be(names) else known
        return pick(
            [
                ("create", (port, number(1, 12), pick(FLAGS), number(1, 8), number(1, 4))),
                ("create", (port, number(1, 12), pick(FLAGS), number(1, 8), 0)),
                ("create", (Name(pick([*PORTS, "missing"])), number(1, 12), pick(FLAGS), number(1, 8), 0)),
                ("delete", (Name(pick(subs)),)),
                ("delete", (name,)),
                ("state_of", (name, number(2))),
                ("state_of", (port, 1)),
                ("packet_mtu", (name, pick([0, 1280, 1400, 1500, 2000, 9000]))),
                ("link_mtu", (port, pick([20, 1500, 2000, 9000, 65535]))),
                ("link_mtu", (name, 1500)),
                ("add_address", (name, pick(ADDRESSES))),
                ("add_address", (name, pick(ADDRESSES))),
                ("remove_address", (name, pick(ADDRESSES[:-1]))),
                ("remove_addresses", (name,)),
                ("xconnect", (name, other)),
                ("leave_l2", (name,)),
                ("rewrite", (name, number(10), number(2), number(1, 8), number(1, 8))),
                ("tag", (name, pick(["", "vppcfg", "vppcfg some text"]))),
                ("add_pair", (port, pick(["p1", "p2", "p3", "bad name", "lo"]), pick(NAMESPACES))),
                ("add_pair", (Name(pick(subs)), pick(DEVICES), "")),
                ("add_pair", (Name(pick(subs)), pick(DEVICES), "")),
                ("delete_pair", (Name(pick(unpaired)),)),
                ("delete_pair", (Name(pick(subs)),)),
                ("cli", (pick(SWITCHES),)),
                ("cli", (f"create sub-interfaces {port} {number(1, 12)} dot1q {number(1, 8)} exact-match",)),
                ("cli", (f"delete sub-interface {pick(subs)}",)),
                ("cli", (f"set interface state {name} up",)),
                ("cli", (f"set interface ip address {name} {pick(ADDRESSES[:12])}",)),
            ]
        )


def _has_two_orphans_to_be(names: list[str]) -> bool:
    """Return whether a host TAP has several sub-interfaces: VPP deletes them in an order that nobody can rely on."""
    parents = [name.partition(".")[0] for name in names if name.startswith("tap") and "." in name]
    return len(parents) > len(set(parents))


@pytest.fixture
def real_side() -> Iterator[Side]:
    reason = skip_reason()
    if reason is not None:
        pytest.skip(reason)
    with running(PORTS) as process, ExitStack() as stack:
        process.add_netns("dataplane")
        for name in DEVICES:
            process.add_host_device(name)
        client = connected(process.socket_path, process.api_dir, stack)
        yield Side(_subject("real", client, process))


@pytest.fixture
def simulated_side(real_side: Side, api_dir: Path, tmp_path: Path) -> Iterator[Side]:
    vpp = SimulatedVpp(
        release=SIMULATED,
        ports=[PhysicalPort(name=name, device_class="af-packet") for name in PORTS],
        namespaces=["dataplane"],
        host_devices=DEVICES,
        has_vlan_devices=real_side.subject.knows_vlan_devices,
    )
    with SimulatorServer(vpp, tmp_path / "api.sock"), ExitStack() as stack:
        yield Side(_subject("simulator", connected(tmp_path / "api.sock", api_dir, stack), None))


def _subject(side: str, client: Any, process: RealVpp | None) -> Subject:
    return Subject(
        id=side,
        api=Messages(client.api),
        client=client,
        knows_vlan_devices=process is not None and process.knows_vlan_devices,
        add_host_device=lambda name: None,
        has_host_device=lambda name: True,
    )


@pytest.mark.parametrize("seed", range(4))
def test_random_operations_are_answered_alike(real_side: Side, simulated_side: Side, seed: int) -> None:
    generator = Generator(seed)
    history: list[tuple[Operation, object]] = []
    for _ in range(OPERATIONS):
        operation = generator.draw(list(simulated_side.indexes))
        expected = real_side.apply_to(operation)
        history.append((operation, expected))
        assert simulated_side.apply_to(operation) == expected, history[-12:]
        assert set(simulated_side.indexes) == set(real_side.indexes), history[-12:]
    assert simulated_side.state() == real_side.state()
    accepted = sum(answer in {0, (0, "")} for _, answer in history)
    assert OPERATIONS // 4 < accepted < OPERATIONS
