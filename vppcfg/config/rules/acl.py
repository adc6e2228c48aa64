"""Rules about the ACLs that interfaces apply."""

from __future__ import annotations

from collections.abc import Iterator

from vppcfg.config.rules.index import Index
from vppcfg.model.problem import Problem


def acl_applied(index: Index) -> Iterator[Problem]:
    """Find ACLs that interfaces apply and the file lacks, and those that VPP would take once only."""
    for interface in index.interfaces:
        if not interface.acls:
            continue
        for key, names in (("input", interface.acls.input), ("output", interface.acls.output)):
            seen: set[str] = set()
            for position, name in enumerate(names):
                path = (*interface.path, "acls", key, position)
                if not index.has_entry("acls", name, index.configuration.acls):
                    text = f"there is no ACL {name} in this file; add it to `acls`"
                    yield Problem(rule="acl-undefined", path=path, text=text)
                elif name in seen:
                    yield Problem(rule="acl-duplicate", path=path, text=f"{name} stands in this list already")
                seen.add(name)
