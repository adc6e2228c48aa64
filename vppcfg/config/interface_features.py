"""Keys of interfaces that are more than a plain value: what the file says of each, and what that is in the model."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from vppcfg.common.addresses import canonical_host
from vppcfg.config.yaml.text import KeyValue, Value
from vppcfg.model.features import (
    Lldp,
    Mirror,
    MssLimit,
    TrafficDirection,
    UrpfCheck,
    UrpfMode,
    mirrors_in_order,
    urpf_in_order,
)

_URPF = {"ipv4": (False, False), "ipv6": (True, False), "ipv4-output": (False, True), "ipv6-output": (True, True)}
"""Whether a key is about IPv6, and whether about what goes out."""
_URPF_KEYS = {place: key for key, place in _URPF.items()}
_MSS = {"ipv4": False, "ipv6": True}
"""Whether a key is about IPv6."""
LARGEST_MSS = 65534
"""Bytes; 65535 is VPP's word for none."""


def urpf_of(raw: Mapping[str, Any]) -> tuple[UrpfCheck, ...]:
    """Return the checks that `urpf` asks for."""
    return urpf_in_order(
        UrpfCheck(mode=UrpfMode(raw[key]), is_ipv6=is_ipv6, is_output=is_output)
        for key, (is_ipv6, is_output) in _URPF.items()
        if raw.get(key) is not None
    )


def urpf_said(checks: tuple[UrpfCheck, ...]) -> Value:
    """Return the value of `urpf`."""
    return tuple(KeyValue(_URPF_KEYS[each.is_ipv6, each.is_output], each.mode.value) for each in checks)


def why_no_urpf(checks: tuple[UrpfCheck, ...]) -> str | None:
    """Return why `urpf` cannot say checks, None when it can."""
    table = next((each.table_id for each in checks if each.table_id is not None), None)
    return None if table is None else f"its uRPF looks for routes in table {table}, which is not its own"


def mss_of(raw: Mapping[str, Any]) -> tuple[MssLimit, ...]:
    """Return the limits that `mss-clamp` asks for."""
    return tuple(_mss_limit(raw[key], is_ipv6=is_ipv6) for key, is_ipv6 in _MSS.items() if raw.get(key) is not None)


def _mss_limit(raw: int | Mapping[str, Any], *, is_ipv6: bool) -> MssLimit:
    if isinstance(raw, int):
        return MssLimit(mss=raw, is_ipv6=is_ipv6)
    return MssLimit(mss=raw["mss"], is_ipv6=is_ipv6, direction=TrafficDirection(raw.get("direction") or "both"))


def mss_said(limits: tuple[MssLimit, ...]) -> Value:
    """Return the value of `mss-clamp`."""
    return tuple(KeyValue("ipv6" if each.is_ipv6 else "ipv4", _mss_value(each)) for each in limits)


def _mss_value(limit: MssLimit) -> Value:
    if limit.direction is TrafficDirection.BOTH:
        return limit.mss
    return (KeyValue("mss", limit.mss), KeyValue("direction", limit.direction.value))


def why_no_mss(limits: tuple[MssLimit, ...]) -> str | None:
    """Return why `mss-clamp` cannot say limits, None when it can."""
    odd = next((each.mss for each in limits if not 0 < each.mss <= LARGEST_MSS), None)
    return None if odd is None else f"it clamps the MSS of TCP to {odd} bytes"


def mirrors_of(raw: Mapping[str, Any]) -> tuple[Mirror, ...]:
    """Return the mirrors that `mirror` asks for."""
    return mirrors_in_order(_mirror(str(target), value) for target, value in raw.items())


def _mirror(target: str, raw: str | Mapping[str, Any]) -> Mirror:
    if isinstance(raw, str):
        return Mirror(target=target, direction=TrafficDirection(raw))
    direction = TrafficDirection(raw.get("direction") or "both")
    return Mirror(target=target, direction=direction, is_l2=bool(raw.get("l2")))


def mirrors_said(mirrors: tuple[Mirror, ...]) -> Value:
    """Return the value of `mirror`."""
    return tuple(KeyValue(each.target, _mirror_value(each)) for each in mirrors)


def _mirror_value(mirror: Mirror) -> Value:
    if not mirror.is_l2:
        return mirror.direction.value
    return (KeyValue("direction", mirror.direction.value), KeyValue("l2", True))


def why_no_mirror(mirrors: tuple[Mirror, ...]) -> str | None:
    """Return why `mirror` cannot say mirrors, None when it can."""
    targets = [each.target for each in mirrors]
    twice = next((target for target in targets if targets.count(target) > 1), None)
    return None if twice is None else f"it mirrors to {twice} twice, as a port and in L2 mode"


def lldp_of(raw: bool | Mapping[str, Any]) -> Lldp | None:
    """Return what `lldp` has a port tell, None for nothing."""
    if isinstance(raw, bool):
        return Lldp() if raw else None
    return Lldp(
        description=raw.get("description") or "",
        ipv4=canonical_host(raw.get("management-ipv4")) or "",
        ipv6=canonical_host(raw.get("management-ipv6")) or "",
    )


def lldp_said(lldp: Lldp) -> Value:
    """Return the value of `lldp`."""
    said = (("description", lldp.description), ("management-ipv4", lldp.ipv4), ("management-ipv6", lldp.ipv6))
    return tuple(KeyValue(key, value) for key, value in said if value) or True


LONGEST_LLDP_TEXT = 255
"""Bytes, of a description of a port or the name of a system in a frame of LLDP."""


def is_lldp_text(text: str) -> bool:
    """Return whether a description or a name fits into a frame, and VPP tells it as it was."""
    return text.isascii() and text.isprintable() and text == text.strip() and len(text) <= LONGEST_LLDP_TEXT


def why_no_lldp(lldp: Lldp) -> str | None:
    """Return why `lldp` cannot say what a port tells, None when it can."""
    if lldp.oid:
        return "it tells an OID by LLDP"
    if not is_lldp_text(lldp.description) or set("'\"") & set(lldp.description):
        return "it tells a description by LLDP that the configuration cannot say"
    return None
