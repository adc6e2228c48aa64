"""What commands without a key make and look up: VPP refuses one that makes what is there, or needs what is not.

Most rows were tried on VPP 26.10; that the others, and older releases, do the same is taken from their like.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import count

from vppcfg.common.numbers import whole_number
from vppcfg.record import record


@record
class _Row:
    kind: str
    use: str
    """`make`, `delete`, `need`, `set` (make or change) or `use`, during which VPP neither sets nor deletes it.

    `free` ends all uses of a kind, `any` says that others may have made some of it.
    """
    words: tuple[str, ...]
    """Words that the command has, with `!` those that it has not."""
    places: tuple[str, ...]
    """The words before the parts of the name, `#0` where the name comes first; none for what there is one of.

    `+` is the lowest free number, by which VPP calls what has no name.
    """


_TABLE = """
policer            | make   | policer add                            | name
policer            | delete | policer del                            | name
policer            | need   | configure policer                      | name
policer            | need   | policer reset                          | name
policer            | need   | policer input                          | name
policer            | need   | policer output                         | name
policer            | need   | policer bind                           | name
policer            | need   | classify session                       | policer-hit-next
IPsec SA           | make   | ipsec sa: add                          | add
IPsec SA           | delete | ipsec sa: del                          | del
SRv6 localsid      | make   | sr localsid: !del                      | address
SRv6 localsid      | delete | sr localsid: del                       | address
SR policy          | make   | sr policy: add                         | bsid
SR policy          | delete | sr policy: del                         | bsid
SR policy          | need   | sr policy: mod                         | bsid
SR policy          | need   | sr steer: !del                         | bsid
IKEv2 profile      | make   | ikev2 profile: add                     | add
IKEv2 profile      | delete | ikev2 profile: del                     | del
IKEv2 profile      | need   | ikev2 profile: set                     | set
NAT44-EI           | make   | nat44 ei plugin: enable                |
NAT44-EI           | delete | nat44 ei plugin: disable               |
NAT44-EI           | need   | set interface nat44 ei                 |
NAT44-EI address   | make   | nat44 ei add address: !del             | #0
NAT44-EI address   | delete | nat44 ei add address: del              | #0
NAT64              | make   | nat64 plugin: enable                   |
NAT64 pool address | make   | nat64 add pool address: !del           | #0
NAT64 pool address | delete | nat64 add pool address: del            | #0
NAT66              | make   | nat66 plugin: enable                   |
NAT66              | need   | set interface nat66                    |
NAT66              | need   | nat66 add static mapping               |
IKEv2 responder    | set    | ikev2 profile: set responder           | set
IKEv2 responder    | need   | ikev2 initiate: sa-init                | sa-init
BFD session        | make   | bfd udp session add                    | interface local-addr peer-addr
BFD session        | delete | bfd udp session del                    | interface local-addr peer-addr
BFD session        | need   | bfd udp session mod                    | interface local-addr peer-addr
BFD session        | need   | bfd udp session set-flags              | interface local-addr peer-addr
BFD session        | need   | bfd udp session auth activate          | interface local-addr peer-addr
BFD session        | need   | bfd udp session auth deactivate        | interface local-addr peer-addr
BFD key            | set    | bfd key set                            | conf-key-id
BFD key            | delete | bfd key del                            | conf-key-id
BFD key            | use    | bfd udp session add                    | conf-key-id
BFD key            | use    | bfd udp session auth activate          | conf-key-id
BFD key            | free   | bfd udp session auth deactivate        |
BFD key            | free   | bfd udp session del                    |
GENEVE tunnel      | make   | create geneve tunnel: !del             | remote vni
GENEVE tunnel      | delete | create geneve tunnel: del              | remote vni
VXLAN-GPE tunnel   | make   | create vxlan-gpe tunnel: !del          | local remote vni
VXLAN-GPE tunnel   | delete | create vxlan-gpe tunnel: del           | local remote vni
GTP-U tunnel       | make   | create gtpu tunnel: !del               | src dst teid
GTP-U tunnel       | delete | create gtpu tunnel: del                | src dst teid
FIB table          | need   | create geneve tunnel                   | encap-vrf-id
FIB table          | need   | create gtpu tunnel                     | encap-vrf-id
FIB table          | need   | create vxlan-gpe tunnel                | encap-vrf-id
FIB table          | need   | create vxlan-gpe tunnel                | decap-vrf-id
FIB table          | need   | create pppoe session                   | decap-vrf-id
FIB table          | need   | adl allowlist                          | fib-id
LB VIP             | set    | lb vip: !del                           | #0
LB VIP             | need   | lb vip: del                            | #0
LB VIP             | need   | lb as                                  | #0
classifier table   | make   | classify table: !del !del-chain !table | +
classifier table   | delete | classify table: del                    | table
classifier table   | need   | classify table: !del                   | table
classifier table   | any    | classify table: del-chain              |
classifier table   | any    | set acl-plugin macip acl               |
classifier table   | need   | classify session                       | table-index
classifier table   | need   | set ip classify                        | table-index
classifier table   | need   | set ip6 classify                       | table-index
classifier table   | need   | set interface input acl                | ip4-table
classifier table   | need   | set interface input acl                | ip6-table
classifier table   | need   | set interface input acl                | l2-table
classifier table   | need   | set interface l2 input classify        | ip4-table
classifier table   | need   | set interface l2 input classify        | ip6-table
classifier table   | need   | set interface l2 input classify        | other-table
classifier table   | need   | set interface l2 output classify       | ip4-table
classifier table   | need   | set interface l2 output classify       | ip6-table
classifier table   | need   | set interface l2 output classify       | other-table
classifier table   | need   | set interface output acl               | ip4-table
classifier table   | need   | set interface output acl               | ip6-table
classifier table   | need   | set interface output acl               | l2-table
"""


def _rows() -> dict[str, list[_Row]]:
    """Return the rows of the table by command."""
    found = defaultdict(list)
    for line in _TABLE.strip().splitlines():
        kind, use, command, places = (part.strip() for part in line.split("|"))
        command, _, words = command.partition(": ")
        row = _Row(kind=kind, use=use, words=tuple(words.split()), places=tuple(places.split()))
        found[command].append(row)
    return found


_ROWS = _rows()


class UnmanagedObjects:
    """The objects that one script has made and not deleted."""

    def __init__(self, has_table: Callable[[int], bool]) -> None:
        """Take how to learn whether there is a FIB table of a number, for these are simulated."""
        self._has_table = has_table
        self._there: set[tuple[str, str]] = set()
        self._used: set[tuple[str, str]] = set()
        self._others: set[str] = set()

    def refusal(self, command: str, words: Sequence[str]) -> str:
        """Note what a command makes, uses and deletes; return why VPP refuses it, '' where nothing says so."""
        names = [(row, self._name(row, words)) for row in _ROWS.get(command, ())]
        found = [(row, name) for row, name in names if name is not None]
        why = next(filter(None, (self._refusal(row, name) for row, name in found)), "")
        for row, name in () if why else found:
            self._note(row, name)
        return why

    def _refusal(self, row: _Row, name: str) -> str:
        found, text = (row.kind, name), f"{row.kind} {name}".strip()
        if row.kind in self._others:
            return ""
        if row.use in {"set", "delete"} and found in self._used:
            return f"{text} is in use"
        if row.use == "make" and found in self._there:
            return f"{text} is already there"
        return f"{text} is not there" if row.use in {"delete", "need", "use"} and not self._is_there(*found) else ""

    def _note(self, row: _Row, name: str) -> None:
        found = row.kind, name
        if row.use == "any":
            self._others.add(row.kind)
        elif row.use == "free":
            self._used = {used for used in self._used if used[0] != row.kind}
        elif row.use == "delete":
            self._there.discard(found)
        else:
            self._there.add(found)
        if row.use == "use":
            self._used.add(found)

    def _is_there(self, kind: str, name: str) -> bool:
        if kind == "FIB table":
            return (number := whole_number(name)) is None or self._has_table(number)
        return (kind, name) in self._there

    def _name(self, row: _Row, words: Sequence[str]) -> str | None:
        """Return the name of the object that a command is about, None where it does not do what the row says."""
        if any((word.removeprefix("!") in words) == word.startswith("!") for word in row.words):
            return None
        if row.places == ("+",):
            return next(number for number in map(str, count()) if (row.kind, number) not in self._there)
        if row.places == ("#0",):
            return next(iter(words), None)
        if not all(place in words[:-1] for place in row.places):
            return None
        return " ".join(words[words.index(place) + 1] for place in row.places)
