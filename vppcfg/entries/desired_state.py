"""Builds the desired state: each section of the file enters its objects here, one after the other."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from vppcfg.common.release import OLDEST, Release, is_older
from vppcfg.entries.configuration import Configuration
from vppcfg.model.acl import Acl, MacipAcl
from vppcfg.model.bridge import Bridge
from vppcfg.model.features import ProxyArp
from vppcfg.model.interface import Interface
from vppcfg.model.ipfix import IpfixSettings
from vppcfg.model.lcp import LcpPair
from vppcfg.model.linux import LinuxDevice
from vppcfg.model.lists_of_others import with_lists
from vppcfg.model.ownership import CREATED_MARK, MARK, NameGlobs, is_created_by_us, is_foreign, is_ours, tag_for
from vppcfg.model.problem import KeyPath, Problem, Severity
from vppcfg.model.state import LldpSettings, SflowSettings, State
from vppcfg.model.virtual_interface import VirtualInterface
from vppcfg.model.vpn_label import VpnLabel
from vppcfg.model.vpp_object import VppObject, without_empty
from vppcfg.model.vrf import FibTable, table_keys


class DesiredStateBuilder:
    """The tables of a State, filled step by step: first with objects that plans leave alone, then with the file's."""

    def __init__(self, configuration: Configuration, observed: State, *, adopt: bool) -> None:
        self.configuration = configuration
        self.observed = observed
        self.adopt = adopt
        """Whether an interface that the file names may carry the tag of another program."""
        self.globs = NameGlobs(configuration.unmanaged)
        self.problems: list[Problem] = []
        self.is_possible = True
        """False when a problem leaves nothing that could be planned."""
        self.interfaces: dict[str, Interface] = {}
        self.lcps: dict[str, LcpPair] = {}
        self.virtual: dict[str, VirtualInterface] = {}
        self.bridges: dict[str, Bridge] = {}
        self.vrfs: dict[str, FibTable] = {}
        self.acls: dict[str, Acl] = {}
        self.macips: dict[str, MacipAcl] = {}
        self.facts = observed.facts
        self.sflow: SflowSettings = observed.sflow
        self.lldp = LldpSettings()
        self.ipfix: IpfixSettings = observed.ipfix
        self.proxy_arps: frozenset[ProxyArp] = frozenset()
        self.objects: dict[type[VppObject], dict[str, VppObject]] = {}
        self.owned: set[tuple[str, str]] = set()
        """Which objects are the file's, by table and scope."""
        self.linux: dict[str, LinuxDevice] = {}
        self.namespaces: frozenset[str] = observed.namespaces
        self.linux_bridges: frozenset[tuple[str, str]] = observed.linux_bridges
        self.configured: set[str] = set()
        """Interfaces that the file determines."""
        self.missing: list[str] = []
        """Interfaces that the file needs and cannot create, and that VPP lacks."""

    def enter(self, item: VppObject) -> None:
        """Enter an object that is no interface."""
        self.objects.setdefault(type(item), {})[item.name] = item

    def problem(self, rule: str, path: KeyPath, text: str) -> None:
        """Note that the dataplane cannot give what the file asks for."""
        self.problems.append(Problem(rule=rule, path=path, text=text))

    def lacks_unmanaged(self, name: str, rule: str, path: KeyPath) -> bool:
        """Return whether VPP lacks an interface that the file leaves to others; report it.

        What the file has and VPP lacks is made, or is a problem of its own.
        """
        if name in self.configuration.interfaces or name in self.interfaces:
            return False
        text = f"VPP has no interface {name}, and the file leaves it to others; have it made there first"
        self.lacks(name, rule, path, f"{text}, or name another one")
        return True

    def lacks(self, name: str, rule: str, path: KeyPath, text: str) -> None:
        """Note that VPP lacks an interface that others create: a boot waits for it."""
        self.missing.append(name)
        self.problem(rule, path, text)

    def warning(self, rule: str, path: KeyPath, text: str) -> None:
        """Note what the operator should know, and nothing depends on."""
        self.problems.append(Problem(rule=rule, path=path, text=text, severity=Severity.WARNING))

    def risk(self, rule: str, path: KeyPath, until: Release, text: str, since: Release = OLDEST) -> None:
        """Warn of a defect that VPP is known to have, by its release, `since` one and `until` another."""
        version = self.observed.facts.version
        if is_older(version, until) and not is_older(version, since):
            self.warning(rule, path, f"VPP {version} {text}")

    def notice(self, rule: str, path: KeyPath, text: str) -> None:
        """Note what is only good to know."""
        self.problems.append(Problem(rule=rule, path=path, text=text, severity=Severity.NOTICE))

    def is_somebody_elses(self, tag: str, glob: str | None) -> bool:
        """Return whether an access list is not ours by its tag, or left alone by what patterns call it."""
        return is_foreign(tag) or (glob is not None and self.globs.matches(glob))

    def keep_applied(self, lists: Collection[str]) -> None:
        """Let interfaces go on applying those of some access lists that they apply now."""
        for name, interface in self.interfaces.items() if lists else ():
            if (there := self.observed.interfaces.get(name)) is not None:
                self.interfaces[name] = with_lists(interface, there, lists)

    def has_plugin(
        self, plugin: str, path: KeyPath, clause: str, rule: str = "plugin-missing", since: Release = OLDEST
    ) -> bool:
        """Return whether VPP runs a plugin, which came with a release; note a problem when it does not."""
        if is_older(self.observed.facts.version, since):
            return self.has_part(plugin, since, path, clause)
        if plugin in self.observed.facts.plugins:
            return True
        text = f"{clause}, but this VPP runs without the {plugin} plugin; enable it in startup.conf"
        self.problem(rule, path, text)
        return False

    def has_part(self, part: str, since: Release, path: KeyPath, clause: str) -> bool:
        """Return whether VPP has a part that came with a release; note a problem when it does not."""
        return part in self.observed.facts.plugins or self._lacks(since, path, clause)

    def is_since(self, release: Release, path: KeyPath, clause: str) -> bool:
        """Return whether VPP is not known to be older than a release; note a problem when it is."""
        return not is_older(self.observed.facts.version, release) or self._lacks(release, path, clause)

    def _lacks(self, since: Release, path: KeyPath, clause: str) -> bool:
        version = self.observed.facts.version
        this = f"this one is {version}" if version else "this one is older"
        self.problem("vpp-too-old", path, f"{clause}, which VPP can do from {since} on; {this}")
        return False

    def state(self) -> State:
        """Return what is wanted so far."""
        state = State(
            interfaces=dict(self.interfaces),
            lcps=dict(self.lcps),
            virtual=dict(self.virtual),
            bridges=dict(self.bridges),
            vrfs=dict(self.vrfs),
            acls=dict(self.acls),
            macips=dict(self.macips),
            sflow=self.sflow,
            lldp=self.lldp,
            ipfix=self.ipfix,
            proxy_arps=self.proxy_arps,
            objects=without_empty(self.objects),
            owned=frozenset(self.owned),
            linux=dict(self.linux),
            namespaces=self.namespaces,
            linux_bridges=self.linux_bridges,
            has_mpls_table=self.observed.has_mpls_table or self._needs_mpls_table(),
            facts=self.facts,
            descriptions={**whole_descriptions(self.configuration), **dict(self._names_of_unnamed_tables())},
        )
        return state.with_own_places()

    def _needs_mpls_table(self) -> bool:
        return any(each.has_mpls for each in self.interfaces.values()) or bool(self.objects.get(VpnLabel))

    def _names_of_unnamed_tables(self) -> Iterator[tuple[str, str]]:
        """Yield the names that the file has for tables that have none in VPP, by the keys of the tables."""
        for vrf in self.configuration.vrfs.values():
            for key in table_keys((vrf.table_id, vrf.table_id)):
                if key in self.vrfs and self.vrfs[key].is_unnamed:
                    yield key, vrf.name


def whole_descriptions(configuration: Configuration) -> dict[str, str]:
    """Return, by interface or bridge, the descriptions of which a tag of VPP does not hold every character."""
    return {entry.name: entry.description or "" for entry in configuration.described_beyond_tags()}


def marked_tag(description: str | None, observed: str | None, *, is_created_by_us: bool) -> str:
    """Return the tag of an interface: `observed` is the one that it has, None before it is made.

    What we make is always marked; a port only for its description; a missing mark may stay missing.
    """
    if description:
        return tag_for(description)
    if observed is None:
        return MARK
    if observed == "" or observed == MARK:
        return observed
    if not is_ours(observed) and not is_created_by_us:
        return ""
    return MARK if is_created_by_us else ""


def created_port_tag(description: str | None, observed: str | None, *, keeps: bool = False) -> str:
    """Return the tag of a port that the file makes, which alone distinguishes it from one of another program.

    With `keeps`, a description that it has stays when the file has none.
    """
    if keeps and not description and observed is not None and is_created_by_us(observed):
        return observed
    return tag_for(description, CREATED_MARK)
