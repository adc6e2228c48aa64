"""The words of schema/vppcfg.yaml that yamale does not have, as JSON Schemas, from the same patterns as the validators.

What no pattern can say, such as that an address is not a multicast one, is left to `vppcfg check`.
"""

from __future__ import annotations

from typing import Any

from vppcfg.common.mac import FORMS
from vppcfg.config.names import (
    ACL_LENGTH,
    GLOB,
    INTERFACE,
    LCP,
    LINUX_NAME_LENGTH,
    LIST,
    LIST_LENGTH,
    NAME_LENGTH,
    NETNS,
    NETNS_LENGTH,
)

JsonSchema = dict[str, Any]

_OCTET = r"(25[0-5]|2[0-4][0-9]|1[0-9][0-9]|[1-9]?[0-9])"
_IPV4 = rf"{_OCTET}(\.{_OCTET}){{3}}"
_GROUP = r"[0-9A-Fa-f]{1,4}"
_LAST = rf"({_GROUP}:{_GROUP}|{_IPV4})"
_MASK = rf"/(0*(3[0-2]|[12]?[0-9])|{_IPV4})"
_LENGTH6 = r"/0*(12[0-8]|1[01][0-9]|[1-9]?[0-9])"


def _ipv6() -> str:
    """Return the pattern of an IPv6 address (RFC 3986, 3.2.2)."""
    forms = [rf"({_GROUP}:){{6}}{_LAST}"]
    for before in range(8):
        start = rf"(({_GROUP}:){{0,{before - 1}}}{_GROUP})?" if before else ""
        rest = 5 - before
        end = rf"({_GROUP}:){{{rest}}}{_LAST}" if rest >= 0 else (_GROUP if rest == -1 else "")
        forms.append(f"{start}::{end}")
    return "(" + "|".join(forms) + ")"


_IPV6 = _ipv6()
_HOST = f"({_IPV4}|{_IPV6})"
_ADDRESS = f"({_IPV4}({_MASK})?|{_IPV6}({_LENGTH6})?)"


def text(pattern: str, longest: int | None = None) -> JsonSchema:
    """Return the schema of a text that is as a whole what a pattern says."""
    limit = {} if longest is None else {"maxLength": longest}
    return {"type": "string", "pattern": f"^({pattern})$", **limit}


def _any_case(pattern: str) -> str:
    return pattern.replace("a-f", "A-Fa-f")


_WHOLE_OR_TEXT: JsonSchema = {"type": ["integer", "string"]}
_AUTO: JsonSchema = {"const": "auto"}
_CPUS: tuple[JsonSchema, ...] = (
    text(r"[0-9][0-9, -]*"),
    {"type": "array", "items": {"type": "integer", "minimum": 0}, "uniqueItems": True, "minItems": 1},
)
_SIZE = text(r"[0-9]+ *[A-Za-z]*")

WORDS: dict[str, JsonSchema] = {
    "acl_name": text(LIST.pattern, ACL_LENGTH),
    "address": text(_ADDRESS),
    "endpoint": {"anyOf": [text(_ADDRESS), text(LIST.pattern, LIST_LENGTH)]},
    "file_path": text(r"/[A-Za-z0-9/._:@+=~%,-]+"),
    "glob": text(GLOB.pattern),
    "group_name": text(r"[A-Za-z_][A-Za-z0-9_.-]*", 32),
    "host": text(_HOST),
    "hugepage_size": {"anyOf": [_AUTO, _SIZE]},
    "interface_name": text(INTERFACE.pattern, NAME_LENGTH),
    "isolate": {"anyOf": [{"type": "boolean"}, *_CPUS]},
    "lcp_name": text(LCP.pattern, LINUX_NAME_LENGTH),
    "list_name": text(LIST.pattern, LIST_LENGTH),
    "mac": text("|".join(_any_case(form.pattern) for form in FORMS)),
    "netns_name": text(NETNS.pattern, NETNS_LENGTH),
    "plugin_names": {"anyOf": [_AUTO, {"type": "array", "items": {"type": "string"}, "uniqueItems": True}]},
    "prefix": text(_ADDRESS),
    "protocol": _WHOLE_OR_TEXT,
    "range": _WHOLE_OR_TEXT,
    "size_or_auto": {"anyOf": [_AUTO, _SIZE, {"type": "integer"}]},
    "truth_or_auto": {"anyOf": [_AUTO, {"type": "boolean"}]},
    "workers": {"anyOf": [_AUTO, {"type": "integer", "minimum": 0, "maximum": 256}, *_CPUS]},
}
"""By the word; that of `number_or_auto` has its limits as arguments and is made in json_schema.py."""
