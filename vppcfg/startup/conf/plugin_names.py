"""The plugins of upstream VPP, by the name in their files, and whether they are loaded by default."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from vppcfg.common.release import NEWEST, Release
from vppcfg.startup.conf.release_table import plugin_spans, table_of

SUFFIX = "_plugin.so"
_IN_NO_PACKAGE = ("handoffdemo", "sample")
"""Examples that stand outside of src/plugins, and are built on request."""


@cache
def plugins() -> Mapping[str, tuple[Release | None, Release | None]]:
    """Return all plugins: the first release that has one, and the first that has it no more; None where it is in all.

    Raise UsageError when the table of this installation cannot be read.
    """
    return {**plugin_spans(), **dict.fromkeys(_IN_NO_PACKAGE, (None, None))}


def name_in(file_name: str) -> str:
    """Return the name of a plugin without what its file's name has besides."""
    return file_name.removesuffix(SUFFIX).removesuffix(".so")


def is_in(plugin: str, release: Release) -> bool:
    """Return whether upstream VPP of a release has a plugin; its package may be another one (vpp-plugin-dpdk)."""
    since, until = plugins().get(plugin, (release, release))
    return (since is None or release >= since) and (until is None or release < until)


def is_off_by_default(plugin: str, release: Release) -> bool:
    """Return whether a release loads a plugin only when a file enables it.

    A vendor's release that has a plugin early does as later releases.
    """
    return plugin in table_of(release if is_in(plugin, release) else NEWEST).off
