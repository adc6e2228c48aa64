"""Reads what the functions of VPP's CLI commands take behind the words of a command, from their source in C.

A function tries formats on its input (`unformat`). What none of them takes is an error: where a function reads the
line itself, VPP takes the rest for another command (vlib_cli_input in vlib/cli.c); where it reads a copy of the line
(unformat_line_input), the loop over it must end with an error. Of a function of another form nothing is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

VALUES = {
    **dict.fromkeys(("unformat_vnet_sw_interface", "unformat_vnet_hw_interface"), "interface"),
    "unformat_ip4_address": "ip4",
    "unformat_ip6_address": "ip6",
    **dict.fromkeys(("unformat_ip46_address", "unformat_ip_address"), "ip"),
    **dict.fromkeys(("unformat_ip_prefix", "unformat_ip46_prefix"), "prefix"),
    **dict.fromkeys(("unformat_ethernet_address", "unformat_mac_address_t", "unformat_mac_address"), "mac"),
    "unformat_memory_size": "size",
    "unformat_hex_string": "hex",
    **dict.fromkeys(("unformat_ip_protocol", "unformat_nat_protocol", "unformat_vlib_enable_disable"), "word"),
    **dict.fromkeys(("unformat_vlib_pci_addr", "unformat_bitmap_list", "unformat_vlib_log_class"), "word"),
    **dict.fromkeys(("unformat_tunnel_mode", "unformat_ip_address_family", "unformat_urpf_mode"), "word"),
    **dict.fromkeys(("unformat_ipsec_crypto_alg", "unformat_ipsec_integ_alg", "unformat_ipsec_key"), "word"),
}
"""What one word each of VPP's readers takes; another one may take anything."""
_SEVERAL = {
    "unformat_tunnel": ("tunnel", *(f"tunnel {word} <any>" for word in ("src", "dst", "table-id", "hop-limit")))
}
"""The formats of readers of several words that begin with one of their own."""
_POLICER = (  # plugins/policer/policer_cli.c
    *("color-aware", "cb <number>", "cir <number>", "eb <number>", "eir <number>", "name <word>"),
    *("rate kbps", "rate pps", "round closest", "round down", "round up"),
    *("type 1r2c", "type 1r3c", "type 2r3c-2698", "type 2r3c-4115", "type 2r3c-mef5cf1"),
    *("conform-action <any>", "exceed-action <any>", "violate-action <any>"),
)
_TO_NODES = ("ip4-node <word>", "ip6-node <word>")  # vnet/classify/vnet_classify.c
_TO_L2_NODES = ("drop", "<number>", "input-node <word>", "output-node <word>")
_CLASSIFIED = {
    "acl": ("deny", "permit", "<number>", *_TO_NODES),
    "l2-input": ("ethernet", "ip4", "ip6", *_TO_L2_NODES),
    "l2-output": _TO_L2_NODES,
    "policer": ("<word>",),
    "": ("drop", "rewrite", "<number>", *_TO_NODES),
}
"""Where a classifier of each kind sends packets to."""
_BFD_SESSION = ("multihop", "interface <interface>", "local-addr <ip>", "peer-addr <ip>")  # vnet/bfd/bfd_cli.c
_BFD_TIMES = ("desired-min-tx <number>", "required-min-rx <number>", "detect-mult <number>")
_BFD_KEY = ("conf-key-id <number>", "bfd-key-id <number>")
_IDENTITIES = ("der-asn1-dn", "der-asn1-gn", "fqdn", "ip4-addr", "ip6-addr", "key-id", "rfc822")
BY_HAND = {
    "bfd key del": ("conf-key-id <number>",),
    "bfd udp echo-source set": ("interface <interface>",),
    "bfd udp session add": (*_BFD_SESSION, *_BFD_TIMES, *_BFD_KEY),
    "bfd udp session mod": (*_BFD_SESSION, *_BFD_TIMES),
    "bfd udp session del": _BFD_SESSION,
    "bfd udp session set-flags": (*_BFD_SESSION, "admin <word>"),
    "bfd udp session auth activate": (*_BFD_SESSION, *_BFD_KEY, "delayed <word>"),
    "bfd udp session auth deactivate": (*_BFD_SESSION, "delayed <word>"),
    # plugins/ikev2/ikev2_cli.c, which reads nothing behind the first that fits
    "ikev2 profile": (
        *("add <any>", "del <any>", "set <word> auth rsa-sig cert-file <any>"),
        *(f"set <word> auth shared-key-mic {form} <any>" for form in ("hex", "string")),
        *(f"set <word> id {end} {kind} <any>" for end in ("local", "remote") for kind in _IDENTITIES),
        *(f"set <word> traffic-selector {end} ip-range <any>" for end in ("local", "remote")),
        *(f"set <word> {word} <any>" for word in ("responder", "tunnel", "ike-crypto-alg", "esp-crypto-alg")),
        *(f"set <word> {word} <any>" for word in ("sa-lifetime", "udp-encap", "ipsec-over-udp port", "disable natt")),
    ),
    "classify table": (
        *(f"{kind}-miss-next {to}".removeprefix("-") for kind in _CLASSIFIED for to in _CLASSIFIED[kind]),
        *("del", "del-chain", "buckets <number>", "skip <number>", "match <number>", "table <number>", "mask <any>"),
        *("memory-size <number>M", "memory-size <number>G", "next-table <number>"),
        *("current-data-flag <number>", "current-data-offset <number>"),
    ),
    "classify session": (
        *(f"{kind}-hit-next {to}".removeprefix("-") for kind in _CLASSIFIED for to in _CLASSIFIED[kind]),
        *("del", "match <any>", "advance <number>", "table-index <number>", "action mark-flow <word>"),
        *(f"action set-{word} <number>" for word in ("ip4-fib-id", "ip6-fib-id", "sr-policy-index")),
        *("opaque-index <number>", "opaque-sw_if_index <interface>", "ioam-encap <word>", "ioam-decap <word>"),
        *("conform-color", "exceed-color"),
    ),
    "policer add": _POLICER,
    "configure policer": (*_POLICER, "index <number>"),
    # vnet/ipsec/ipsec_cli.c
    "ipsec itf create": ("instance <number>", "p2mp"),
    # plugins/vxlan-gpe/vxlan_gpe.c, plugins/geneve/geneve.c
    "create geneve tunnel": (
        *("del", "l3-mode", "encap-vrf-id <number>", "local <ip>", "remote <ip>", "vni <number>"),
        *("decap-next <any>", "group <any>"),
    ),
    "create vxlan-gpe tunnel": (
        *("del", "next-ethernet", "next-ip4", "next-ip6", "next-nsh", "decap-vrf-id <number>", "encap-vrf-id <number>"),
        *("local <ip>", "local_port <number>", "remote <ip>", "remote_port <number>", "vni <number>", "group <any>"),
    ),
}
"""The formats of functions of other forms, such as those written with macros, as they are in 23.06 to 26.10."""
_ANY = "<any>"
_CONVERSIONS = {"d": "number", "u": "number", "x": "hex", "X": "hex", "s": "word", "v": "word", "f": "fraction"}
_STRING = r'"(?:\\.|[^"\\])*"'
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_TOKEN = re.compile(rf"{_STRING}|'(?:\\.|[^'\\])*'|/\*.*?\*/|.", re.DOTALL)
_HEAD = r"^[\w\s*]*\b{}\s*\(\s*vlib_main_t[^,]*,\s*unformat_input_t\s*\*\s*(\w+)\s*,(?:[^()]|\([^()]*\))*\)\s*(?={{)"
_LOOP = r"\bwhile\s*\(\s*unformat_check_input\s*\(\s*{}\s*\)\s*!=[^{{;]*"
_COPY = re.compile(r"\(\s*\w+\s*,\s*unformat_line_input\s*,\s*(\w+)\s*\)")
_CALL = re.compile(r"\{\s*return\s+(\w+)\s*\(\s*vm\s*,\s*input\s*,\s*cmd\b[^()]*\)\s*;\s*\}")
"""A function that leaves all to another one."""
_READS_NOTHING = frozenset(
    {"unformat_check_input", "unformat_free", "unformat_is_eof", "unformat_parse_error", "unformat_skip_white_space"}
)
_CONVERSION = re.compile(r"%(?:ll|l|L|w)?([a-zA-Z])|%_|%%")


def formats_of(source: str, function: str) -> tuple[str, ...] | None:
    """Return the formats that a function in C tries on its input, sorted, None where its form is not understood.

    What stands for a value is in angle brackets: `spi <number>`; `<any>` where anything may follow.
    """
    match = re.search(_HEAD.format(function), source, re.MULTILINE)
    body = _COMMENT.sub(" ", _block(source, match.end())) if match else ""
    if match is None or "#" in body:
        return None
    if wrapped := _CALL.fullmatch(body):
        return formats_of(source, wrapped[1])
    names = {match[1]}
    if copy := _COPY.search(body):
        names.add(copy[1])
        loops = [_block(body, found.end()) for found in re.finditer(_LOOP.format(copy[1]), body)]
        if not loops or not all(map(_ends_with_error, loops)):
            return None
    found: set[str] = set()
    for name in names:
        for call, arguments in _uses(body, name):
            if call in _READS_NOTHING or arguments[1:2] == ["unformat_line_input"]:
                continue
            if several := _SEVERAL.get("".join(arguments[2:3])):
                found.update(several)
                continue
            text = _format(call, arguments)
            if text is None or text.startswith(_ANY):
                return None
            found.add(text)
    return tuple(sorted(found))


def _block(text: str, start: int) -> str:
    """Return the block in braces that begins at a place, '' where none begins there."""
    depth = 0
    for token in _TOKEN.finditer(text, start):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return text[start : token.end()] if text[start] == "{" else ""
    return ""


def _ends_with_error(loop: str) -> bool:
    """Return whether the last branch in a loop returns an error, and no branch leaves the loop without one."""
    code = re.sub(_STRING, "", loop)
    *_, last = code.split("else")
    if re.search(r"\bif\b", last) or not re.search(r"\b(goto|return)\b", last):
        return False
    if not re.search(r"clib_error_(return|create)|unformat_parse_error", last):
        return False
    jumps = re.finditer(r"(?:[^;{}]*[;{}]){0,2}[^;{}]*\b(?:goto|return|break)\b[^;]*;", code)
    return all(re.search(r"err|\brv\b", jump[0]) for jump in jumps)


def _uses(body: str, name: str) -> Iterator[tuple[str, list[str]]]:
    """Yield each call that is given the input, with its arguments; ('', []) for any other use of it."""
    code = re.sub(_STRING, lambda string: '"' * len(string[0]), body)
    for use in re.finditer(rf"(?<![\w&>.]){name}\b(?!\s*=\s*&)", code):
        if call := re.search(r"(\w+)\s*\(\s*$", body[: use.start()]):
            yield call[1], _arguments(body, use.start())
        elif not re.search(r"(format_unformat_error|unformat_line_input),\s*$", body[: use.start()]):
            yield "", []


def _arguments(body: str, start: int) -> list[str]:
    """Return the arguments of a call from the first one on."""
    found, depth = [""], 0
    for token in _TOKEN.finditer(body, start):
        depth += {"(": 1, ")": -1}.get(token[0], 0)
        if depth < 0:
            break
        if depth == 0 and token[0] == ",":
            found.append("")
        else:
            found[-1] += token[0]
    return [argument.strip() for argument in found]


def _format(call: str, arguments: list[str]) -> str | None:
    """Return a format with its values named, None for a call that is not understood."""
    if call == "unformat_user" and arguments[1:]:
        return f"<{VALUES.get(arguments[1], 'any')}>"
    if call != "unformat" or not re.fullmatch(rf"(?:{_STRING}\s*)+", "".join(arguments[1:2])):
        return None
    rest = arguments[2:]

    def named(match: re.Match[str]) -> str:
        if match[1] is None:
            return "%" if match[0] == "%%" else ""
        reader = rest.pop(0) if match[1] == "U" and rest else ""
        del rest[: 2 if reader.startswith("unformat_vnet") else 1]
        return f"<{VALUES.get(reader, 'any') if reader else _CONVERSIONS.get(match[1], 'any')}>"

    text = _CONVERSION.sub(named, "".join(part[1:-1] for part in re.findall(_STRING, arguments[1])))
    head, found, _ = text.partition(_ANY)
    return " ".join((head + found).split())
