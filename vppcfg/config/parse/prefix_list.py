"""One entry of `prefixlists`: its prefixes by family, in the order of the file, each once."""

from __future__ import annotations

from collections.abc import Iterable

from vppcfg.common.addresses import canonical_prefix
from vppcfg.config.names import is_prefix_list_name
from vppcfg.config.parse.entries import Entry, Naming
from vppcfg.model.problem import Problem
from vppcfg.record import record

NAMING = Naming(
    section="prefixlists",
    is_name=is_prefix_list_name,
    rule="prefixlist-name",
    wanted="a prefix list has a lower case letter, then up to 63 of a-z, 0-9 and `-`",
)


@record
class PrefixList:
    """Canonical prefixes."""

    ipv4: tuple[str, ...] = ()
    ipv6: tuple[str, ...] = ()

    @classmethod
    def of(cls, prefixes: Iterable[str]) -> PrefixList:
        """Return a list of canonical prefixes, each once."""
        distinct = tuple(dict.fromkeys(prefixes))
        return cls(
            ipv4=tuple(prefix for prefix in distinct if ":" not in prefix),
            ipv6=tuple(prefix for prefix in distinct if ":" in prefix),
        )


def parse_prefix_list(entry: Entry) -> PrefixList | Problem:
    """Parse a prefix list; return what is wrong with its name when that means something else."""
    if entry.name == "any":
        text = "`any` stands for all addresses in ACLs; give the list another name"
        return Problem(rule="prefixlist-any", path=entry.path, text=text)
    members = entry.raw.get("members") or ()
    return PrefixList.of(prefix for member in members if (prefix := canonical_prefix(member)))
