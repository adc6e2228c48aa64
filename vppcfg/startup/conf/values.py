"""Whether VPP can read the values of startup.conf, as its own readers do (vppinfra/)."""

from __future__ import annotations

import re
from collections.abc import Mapping

from vppcfg.startup.conf.key import ArgumentForm, Key

_ADDRESS = re.compile(
    r"[0-9a-fA-F]{1,4}:[0-9a-fA-F]{1,2}:[0-9a-fA-F]{1,2}\.[0-9a-fA-F]"
    r"|[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
)
"""On the PCI bus, or on Hyper-V's."""
_FORMS: Mapping[ArgumentForm, tuple[re.Pattern[str], str]] = {
    ArgumentForm.NUMBER: (re.compile(r"[+-]?[0-9]+"), "a whole number"),
    ArgumentForm.DECIMAL: (re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]*)?"), "a number"),
    ArgumentForm.HEXADECIMAL: (re.compile(r"0x[0-9a-fA-F]+"), "a hexadecimal number, such as 0x1000"),
    ArgumentForm.SIZE: (re.compile(r"[0-9]+[kKmMgG]?"), "a size, such as 512M or 2G"),
    ArgumentForm.LIMIT: (re.compile(r"unlimited|[0-9]+[kKmMgG]?"), "unlimited, or a size such as 512M"),
    ArgumentForm.PAGE: (
        re.compile(r"default|default-hugepage|[0-9]+[kKmMgG]"),
        "the size of a page with its unit, such as 4k, 2M or 1G, or default-hugepage",
    ),
    ArgumentForm.CPUS: (
        re.compile(r"[0-9]+(?:-[0-9]+)?(?:,[0-9]+(?:-[0-9]+)?)*,?"),
        "a list of numbers, such as 2-4,8",
    ),
    ArgumentForm.MASK: (
        re.compile(r"(?:[0-9a-fA-F]{2})+"),
        "an even number of hexadecimal digits without 0x, such as 1c",
    ),
    ArgumentForm.PCI: (
        _ADDRESS,
        "a PCI address, such as 0000:3b:00.0",
    ),
    ArgumentForm.ON_BUS: (
        re.compile(r"pci/[0-9a-fA-F]{1,4}:[0-9a-fA-F]{1,2}:[0-9a-fA-F]{1,2}\.[0-9a-fA-F]|platform/\S+"),
        "a device with its bus, such as pci/0000:3b:00.0",
    ),
    ArgumentForm.QUOTED: (re.compile(r"'.*'"), "text in single quotes"),
    ArgumentForm.DEVICES: (
        re.compile(rf"{_ADDRESS.pattern}|[0-9a-fA-F]+:[0-9a-fA-F]+"),
        "a PCI address, such as 0000:3b:00.0, or a vendor and a device, such as 8086:1539",
    ),
}
"""What a value of each form matches, and what it is called in messages."""
REVERSED_RANGE = "a range is reversed; write the lower number first"
_LARGEST = (1 << 32) - 1
_RANGE = re.compile(r"([0-9]+)-([0-9]+)")


def why_unreadable(key: Key, arguments: tuple[str, ...]) -> str | None:
    """Return why VPP cannot read the values of a key, None when it can."""
    if key.choices and arguments and arguments[-1] not in key.choices:
        return f"it must be one of {', '.join(key.choices)}"
    for form, text in zip(key.arguments, arguments, strict=False):
        pattern, wanted = _FORMS.get(form, (None, ""))
        if pattern is not None and not pattern.fullmatch(text):
            return f"it must be {wanted}"
        if form is ArgumentForm.NUMBER and abs(int(text)) > _LARGEST:
            return f"it must be at most {_LARGEST}"
        if form is ArgumentForm.CPUS and any(int(last) < int(first) for first, last in _RANGE.findall(text)):
            return REVERSED_RANGE
    return None
