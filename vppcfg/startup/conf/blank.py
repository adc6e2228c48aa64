"""Finds braces with nothing but white space in them, at which VPP stops, or hangs for ever.

The readers of stanzas go on until there is no more input, and white space is input that is none of their words
(vlib/init.c). Stanzas of one name are strung together before that; `{}` adds nothing. VPP's first pass reads `memory`,
and `unix` from 26.02 on, one by one, and does not stop at what it does not know (vpp/vnet/main.c): there white space is
looked at again and again. Each stanza was tried on VPP 23.06, 24.10 and 26.10 where its plugin is there; those of the
other plugins were read in VPP's source.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from vppcfg.common.release import OLDEST, Release
from vppcfg.model.problem import Problem
from vppcfg.startup.conf.grammar import STANZAS
from vppcfg.startup.conf.problem_text import problem
from vppcfg.startup.conf.tree import Conf, ConfEntry, walk

_FIRST_PASS = Release(26, 2)
"""First release whose first pass has a loop without an end (VPP's commit 1639bff5421)."""
_ENDLESS: Mapping[str, Release] = {"dslite": OLDEST, "memory": _FIRST_PASS, "unix": _FIRST_PASS}
"""Stanzas that VPP never gets past when they are blank, and since when (vpp/vnet/main.c, nat/dslite/dslite.c)."""
_ONE_BY_ONE: Mapping[str, Release] = {"memory": OLDEST, "unix": _FIRST_PASS}
"""Stanzas that are not strung together, and since when."""
_HARMLESS = frozenset({"calico-policy-plugin", "cpu", "devices", "dpdk", "dsa", "node", "npol-plugin", "unix-cli"})
"""Stanzas whose readers skip white space, stop reading at it, or read nothing."""
_STOPPING_BLOCKS = frozenset({"crypto engine", "ipsec tunnels", "logging class", "plugin"})
"""Blocks in a stanza whose white space stops VPP."""
_LOST_BLOCKS = frozenset({"devices dev", "devices driver", "devices port"})
"""Blocks that VPP reads when it runs already; it goes on without what they stand for (vnet/dev/config.c)."""


def blank_problems(conf: Conf, release: Release) -> Iterator[Problem]:
    """Yield stanzas and blocks with nothing but white space or comments in their braces."""
    for name, same in conf.by_name.items():
        key = STANZAS.get(name)
        if key is None or key.block is None or not key.is_known_to(release) or name in _HARMLESS:
            continue
        blank = [stanza for stanza in same if stanza.is_blank]
        if name in _ONE_BY_ONE and release >= _ONE_BY_ONE[name]:
            yield from (_stanza_problem(stanza, release) for stanza in blank)
        elif blank and not any(map(_has_content, same)):
            yield _stanza_problem(blank[0], release)
    for above, entry in walk(conf.stanzas):
        if above and entry.is_blank:
            yield from _block_problem(entry, above)


def _has_content(stanza: ConfEntry) -> bool:
    return bool(stanza.children or stanza.arguments) or (stanza.verbatim is not None and not stanza.is_blank)


def _stanza_problem(stanza: ConfEntry, release: Release) -> Problem:
    name = stanza.name
    if name in _ENDLESS and release >= _ENDLESS[name]:
        what = "at which VPP hangs for ever, with a busy CPU and without a word"
    else:
        what = "which stops VPP"
    return problem("conf-blank", stanza, f"the braces of `{name}` hold {_inside(stanza)}, {what}; {_correction(name)}")


def _block_problem(entry: ConfEntry, above: tuple[ConfEntry, ...]) -> Iterator[Problem]:
    """Yield what VPP makes of a blank block; `plugin default` may be one (vlib/unix/plugin.c)."""
    block = (entry.key.block if entry.key is not None else None) or ""
    head = " ".join((entry.name, *entry.arguments))
    if block in _LOST_BLOCKS:
        lost = "the devices" if entry.name == "driver" else "this device and those"
        what = f"and VPP starts without {lost} after it"
    elif block in _STOPPING_BLOCKS and head != "plugin default":
        what = "which stops VPP"
    elif block == "node graph":
        what = "which stops VPP" if entry.name == "default" else "which stops a VPP that has this node"
    else:
        return
    where = " ".join(each.name for each in above)
    text = f"the braces of `{head}` (in {where}) hold {_inside(entry)}, {what}; {_correction(head)}"
    yield problem("conf-blank", entry, text)


def _inside(entry: ConfEntry) -> str:
    return "comments alone" if entry.tail else "white space alone"


def _correction(head: str) -> str:
    return f"remove it, or write `{head} {{}}`"
