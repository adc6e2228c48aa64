"""Differences in what VPP does from some release on, written by hand from its source: no table can be made of them.

A note has what is new and what was before, so that it reads both ways, and finds what of a router it is about; where
it finds nothing, there is no finding.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from vppcfg.adopt.grammar import grammar_of
from vppcfg.adopt.places import placed_port
from vppcfg.common.numbers import whole_number
from vppcfg.common.release import Release
from vppcfg.kinds.bond.announcing import unannounced
from vppcfg.model.bond import Bond
from vppcfg.model.nat44 import NatAddress, NatMapping
from vppcfg.model.tap import Tap
from vppcfg.record import record
from vppcfg.startup.conf.tree import ConfEntry
from vppcfg.upgrade.finding import ReleaseChange, UpgradeFinding, Weight, before, listed
from vppcfg.upgrade.subject import UpgradeSubject

Users = Callable[[UpgradeSubject, ReleaseChange], Iterable[str]]
"""Yields what of a router a note is about; the same for both ways between two releases."""
_LARGEST_SIGNED = 0x7FFFFFFF
_SMALL_PAGES = frozenset({"4k", "4096", "default"})
"""Sizes of the pages that Linux has in any case."""


@record
class BehaviourNote:
    """Something that VPP does from one release on."""

    rule: str
    since: Release
    commits: tuple[str, ...]
    file: str
    """Where VPP does it, below src/."""
    weight: Weight
    users: Users
    new: str
    """What VPP does from then on, as a sentence about what is named before it."""
    old: str
    """What it did before, likewise."""
    mend: str = ""
    until: Release | None = None
    """The release that does as before again; None when there is none yet."""

    def findings(self, subject: UpgradeSubject, change: ReleaseChange) -> Iterator[UpgradeFinding]:
        """Yield the finding about a router, if it is about that."""
        if change.crosses(self.since) == (self.until is not None and change.crosses(self.until)):
            return
        objects = tuple(dict.fromkeys(self.users(subject, change)))
        if objects:
            yield UpgradeFinding(
                rule=self.rule,
                weight=self.weight,
                text=f"{listed(objects)}: {self.text}",
                objects=objects,
                since=self.since,
                commits=self.commits,
                mend=self.mend,
            )

    @property
    def text(self) -> str:
        """Return what is new and what was before, in the releases that do the one and the other."""
        if self.until is None:
            return f"from {self.since} on {self.new}; up to {before(self.since)} {self.old}"
        last = before(self.until)
        span = f"in {last}" if last == self.since else f"from {self.since} to {last}"
        return f"{span} {self.new}; before, and from {self.until} on, {self.old}"


def _pairs(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    return subject.desired.lcps


def _followed_pairs(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    """Yield the pairs of a VPP that follows Linux."""
    return subject.desired.lcps if all(subject.loads("linux_nl", release) for release in change.ends) else ()


def _echoed_pairs(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    """Yield the pairs of a VPP that follows Linux, and that Linux follows."""
    stanza, grammar = subject.conf(change.old).stanza("linux-cp"), grammar_of(change.old)
    is_sync = stanza is not None and stanza.find("lcp-sync") is not None
    for _, command in subject.commands():
        meant = grammar.read(command)
        if meant.command == "lcp lcp-sync" and meant.rest.strip():
            is_sync = meant.rest.split()[-1] in ("on", "enable")
    return _followed_pairs(subject, change) if is_sync else ()


def _unannounced(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    return (name for name, _ in unannounced(subject.desired))


def _mpls_pairs(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    return (name for name in subject.desired.lcps if subject.desired.interfaces[name].has_mpls)


def _pairs_twice(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield the commands of scripts that make a pair of an interface that has one in the file, or has had one."""
    grammar, seen = grammar_of(change.old), set(subject.desired.lcps)
    for place, command in subject.commands():
        meant = grammar.read(command)
        name = meant.rest.split(maxsplit=1)[0] if meant.rest.strip() else ""
        if meant.command == "lcp create" and name in seen:
            yield place
        elif meant.command == "lcp create":
            seen.add(name)


def _keys(stanza: str, *names: str) -> Users:
    def users(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
        found = subject.conf(change.old).stanza(stanza)
        for entry in (found.children if found is not None else None) or ():
            if entry.name in names:
                yield f"{subject.place(entry)} {entry.name}"

    return users


def _no_main_core(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    if subject.startup is None:
        return
    cpu = subject.conf(change.old).stanza("cpu")
    if cpu is None or cpu.find("main-core") is None:
        yield f"{subject.startup.name} without main-core"


def _devices(subject: UpgradeSubject, change: ReleaseChange) -> list[ConfEntry]:
    """Return the devices that startup.conf names to DPDK."""
    dpdk = subject.conf(change.old).stanza("dpdk")
    children = (dpdk.children if dpdk is not None else None) or ()
    return [entry for entry in children if entry.name in ("dev", "dev default")]


def _tx_descriptors(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    for device in _devices(subject, change):
        entry = device.find("num-tx-desc")
        if entry is not None:
            yield f"{subject.place(entry)} num-tx-desc {entry.arguments[0]}"


def _same_names(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield devices of DPDK that have the name of one before them."""
    seen: set[str] = set()
    for device in _devices(subject, change):
        named = device.find("name")
        address = device.arguments[0].lower() if device.arguments else ""
        name = f"name {named.arguments[0]}" if named is not None and named.arguments else ""
        if name and name in seen:
            yield f"{subject.place(device)} {address} {name}"
        seen.add(name)


def _ports(*device_classes: str) -> Users:
    return lambda subject, change: subject.ports(*device_classes)


def _dpdk_ports(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    return subject.ports("dpdk") if subject.loads("dpdk", change.old) else ()


def _bonds(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    return subject.desired.virtual_as(Bond)


def _taps(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    """Yield pairs, which have a TAP each, and TAPs of the file."""
    return (*subject.desired.lcps, *subject.desired.virtual_as(Tap))


def _encrypting(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    return subject.encrypting


def _neighbors(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    return (name for name, interface in subject.desired.interfaces.items() if interface.neighbors)


def _pools(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    """Yield pools of NAT44 with several addresses to choose from."""
    counts = Counter(each.table_id for each in subject.desired.of(NatAddress).values() if not each.is_twice)
    return ("nat44",) if any(count > 1 for count in counts.values()) else ()


def _mappings(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield the mappings of NAT44, which hosts inside may use too."""
    for each in subject.desired.of(NatMapping).values():
        yield each.name


def _routed_ports(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield the ports with addresses of their own."""
    return (name for name in subject.ports() if subject.desired.interfaces[name].addresses)


def _filtered(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield the interfaces with a reverse path filter for the IPv4 packets that come in."""
    for name, interface in subject.desired.interfaces.items():
        if any(check.applies_to(is_ipv6=False, is_output=False) for check in interface.urpf):
            yield name


def _clients_in_vrfs(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    for name, interface in subject.desired.interfaces.items():
        if interface.dhcp_client is not None and interface.tables[0]:
            yield name


def _remote_mtus(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield IPv4 hosts behind a router that have a path MTU."""
    for problem in subject.loaded.problems:
        if problem.rule == "path-mtu-remote" and ":" not in (host := str(problem.path[-1])):
            yield host


def _large_ids(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    found = subject.desired.interfaces.items()
    return (name for name, each in found if each.parent is not None and each.sub_id > _LARGEST_SIGNED)


def _own_sysctl(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield a router whose kernel is set by VPP's package, not by `vppcfg startup`."""
    if subject.startup is not None and subject.configuration.dataplane is None:
        yield "/etc/sysctl.d/80-vpp.conf"


def _quic(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield a startup.conf by which one of the two loads the plugin and the other does not."""
    loaded = {subject.loads("quic", release) for release in change.ends}
    if subject.startup is not None and len(loaded) == 2:
        yield subject.startup.name


def _sessions(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    stanza = subject.conf(change.old).stanza("session")
    if stanza is not None and not {"use-app-socket-api", "use-bapi-socket-api"} & {
        child.name for child in stanza.children or ()
    }:
        yield subject.place(stanza)


def _native_drivers(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    stanza = subject.conf(change.old).stanza("devices")
    if stanza is not None:
        yield subject.place(stanza)
    yield from (place for place, command in subject.commands() if command.split()[:1] == ["device"])


def _placed_nowhere(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield the commands that place a queue and name no thread."""
    grammar = grammar_of(change.old)
    for place, command in subject.commands():
        meant = grammar.read(command)
        if meant.command == "set interface rx-placement" and not {"worker", "main"} & set(meant.rest.split()):
            yield place


def _worker_behind_port(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield the commands that name a port, and a worker behind it."""
    grammar = grammar_of(change.old)
    for place, command in subject.commands():
        meant = grammar.read(command)
        words = meant.rest.split()
        port = placed_port(words) if meant.command == "set interface rx-placement" else None
        if port is not None and "worker" in words[words.index(port) :]:
            yield place


def _proxied_in_vrfs(subject: UpgradeSubject, change: ReleaseChange) -> Iterable[str]:
    ranges = sorted(subject.desired.proxy_arps, key=lambda each: each.order)
    return (f"{each.first}-{each.last} in table {each.table_id}" for each in ranges if each.table_id)


def _typed_clients(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    """Yield the commands that make a DHCP client; `broadcast` takes one out, as `del` does."""
    grammar = grammar_of(change.old)
    for place, command in subject.commands():
        meant = grammar.read(command)
        if meant.command == "set dhcp client" and not {"del", "broadcast"} & set(meant.rest.split()):
            yield place


def _generated(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    grammar = grammar_of(change.old)
    for place, command in subject.commands():
        meant = grammar.read(command)
        if meant.command == "packet-generator new" and "interface" in meant.rest.split():
            yield place


def _small_pages(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    buffers = subject.conf(change.old).stanza("buffers")
    entry = buffers.find("page-size") if buffers is not None else None
    if entry is not None and entry.arguments and entry.arguments[0].lower() in _SMALL_PAGES:
        yield f"{subject.place(entry)} page-size {entry.arguments[0]}"


def _large_numbers(subject: UpgradeSubject, change: ReleaseChange) -> Iterator[str]:
    for place, command in subject.commands():
        if any(word.isascii() and word.isdecimal() and _is_large(word) for word in command.split()):
            yield place


def _is_large(digits: str) -> bool:
    """Return whether a number is beyond 32 bits."""
    number = whole_number(digits)
    return number is None or number > 0xFFFFFFFF


NOTES: tuple[BehaviourNote, ...] = (
    BehaviourNote(
        rule="up-mpls-host",
        since=Release(23, 10),
        commits=("44b3abe86ab",),
        file="plugins/linux-cp/lcp_mpls_sync.c",
        weight=Weight.CHANGES,
        users=_mpls_pairs,
        new="MPLS is turned on for the host side of the LCP too",
        old="the host side was left alone",
    ),
    BehaviourNote(
        rule="up-lcp-twice",
        since=Release(24, 2),
        commits=("a1646361063",),
        file="plugins/linux-cp/lcp_interface.c",
        weight=Weight.NOTICE,
        users=_pairs_twice,
        new="a second LCP of an interface is refused before anything is made (return code -81)",
        old="it was refused halfway, with another return code (-71)",
        mend="take the command out: the interface has its LCP from the file",
    ),
    BehaviourNote(
        rule="up-lcp-loop",
        since=Release(24, 2),
        commits=("2c9b128e1b3",),
        file="plugins/linux-cp/lcp_interface_sync.c",
        weight=Weight.CHANGES,
        users=_echoed_pairs,
        new="lcp-sync does not send back to Linux what linux-nl hears from there",
        old="it did, and an LCP that was set up as soon as it was made went up and down without end and lost its "
        "addresses",
        mend="before 24.02 leave LCPs to `vppcfg apply`, which waits, or write `wait 0.5` into the script before what "
        "sets their interfaces up",
    ),
    BehaviourNote(
        rule="up-nat44-address",
        since=Release(23, 10),
        commits=("579a6fb89ba",),
        file="plugins/nat/nat44-ed/nat44_ed_in2out.c",
        weight=Weight.NOTICE,
        users=_pools,
        new="all bytes of an inside address choose the address of the pool",
        old="mostly its first byte did, so that most hosts had the same one",
    ),
    BehaviourNote(
        rule="up-nat44-inside",
        since=Release(24, 6),
        commits=("4c15c94b09f",),
        file="plugins/nat/nat44-ed/nat44_ed_in2out.c",
        weight=Weight.CHANGES,
        users=_mappings,
        new="a host inside reaches it by its outside address",
        old="the answers to such a host kept the inside address of the server, so that it dropped them",
    ),
    BehaviourNote(
        rule="up-pinning",
        since=Release(24, 2),
        commits=("832342e3a4c",),
        file="vlib/threads.c",
        weight=Weight.NOTICE,
        users=_keys("cpu", "main-core", "workers", "corelist-workers", "coremask-workers"),
        new="a thread that cannot be pinned to its CPU stops VPP",
        old="it ran unpinned",
        mend="`vppcfg startup check --root /` reports whether the CPUs are there",
    ),
    BehaviourNote(
        rule="up-other-macs",
        since=Release(24, 6),
        commits=("e4238aa34f8",),
        file="vnet/ethernet/node.c",
        weight=Weight.NOTICE,
        users=_routed_ports,
        new="untagged packets for another MAC address are dropped where the card does not filter them",
        old="they were forwarded",
        mend="make sure that no neighbour or traffic generator sends to an address that the port does not have",
    ),
    BehaviourNote(
        rule="up-bond-announced",
        since=Release(24, 10),
        commits=("3ac2ac53249",),
        file="vnet/ip/ip_sas.c",
        weight=Weight.CHANGES,
        users=_unannounced,
        new="a bond that gets another active member announces the addresses that it can",
        old="VPP ended, as here none of them has a connected route",
        mend="give it an address with a subnet, or take its addresses out while it is down",
    ),
    BehaviourNote(
        rule="up-main-core",
        since=Release(24, 10),
        commits=("0b0468cb0fc",),
        file="vlib/threads.c",
        weight=Weight.NOTICE,
        users=_no_main_core,
        new="the main thread is pinned to the CPU that it started on",
        old="the kernel moved it about",
        mend="write main-core in `cpu`",
    ),
    BehaviourNote(
        rule="up-lcp-names",
        since=Release(24, 10),
        commits=("2a5bb3b5ab3",),
        file="plugins/linux-cp/lcp_interface.c",
        weight=Weight.CHANGES,
        users=_pairs,
        new="VPP calls the host TAPs of LCPs tap4096, tap4097 and so on, in the order in which they are made",
        old="it called them by the number of their interface, tap1 and so on",
        mend="check what counts packets by these names; the names in Linux stay",
    ),
    BehaviourNote(
        rule="up-crypto",
        since=Release(25, 2),
        commits=("0cf4eef73a4", "6c95e41b510"),
        file="pkg/debian/control.in",
        weight=Weight.CHANGES,
        users=_encrypting,
        new="crypto engines are in the package vpp-crypto-engines, which vpp does not depend on; lines about "
        "plugins crypto_... do nothing",
        old="they were plugins of vpp-plugin-core",
        mend="install vpp-crypto-engines together with vpp; without an engine no packet is encrypted",
    ),
    BehaviourNote(
        rule="up-tx-descriptors",
        since=Release(25, 2),
        commits=("e7226a21274",),
        file="plugins/dpdk/device/init.c",
        weight=Weight.NOTICE,
        users=_tx_descriptors,
        new="more transmit descriptors than the device can have are cut to its maximum, with a line in the log",
        old="the device did not come up with them",
        mend="`vppcfg startup check --root /` knows the limits of many devices",
    ),
    BehaviourNote(
        rule="up-af-xdp",
        since=Release(25, 2),
        commits=("0dd47bcf2b0",),
        file="plugins/af_xdp/af_xdp.api",
        weight=Weight.NOTICE,
        users=_ports("AF_XDP interface"),
        new="af_xdp_create_v3 is the only message that makes such a port",
        old="af_xdp_create and af_xdp_create_v2 were there too",
        mend="check the program that makes the port; the command `create interface af_xdp` stays",
    ),
    BehaviourNote(
        rule="up-dhcp-id",
        since=Release(25, 2),
        commits=("75f4960d12a",),
        file="plugins/dhcp/client.c",
        weight=Weight.CHANGES,
        users=_typed_clients,
        new="a client made by `set dhcp client` sends the MAC address of its port as its id (option 61)",
        old="each one sent `vpp 1.1`",
        mend="make sure that the server leases by the other id too; `dhcp-client` of the file sends the MAC address on "
        "every release",
    ),
    BehaviourNote(
        rule="up-sysctl",
        since=Release(25, 2),
        commits=("d38aeaea4c5", "8f7bfab5e82"),
        file="vpp/conf/80-vpp.conf",
        weight=Weight.NOTICE,
        users=_own_sysctl,
        new="VPP's package sets neither vm.max_map_count nor kernel.shmmax",
        old="it set both",
        mend="`vppcfg startup` with a section dataplane writes what this machine needs",
    ),
    BehaviourNote(
        rule="up-tx-prepare",
        since=Release(25, 6),
        commits=("26bd3e939e4",),
        file="plugins/dpdk/device/device.c",
        weight=Weight.NOTICE,
        users=_dpdk_ports,
        new="DPDK is asked to prepare packets (rte_eth_tx_prepare) before each transmission",
        old="VPP did that itself",
        mend="measure the router again",
    ),
    BehaviourNote(
        rule="up-urpf-broadcast",
        since=Release(25, 6),
        commits=("bdf1288528c",),
        file="plugins/urpf/urpf_dp.h",
        weight=Weight.CHANGES,
        users=_filtered,
        new="the reverse path filter passes IPv4 broadcasts, such as those of DHCP clients without an address",
        old="it dropped them, and passed what has a multicast address for its source",
        mend="before 25.06 take `urpf` off where hosts ask for addresses by `dhcp-relay`",
    ),
    BehaviourNote(
        rule="up-worker-behind",
        since=Release(25, 6),
        until=Release(25, 10),
        commits=("fc7b794758f",),
        file="vnet/interface_cli.c",
        weight=Weight.CHANGES,
        users=_worker_behind_port,
        new="`set interface rx-placement` forgets the port when a worker is named behind it",
        old="the order of its words does not matter",
        mend="name the worker before the port, or write `rx-placement` into the file",
    ),
    BehaviourNote(
        rule="up-netlink-order",
        since=Release(25, 10),
        commits=("d0e47c94ec0",),
        file="plugins/linux-cp/lcp_nl.c",
        weight=Weight.NOTICE,
        users=_followed_pairs,
        new="messages of Linux that wait are not read while LCPs are made, so they arrive in another order",
        old="they were read each time",
    ),
    BehaviourNote(
        rule="up-dhcp-vrf",
        since=Release(25, 10),
        commits=("2b70ffb1be9",),
        file="plugins/dhcp/client.c",
        weight=Weight.CHANGES,
        users=_clients_in_vrfs,
        new="the DHCP client renews its lease by the routes of its VRF",
        old="it asked by those of the default table, and lost its address each time that the lease ended",
        mend="before 25.10 have the server give long leases, or keep a route to it in the default table",
    ),
    BehaviourNote(
        rule="up-placed-nowhere",
        since=Release(25, 10),
        commits=("61ee7875f66",),
        file="vnet/interface_cli.c",
        weight=Weight.CHANGES,
        users=_placed_nowhere,
        new="`set interface rx-placement` without `worker` or `main` is refused",
        old="it gave the queue to the main thread",
        mend="name the thread, or write `rx-placement` into the file",
    ),
    BehaviourNote(
        rule="up-proxy-arp",
        since=Release(25, 10),
        commits=("89bbec8df64",),
        file="vnet/arp/arp_api.c",
        weight=Weight.NOTICE,
        users=_proxied_in_vrfs,
        new="VPP's API reports the id of the table that a range for proxy ARP is in",
        old="it reported VPP's own index of the table",
        mend="check programs that send proxy_arp_dump",
    ),
    BehaviourNote(
        rule="up-generated",
        since=Release(26, 2),
        commits=("5fe2bbeea79",),
        file="vnet/pg/input.c",
        weight=Weight.CHANGES,
        users=_generated,
        new="packets of the packet generator come in by the interface that their stream names",
        old="they came in by the generator's own port, where most were dropped because of their MAC address",
        mend="check what the streams of the script are for",
    ),
    BehaviourNote(
        rule="up-tap-class",
        since=Release(26, 2),
        commits=("cb19c526dd1",),
        file="plugins/tap/tap.c",
        weight=Weight.CHANGES,
        users=_taps,
        new="a TAP is of the device class tap",
        old="it was of the class virtio",
        mend="check programs that recognize interfaces by their class",
    ),
    BehaviourNote(
        rule="up-path-mtu",
        since=Release(26, 2),
        commits=("4f1697ffb2e",),
        file="vnet/ip/ip_path_mtu_node.c",
        weight=Weight.NOTICE,
        users=_remote_mtus,
        new="what a path MTU drops is answered with an ICMP error",
        old="it was dropped without one",
    ),
    BehaviourNote(
        rule="up-neighbors",
        since=Release(26, 2),
        commits=("e5b3666c12f",),
        file="vnet/ip-neighbor/ip_neighbor.c",
        weight=Weight.NOTICE,
        users=_neighbors,
        new="static neighbours go with their interface",
        old="they stayed behind when it was deleted",
    ),
    BehaviourNote(
        rule="up-quic",
        since=Release(25, 6),
        commits=("a94fab2fb6a",),
        file="plugins/quic/quic.c",
        weight=Weight.NOTICE,
        users=_quic,
        new="the plugin quic is loaded unless it is disabled",
        old="it was off unless it was enabled",
        mend="write `plugin quic_plugin.so { disable }` if it is not needed",
    ),
    BehaviourNote(
        rule="up-virtio",
        since=Release(26, 2),
        commits=("c9d32e02086",),
        file="vnet/devices/virtio/virtio.c",
        weight=Weight.NOTICE,
        users=_ports("virtio"),
        new="VPP's own driver accepts no virtio device that is older than virtio 1.0",
        old="it accepted them",
        mend="make sure that the hypervisor offers virtio 1.0",
    ),
    BehaviourNote(
        rule="up-drivers",
        since=Release(26, 2),
        commits=("3fd16333608",),
        file="pkg/debian/control.in",
        weight=Weight.CHANGES,
        users=_native_drivers,
        new="VPP's own drivers are in the package vpp-drivers, which vpp does not depend on",
        old="they were plugins of vpp-plugin-core",
        mend="install vpp-drivers together with vpp",
    ),
    BehaviourNote(
        rule="up-session-api",
        since=Release(26, 2),
        commits=("2cac6fb68c2",),
        file="vnet/session/session.c",
        weight=Weight.CHANGES,
        users=_sessions,
        new="applications attach through the socket of the session layer",
        old="they attached through the binary API",
        mend="write `use-bapi-socket-api` in `session` for applications that cannot",
    ),
    BehaviourNote(
        rule="up-bond-link",
        since=Release(26, 6),
        commits=("69ec0049fc9",),
        file="vnet/bonding/device.c",
        weight=Weight.CHANGES,
        users=_bonds,
        new="the link is down while no member is active",
        old="it was always up",
        mend="have LACP up before the upgrade; without an active member an LCP on the bond has no carrier",
    ),
    BehaviourNote(
        rule="up-same-name",
        since=Release(26, 6),
        commits=("ea524a3ea26",),
        file="plugins/dpdk/device/init.c",
        weight=Weight.STOPS,
        users=_same_names,
        new="VPP stops at two devices of one name",
        old="it crashed, or gave both the name",
        mend="give each device a name of its own",
    ),
    BehaviourNote(
        rule="up-netlink-socket",
        since=Release(26, 6),
        commits=("dd0d3361750",),
        file="plugins/linux-cp/lcp_nl.c",
        weight=Weight.NOTICE,
        users=_followed_pairs,
        new="the netlink socket is opened with the first LCP and closed with the last one",
        old="it was open as long as VPP ran",
    ),
    BehaviourNote(
        rule="up-sub-id",
        since=Release(26, 6),
        commits=("ca681ca829d",),
        file="vnet/interface_format.c",
        weight=Weight.CHANGES,
        users=_large_ids,
        new="an id of 2147483648 or more is in the name as it is",
        old="VPP showed it with a minus sign",
    ),
    BehaviourNote(
        rule="up-small-pages",
        since=Release(26, 10),
        commits=("f9020c10610",),
        file="vlib/buffer.c",
        weight=Weight.NOTICE,
        users=_small_pages,
        new="there are as many buffers on pages of 4 KB as are asked for",
        old="there were, from 24.02 on, up to half fewer: those that cross from one page to the next were left out",
        mend="lower `buffers-per-numa` if that is too many; hugepages are better",
    ),
    BehaviourNote(
        rule="up-numbers",
        since=Release(26, 10),
        commits=("568453fa0e1",),
        file="vppinfra/unformat.c",
        weight=Weight.CHANGES,
        users=_large_numbers,
        new="a number that does not fit is refused",
        old="it was cut off, and VPP went on with what was left",
        mend="correct the number",
    ),
)
"""Ascending by release."""

UNSEEN = {
    "535364e9045": "only VPP's prompt prints the name of a deleted interface",
    "9c6fd897fda": "only a program that names no interface sees it",
    "74cf9657676": "GRE keys are a key of the file, which its own check finds",
    "191f96a1567": "preshared keys are a key of the file, which its own check finds",
    "2d25978a8c5": "that a route of a VRF answers is a key of the file, which its own check finds",
    "5f694322a92": "that a route drops is a key of the file, which its own check finds",
    "8c77c1930ab": "packets are dropped either way; only `show ip fib` prints the typed route otherwise",
    "e3469369dab": "lists of hosts are set by the API, which every release has; scripts that type them have a finding",
    "85dddcb535a": "OSI protocols are a key of the file, which its own check finds",
    "466fb6da7c8": "a line more in what `show lcp` prints",
    "5267f34c29d": "a file cannot ask for two TAPs with one Linux device",
    "8d68794032b": "two lines more in what `show sflow` prints; packets are sampled as before",
    "e870d5b6ac3": "only a program that looks at the mode of an IPIP tunnel sees it",
    "7ae20bb3feb": "only a command for a policer that is not there is answered otherwise",
    "43b6ff39aef": "a plan takes the protection off itself before its tunnel goes, on every release",
    "d1177514c40": "a plan puts no policer on",
    "0f37c4847df": "a plan takes policers off as often as they are on before their interface goes, on every release",
    "8a5b23ee83a": "a file sets values of `qos store` by the API, which every release has",
    "4b2803a0a5f": "only a program that looks at the handle in the answer to a ping sees it",
}
"""What the simulator does differently by release, and why it is no note: operators do not notice it."""
