"""Plugins with the packages that hold them, and packages with what they need."""

from __future__ import annotations

import re
from pathlib import Path

from tools.vpp_tables.source import DPDK, Tree, read

_PLUGIN = re.compile(r"\badd_vpp_plugin\s*\(\s*([\w-]+)(.*?)\n?\)", re.DOTALL)
_COMPONENT = re.compile(r"\bCOMPONENT\s+([\w-]+)")
_SOURCE = re.compile(r"([\w./-]+\.c)\b")
_OFF = re.compile(r"^(?:(?!//).)*\.default_disabled\s*=\s*1", re.MULTILINE)
_USUAL_PACKAGE = "vpp-plugin-core"
_PACKAGE = re.compile(r"^Package: (\S+)\n((?:[A-Z][\w-]*:.*\n(?:[ \t]+.*\n)*)*)", re.MULTILINE)
_DEPENDS = re.compile(r"^Depends:((?:.*\n)(?:[ \t]+.*\n)*)", re.MULTILINE)
_SETTING = re.compile(r"^\s*([a-z]\w*(?:\.\w+)+)\s*=", re.MULTILINE)


def plugins_of(tree: Tree) -> tuple[dict[str, str], set[str]]:
    """Return the package of every plugin by its name, and the plugins that are off unless a file enables them."""
    packages: dict[str, str] = {}
    off: set[str] = set()
    for path in sorted((tree.root / "src" / "plugins").rglob("CMakeLists.txt")):
        for name, rest in _PLUGIN.findall(re.sub(r"#.*", "", read(path))):
            component = _COMPONENT.search(rest)
            packages[name] = component[1] if component else _USUAL_PACKAGE
            if any(_is_off(path.parent / source) for source in _SOURCE.findall(rest)):
                off.add(name)
    return packages, off


def _is_off(source: Path) -> bool:
    return source.is_file() and _OFF.search(read(source)) is not None


def packages_of(tree: Tree) -> dict[str, set[str]]:
    """Return the packages of VPP that each one depends on (pkg/debian/control.in)."""
    text = read(tree.root / "src/pkg/debian/control.in")
    found: dict[str, set[str]] = {}
    for name, body in _PACKAGE.findall(text):
        match = _DEPENDS.search(body)
        needed = re.findall(r"(?:^|[\s,])((?:lib)?vpp[\w-]*)", match[1]) if match else []
        found[name] = set(needed)
    return found


def sysctl_of(tree: Tree) -> set[str]:
    """Return what the package sets of the kernel (vpp/conf/80-vpp.conf)."""
    path = tree.root / "src/vpp/conf/80-vpp.conf"
    return set(_SETTING.findall(read(path))) if path.is_file() else set()


def dpdk_of(tree: Tree) -> str:
    """Return the DPDK that a release is built with."""
    match = re.search(r"^dpdk_version\s*\??=\s*(\S+)", read(tree.root / DPDK), re.MULTILINE)
    if match is None:
        raise SystemExit("dpdk.mk names no version of DPDK")
    return match[1]
