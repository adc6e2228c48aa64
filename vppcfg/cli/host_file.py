"""The machine that a command is about: the one below a root directory, or one whose inventory stands in a file."""

from __future__ import annotations

import json
from pathlib import Path

from vppcfg.errors import UsageError
from vppcfg.model.host import Host, host_of


def machine_at(root: str) -> Host:
    """Return the machine whose /proc and /sys are below `root`. Raise UsageError when there is none."""
    from vppcfg.host.inventory import read_host

    if not Path(root).is_dir():
        raise UsageError(f"{root} is no directory", "name the directory that holds proc and sys")
    host = read_host(root)
    if not host.usable_cpus:
        raise UsageError(f"there is no machine below {root}: no CPU is found", "it needs the files of /proc and /sys")
    return host


def read_machine(file_name: str) -> Host:
    """Return the machine in an inventory, `-` for standard input. Raise ConfigError or UsageError."""
    from vppcfg.config.yaml.document import read_source

    try:
        return host_of(json.loads(read_source(file_name)))
    except UnicodeDecodeError as error:
        raise UsageError(f"{file_name} is no text", "`vppcfg host -o host.json` writes an inventory") from error
    except json.JSONDecodeError as error:
        hint = "`vppcfg host -o host.json` writes an inventory"
        raise UsageError(f"{file_name}:{error.lineno}:{error.colno}: not JSON: {error.msg}", hint) from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file_name}: {error}", "`vppcfg host -o host.json` writes an inventory") from error
