"""NAT44 as a whole: enabled with room for so many sessions, its timeouts, forwarding and MSS (plugins/nat/nat44-ed)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from ipaddress import IPv4Address

from vppcfg.engine.object_kind import TrafficImpact, VppObjectKind
from vppcfg.model.nat44 import NAT_OBJECTS, Nat44
from vppcfg.model.state import State
from vppcfg.model.vrf import FibTable
from vppcfg.operations.change import Impact
from vppcfg.operations.object_operation import RemoveObject, SetObject
from vppcfg.operations.operation import Operation, Predicate
from vppcfg.operations.pause import (
    NO_PAUSE,
    Pause,
    PauseContext,
    of_all_sessions,
    of_possible_sessions,
    of_sessions_looked_at,
)
from vppcfg.operations.request import Indexes, Request, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import evolve, record
from vppcfg.wire.reading import Replies, VppReader

_SWITCH = "nat44_ed_plugin_enable_disable"
_SHOW, _SHOWN = "nat44_show_running_config", "nat44_show_running_config_reply"
_MSS, _MSS_REPLY = "nat_get_mss_clamping", "nat_get_mss_clamping_reply"
_BALANCED, _BALANCED_DETAILS = "nat44_lb_static_mapping_dump", "nat44_lb_static_mapping_details"
_MAPPINGS, _MAPPING = "nat44_static_mapping_dump", "nat44_static_mapping_details"
_ADDRESS_ONLY = 0x8
"""NAT_IS_ADDR_ONLY: a mapping of all protocols and ports (plugins/nat/lib/nat_types.api)."""
_PATHS = (
    *("retval", "sessions", "inside_vrf", "outside_vrf", "forwarding_enabled"),
    *("timeouts.udp", "timeouts.tcp_established", "timeouts.tcp_transitory", "timeouts.icmp"),
)


def is_enabled(connection: VppReader, replies: Replies) -> bool:
    """Return whether VPP translates: it shows a number of sessions then, and 0 while NAT44 is disabled."""
    if not connection.offers(_SHOW):
        return False
    return any(sessions and not retval for retval, sessions in connection.rows(replies, _SHOWN, "retval", "sessions"))


def missing_nat44(working: WorkingState) -> str | None:
    """Return that NAT44 is not enabled, None when it is."""
    return None if working.objects.get(Nat44) else "NAT44 is not enabled"


@record
class EnableNat44(SetObject):
    """nat44_ed_plugin_enable_disable: enable NAT44. VPP then has all else as by default (nat44_plugin_enable)."""

    item: Nat44

    def _refusal(self, working: WorkingState) -> str | None:
        return "NAT44 is enabled already" if working.objects.get(Nat44) else SetObject._refusal(self, working)

    def apply_to(self, working: WorkingState) -> None:
        """Enter it with what VPP takes when NAT44 is enabled."""
        sessions, inside, outside = self.item.enable_settings
        working.set_object(Nat44(sessions=sessions, inside_table=inside, outside_table=outside))

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        sessions, inside, outside = self.item.enable_settings
        return Request(_SWITCH, {"enable": 1, "sessions": sessions, "inside_vrf": inside, "outside_vrf": outside})

    def cli(self) -> str:
        sessions, inside, outside = self.item.enable_settings
        words = [f" {word} {table}" for word, table in (("inside-vrf", inside), ("outside-vrf", outside)) if table]
        return f"nat44 plugin enable sessions {sessions}{''.join(words)}"

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: it takes memory for all sessions."""
        return of_possible_sessions(self.item.enable_settings[0])


@record
class DisableNat44(RemoveObject):
    """nat44_ed_plugin_enable_disable: disable NAT44, with all its addresses, mappings and sessions.

    VPP 26.10 answers with an error, although it is done, where an exemption is left in another table than the default
    one (nat44_ed_del_static_mappings): a plan deletes exemptions before.
    """

    item: Nat44

    def apply_to(self, working: WorkingState) -> None:
        """Take out all of it, and off all interfaces."""
        for kind in NAT_OBJECTS:
            for item in list(working.objects.get(kind, {}).values()):
                working.remove_object(item)
        for name in [name for name, interface in working.interfaces.items() if interface.nat44 is not None]:
            working.change(name, nat44=None)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request(_SWITCH, {"enable": 0})

    def cli(self) -> str:
        return "nat44 plugin disable"

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: all sessions end."""
        return of_all_sessions("it disables NAT44")


@record
class NatSetting(Operation):
    """An operation on what all of NAT44 has alike while it is enabled."""

    @property
    def subject(self) -> str:
        return Nat44().name

    def _refusal(self, working: WorkingState) -> str | None:
        return missing_nat44(working)

    def _change(self, working: WorkingState, **attributes: int) -> None:
        (item,) = working.objects[Nat44].values()
        working.set_object(evolve(item, **attributes))


@record
class SetNatTimeouts(NatSetting):
    """nat_set_timeouts: after how many seconds without a packet a session ends; all four at once."""

    udp_s: int
    tcp_established_s: int
    tcp_transitory_s: int
    icmp_s: int

    def apply_to(self, working: WorkingState) -> None:
        values = {"udp_s": self.udp_s, "icmp_s": self.icmp_s}
        tcp = {"tcp_established_s": self.tcp_established_s, "tcp_transitory_s": self.tcp_transitory_s}
        self._change(working, **values, **tcp)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        tcp = {"tcp_established": self.tcp_established_s, "tcp_transitory": self.tcp_transitory_s}
        return Request("nat_set_timeouts", {"udp": self.udp_s, "icmp": self.icmp_s, **tcp})

    def cli(self) -> str:
        tcp = f"tcp-established {self.tcp_established_s} tcp-transitory {self.tcp_transitory_s}"
        return f"set nat timeout udp {self.udp_s} {tcp} icmp {self.icmp_s}"


@record
class SetNatForwarding(NatSetting):
    """nat44_forwarding_enable_disable: let packets without a session pass untranslated, or no longer."""

    is_on: bool

    def apply_to(self, working: WorkingState) -> None:
        self._change(working, is_forwarding=self.is_on)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("nat44_forwarding_enable_disable", {"enable": int(self.is_on)})

    def cli(self) -> str:
        return f"nat44 forwarding {'enable' if self.is_on else 'disable'}"

    def effect(self, observed: State, desired: State) -> Predicate:
        word = "on" if self.is_on else "off"
        return Predicate(f"has forwarding turned {word}", f"have forwarding turned {word}")

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: VPP looks for sessions that it forwards without translation."""
        return NO_PAUSE if self.is_on else of_sessions_looked_at("it ends sessions of NAT44 without translation")


@record
class SetNatMss(NatSetting):
    """nat_set_mss_clamping: limit what TCP connections that are translated put into a packet, or no longer."""

    mss: int
    """Bytes; 0 limits nothing."""

    def apply_to(self, working: WorkingState) -> None:
        self._change(working, mss=self.mss)

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("nat_set_mss_clamping", {"mss_value": self.mss, "enable": int(bool(self.mss))})

    def cli(self) -> str:
        return f"nat mss-clamping {self.mss}" if self.mss else "nat mss-clamping disable"


def setting_operations(before: Nat44, after: Nat44) -> Iterator[Operation]:
    """Yield what changes settings that VPP takes while NAT44 is enabled.

    kinds/nat44/kind.py orders all steps of NAT44, these among them.
    """
    timeouts = ("udp_s", "tcp_established_s", "tcp_transitory_s", "icmp_s")
    if any(getattr(before, name) != getattr(after, name) for name in timeouts):
        yield SetNatTimeouts(**{name: getattr(after, name) for name in timeouts})
    if before.mss != after.mss:
        yield SetNatMss(mss=after.mss)
    if before.is_forwarding != after.is_forwarding:
        yield SetNatForwarding(is_on=after.is_forwarding)


class NatSettingsKind(VppObjectKind[Nat44]):
    """The settings of the section `nat44`."""

    key = "nat44"
    object_class = Nat44
    has_own_steps = True
    operations = (EnableNat44, DisableNat44, SetNatTimeouts, SetNatForwarding, SetNatMss)
    api_module = "nat44_ed"

    def set(self, item: Nat44) -> EnableNat44:
        """Return the operation that enables NAT44."""
        return EnableNat44(item=item)

    def remove(self, item: Nat44) -> DisableNat44:
        """Return the operation that disables it."""
        return DisableNat44(item=item)

    def traffic_impacts(
        self, before: State, after: State, linked: tuple[Collection[str], Collection[str]]
    ) -> Iterator[TrafficImpact]:
        """Yield what becomes of packets without a session when forwarding is turned on or off.

        Without forwarding VPP drops those from outside (nat44_ed_out2in.c), with it those from inside pass as they are
        (nat44_ed_not_translate in nat44_ed_in2out.c).
        """
        name = Nat44().name
        old, new = before.of(Nat44).get(name), after.of(Nat44).get(name)
        if old is None or new is None or old.is_forwarding == new.is_forwarding:
            return
        if translating := frozenset(each for each in linked[0] if before.interfaces[each].nat44 is not None):
            what, impact = ("passes", Impact.POLICY) if new.is_forwarding else ("drops", Impact.REMOVE)
            yield TrafficImpact(name, impact, what, frozenset(), translating)

    def requests(self, connection: VppReader) -> list[bytes]:
        return [connection.request(name)[1] for name in (_SHOW, _MSS, _BALANCED) if connection.offers(name)]

    def read(
        self, connection: VppReader, replies: Replies, names: Mapping[int, str], tables: Iterable[FibTable]
    ) -> Iterator[Nat44]:
        """Yield the settings while NAT44 is enabled; VPP shows timeouts and MSS of before when it is not."""
        if not is_enabled(connection, replies):
            return
        mss = 0
        for retval, is_on, value in connection.rows(replies, _MSS_REPLY, "retval", "enable", "mss_value"):
            mss = value if is_on and not retval else 0
        for _, sessions, inside, outside, is_forwarding, udp, established, transitory, icmp in connection.rows(
            replies, _SHOWN, *_PATHS
        ):
            yield Nat44(
                sessions=sessions,
                inside_table=inside,
                outside_table=outside,
                is_forwarding=bool(is_forwarding),
                mss=mss,
                udp_s=udp,
                tcp_established_s=established,
                tcp_transitory_s=transitory,
                icmp_s=icmp,
                unsupported=tuple(_unsupported(connection, replies, inside, outside)),
            )


def _unsupported(connection: VppReader, replies: Replies, inside: int, outside: int) -> Iterator[str]:
    """Yield what no file can express.

    VPP never releases the FIB tables of `inside-vrf` and `outside-vrf`, and does not report the affinity of a
    load-balanced mapping; mappings of a file are of TCP, UDP or ICMP.
    """
    for word, table in (("inside-vrf", inside), ("outside-vrf", outside)):
        if table:
            yield f"NAT44 with {word} {table}"
    if connection.offers(_BALANCED):
        for raw, port in connection.rows(replies, _BALANCED_DETAILS, "external_addr", "external_port"):
            yield f"a load-balanced mapping of {IPv4Address(raw)}:{port}"
    if connection.offers(_MAPPINGS):  # the kind of mappings asks for them; all kinds read the same replies
        for flags, number in connection.rows(replies, _MAPPING, "flags", "protocol"):
            if not flags & _ADDRESS_ONLY and number not in (1, 6, 17):
                yield f"a mapping of the protocol {number}"
