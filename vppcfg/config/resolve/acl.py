"""Access lists, identified by their name."""

from __future__ import annotations

from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.acl import Acl
from vppcfg.model.ownership import MARK


def resolve(wanted: Wanted) -> None:
    """Enter the access lists of the file."""
    for name, config in wanted.configuration.acls.items():
        if not wanted.has_plugin("acl", "plugin-missing", config.path, f"{name} is an access list"):
            continue
        before = wanted.observed.acls.get(name)
        index = before.index if before is not None else None
        wanted.acls[name] = Acl(rules=config.rules, tag=f"{MARK} {name}", index=index)
