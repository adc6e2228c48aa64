"""TAPs: the section `taps`, and how a VPP's TAPs are read (plugins/tap)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar

from vppcfg.common.addresses import canonical_mac
from vppcfg.common.names import instance_of
from vppcfg.engine.virtual_interface_kind import VirtualInterfaceKind
from vppcfg.entries.configuration import MAX_MTU, MIN_MTU
from vppcfg.entries.desired_state import DesiredStateBuilder
from vppcfg.entries.names import is_lcp_name, is_netns_name
from vppcfg.entries.section import Parsing, SectionEntry
from vppcfg.entries.virtual_interface_section import Plugin
from vppcfg.entries.yaml.text import KeyValue
from vppcfg.kinds.tap.entry import DEFAULT_RING_SIZE, MAX_RING, MIN_RING, RULES, TAP_PLUGIN_SINCE, TapConfig
from vppcfg.model.interface import Interface, InterfaceKind
from vppcfg.model.kinds import as_created
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.state import State
from vppcfg.model.tap import DEFAULT_HOST_MTU, Tap
from vppcfg.operations.operation import CreateInterface, DeleteInterface
from vppcfg.operations.pause import Pause, PauseContext, of_deleted_tap, of_new_device
from vppcfg.operations.request import ALL_INDEXES, Indexes, Request, Value, Vocabulary
from vppcfg.operations.working_state import WorkingState
from vppcfg.record import record
from vppcfg.wire.codec import mac_bytes
from vppcfg.wire.reading import Replies, VppReader, text_of
from vppcfg.wire.row import Row

_CREATE = ("tap_create_v3", "tap_create_v2")
"""Newest first; v3 is in 22.06 already. They differ in the number of queues."""


@record
class CreateTap(CreateInterface):
    """tap_create_v3: create `tapN` and its Linux device, down."""

    why_unrehearsed = "a port stands in for a TAP"

    instance: int
    tap: Tap

    def _refusal(self, working: WorkingState) -> str | None:
        bridge = (self.tap.host_netns, self.tap.host_bridge)
        if working.has_linux and self.tap.host_bridge and bridge not in working.linux_bridges:
            return f"there is no Linux bridge {self.tap.host_bridge}, and VPP would report nothing"
        holder = working.linux_names.get((self.tap.host_netns, self.tap.host_name))
        return f"the Linux name {self.tap.host_name} is held by {holder}" if holder else None

    def apply_to(self, working: WorkingState) -> None:
        """Enter the TAP, and its Linux device where Linux is known."""
        working.create_interface(as_created(self.interface, InterfaceKind.TAP))
        working.virtual[self.interface] = self.tap
        working.linux_names[self.tap.host_netns, self.tap.host_name] = self.interface
        if working.has_linux:
            working.linux[self.interface] = self.tap.device_as_created()

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        tap = self.tap
        values: dict[str, Value] = {
            "id": self.instance,
            "use_random_mac": 1,
            "num_rx_queues": 1,
            "tx_ring_sz": tap.tx_ring_size,
            "rx_ring_sz": tap.rx_ring_size,
            "host_mtu_set": int(tap.host_mtu != 0),
            "host_mtu_size": tap.host_mtu,
            "host_mac_addr_set": int(tap.host_mac != ""),
            "host_mac_addr": mac_bytes(tap.host_mac),
            "tap_flags": tap.flags,
            "host_namespace_set": int(tap.host_netns != ""),
            "host_namespace": tap.host_netns,
            "host_if_name_set": 1,
            "host_if_name": tap.host_name,
            "host_bridge_set": int(tap.host_bridge != ""),
            "host_bridge": tap.host_bridge,
        }
        message = vpp.newest(_CREATE)
        if vpp.has_field(message, "num_tx_queues"):
            values["num_tx_queues"] = 1
        return Request(message, values)

    def cli(self) -> str | None:
        """Return the command (plugins/tap/cli.c), which has no word for some flags."""
        tap = self.tap
        if tap.flags:
            return None
        words = [f"create tap id {self.instance} host-if-name {tap.host_name}"]
        words += [f"host-ns {tap.host_netns}"] if tap.host_netns else []
        words += [f"host-mac-addr {tap.host_mac}"] if tap.host_mac else []
        words += [f"host-bridge {tap.host_bridge}"] if tap.host_bridge else []
        words += [f"host-mtu-size {tap.host_mtu}"] if tap.host_mtu else []
        return " ".join([*words, f"rx-ring-size {tap.rx_ring_size} tx-ring-size {tap.tx_ring_size}"])

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: Linux makes a device."""
        return of_new_device("it makes {}")


@record
class DeleteTap(DeleteInterface):
    """tap_delete_v2: delete a TAP and its Linux device."""

    why_unrehearsed = "a port stands in for a TAP"

    virtual = Tap

    def apply_to(self, working: WorkingState) -> None:
        tap = working.virtual_of(self.interface, Tap)
        DeleteInterface.apply_to(self, working)
        working.linux.pop(self.interface, None)
        if tap is not None:
            del working.linux_names[tap.host_netns, tap.host_name]

    def request(self, indexes: Indexes, vpp: Vocabulary) -> Request:
        return Request("tap_delete_v2", {"sw_if_index": indexes.interface(self.interface)})

    def cli(self) -> str:
        return f"delete tap {self.interface}"

    def pause(self, context: PauseContext) -> Pause:
        """Return how long VPP forwards nothing for it: Linux closes its device."""
        return of_deleted_tap(context)


MAX_TAP = 1024
_DUMP = "sw_interface_tap_v2_dump"
_TUN = 16
"""TAP_API_FLAG_TUN (plugins/tap/tapv2.api): the device carries packets without Ethernet, and is called tunN."""
_DETAILS = (
    *("sw_if_index", "tx_ring_sz", "rx_ring_sz", "host_mtu_size", "host_mac_addr", "tap_flags"),
    *("host_if_name", "host_namespace", "host_bridge"),
)


class TapKind(VirtualInterfaceKind[TapConfig, Tap]):
    """The section `taps`, and TAPs in VPP."""

    key = "taps"
    word = "tap"
    last = MAX_TAP
    noun = "TAP"
    config = TapConfig
    virtual = Tap
    plugin = Plugin(name="tap", reason="the file has a TAP", since=TAP_PLUGIN_SINCE)
    can_join_bond = True
    assumed: ClassVar = {
        "host": ({"name": "assumed-a"}, {"name": "assumed-b"}),
        "namespace": ("assumed-a", "assumed-b"),
        "bridge": ("assumed-a", "assumed-b"),
        "namespace-create": (True, False),
        "bridge-create": (True, False),
        "rx-ring-size": (256, 512),
        "tx-ring-size": (256, 512),
    }
    rules = RULES
    operations = (CreateTap, DeleteTap)
    api_module = "tapv2"
    device_class = "tap"
    instance_name = re.compile(r"tap\d+")
    command, number_word = "create tap", "id"
    unsupported_words = frozenset(
        {
            *("host-ip4-addr", "host-ip4-gw", "host-ip6-addr", "host-ip6-gw"),
            *("consistent-qp", "in-order", "no-gso", "if-name"),
        }
    )
    unreported_words: ClassVar = {"tun": "", "num-rx-queues": "1", "num-tx-queues": "1"}
    capabilities: ClassVar = {"tap": _DUMP}

    def parse_entry(self, entry: SectionEntry, parsing: Parsing) -> TapConfig:
        host = entry.raw["host"]
        return TapConfig(
            name=entry.name,
            path=entry.path,
            host_name=host["name"],
            description=entry.description,
            host_mac=canonical_mac(host.get("mac")),
            host_mtu=host.get("mtu"),
            host_bridge=host.get("bridge"),
            creates_bridge=host.get("bridge-create") or False,
            host_netns=host.get("namespace"),
            creates_netns=host.get("namespace-create") or False,
            rx_ring_size=_ring_size(entry.raw.get("rx-ring-size")),
            tx_ring_size=_ring_size(entry.raw.get("tx-ring-size")),
        )

    def to_desired(self, config: TapConfig, before: Tap | None, desired: DesiredStateBuilder) -> Tap:
        """Return the TAP; what the file leaves open of it stays as it is.

        A new one is always made with an MTU for its device: up to 25.10 VPP would otherwise take the one that
        `tap { host-mtu }` names in startup.conf (vnet/devices/tap/tap.c), which no message reports.
        """
        return Tap(
            host_name=config.host_name,
            host_mac=config.host_mac or "",
            host_mtu=_host_mtu(config, before),
            host_bridge=config.host_bridge or "",
            host_netns=config.host_netns or "",
            rx_ring_size=config.rx_ring_size,
            tx_ring_size=config.tx_ring_size,
            flags=before.flags if before else 0,
        )

    def resolve_linux(self, desired: DesiredStateBuilder) -> None:
        """Enter what TAPs create in Linux, and their devices; note what they only name and Linux does not have."""
        for name, config in desired.configuration.virtual_as(TapConfig).items():
            tap = desired.virtual.get(name)
            if not isinstance(tap, Tap):
                continue
            netns, bridge = config.host_netns, config.host_bridge
            if netns is not None and config.creates_netns:
                desired.namespaces |= {netns}
            if bridge is not None and config.creates_bridge:
                desired.linux_bridges |= {(netns or "", bridge)}
            if not desired.observed.facts.has_linux:
                continue
            if netns is not None and netns not in desired.namespaces:
                _lacks(desired, config, "namespace", f"there is no network namespace {netns}")
            if bridge is not None and (netns or "", bridge) not in desired.linux_bridges:
                _lacks(desired, config, "bridge", f"there is no Linux bridge {bridge}")
            desired.linux[name] = _device(tap, config, desired.observed.linux.get(name))

    def unsupported_reason(self, virtual: Tap) -> str | None:
        if not is_lcp_name(virtual.host_name):
            return f"its Linux side has a name that the configuration does not allow: {virtual.host_name}"
        if virtual.host_bridge and not is_lcp_name(virtual.host_bridge):
            return f"it is in a Linux bridge with a name that the configuration does not allow: {virtual.host_bridge}"
        if virtual.host_netns and not is_netns_name(virtual.host_netns):
            return f'it is in a network namespace that the configuration cannot name: "{virtual.host_netns}"'
        if virtual.host_mtu and not MIN_MTU <= virtual.host_mtu <= MAX_MTU:
            return f"the MTU of its Linux side is {virtual.host_mtu}, outside of {MIN_MTU} to {MAX_MTU}"
        for size in (virtual.rx_ring_size, virtual.tx_ring_size):
            if not MIN_RING <= size <= MAX_RING:
                return f"it has a ring of {size}"
        return None

    def virtual_from_state(self, name: str, virtual: Tap, state: State) -> TapConfig:
        return TapConfig(
            name=name,
            path=(self.key, name),
            host_name=virtual.host_name,
            host_mac=virtual.host_mac or None,
            host_mtu=_host_mtu_in_file(name, virtual, state),
            host_bridge=virtual.host_bridge or None,
            host_netns=virtual.host_netns or None,
            rx_ring_size=virtual.rx_ring_size,
            tx_ring_size=virtual.tx_ring_size,
        )

    def creating_in_linux(
        self, entry: TapConfig, namespaces: Collection[str], bridges: Collection[tuple[str, str]]
    ) -> TapConfig:
        """Return a TAP with the keys that create the namespace and the bridge of its device, where vppcfg made them."""
        return replace(
            entry,
            creates_netns=entry.host_netns in namespaces,
            creates_bridge=(entry.host_netns or "", entry.host_bridge) in bridges,
        )

    def to_yaml_keys(self, entry: TapConfig) -> Iterator[KeyValue]:
        yield KeyValue("host", tuple(entry.host_keys()))
        for key, size in (("rx-ring-size", entry.rx_ring_size), ("tx-ring-size", entry.tx_ring_size)):
            yield KeyValue(key, size, is_default=size == DEFAULT_RING_SIZE)

    def create(self, interface: Interface, virtual: Tap) -> CreateTap:
        return CreateTap(interface=interface.name, instance=instance_of(interface.name), tap=virtual)

    def delete(self, name: str, virtual: Tap) -> DeleteTap:
        return DeleteTap(interface=name)

    def requests(self, connection: VppReader) -> list[bytes]:
        """Return the request for all TAPs, where VPP has the tap plugin."""
        return [connection.request(_DUMP, {"sw_if_index": ALL_INDEXES})[1]] if connection.offers(_DUMP) else []

    def read(self, connection: VppReader, replies: Replies, rows: Mapping[int, Row]) -> dict[str, Tap]:
        """Return the TAPs by name; `rows` are the interfaces by index, without the VPP side of LCP pairs.

        The outcome of their Linux devices is read through netlink, not here.
        """
        if not connection.offers(_DUMP):
            return {}
        return {
            rows[index].name: Tap(
                host_name=text_of(name),
                host_mac=mac.hex(":") if any(mac) else "",
                host_mtu=mtu,
                host_bridge=text_of(bridge),
                host_netns=text_of(netns),
                rx_ring_size=rx_size,
                tx_ring_size=tx_size,
                flags=flags,
            )
            for index, tx_size, rx_size, mtu, mac, flags, name, netns, bridge in connection.rows(
                replies, "sw_interface_tap_v2_details", *_DETAILS
            )
            if index in rows and not flags & _TUN
        }


def _ring_size(raw: Any) -> int:
    return DEFAULT_RING_SIZE if raw is None else int(raw)


def _lacks(desired: DesiredStateBuilder, config: TapConfig, key: str, text: str) -> None:
    desired.is_possible = False
    path = (*config.path, "host", key)
    desired.problem("tap-host-missing", path, f"{text}; create it, or set `{key}-create: true`")


def _host_mtu(config: TapConfig, before: Tap | None) -> int:
    """Return what a TAP is made with; one that was made without an MTU has the one that Linux gives it."""
    if before is not None and config.host_mtu in {None, before.host_mtu or DEFAULT_HOST_MTU}:
        return before.host_mtu
    return config.host_mtu or DEFAULT_HOST_MTU


def _host_mtu_in_file(name: str, virtual: Tap, state: State) -> int | None:
    """Return the MTU of an entry; the usual one only where both sides of the TAP have it, as a rule demands."""
    if virtual.host_mtu != DEFAULT_HOST_MTU:
        return virtual.host_mtu or None
    device = state.linux.get(name)
    is_common = state.packet_mtu(name) == DEFAULT_HOST_MTU and (device is None or device.mtu == DEFAULT_HOST_MTU)
    return DEFAULT_HOST_MTU if is_common else None


def _device(tap: Tap, config: TapConfig, before: LinuxDevice | None) -> LinuxDevice:
    """Return the device; an MTU that the file leaves open stays, whatever the TAP was made with."""
    device = before or tap.device_as_created()
    return replace(device, mtu=config.host_mtu or device.mtu, bridge=tap.host_bridge)


KIND = TapKind()
