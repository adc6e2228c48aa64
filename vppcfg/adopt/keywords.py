"""The keywords of commands that are not simulated: VPP refuses a word that is none of them, and the script ends there.

Each is as in the source of VPP 23.06 to 26.10, where the commands read their words in any order until one is unknown.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

_ANY = -1
"""How many words follow a keyword behind which nothing is known."""


def _table(flags: str, valued: str = "", ranges: str = "", others: str = "") -> Mapping[str, int]:
    """Return how many words follow each keyword: none, a value, a range with a dash, or any."""
    kinds = ((flags, 0), (valued, 1), (ranges, 3), (others, _ANY))
    return {word: count for words, count in kinds for word in words.split()}


_KEYWORDS: Mapping[str, Mapping[str, int]] = {
    # vnet/ipsec/ipsec_cli.c; behind `tunnel` stands what vnet/tunnel/tunnel.c reads
    "ipsec itf create": _table("p2mp", "instance"),
    "ipsec policy": _table(
        "add del inbound ip6 outbound",
        "priority protocol sa spd",
        "local-ip-range local-port-range remote-ip-range remote-port-range",
        "action",
    ),
    "ipsec sa": _table(
        "ah async esp inbound udp-encap use-anti-replay use-esn",
        "add anti-replay-size crypto-alg crypto-key del integ-alg integ-key salt spi udp-dst-port udp-src-port",
        others="tunnel",
    ),
    # plugins/policer/policer_cli.c
    "policer add": _table(
        "color-aware", "cb cir eb eir name rate round type", others="conform-action exceed-action violate-action"
    ),
    # plugins/acl/acl.c
    "set acl-plugin": _table(
        "",
        "event-trace l4-match-nonfirst-fragment reclassify-sessions use-hash-acl-matching",
        others="heap session skip-ipv6-extension-header",
    ),
    # plugins/vxlan-gpe/vxlan_gpe.c, plugins/geneve/geneve.c
    "create geneve tunnel": _table("del l3-mode", "encap-vrf-id local remote vni", others="decap-next group"),
    "create vxlan-gpe tunnel": _table(
        "del next-ethernet next-ip4 next-ip6 next-nsh",
        "decap-vrf-id encap-vrf-id local local_port remote remote_port vni",
        others="group",
    ),
    # plugins/map/map.c
    "map add domain": _table("", "ea-bits-len ip4-pfx ip6-pfx ip6-src mtu psid-len psid-offset tag"),
    # plugins/nat/nat44-ei/nat44_ei_cli.c, plugins/nat/nat64/nat64_cli.c
    "nat44 ei plugin": _table(
        "connection-tracking disable enable out2in-dpo static-mapping-only",
        "inside-vrf outside-vrf sessions user-sessions users",
    ),
    "nat64 plugin": _table("disable enable", "bib-buckets bib-memory st-buckets st-memory"),
}


_CHOICES: Mapping[str, Mapping[str, frozenset[str]]] = {
    "policer add": {
        "type": frozenset({"1r2c", "1r3c", "2r3c-2698", "2r3c-4115", "2r3c-mef5cf1"}),
        "rate": frozenset({"kbps", "pps"}),
        "round": frozenset({"closest", "up", "down"}),
    },
}
"""The words that may follow a keyword, where VPP knows them all."""


def unknown_word(command: str, words: Sequence[str]) -> str | None:
    """Return the word of a command at which VPP stops, None where it takes all, or where that is not known."""
    keywords, choices = _KEYWORDS.get(command), _CHOICES.get(command, {})
    rest = list(words) if keywords else []
    while keywords and rest:
        word = rest[0]
        if word not in keywords and (start := next((each for each in keywords if word.startswith(each)), "")):
            if keywords[start] > 0:
                return word if start in choices else None
            word = word.removeprefix(start)  # VPP reads on behind a keyword that only begins a word
        if word not in keywords:
            return rest[0]
        if word in choices and not choices[word].issuperset(rest[1:2]):
            return rest[1] if rest[1:] else word
        if keywords[word] == _ANY:
            return None
        rest = rest[1 + keywords[word] :]
    return None
