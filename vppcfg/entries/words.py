"""The validators that schema/vppcfg.yaml uses beyond yamale's own: what each takes, in one table.

A row serves the quick look at a file, yamale's closer one with its message, and the JSON Schema for editors.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

from vppcfg.common.addresses import (
    MAC_FORMS,
    canonical_address,
    canonical_host,
    canonical_mac,
    canonical_prefix,
    is_unicast,
)
from vppcfg.common.numbers import DSCP_NAMES, HIGHEST_CPU, KIB, LAST_DSCP, MIB, bytes_of, cpus_of
from vppcfg.common.rates import parse_figure
from vppcfg.entries.names import (
    ACL_LENGTH,
    DHCP_HOSTNAME,
    DHCP_HOSTNAME_LENGTH,
    GLOB,
    INTERFACE,
    LCP,
    LINUX_NAME_LENGTH,
    LIST,
    LIST_LENGTH,
    NAME_LENGTH,
    NETNS,
    NETNS_LENGTH,
    VRF,
    VRF_LENGTH,
    is_acl_name,
    is_dhcp_hostname,
    is_glob,
    is_interface_name,
    is_lcp_name,
    is_netns_name,
    is_prefix_list_name,
    is_vrf_name,
)
from vppcfg.errors import UsageError

JsonSchema = dict[str, Any]
FILE_VERSION = 1
"""Of the language of configuration files; grows when a file of the former one would mean something else."""
LEAST_RATE_BPS, MOST_RATE_BPS = 8_000, 400_000_000_000
"""Of policers: VPP counts in kbit/s, and above that its arithmetic of 32 bits overflows (compute_policer_params)."""
MOST_BURST_BYTES = 0xFFFFFFFF
"""VPP takes a larger burst for one of this size (x86_pol_compute_hw_params)."""
NAT_END_LENGTH = NAME_LENGTH + len(":65535")

AUTO = "auto"
_PATH = re.compile(r"/[A-Za-z0-9/._:@+=~%,-]+")
_GROUP_NAME = r"[A-Za-z_][A-Za-z0-9_.-]*"
_GROUP_NAME_LENGTH = 32
_GROUP = re.compile(_GROUP_NAME)
_PLUGIN = re.compile(r"[a-z][a-z0-9_-]{0,63}?(_plugin\.so)?")
_HUGEPAGES = frozenset({64 * KIB, *(number * MIB for number in (1, 2, 16, 32, 256, 512, 1024, 2048, 16384))})
_MOST_WORKERS = 256
_THREAD = re.compile(r"main|worker(0|[1-9][0-9]{0,2})")
_WIREGUARD_KEY = re.compile(r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=")
_DIGEST = re.compile(r"[0-9a-f]{64}")


class Word(NamedTuple):
    """One word of the schema. Its arguments, such as limits, follow the value wherever a function is called."""

    name: str
    accepts: Callable[..., bool]
    """Returns whether a value is valid."""
    expects: str
    """What a value is when it is not right, as the end of a message; {0} and {1} stand for the word's arguments."""
    pattern: Callable[..., JsonSchema]
    """Returns the JSON Schema; `check` judges what no pattern can express, such as that no address is multicast."""
    is_taken_for_number: bool = False
    """Whether YAML reads some of them as numbers, so that quotes may be all that is missing."""


def text(pattern: str, longest: int | None = None) -> JsonSchema:
    """Return the schema of a text that matches a pattern as a whole."""
    limit = {} if longest is None else {"maxLength": longest}
    return {"type": "string", "pattern": f"^({pattern})$", **limit}


def limited(least: int | None, most: int | None) -> JsonSchema:
    """Return the schema of a whole number within limits; None leaves one out."""
    limits = {"minimum": least, "maximum": most}
    return {"type": "integer", **{key: value for key, value in limits.items() if value is not None}}


def is_address(value: Any) -> bool:
    """Return whether a value is an IPv4 or IPv6 address with its prefix length."""
    return canonical_address(value) is not None


def is_mac(value: Any) -> bool:
    """Return whether a value is a MAC address in any of its usual forms."""
    return canonical_mac(value) is not None


def is_host(value: Any) -> bool:
    """Return whether a value is the address of one host, without a length."""
    address = canonical_host(value)
    return address is not None and is_unicast(address)


def is_ipv4_range(value: Any) -> bool:
    """Return whether a value is an IPv4 address, or two with a dash between them."""
    hosts = [canonical_host(end.strip()) for end in value.split("-")] if isinstance(value, str) else []
    return 1 <= len(hosts) <= 2 and all(host is not None and ":" not in host for host in hosts)


def is_ipv4_pool(value: Any) -> bool:
    """Return whether a value is an IPv4 address, two with a dash between them, or a prefix without host bits."""
    if not isinstance(value, str) or "/" not in value:
        return is_ipv4_range(value)
    prefix = canonical_prefix(value)
    return prefix is not None and ":" not in prefix and prefix == canonical_address(value)


def is_nat_end(value: Any) -> bool:
    """Return whether a value is one word, which may be an address or an interface with a port behind it."""
    return isinstance(value, str) and len(value) <= NAT_END_LENGTH and GLOB.fullmatch(value) is not None


def is_prefix(value: Any) -> bool:
    """Return whether a value is a host, a prefix or a host with a length."""
    return canonical_prefix(value) is not None


def is_dscp(value: Any) -> bool:
    """Return whether a value is a DSCP, by its number or its usual name."""
    return _is_number(value, 0, LAST_DSCP) or (isinstance(value, str) and value in DSCP_NAMES)


def is_endpoint(value: Any) -> bool:
    """Return whether an ACL may match addresses with a value: a prefix, or the name of a prefix list or `any`."""
    return is_prefix_list_name(value) or canonical_prefix(value) is not None


def is_number_or_text(value: Any) -> bool:
    """Return whether a value is a whole number or text; a rule judges its meaning."""
    return isinstance(value, (int, str)) and not isinstance(value, bool)


def is_number_or_auto(value: Any, lowest: int, highest: int) -> bool:
    """Return whether a value is a whole number within limits, or auto."""
    return value == AUTO or _is_number(value, lowest, highest)


def is_size_or_auto(value: Any, lowest: str, highest: str) -> bool:
    """Return whether a value is a size between two others in whole pages, or auto."""
    if value == AUTO:
        return True
    try:
        size = bytes_of(str(value)) if isinstance(value, (int, str)) and not isinstance(value, bool) else -1
    except ValueError:
        return False
    return bytes_of(lowest) <= size <= bytes_of(highest) and size % (4 * KIB) == 0


def is_truth_or_auto(value: Any) -> bool:
    """Return whether a value is true, false or auto."""
    return value == AUTO or isinstance(value, bool)


def is_bit_rate(value: Any) -> bool:
    """Return whether a value is a rate with a unit, in whole kbit/s and within what a policer can hold."""
    rate_bps = _figure(value) if isinstance(value, str) and value[-1:].isalpha() else None
    return rate_bps is not None and LEAST_RATE_BPS <= rate_bps <= MOST_RATE_BPS and rate_bps % 1000 == 0


def is_byte_count(value: Any) -> bool:
    """Return whether a value is a number of bytes, with a decimal unit or without, that a policer can hold."""
    size = _figure(str(value)) if isinstance(value, (int, str)) and not isinstance(value, bool) else None
    return size is not None and 1 <= size <= MOST_BURST_BYTES and size == int(size)


def _figure(text: str) -> float | None:
    try:
        return parse_figure(text)
    except UsageError:
        return None


def is_command(value: Any) -> bool:
    """Return whether a value is a text or a list of words; a rule judges whether they can be run."""
    if isinstance(value, list):
        return bool(value) and all(isinstance(word, str) for word in value)
    return isinstance(value, str)


def is_thread(value: Any) -> bool:
    """Return whether a value names the main thread of VPP or a worker."""
    return isinstance(value, str) and _THREAD.fullmatch(value) is not None


def is_workers(value: Any) -> bool:
    """Return whether a value is a number of workers, the CPUs for them, or auto."""
    return value == AUTO or _is_number(value, 0, _MOST_WORKERS) or _is_cpu_list(value)


def is_isolate(value: Any) -> bool:
    """Return whether a value is true, false, or a list of CPUs."""
    return isinstance(value, bool) or _is_cpu_list(value)


def is_hugepage_size(value: Any) -> bool:
    """Return whether a value is a size that hugepages have on some machine, or auto."""
    try:
        return value == AUTO or (isinstance(value, str) and bytes_of(value) in _HUGEPAGES)
    except ValueError:
        return False


def is_file_path(value: Any) -> bool:
    """Return whether a value is an absolute path that can stand in startup.conf."""
    return isinstance(value, str) and _PATH.fullmatch(value) is not None


def is_file_version(value: Any) -> bool:
    """Return whether a value is the version of files that this vppcfg reads."""
    return _is_number(value, FILE_VERSION, FILE_VERSION)


def is_group_name(value: Any) -> bool:
    """Return whether a value can be the name of a Unix group."""
    return isinstance(value, str) and len(value) <= _GROUP_NAME_LENGTH and _GROUP.fullmatch(value) is not None


def is_wireguard_key(value: Any) -> bool:
    """Return whether a value is 32 bytes in base64, written in the one way in which the last bits are zero."""
    return isinstance(value, str) and _WIREGUARD_KEY.fullmatch(value) is not None


def is_digest(value: Any) -> bool:
    """Return whether a value is a SHA-256 digest in lower case."""
    return isinstance(value, str) and _DIGEST.fullmatch(value) is not None


def is_plugin_names(value: Any) -> bool:
    """Return whether a value is a list of different plugins, or auto."""
    return value == AUTO or (
        isinstance(value, list)
        and all(isinstance(name, str) and _PLUGIN.fullmatch(name) for name in value)
        and len(set(value)) == len(value)
    )


def _is_number(value: Any, lowest: int, highest: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= highest


def _is_cpu_list(value: Any) -> bool:
    if isinstance(value, list):
        return all(_is_number(item, 0, HIGHEST_CPU) for item in value) and len(set(value)) == len(value) > 0
    try:
        return isinstance(value, str) and cpus_of(value) != ()
    except ValueError:
        return False


_OCTET = r"(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(\.{_OCTET}){{3}}"
_HEXTET = r"[0-9A-Fa-f]{1,4}"
_MASK4 = rf"/(0*(3[0-2]|[12]?[0-9])|{_IPV4})"
_LENGTH6 = r"/0*(12[0-8]|1[01][0-9]|[1-9]?[0-9])"


def _ipv6() -> str:
    """Return the pattern of an IPv6 address (RFC 3986, 3.2.2)."""
    last = rf"({_HEXTET}:{_HEXTET}|{_IPV4})"
    forms = [rf"({_HEXTET}:){{6}}{last}"]
    for before in range(8):
        start = rf"(({_HEXTET}:){{0,{before - 1}}}{_HEXTET})?" if before else ""
        rest = 5 - before
        end = rf"({_HEXTET}:){{{rest}}}{last}" if rest >= 0 else (_HEXTET if rest == -1 else "")
        forms.append(f"{start}::{end}")
    return "(" + "|".join(forms) + ")"


def _address_pattern() -> JsonSchema:
    return text(f"({_IPV4}({_MASK4})?|{_ipv6()}({_LENGTH6})?)")


def _mac_pattern() -> JsonSchema:
    return text("|".join(form.pattern.replace("a-f", "A-Fa-f") for form in MAC_FORMS))


def _number_or_text_pattern() -> JsonSchema:
    return {"type": ["integer", "string"]}


def _or_auto(*choices: JsonSchema) -> JsonSchema:
    return {"anyOf": [{"const": AUTO}, *choices]}


def _size_pattern() -> JsonSchema:
    return text(r"[0-9]+ *[A-Za-z]*")


def _cpu_list_patterns() -> tuple[JsonSchema, JsonSchema]:
    items = {"type": "integer", "minimum": 0}
    return text(r"[0-9][0-9, -]*"), {"type": "array", "items": items, "uniqueItems": True, "minItems": 1}


_ROWS = (
    Word(
        name="acl_name",
        accepts=is_acl_name,
        expects=f"is no name of a list or policer: a small letter, then up to {ACL_LENGTH - 1} of a-z, 0-9 and `-`",
        pattern=lambda: text(LIST.pattern, ACL_LENGTH),
    ),
    Word(
        name="address",
        accepts=is_address,
        expects="is no address with a prefix length, such as 192.0.2.1/24 or 2001:db8::1/64",
        pattern=_address_pattern,
    ),
    Word(
        name="bit_rate",
        accepts=is_bit_rate,
        expects="is no rate from 8k to 400G such as 2M, 1.5M or 10G, in bit/s",
        pattern=lambda: text(r"[0-9]+(\.[0-9]+)?[kKMG]"),
    ),
    Word(
        name="byte_count",
        accepts=is_byte_count,
        expects="is no number of bytes such as 250000, 250k or 1.5M, up to 4 GB",
        pattern=lambda: {"anyOf": [limited(1, MOST_BURST_BYTES), text(r"[0-9]+(\.[0-9]+)?[kKMG]?")]},
    ),
    Word(
        name="command",
        accepts=is_command,
        expects="is no command: a text, or a list of words, which are text too; put numbers in quotes",
        pattern=lambda: {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]},
    ),
    Word(
        name="dhcp_hostname",
        accepts=is_dhcp_hostname,
        expects=f"is no hostname: up to {DHCP_HOSTNAME_LENGTH} letters, digits, `-` and `.`",
        pattern=lambda: text(DHCP_HOSTNAME.pattern, DHCP_HOSTNAME_LENGTH),
    ),
    Word(
        name="dscp",
        accepts=is_dscp,
        expects="is no DSCP: a name such as ef or af21, or a number from 0 to 63",
        pattern=lambda: {"anyOf": [limited(0, LAST_DSCP), {"enum": list(DSCP_NAMES)}]},
    ),
    Word(
        name="duration",
        accepts=is_number_or_text,
        expects="is no time such as 30s or 2m",
        pattern=_number_or_text_pattern,
    ),
    Word(
        name="endpoint",
        accepts=is_endpoint,
        expects="is neither an address, a prefix, the name of a prefix list nor any",
        pattern=lambda: {"anyOf": [_address_pattern(), text(LIST.pattern, LIST_LENGTH)]},
    ),
    Word(
        name="file_path",
        accepts=is_file_path,
        expects="is no absolute path of letters, digits and ._:@+=~%,-",
        pattern=lambda: text(_PATH.pattern),
    ),
    Word(
        name="file_version",
        accepts=is_file_version,
        expects=f"is not version {FILE_VERSION} of the language; a later one takes a later vppcfg than this",
        pattern=lambda: {"const": FILE_VERSION},
    ),
    Word(
        name="glob",
        accepts=is_glob,
        expects="is no name or glob; it is text without spaces, in which * stands for anything",
        pattern=lambda: text(GLOB.pattern),
    ),
    Word(
        name="group_name",
        accepts=is_group_name,
        expects="cannot be the name of a group",
        pattern=lambda: text(_GROUP_NAME, _GROUP_NAME_LENGTH),
    ),
    Word(
        name="host",
        accepts=is_host,
        expects="is no address of a host such as 192.0.2.1 or 2001:db8::1, without a prefix length",
        pattern=lambda: text(f"({_IPV4}|{_ipv6()})"),
    ),
    Word(
        name="hugepage_size",
        accepts=is_hugepage_size,
        expects="is neither auto nor a size of hugepages such as 2M or 1G",
        pattern=lambda: _or_auto(_size_pattern()),
    ),
    Word(
        name="interface_name",
        accepts=is_interface_name,
        expects="cannot be the name of an interface",
        pattern=lambda: text(INTERFACE.pattern, NAME_LENGTH),
    ),
    Word(
        name="isolate",
        accepts=is_isolate,
        expects="is neither true, false, nor a list of different CPUs such as [ 2, 3 ]",
        pattern=lambda: {"anyOf": [{"type": "boolean"}, *_cpu_list_patterns()]},
    ),
    Word(
        name="ipv4_pool",
        accepts=is_ipv4_pool,
        expects="is no address, range or prefix, such as 192.0.2.8-192.0.2.15 or 192.0.2.8/29",
        pattern=lambda: text(f"{_IPV4}( *- *{_IPV4}|/([0-9]|[12][0-9]|3[0-2]))?"),
    ),
    Word(
        name="ipv4_range",
        accepts=is_ipv4_range,
        expects="is neither an IPv4 address nor two with a dash between them, such as 192.0.2.10-192.0.2.20",
        pattern=lambda: text(f"{_IPV4}( *- *{_IPV4})?"),
    ),
    Word(
        name="lcp_name",
        accepts=is_lcp_name,
        expects=f"is no LCP name: a letter, then up to {LINUX_NAME_LENGTH - 1} of a-z, A-Z, 0-9, `_`, `-`, `.`",
        pattern=lambda: text(LCP.pattern, LINUX_NAME_LENGTH),
    ),
    Word(
        name="mac",
        accepts=is_mac,
        expects="is no MAC address such as 02:00:5e:00:53:01",
        pattern=_mac_pattern,
        is_taken_for_number=True,
    ),
    Word(
        name="nat_end",
        accepts=is_nat_end,
        expects="is no end of a mapping, such as 192.0.2.1, 192.0.2.1:80 or eth0:80",
        pattern=lambda: text(r"[!-~]+", NAT_END_LENGTH),
    ),
    Word(
        name="netns_name",
        accepts=is_netns_name,
        expects=f"is no namespace: at most {NETNS_LENGTH} letters, digits, `-`, `_` and `.`",
        pattern=lambda: text(NETNS.pattern, NETNS_LENGTH),
    ),
    Word(
        name="number_or_auto",
        accepts=is_number_or_auto,
        expects="is neither auto nor a whole number from {0} to {1}",
        pattern=lambda lowest, highest: _or_auto(limited(lowest, highest)),
    ),
    Word(
        name="plugin_names",
        accepts=is_plugin_names,
        expects="is neither auto nor a list of different plugins such as [ dpdk, linux_cp ]",
        pattern=lambda: _or_auto({"type": "array", "items": {"type": "string"}, "uniqueItems": True}),
    ),
    Word(
        name="prefix",
        accepts=is_prefix,
        expects="is no address or prefix such as 192.0.2.1, 192.0.2.0/24 or 2001:db8::/32",
        pattern=_address_pattern,
    ),
    Word(
        name="protocol",
        accepts=is_number_or_text,
        expects="is neither the number nor the name of a protocol",
        pattern=_number_or_text_pattern,
    ),
    Word(
        name="range",
        accepts=is_number_or_text,
        expects="is neither a number, a name nor a range such as 1024-",
        pattern=_number_or_text_pattern,
    ),
    Word(
        name="sha256",
        accepts=is_digest,
        expects="is no SHA-256 digest: 64 digits and letters a to f, as sha256sum writes it",
        pattern=lambda: text(_DIGEST.pattern),
        is_taken_for_number=True,
    ),
    Word(
        name="size_or_auto",
        accepts=is_size_or_auto,
        expects="is neither auto nor a size from {0} to {1} such as 512M",
        pattern=lambda lowest, highest: _or_auto(_size_pattern(), {"type": "integer"}),
    ),
    Word(
        name="truth_or_auto",
        accepts=is_truth_or_auto,
        expects="is none of true, false and auto",
        pattern=lambda: _or_auto({"type": "boolean"}),
    ),
    Word(
        name="thread",
        accepts=is_thread,
        expects="is no thread of VPP: `main`, or one of the workers `worker0`, `worker1` and so on",
        pattern=lambda: text(_THREAD.pattern),
    ),
    Word(
        name="vrf_name",
        accepts=is_vrf_name,
        expects=f"is no name of a VRF: up to {VRF_LENGTH} letters, digits and /._:@+-, as it stands below `vrfs`",
        pattern=lambda: text(VRF.pattern, VRF_LENGTH),
        is_taken_for_number=True,
    ),
    Word(
        name="wireguard_key",
        accepts=is_wireguard_key,
        expects="is no key of WireGuard: 32 bytes in base64, 44 characters of which the last one is =",
        pattern=lambda: text(_WIREGUARD_KEY.pattern),
    ),
    Word(
        name="workers",
        accepts=is_workers,
        expects="is neither auto, a number of workers, nor a list of different CPUs such as [ 2, 3 ]",
        pattern=lambda: _or_auto(limited(0, _MOST_WORKERS), *_cpu_list_patterns()),
    ),
)
WORDS = {word.name: word for word in _ROWS}
"""The words of ours by name; a word of the schema without a row here is an error."""
