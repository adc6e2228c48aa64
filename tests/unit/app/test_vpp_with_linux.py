"""The two halves of a router, both played by a test: what goes to Linux, what to VPP, and in which order."""

import logging
import socket
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

import pytest

from tests.stub_dataplane import StubDataplane
from vppcfg.app.vpp_with_linux import Router
from vppcfg.dataplane import Performance, Refusal
from vppcfg.errors import DataplaneError, LinuxError
from vppcfg.kinds.interface import SetAdminState
from vppcfg.kinds.lcp.operations import CreateLcpPair
from vppcfg.kinds.linux_device import CreateLinuxBridge, CreateNamespace, SetLinuxBridge, SetLinuxLink
from vppcfg.model.attachment import Attachment
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.lcp import LcpPair, LcpSettings
from vppcfg.model.linux import LinkOutcome, LinkSetting, LinuxDevice, LinuxSide
from vppcfg.model.linux_setting import LinuxKind, LinuxSetting, encoded
from vppcfg.model.live import LiveAddress, LiveSource
from vppcfg.model.question import AskOutcome, LinuxEchoQuestion
from vppcfg.model.state import Facts, State
from vppcfg.model.tap import Tap
from vppcfg.operations.attachment import RestoreInLinux
from vppcfg.operations.operation import Operation

DEVICE = LinuxDevice(mtu=1500, is_up=True)
STATE = State(
    interfaces={name: Interface(name=name, kind=InterfaceKind.PHYSICAL) for name in ("gi0", "gi1", "tap0")},
    lcps={"gi0": LcpPair(host_name="e0", netns="blue"), "gi1": LcpPair(host_name="e1")},
    virtual={"tap0": Tap(host_name="vm0")},
)
UP, DOWN = (SetAdminState(interface="gi0", is_up=is_up) for is_up in (True, False))
PAIR = CreateLcpPair(interface="gi0", host_name="e0", netns="blue", is_default_netns=False)
NAMESPACE = CreateNamespace(netns="blue")
BRIDGE = CreateLinuxBridge(netns="blue", bridge="br0")
LINK = SetLinuxLink(interface="gi0", netns="blue", host_name="e0", mtu=1500, is_up=True)
PORT = SetLinuxBridge(interface="tap0", netns="", host_name="vm0", bridge="br0")


class Vpp(StubDataplane):
    """Writes down what it is told, and refuses what a test wants refused."""

    state = STATE

    def __init__(self, log: list[object], refused: frozenset[int] = frozenset()) -> None:
        self._log = log
        self._refused = refused
        self.is_closed = False

    def carry_out(self, operations: Sequence[Operation]) -> Performance:
        self._log += operations
        refusals = tuple(Refusal(index=i, operation=operations[i], retval=-1, text="no") for i in self._refused)
        return Performance(done=tuple(set(range(len(operations))) - self._refused), refusals=refusals)

    def close(self) -> None:
        self.is_closed = True


class Linux:
    """Writes down what it is told; a test says what is there and whether it may be touched."""

    def __init__(self, log: list[object], devices: dict[tuple[str, str], LinuxDevice] | None) -> None:
        self._log = log
        self._devices = devices

    def _allow(self, what: object) -> None:
        if self._devices is None:
            raise LinuxError("not permitted", "be root")
        self._log.append(what)

    def ask_echo(self, question: LinuxEchoQuestion) -> AskOutcome:
        self._allow(question)
        return AskOutcome(is_answered=True)

    def observe(self, requested: set[tuple[str, str]]) -> LinuxSide:
        self._allow(requested)
        return LinuxSide(devices=self._devices or {}, namespaces=frozenset({"blue"}), bridges=frozenset({("", "br0")}))

    def add_namespace(self, name: str) -> None:
        self._allow(("namespace", name))

    def add_bridge(self, netns: str, name: str) -> None:
        self._allow(("bridge", netns, name))

    def set_links(self, netns: str, settings: Sequence[LinkSetting]) -> LinkOutcome:
        for place, setting in enumerate(settings):
            if setting.mtu > 9000:
                return LinkOutcome(done=tuple(range(place)), refused={place: "too large"})
            self._allow(("link", netns, setting.name, setting.mtu, setting.is_up))
        return LinkOutcome(done=tuple(range(len(settings))))

    def set_bridge(self, netns: str, name: str, bridge: str) -> None:
        self._allow(("port", netns, name, bridge))

    def read_settings(
        self, netns: str, devices: Mapping[str, str], requested: Collection[str]
    ) -> Sequence[tuple[str, LinuxSetting]]:
        self._allow(("read", netns, dict(devices), set(requested)))
        return [(name, each) for name in requested for each in (address("192.0.2.1", name), address("192.0.2.9", name))]

    def restore(self, netns: str, settings: Sequence[LinuxSetting]) -> LinkOutcome:
        self._allow(("restore", netns, *(each.device for each in settings)))
        return LinkOutcome(done=(0,), refused={1: "no gateway"} if len(settings) > 1 else {})


def address(host: str, name: str) -> LinuxSetting:
    """Return an address of the Linux device of an interface, with 24 bits."""
    raw = socket.inet_aton(host)
    attributes = encoded({1: raw, 2: raw})
    return LinuxSetting(kind=LinuxKind.ADDRESS, device=f"@{name}", family=2, fields=(24, 0, 0), attributes=attributes)


def ipv6_address(host: str) -> LinuxSetting:
    """Return an address of gi0 with 64 bits."""
    attributes = encoded({1: socket.inet_pton(socket.AF_INET6, host)})
    return LinuxSetting(kind=LinuxKind.ADDRESS, device="@gi0", family=10, fields=(64, 0, 0), attributes=attributes)


def test_the_linux_side_is_part_of_the_state() -> None:
    log: list[object] = []
    state = Router(Vpp(log), Linux(log, {("blue", "e0"): DEVICE, ("", "vm0"): DEVICE})).observe()
    assert log == [{("blue", "e0"), ("", "e1"), ("", "vm0")}]
    assert state.linux == {"gi0": DEVICE, "tap0": DEVICE}
    assert state.facts.has_linux
    assert (state.namespaces, state.linux_bridges) == (frozenset({"blue"}), frozenset({("", "br0")}))


def test_which_bridge_the_device_of_a_pair_is_in_is_a_matter_of_others() -> None:
    bridged = replace(DEVICE, bridge="br0")
    state = Router(Vpp([]), Linux([], {("blue", "e0"): bridged, ("", "vm0"): bridged})).observe()
    assert state.linux == {"gi0": DEVICE, "tap0": bridged}


def test_a_pair_whose_device_is_gone_has_lost_its_host() -> None:
    state = Router(Vpp([]), Linux([], {("blue", "e0"): DEVICE})).observe()
    assert {name: pair.has_host for name, pair in state.lcps.items()} == {"gi0": True, "gi1": False}


def test_a_linux_side_that_cannot_be_read_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        assert Router(Vpp([]), Linux([], None)).observe() is STATE
    assert "left out: not permitted" in caplog.text


def test_without_linux_the_state_is_that_of_vpp() -> None:
    assert Router(Vpp([]), None).observe() is STATE


def test_each_operation_goes_where_it_belongs_in_order() -> None:
    log: list[object] = []
    progress: list[int] = []
    router = Router(Vpp(log), Linux(log, {}))
    assert router.perform([NAMESPACE, BRIDGE, UP, LINK, PORT], progress.append).done == (0, 1, 2, 3, 4)
    assert log == [
        ("namespace", "blue"),
        ("bridge", "blue", "br0"),
        UP,
        ("link", "blue", "e0", 1500, True),
        ("port", "", "vm0", "br0"),
    ]
    assert progress == [1, 2, 3, 4, 5]


class Following(Vpp):
    """Has its side of a pair down when it is looked at for the second time."""

    def observe(self) -> State:
        is_up = "look" not in self._log
        self._log.append("look")
        return replace(STATE, interfaces={"gi0": replace(STATE.interfaces["gi0"], is_up=is_up)})


FOLLOWED = replace(LINK, is_up=False, vpp_follows=True)


def test_a_vpp_that_goes_down_with_a_device_is_waited_for() -> None:
    log: list[object] = []
    assert Router(Following(log), Linux(log, {})).perform([FOLLOWED, UP]).done == (0, 1)
    assert log == [("link", "blue", "e0", 1500, False), "look", "look", UP]


def test_a_vpp_that_stays_up_is_told_of_and_not_waited_for_any_longer(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("vppcfg.app.vpp_with_linux._FOLLOWS_S", -1.0)
    log: list[object] = []
    assert Router(Following(log), Linux(log, {})).perform([FOLLOWED, UP]).done == (0, 1)
    assert log[1:] == ["look", UP]
    assert "linux-nl has not set gi0 down" in caplog.text


@pytest.mark.parametrize(
    ("is_sync", "plugins", "waits"), [(True, {"linux_nl"}, 1), (False, {"linux_nl"}, 0), (True, set[str](), 0)]
)
def test_a_vpp_that_syncs_both_ways_hears_of_new_devices_before_their_interfaces_come_up(
    is_sync: bool, plugins: set[str], waits: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    log: list[object] = []
    progress: list[int] = []
    monkeypatch.setattr("vppcfg.app.vpp_with_linux.time.sleep", log.append)
    facts = Facts(version="26.10-release", plugins=frozenset(plugins), lcp=LcpSettings(is_sync=is_sync))
    vpp = Vpp(log)
    monkeypatch.setattr(vpp, "observe", lambda: replace(STATE, facts=facts))
    router = Router(vpp, None)
    router.observe()
    operations = [UP, PAIR, DOWN, UP, UP, DOWN, UP]
    assert router.perform(operations, progress.append).done == tuple(range(7))
    assert log == [*operations[:3], *[0.5] * waits, *operations[3:]]
    assert progress[-1] == 7


def test_a_bond_member_is_shut_and_set_up_in_one_run_where_vpp_syncs_both_ways(monkeypatch: pytest.MonkeyPatch) -> None:
    """The dataplane waits for the bond only when it sees both."""
    facts = Facts(version="23.06-release", plugins=frozenset({"linux_nl"}), lcp=LcpSettings(is_sync=True))
    vpp = Vpp([])
    monkeypatch.setattr(vpp, "observe", lambda: replace(STATE, facts=facts))
    runs: list[Sequence[Operation]] = []

    def carry_out(run: Sequence[Operation]) -> Performance:
        runs.append(run)
        return Performance(done=tuple(range(len(run))))

    monkeypatch.setattr(vpp, "carry_out", carry_out)
    router = Router(vpp, None)
    router.observe()
    again = replace(UP, bond="BondEthernet0")
    assert router.perform([DOWN, again, DOWN, again, UP]).done == (0, 1, 2, 3, 4)
    assert runs == [[DOWN, again, DOWN, again], [UP]]


def test_nothing_follows_what_linux_refuses() -> None:
    log: list[object] = []
    performance = Router(Vpp(log), Linux(log, None)).perform([UP, LINK, UP])
    assert log == [UP]
    assert performance.done == (0,)
    assert [(refusal.index, refusal.text) for refusal in performance.refusals] == [(1, "not permitted")]


def links(*places: tuple[str, int]) -> list[Operation]:
    return [
        SetLinuxLink(interface=f"i{n}", netns=netns, host_name=f"e{n}", mtu=mtu, is_up=True)
        for n, (netns, mtu) in enumerate(places)
    ]


def test_devices_of_a_namespace_are_set_together_and_in_order() -> None:
    log: list[object] = []
    progress: list[int] = []
    operations = links(("blue", 1), ("blue", 2), ("", 3), ("blue", 4))
    performance = Router(Vpp(log), Linux(log, {})).perform([UP, *operations, UP], progress.append)
    assert performance.done == (0, 1, 2, 3, 4, 5)
    requested = [("link", netns, f"e{n}", n + 1, True) for n, netns in enumerate(["blue", "blue", "", "blue"])]
    assert log == [UP, *requested, UP]
    assert progress == [1, 3, 4, 5, 6]


def test_a_refused_device_is_named_by_its_own_step() -> None:
    log: list[object] = []
    operations = links(("", 1500), ("blue", 1), ("blue", 9001), ("blue", 3))
    performance = Router(Vpp(log), Linux(log, {})).perform([UP, *operations, UP])
    assert performance.done == (0, 1, 2)
    assert [(r.index, r.operation, r.text) for r in performance.refusals] == [(3, operations[2], "too large")]
    assert log == [UP, ("link", "", "e0", 1500, True), ("link", "blue", "e1", 1, True)]


def test_no_group_of_devices_begins_after_a_stop() -> None:
    log: list[object] = []
    operations = links(("", 1), ("blue", 2), ("blue", 3))
    performance = Router(Vpp(log), Linux(log, {})).perform(operations, None, lambda: len(log) > 0)
    assert performance == Performance(done=(0,))


def test_nothing_follows_what_vpp_refuses() -> None:
    log: list[object] = []
    performance = Router(Vpp(log, frozenset({0})), Linux(log, {})).perform([NAMESPACE, UP, LINK])
    assert log == [("namespace", "blue"), UP]
    assert [refusal.index for refusal in performance.refusals] == [1]


def test_what_is_linuxs_is_refused_where_there_is_none() -> None:
    performance = Router(Vpp([]), None).perform([LINK])
    assert [refusal.text for refusal in performance.refusals] == ["the Linux side of this VPP cannot be reached"]


def test_closing_says_goodbye_to_vpp() -> None:
    vpp = Vpp([])
    with Router(vpp, None):
        assert not vpp.is_closed
    assert vpp.is_closed


def test_what_linux_has_on_the_devices_of_some_interfaces_is_asked_of_their_namespaces_alone() -> None:
    log: list[object] = []
    router = Router(Vpp(log), Linux(log, {}))
    state = replace(STATE, facts=Facts(has_linux=True))
    found = router.unmanaged({"gi0", "loop0"}, state)
    assert log == [("read", "blue", {"e0": "gi0"}, {"gi0"})]
    assert [(each.holder, each.label, each.commands) for each in found] == [
        ("gi0", f"address of Linux {host}/24", (f"ip -n blue addr add {host}/24 dev e0",))
        for host in ("192.0.2.1", "192.0.2.9")
    ]


def test_vpp_is_not_asked_about_what_loses_something_in_linux_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    log: list[object] = []
    vpp = Vpp(log)

    def note(holders: Collection[str], state: State) -> tuple[()]:
        log.append(holders)
        return ()

    monkeypatch.setattr(vpp, "unmanaged", note)
    assert len(Router(vpp, Linux(log, {})).unmanaged(set(), replace(STATE, facts=Facts(has_linux=True)), {"gi0"})) == 2
    assert log == [set(), ("read", "blue", {"e0": "gi0"}, {"gi0"})]


def test_linux_is_not_asked_about_interfaces_without_a_device() -> None:
    log: list[object] = []
    assert Router(Vpp(log), Linux(log, {})).unmanaged({"loop0"}, replace(STATE, facts=Facts(has_linux=True))) == []
    assert log == []


def test_addresses_that_vpp_copies_to_linux_are_its_own() -> None:
    """lcp-sync does so for pairs, and not for TAPs."""
    gi0 = replace(STATE.interfaces["gi0"], addresses=frozenset({"192.0.2.1/24"}))
    tap0 = replace(STATE.interfaces["tap0"], addresses=frozenset({"192.0.2.1/24"}))
    state = replace(STATE, interfaces={**STATE.interfaces, "gi0": gi0, "tap0": tap0})
    synced = replace(state, facts=Facts(has_linux=True, lcp=LcpSettings(is_sync=True)))
    for name, count in (("gi0", 1), ("tap0", 2)):
        assert len(Router(Vpp([]), Linux([], {})).unmanaged({name}, synced)) == count
    leased = replace(gi0, live=(LiveAddress(address="192.0.2.9/24", source=LiveSource.DHCP),))
    synced = replace(synced, interfaces={**state.interfaces, "gi0": leased})
    assert Router(Vpp([]), Linux([], {})).unmanaged({"gi0"}, synced) == []
    unsynced = replace(state, facts=Facts(has_linux=True))
    assert len(Router(Vpp([]), Linux([], {})).unmanaged({"gi0"}, unsynced)) == 2


def test_a_link_local_address_that_linux_alone_has_is_no_copy(monkeypatch: pytest.MonkeyPatch) -> None:
    """VPP copies none of its own (vnet/ip/ip6_forward.c)."""
    linux = Linux([], {})
    monkeypatch.setattr(linux, "read_settings", lambda *place: [("gi0", ipv6_address("fe80::77"))])
    synced = replace(STATE, facts=Facts(has_linux=True, lcp=LcpSettings(is_sync=True)))
    found = Router(Vpp([]), linux).unmanaged({"gi0"}, synced)
    assert [each.label for each in found] == ["address of Linux fe80::77/64"]


def test_a_device_that_has_ipv6_by_a_sysctl_gets_its_addresses_after_that(monkeypatch: pytest.MonkeyPatch) -> None:
    """VPP copies them before, where new devices have no IPv6 and Linux refuses them."""
    live = (LiveAddress(address="2001:db8::9/64", source=LiveSource.VRRP),)
    gi0 = replace(STATE.interfaces["gi0"], addresses=frozenset({"192.0.2.1/24", "2001:db8::1/64"}), live=live)
    lcp = LcpSettings(is_sync=True)
    state = replace(STATE, interfaces={"gi0": gi0}, facts=Facts(has_linux=True, lcp=lcp))
    sysctl = LinuxSetting(kind=LinuxKind.SYSCTL, device="@gi0", family=10, sysctl="disable_ipv6=0")
    addresses = [address("192.0.2.1", "gi0"), *map(ipv6_address, ("2001:db8::1", "2001:db8::9"))]
    settings = [("gi0", each) for each in (sysctl, *addresses)]
    linux = Linux([], {})
    monkeypatch.setattr(linux, "read_settings", lambda *place: settings)
    found = Router(Vpp([]), linux).unmanaged({"gi0"}, state)
    assert [each.linux for each in found] == [settings[0][1], settings[2][1]]


def test_settings_of_one_namespace_are_restored_together_and_each_refusal_is_told() -> None:
    log: list[object] = []
    settings = [address(host, "gi0").on({"gi0": "e0"}) for host in ("192.0.2.1", "192.0.2.9")]
    restore = [
        RestoreInLinux(attachment=Attachment(holder="gi0", kind="address"), netns="blue", setting=each)
        for each in settings
    ]
    performed = Router(Vpp(log), Linux(log, {})).perform([LINK, *restore])
    assert log == [("link", "blue", "e0", 1500, True), ("restore", "blue", "e0", "e0")]
    assert performed.done == (0, 1)
    assert [(refusal.index, refusal.text) for refusal in performed.refusals] == [(2, "no gateway")]


RESTORE = [
    RestoreInLinux(
        attachment=Attachment(holder="gi0", kind="address"),
        netns=netns,
        setting=address("192.0.2.1", "gi0").on({"gi0": "e0"}),
    )
    for netns in ("blue", "blue", "red")
]


def test_what_one_namespace_refuses_keeps_nothing_from_the_next() -> None:
    log: list[object] = []
    performed = Router(Vpp(log), Linux(log, {})).perform(RESTORE)
    assert performed.done == (0, 2)
    assert [refusal.index for refusal in performed.refusals] == [1]


def test_all_settings_of_a_namespace_that_cannot_be_entered_are_refused() -> None:
    performed = Router(Vpp([]), Linux([], None)).perform(RESTORE)
    assert performed.done == ()
    assert [(refusal.index, refusal.text) for refusal in performed.refusals] == [(n, "not permitted") for n in range(3)]


def test_a_linux_that_cannot_be_asked_what_would_be_lost_ends_the_plan() -> None:
    router = Router(Vpp([]), Linux([], None))
    with pytest.raises(DataplaneError, match="not permitted"):
        router.unmanaged({"gi0"}, replace(STATE, facts=Facts(has_linux=True)))
