"""Bridge domains. Their tag can be set only when they are made."""

from __future__ import annotations

from vppcfg.config.resolve.wanted import Wanted
from vppcfg.model.bridge import Bridge
from vppcfg.model.ownership import tag_for


def resolve(wanted: Wanted) -> None:
    """Enter the bridges of the file that are not somebody else's."""
    for name, config in wanted.configuration.bridges.items():
        if name not in wanted.bridges:
            before = wanted.observed.bridges.get(name)
            tag = before.tag if before is not None else tag_for(config.description)
            wanted.bridges[name] = Bridge(bd_id=config.bd_id, settings=config.settings, tag=tag)
