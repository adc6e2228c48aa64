"""Warnings about settings of a startup.conf that VPP accepts: access for everybody, files that are not found."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.model.problem import Problem
from vppcfg.startup.conf.tree import Conf
from vppcfg.startup.lint.demand import entry_at
from vppcfg.startup.lint.finding import notice, warning

_FILES_OF_UNIX = ("exec", "startup-config", "log", "pidfile")
_OWN_PATHS = ("/usr/lib", "/usr/local/lib", "/lib", "/opt/vpp")


def cautions(conf: Conf) -> Iterator[Problem]:
    """Yield settings that work and may surprise."""
    yield from _open_command_line(conf)
    yield from _old_driver(conf)
    yield from _plugin_path(conf)
    yield from _relative_files(conf)


def _open_command_line(conf: Conf) -> Iterator[Problem]:
    """Find a command line on TCP: whoever reaches the port is administrator, VPP asks for no password."""
    entry = entry_at(conf, "unix", "cli-listen")
    place = entry.arguments[0] if entry is not None and entry.arguments else "/"
    if entry is None or place.startswith("/"):
        return
    host = place.rpartition(":")[0]
    who = (
        "every user and program of this machine" if host in ("localhost", "127.0.0.1") else "whoever reaches this port"
    )
    text = f"cli-listen {place} lets {who} configure VPP without a password; write /run/vpp/cli.sock"
    yield warning("conf-open-cli", entry, text)


def _old_driver(conf: Conf) -> Iterator[Problem]:
    entry = entry_at(conf, "dpdk", "uio-driver")
    if entry is not None and entry.arguments[:1] == ("igb_uio",):
        text = "igb_uio is in no kernel and left DPDK's own tree with 20.11; write vfio-pci, or uio_pci_generic"
        yield notice("conf-old-driver", entry, text)


def _plugin_path(conf: Conf) -> Iterator[Problem]:
    entry = entry_at(conf, "plugins", "path") or entry_at(conf, "plugins", "add-path")
    folders = entry.arguments[0].split(":") if entry is not None and entry.arguments else []
    odd = next((folder for folder in folders if not folder.startswith(_OWN_PATHS)), None)
    if entry is not None and odd is not None:
        yield notice(
            "conf-plugin-path", entry, f"VPP loads plugins of {odd}; whoever may write there runs code as root"
        )


def _relative_files(conf: Conf) -> Iterator[Problem]:
    """Find files that VPP looks for where it happens to be started; it leaves `~` as it is (vlib/unix/main.c)."""
    for key in _FILES_OF_UNIX:
        entry = entry_at(conf, "unix", key)
        name = entry.arguments[0] if entry is not None and entry.arguments else "/"
        if entry is None or name.startswith("/"):
            continue
        if name.startswith("~"):
            text = (
                f"VPP does not put a home directory in the place of `~`, and finds no file {name}; write the whole path"
            )
            yield warning("conf-relative-path", entry, text)
        else:
            text = f"VPP looks for {name} in the folder that it is started in, / for a service; write the whole path"
            yield notice("conf-relative-path", entry, text)
