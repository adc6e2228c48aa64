"""The reference of rules in docs/: an index by rule, and a page for each group. `make docs` writes it.

`python -m vppcfg.config.rule_pages DIRECTORY` writes `rules.md` and the folder `rules` there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from vppcfg.config.explain import Explanation, explanations
from vppcfg.record import record

_INTRODUCTION = """\
# Rules

Every problem that vppcfg finds carries the name of a rule. `vppcfg explain RULE` prints what stands here. A rule is an
error unless its title says that it is a warning. These pages are made from `schema/rules.yaml` by `make docs`.

## Groups
"""


@record
class Group:
    """Rules about one thing, which share a page."""

    page: str
    """The name of the page without its ending."""
    title: str
    about: str
    """What the rules of the group look at, as one sentence."""
    prefixes: tuple[str, ...] = ()
    """How the names of its rules begin; of several that fit, the longest one decides."""


CONF = Group(page="startup-conf", title="A startup.conf that exists", about="What `vppcfg startup check` finds.")
FLEET = Group(page="fleet", title="Many routers", about="What `vppcfg check --fleet` finds between files.")
ADOPT = Group(page="adopt", title="Adoption", about="What `vppcfg adopt` says of the script or router that it reads.")
MACHINE = Group(
    page="dataplane",
    title="Dataplane and machine",
    about="What the section `dataplane` says, beside the machine and what the interfaces need.",
    prefixes=(
        *("dataplane-", "cpu-", "poll-", "multi-seg-", "device-name-", "device-interface", "interface-device"),
        *("plugin-", "queue-"),
    ),
)
ROUTER = Group(
    page="router", title="The router", about="What only a look at a VPP can tell; found when a change is planned."
)
INTERFACES = Group(
    page="interfaces",
    title="Interfaces",
    about="Names of interfaces, what they are and have, and who owns them.",
)
GROUPS = (
    Group(
        page="reading",
        title="Reading a file",
        about="What YAML demands of a file, and which keys and values there are.",
        prefixes=("yaml-", "merge-", "schema-", "too-many-"),
    ),
    INTERFACES,
    Group(
        page="sub-interfaces",
        title="Sub-interfaces",
        about="Their numbers, VLAN tags, MTU and parents.",
        prefixes=("sub-", "qinx-", "encap-"),
    ),
    Group(
        page="addresses",
        title="Addresses, neighbors and VRFs",
        about="What an interface needs to route.",
        prefixes=(
            *("address-", "unnumbered-", "vrf-", "neighbor-", "ra-", "link-local-"),
            *("dhcp-", "proxy-arp-", "urpf-"),
        ),
    ),
    Group(
        page="layer-2",
        title="Cross-connects and bridges",
        about="What is handed on without being routed: cross-connects, bridge domains, mirrors and rewritten tags.",
        prefixes=("l2-", "l2xc-", "bd-", "bridge-", "bvi-", "tag-rewrite-", "mirror-"),
    ),
    Group(
        page="linux",
        title="Linux devices",
        about="LCP pairs, which show an interface of VPP to Linux and its routing daemons.",
        prefixes=("lcp-", "linux-", "sub-lcp-", "qinx-lcp-"),
    ),
    Group(page="bonds", title="Bonds", about="Link aggregation and its members.", prefixes=("bond-",)),
    Group(
        page="tunnels",
        title="Tunnels",
        about="VXLAN, GRE, IPIP and WireGuard.",
        prefixes=("vxlan-", "gre-", "ipip-", "wireguard-"),
    ),
    Group(
        page="ports",
        title="Ports to Linux and to programs",
        about="TAPs, host-interfaces, memif and vhost-user.",
        prefixes=("tap-", "host-interface-", "memif-", "vhost-user-"),
    ),
    Group(page="acls", title="ACLs", about="ACLs and prefix lists.", prefixes=("prefixlist-", "acl-")),
    ROUTER,
    MACHINE,
    CONF,
    ADOPT,
    FLEET,
)


def group_of(entry: Explanation) -> Group:
    """Return the group of a rule: by where it is found, then by its name, else that of interfaces."""
    for found_elsewhere, group in (
        (entry.is_of_startup_conf, CONF),
        (entry.needs_fleet, FLEET),
        (entry.needs_source, ADOPT),
        (entry.needs_machine, MACHINE),
        (entry.needs_vpp, ROUTER),
    ):
        if found_elsewhere:
            return group
    fitting = [
        (len(prefix), group) for group in GROUPS for prefix in group.prefixes if f"{entry.rule}-".startswith(prefix)
    ]
    return max(fitting, key=lambda pair: pair[0], default=(0, INTERFACES))[1]


def as_documents() -> dict[str, str]:
    """Return the text of every page by its path below docs/."""
    entries = list(explanations().values())
    groups = {entry.rule: group_of(entry) for entry in entries}
    pages = {
        f"rules/{group.page}.md": _page(group, [entry for entry in entries if groups[entry.rule] is group])
        for group in GROUPS
    }
    return {"rules.md": _index(entries, groups), **pages}


def _index(entries: Iterable[Explanation], groups: Mapping[str, Group]) -> str:
    listed = [f"- [{group.title}](rules/{group.page}.md): {_continued(group.about)}" for group in GROUPS]
    rows = [
        f"| [{entry.rule}](rules/{groups[entry.rule].page}.md#{entry.rule}) | {entry.title} |"
        for entry in sorted(entries, key=lambda entry: entry.rule)
    ]
    table = ["", "## All rules by name", "", "| rule | what must hold |", "|---|---|", *rows, ""]
    return "\n".join([_INTRODUCTION, *listed, *table])


def _continued(sentence: str) -> str:
    """Return a sentence as it stands behind a colon; names that begin with two capitals stay as they are."""
    return sentence if sentence[1:2].isupper() else sentence[0].lower() + sentence[1:]


def _page(group: Group, entries: Iterable[Explanation]) -> str:
    head = f"# {group.title}\n\n{group.about} The [index](../rules.md) lists the rules of all groups.\n"
    return "\n".join([head, *(_section(entry) for entry in entries)])


def _section(entry: Explanation) -> str:
    parts = [f"## {entry.rule}", f"**{entry.title}.** {entry.meaning}", f"Why: {entry.reason}"]
    if entry.finder:
        parts.append(entry.finder)
    if entry.breaks and entry.mends:
        parts += [f"This breaks it:\n\n```yaml\n{entry.breaks}```", f"This mends it:\n\n```yaml\n{entry.mends}```"]
    return "\n\n".join(parts) + "\n"


def write(directory: Path) -> None:
    """Write all pages below a folder, and remove the pages of groups that are no more."""
    documents = as_documents()
    for stale in (directory / "rules").glob("*.md"):
        if f"rules/{stale.name}" not in documents:
            stale.unlink()
    for name, text in documents.items():
        path = directory / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
